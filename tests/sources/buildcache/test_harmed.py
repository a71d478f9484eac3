"""Build caches with something odd anywhere in them: whatever it is, it is read, and what is said of it is harmless."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.dependencies import dependencies
from cachetui.query.query import Query
from cachetui.report.formats import FORMATS, json_text, written
from cachetui.report.health import HealthReport
from cachetui.report.paste import copies
from cachetui.sources.buildcache.examination import examine_caches, missing_dependencies
from tests.support.cache_writer import external, node, write_v2, write_v3
from tests.support.caches import index_of_folder
from tests.support.harmed import HARMS, Harm, harm_folder

GLIBC = external("glibc", "2.39")
GCC = node("gcc", "13.2.0", [(GLIBC, ["link"], ["libc"])])
ZLIB = node("zlib", "1.3.1", [(GCC, ["build"], ["c"]), (GLIBC, ["link"], ["libc"])])
HDF5 = node("hdf5", "1.14.3", [(ZLIB, ["build", "link"], ["zlib-api"])], parameters={"mpi": True, "api": ["v18"]})
NODES = [GLIBC, GCC, ZLIB, HDF5]

QUERIES = [Query.parse(text, has_graph=True) for text in ("^zlib", "%gcc", "^[virtuals=c] gcc@13", "complete=yes")]


def split(pieces: Iterable[str]) -> list[str]:
    return "".join(pieces).split("\n")


def look_everywhere(folder: Path) -> None:
    """Reads a cache and asks everything that is asked of one."""
    index = index_of_folder(folder)
    problems = [*index.problems, *examine_caches(index.graph, deep=True), *missing_dependencies(index.graph)]
    report = HealthReport(tuple(problems))
    assert all(line.isprintable() for form in FORMATS for line in split(written(report, form, 80)))
    for row in range(len(index)):
        spec = index.spec(row)
        assert json_text(spec)
        assert copies([spec]) is not None
        if spec.hash:
            for dependents in (False, True):
                found = dependencies(index, spec.hash, dependents=dependents)
                assert len(list(found.walk())) <= 1 + sum(len(each.edges) for each in found.nodes)
    for query in QUERIES:
        assert len(index.rows(query)) <= len(index)


@pytest.mark.parametrize("write", [write_v2, write_v3])
@given(harms=st.lists(HARMS, max_size=4), signed=st.booleans(), indexed=st.booleans())
def test_a_cache_with_something_odd_in_it_is_read(
    write: Callable[..., Path], harms: list[Harm], signed: bool, indexed: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = write(Path(place), NODES, [GCC, ZLIB, HDF5], signed=signed)
        if not indexed:
            shutil.rmtree(folder / "v3/manifests/index", ignore_errors=True)
            (folder / "build_cache/index.json").unlink(missing_ok=True)
        for harm in harms:
            harm_folder(folder, harm)
        look_everywhere(folder)
