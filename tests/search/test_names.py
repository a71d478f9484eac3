"""Fuzzy package names: what matches, and what comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.search.names import matches

NAMES = ["adios2", "hdf5", "hdf5-vol-async", "py-h5py", "py-hdf5plugin", "py-mpi4py", "py-numpy", "r-rhdf5", "zlib"]


def found(typed: str) -> list[str]:
    return [NAMES[match.number] for match in matches(typed, NAMES)]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("hdf5", ["hdf5", "hdf5-vol-async", "py-hdf5plugin", "r-rhdf5"]),
        ("HDF5", ["hdf5", "hdf5-vol-async", "py-hdf5plugin", "r-rhdf5"]),
        ("mpi4", ["py-mpi4py"]),
        ("py-num", ["py-numpy"]),
        ("vol async", ["hdf5-vol-async"]),
        ("zlbi", ["zlib"]),
        ("py-numpi", ["py-numpy"]),
        ("qqq", []),
        ("-", ["hdf5-vol-async", "py-h5py", "py-hdf5plugin", "py-mpi4py", "py-numpy", "r-rhdf5"]),
        ("(", []),
    ],
)
def test_names(typed: str, names: list[str]) -> None:
    assert sorted(found(typed)) == sorted(names)
    assert found(typed)[:1] == names[:1] or typed == "-"


def test_the_better_match_comes_first() -> None:
    assert found("hdf5") == ["hdf5", "hdf5-vol-async", "py-hdf5plugin", "r-rhdf5"]


def test_nothing_typed_matches_everything_in_its_order() -> None:
    assert found("") == NAMES


@given(st.lists(st.text("ab-", min_size=1, max_size=5), unique=True), st.data())
def test_an_exact_name_is_always_first(names: list[str], data: st.DataObject) -> None:
    for name in names:
        assert names[matches(name, names)[0].number] == name
    scores = [match.score for match in matches(data.draw(st.text("ab-", max_size=4)), names)]
    assert scores == sorted(scores, reverse=True)
