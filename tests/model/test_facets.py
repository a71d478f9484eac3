"""The table of facets: one more entry, and everything that shows, counts or asks for facets has it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.spec import FLAGS
from cachetui.query.tokens import ARCH
from tests.support.places import ROOT

ASKED = """
import json, sys
from cachetui.analysis.coverage import COLUMN_AXES
from cachetui.suggest.completion import completions
from cachetui.query.query import Query
from cachetui.search.results import Results
from tests.support.rows import index_of, row

index = index_of([row(size="a"), row(size="b", version="1.12"), row(size="b", version="1.10")])
query = Query.parse("hdf5 size=b os!=rhel8")
results = Results.of(index, query)
print(json.dumps({
    "values": [[value.value, value.specs, value.ticked] for value in results.facet("size")],
    "rows": len(results),
    "query": str(query.toggled("size", "a", index.values("size"))),
    "axis": "size" in COLUMN_AXES,
    "completion": [offer.text for offer in completions(index, "hdf5 siz", 8)],
}))
"""


def test_a_sixth_facet_is_an_entry_of_the_table(tmp_path: Path) -> None:
    for folder in ("cachetui", "tests/support"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    table = tmp_path / "cachetui" / "model" / "facets.py"
    entry = 'Facet(name="size", field="size", in_spack=False),'
    text = table.read_text().replace("_RECORDS = (\n", f"_RECORDS = (\n    {entry}\n")
    table.write_text(
        text.replace("    stacks: tuple[str, ...]\n", "    stacks: tuple[str, ...]\n    size: str | None\n")
    )
    done = subprocess.run([sys.executable, "-c", ASKED], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "values": [["b", 2, True], ["a", 1, False]],
        "rows": 2,
        "query": "hdf5 size=a,b os!=rhel8",
        "axis": True,
        "completion": ["size="],
    }


def test_a_facet_takes_no_key_of_another_part() -> None:
    others = ["fits", "package", "name", "version", "variant", "hash", "dependency", *ARCH, *FLAGS]
    keys = [*others, *(key for facet in VALUE_KEYS.values() for key in (facet.name, *facet.spellings))]
    assert len(set(keys)) == len(keys)
