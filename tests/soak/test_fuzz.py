"""Random input from outside, guided by code coverage: pages, queries, index caches, logs.

Only expected errors are raised, and nothing takes long. Each target runs in its own process, as atheris requires;
without atheris these tests are skipped (the tests of each module try random input too).
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.caches import CACHES
from tests.support.places import ROOT

SECONDS = 60
"""For each target."""

LONGEST = 5
"""Seconds that one input may take; memory is held to 1 GB."""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris"),
]

TARGETS = {
    "page": """
        def target(data):
            (folder / "page.md").write_bytes(data)
            index = Index(built([read_piece(str(folder), ["page.md"])]))
            for row in range(len(index)):
                assert json_text(index.spec(row))
                assert copies([index.spec(row)]) is not None
    """,
    "sidecar": """
        page = b'---\\ntitle: a\\nlayout: cache\\nspec_files: ["spec-0.json"]\\nspec_names: ["a@1"]\\n---\\n'
        def target(data):
            (folder / "page.md").write_bytes(page)
            (folder / "spec-0.json").write_bytes(data)
            assert read(str(folder), "page.md").page
    """,
    "query": """
        def target(data):
            text, fuzzy_name = data.decode(errors="surrogateescape"), len(data) % 2 == 0
            try:
                query = Query.parse(text, fuzzy_name=fuzzy_name)
            except QueryError as error:
                assert "\\n" not in str(error)
                return
            Results.of(index, query)
            assert Query.parse(query.line, fuzzy_name=fuzzy_name).line == query.line
    """,
    "snapshot": """
        def target(data):
            (folder / "x.index").write_bytes(data)
            IndexCache(str(folder / "x.index"), "/content").load()
    """,
    "log": """
        def target(data):
            for asked in asked_in_log(io.BytesIO(data)):
                list(look_up(index, [asked]))
            text = data.decode(errors="surrogateescape")
            list(look_up(index, asked_in([text])))
    """,
    "cache index": """
        (folder / "build_cache").mkdir()
        def target(data):
            (folder / "build_cache/index.json").write_bytes(data)
            call_every_reader(folder)
    """,
    "spec file": """
        (folder / "build_cache").mkdir()
        def target(data):
            (folder / "build_cache" / f"x-{'a' * 32}.spec.json.sig").write_bytes(data)
            call_every_reader(folder)
    """,
    "manifest": """
        (folder / "v3/manifests/spec/a").mkdir(parents=True)
        def target(data):
            (folder / "v3/manifests/spec/a" / f"a-1-{'a' * 32}.spec.manifest.json").write_bytes(data)
            call_every_reader(folder)
    """,
    "template": """
        def target(data):
            try:
                line = template(data.decode(errors="surrogateescape"))
            except FormatError:
                return
            line(index.spec(0))
    """,
}

PROGRAM = """
import io, sys, tempfile
from pathlib import Path
import atheris
with atheris.instrument_imports(include=["cachetui"]):
    from cachetui.search.index import Index
    from cachetui.store.merge import built
    from cachetui.sources.pages.page_forms import read
    from cachetui.search.results import Results
    from cachetui.report.specs import copies
    from cachetui.query.query import Query
    from cachetui.query.parser import QueryError
    from cachetui.report.formats import json_text
    from cachetui.report.specs import FormatError, template
    from cachetui.sources.pages.reader import read_piece
    from cachetui.store.index_cache import IndexCache, write_index
    from cachetui.analysis.which import look_up
    from cachetui.search.log_hashes import asked_in_log
    from cachetui.search.hash_extraction import asked_in
    from tests.support.every_reader import call_every_reader
from tests.support.rows import index_of, row
from tests.support.places import ROOT
folder = Path(sys.argv.pop())
index = index_of([row("hdf5"), row("zlib", "1.2.13", tag="v1.0.0", compiler="none", target="zen4")])
"""

SEEDS = {
    "page": sorted((ROOT / "tests" / "pages").glob("*.md")) + sorted((ROOT / "cachetui" / "sample").glob("*.txt"))[:1],
    "query": [ROOT / "tests" / "queries" / "queries.txt"],
    "cache index": sorted((CACHES / "v2").rglob("index.json")),
    "spec file": sorted((CACHES / "v2").rglob("*.spec.json*"))[:20],
    "manifest": sorted((CACHES / "v3").rglob("*.spec.manifest.json"))[:20],
}


@pytest.mark.parametrize("name", TARGETS)
def test_fuzzed_input_raises_only_expected_errors(name: str, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for number, path in enumerate(SEEDS.get(name, ())):
        pieces = path.read_bytes().split(b"\n") if path.suffix == ".txt" and name == "query" else [path.read_bytes()]
        for piece_number, piece in enumerate(pieces):
            (seeds / f"{number}-{piece_number}").write_bytes(piece[:20_000])
    if name == "snapshot":
        code = "write_index(sys.argv[1], '/content', index.columns, 1.0, '')"
        place = [str(seeds / "whole"), str(tmp_path)]
        subprocess.run([sys.executable, "-c", f"{PROGRAM}{code}", *place], cwd=ROOT, check=True, capture_output=True)
    target = "\n".join(line[8:] for line in TARGETS[name].splitlines())
    program = tmp_path / "program.py"
    program.write_text(f"{PROGRAM}{target}\natheris.Setup(sys.argv, target)\natheris.Fuzz()\n")
    limits = [f"-max_total_time={SECONDS}", f"-timeout={LONGEST}", "-rss_limit_mb=1024", "-max_len=20000"]
    command = [sys.executable, str(program), *limits, f"-artifact_prefix={tmp_path}/", str(seeds), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
