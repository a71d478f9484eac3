"""The dependents that a removed binary breaks."""

from collections.abc import Iterable

from cachetui.analysis.deps import breaking
from tests.support.builds import BUILD, LINK, Build, index_of_builds

CMAKE = Build("cmake")
ZLIB = Build("zlib", needs=((CMAKE, BUILD),))
HDF5 = Build("hdf5", needs=((ZLIB, LINK),))
APP = Build("app", needs=((HDF5, LINK),))
OLD = Build("old", needs=((ZLIB, LINK),))

INDEX = index_of_builds({("develop", "e4s"): [CMAKE, ZLIB, HDF5], ("v1", "e4s"): [APP, OLD]})


def packages(hashes: Iterable[str]) -> set[str]:
    return {INDEX.spec(INDEX.rows_of(each)[0]).package for each in hashes}


def test_removed_spec_breaks_its_dependents_in_all_caches() -> None:
    assert packages(breaking(INDEX, ZLIB.hash)) == {"hdf5", "old", "app"}
    assert breaking(INDEX, CMAKE.hash) == breaking(INDEX, "a" * 32) == []
