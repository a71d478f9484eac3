"""What a fuzzy name was taken for where no package is called so."""

from __future__ import annotations

import pytest

from cachetui.explain.fuzzy_name import meant
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
        ("os=rhel8", ""),
        ("zlib os=ubuntu22.04", ""),
        ("zlib +nosuch", ""),
        ("pip +flat", "py-pip has none of these; meant r-pictop"),
        ("py +flat", ""),  # written in what was found
    ],
)
def test_a_name_that_is_written_in_no_package_that_is_left_is_said(query: str, said: str) -> None:
    names = ("hdf5", "zlib", "py-mpi4py", "py-pip")
    flat = [row(name, variants=("+flat",)) for name in ("zstd-lib", "r-pictop")]
    index = index_of([*(row(name, hash=str(k) * 32) for k, name in enumerate(names, 2)), *flat])
    assert meant(Results.of(index, Query.parse(query, fuzzy_name=True))) == said
