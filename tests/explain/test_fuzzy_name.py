"""What a fuzzy name was taken for where no package is called so."""

from __future__ import annotations

import pytest

from cachetui.explain.fuzzy_name import meant, mended
from cachetui.query.query import Query
from cachetui.search.results import Results
from tests.support.rows import index_of, row


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("hdf", ""),
        ("py-mp", ""),
        ("mpi4", ""),
        ("hdff5", "no hdff5; meant hdf5"),
        ("zlbi", "no zlbi; meant zlib"),
        ("hdff5 os=rhel8", ""),
        ("pyp", "no pyp; meant py-pip, py-mpi4py"),
        ("=hdff5", ""),
        ("os=rhel8", ""),
        ("zlib os=ubuntu22.04", ""),
    ],
)
def test_a_name_that_is_written_in_no_package_is_said(query: str, said: str) -> None:
    names = ("hdf5", "zlib", "py-mpi4py", "py-pip")
    index = index_of([row(name, hash=str(k) * 32) for k, name in enumerate(names, 2)])
    assert meant(Results.of(index, Query.parse(query, fuzzy_name=True))) == said


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("hfd5", "hdf5"),
        ("hdff5 @1.14", "hdf5@1.14"),
        ("zlb", "zlib"),
        ("ZLBI", "zlib"),
        ("hdf5", None),
        ("hdf", None),  # written in hdf5
        ("hdf4", None),  # may be another package
        ("py-p", None),
        ("pyp", None),  # two are found
        ("=hdff5", None),
        ("hdff5 os=rhel8", "hdf5 os=rhel8"),
        ("pyp os=rhel8", None),
    ],
)
def test_a_slip_of_the_one_name_that_is_found_is_mended(query: str, wanted: str | None) -> None:
    names = ("hdf5", "zlib", "py-mpi4py", "py-pip")
    index = index_of([row(name, hash=str(k) * 32) for k, name in enumerate(names, 2)])
    found = mended(Results.of(index, Query.parse(query, fuzzy_name=True)))
    assert (None if found is None else str(found)) == wanted
