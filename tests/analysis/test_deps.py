"""What would break without a binary, and which binaries nothing needs."""

from __future__ import annotations

from collections.abc import Iterable

from cachetui.analysis.deps import breaking, unreferenced
from cachetui.query.query import Query
from tests.support.builds import BUILD, LINK, Build, index_of_builds

CMAKE = Build("cmake")
ZLIB = Build("zlib", needs=((CMAKE, BUILD),))
HDF5 = Build("hdf5", needs=((ZLIB, LINK),))
APP = Build("app", needs=((HDF5, LINK),))
OLD = Build("old", needs=((ZLIB, LINK),))

INDEX = index_of_builds({("develop", "e4s"): [CMAKE, ZLIB, HDF5], ("v1", "e4s"): [APP, OLD]})


def packages(hashes: Iterable[str]) -> set[str]:
    return {INDEX.spec(INDEX.rows_of(each)[0]).package for each in hashes}


def test_what_would_break_over_all_caches() -> None:
    assert packages(breaking(INDEX, ZLIB.hash)) == {"hdf5", "old", "app"}
    assert breaking(INDEX, CMAKE.hash) == breaking(INDEX, "a" * 32) == []


def test_what_nothing_needs() -> None:
    assert packages(unreferenced(INDEX, Query())) == {"app", "old"}
    assert packages(unreferenced(INDEX, Query.parse("tag=develop"))) == set()
    assert packages(unreferenced(INDEX, Query(), [APP.hash])) == {"old"}
    assert packages(unreferenced(INDEX, Query(), [ZLIB.hash])) == {"hdf5", "app", "old"}
    assert unreferenced(index_of_builds({("develop", "e4s"): [APP]}, graph=False), Query()) == []
