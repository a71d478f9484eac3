"""What would break without a binary, and which binaries nothing needs."""

from __future__ import annotations

from cachetui.analysis.deps import breaking, unreferenced
from cachetui.query.query import Query
from cachetui.search.availability import CacheName
from tests.support.builds import BUILD, LINK, Build, index_of_builds

CMAKE = Build("cmake")
ZLIB = Build("zlib", needs=((CMAKE, BUILD),))
HDF5 = Build("hdf5", needs=((ZLIB, LINK),))
APP = Build("app", needs=((HDF5, LINK),))
OLD = Build("old", needs=((ZLIB, LINK),))

INDEX = index_of_builds({("develop", "e4s"): [CMAKE, ZLIB, HDF5], ("v1", "e4s"): [APP, OLD]})


def test_what_would_break_over_all_caches() -> None:
    found = {each.package: each.mirrors for each in breaking(INDEX, ZLIB.hash)}
    assert found == {
        "hdf5": (CacheName("develop", "e4s"),),
        "old": (CacheName("v1", "e4s"),),
        "app": (CacheName("v1", "e4s"),),
    }
    assert list(breaking(INDEX, CMAKE.hash)) == []
    assert list(breaking(INDEX, "a" * 32)) == []


def test_what_nothing_needs() -> None:
    assert {each.package for each in unreferenced(INDEX, Query())} == {"app", "old"}
    assert {each.package for each in unreferenced(INDEX, Query.parse("tag=develop"))} == set()
    assert {each.package for each in unreferenced(INDEX, Query(), [APP.hash])} == {"old"}
    assert {each.package for each in unreferenced(INDEX, Query(), [ZLIB.hash])} == {"hdf5", "app", "old"}
    pages = index_of_builds({("develop", "e4s"): [APP]}, graph=False)
    assert list(unreferenced(pages, Query())) == []
