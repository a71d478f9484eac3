"""The table of facets: all screens, counts and queries support a new entry."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from cachetui.model.spec import FLAGS, VALUE_KEYS
from cachetui.query.terms import ARCH
from tests.support.places import ROOT

ASKED = """
import json, sys
from cachetui.model.spec import COLUMN_AXES
from cachetui.suggest.completion import completions
from cachetui.query.query import Query
from cachetui.report.specs import template
from cachetui.search.results import Results
from cachetui.settings.settings import parse_config
from tests.support.rows import index_of, row

index = index_of([row(license="a"), row(license="b", version="1.12"), row(license="b", version="1.10")])
query = Query.parse("hdf5 license=b os!=rhel8")
results = Results.of(index, query)
print(json.dumps({
    "values": [[value.value, value.specs, value.selected] for value in results.facet("license")],
    "rows": len(results),
    "query": str(query.toggled("license", "a", index.values("license"))),
    "axis": "license" in COLUMN_AXES,
    "text": template("{license}")(index.spec(0)),
    "column": parse_config(b'columns = ["license"]').columns,
    "completion": [offer.text for offer in completions(index, "hdf5 lic", 8)],
}))
"""


def test_new_facet_only_needs_an_entry_in_facet_table(tmp_path: Path) -> None:
    for folder in ("cachetui", "tests/support"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    table = tmp_path / "cachetui" / "model" / "spec.py"
    text = table.read_text()
    for line, further in (
        ("_RECORDS = (", 'Facet(name="license", field="license", in_spack=False),'),
        ("    compiler: str | None = None", "    license: str | None = None"),
        ("    tarball: str | None", "    license: str | None"),
    ):
        text = text.replace(f"{line}\n", f"{line}\n{further}\n")
    table.write_text(text)
    done = subprocess.run([sys.executable, "-c", ASKED], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "values": [["b", 2, True], ["a", 1, False]],
        "rows": 2,
        "query": "hdf5 license=a,b os!=rhel8",
        "axis": True,
        "text": "a",
        "column": ["license"],
        "completion": ["license="],
    }


def test_facet_keys_differ_from_all_other_query_keys() -> None:
    others = ["fits", "package", "name", "version", "variant", "hash", "dependency", *ARCH, *FLAGS]
    keys = [*others, *(key for facet in VALUE_KEYS.values() for key in (facet.name, *facet.spellings))]
    assert len(set(keys)) == len(keys)
