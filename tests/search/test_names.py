"""Fuzzy package names: the matches and their order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.search.names import matched_spans, matches

NAMES = ["adios2", "hdf5", "hdf5-vol-async", "py-h5py", "py-hdf5plugin", "py-mpi4py", "py-numpy", "r-rhdf5", "zlib"]


def found(typed: str) -> list[str]:
    return [NAMES[match.number] for match in matches(typed, tuple(NAMES))]


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
        ("-", ["py-h5py", "r-rhdf5", "py-numpy", "py-mpi4py", "py-hdf5plugin", "hdf5-vol-async"]),
        ("(", []),
        ("", NAMES),
    ],
)
def test_packages_that_match_typed_name_have_expected_order(typed: str, names: list[str]) -> None:
    assert found(typed) == names


@given(st.lists(st.text("ab-", min_size=1, max_size=5), unique=True), st.data())
def test_exact_package_name_comes_first(names: list[str], data: st.DataObject) -> None:
    for name in names:
        assert names[matches(name, tuple(names))[0].number] == name
    written = [match.is_written for match in matches(data.draw(st.text("ab-", max_size=4)), tuple(names))]
    assert written == sorted(written, reverse=True)


@pytest.mark.parametrize(
    ("typed", "name", "shown"),
    [
        ("hdf5", "hdf5", "[hdf5]"),
        ("HDF", "py-hdf5", "py-[hdf]5"),
        ("py mpi", "py-mpi4py", "[py]-[mpi]4py"),
        ("mpi py", "py-mpi4py", "py-[mpi]4[py]"),
        ("pympi", "py-mpi4py", "[py]-[mpi]4py"),
        ("phdf", "py-hdf5", "[p]y-[hdf]5"),
        ("hfd5", "hdf5", "[h]d[f][5]"),
        ("", "hdf5", "hdf5"),
        ("i", "\u0130", "\u0130"),
    ],
)
def test_typed_characters_of_a_name_are_highlighted(typed: str, name: str, shown: str) -> None:
    marked = name
    for start, end in reversed(matched_spans(typed, name)):
        marked = f"{marked[:start]}[{marked[start:end]}]{marked[end:]}"
    assert marked == shown


@given(st.text("abc-", max_size=6), st.text("abc-", max_size=12))
def test_ranges_of_matched_characters_in_name_never_overlap(typed: str, name: str) -> None:
    spans = matched_spans(typed, name)
    places = [place for start, end in spans for place in range(start, end)]
    assert places == sorted(set(places))
    assert all(0 <= place <= len(name) for place in places)


def test_similar_names_are_found_if_no_name_contains_the_text() -> None:
    names = ["libffi", "glib", "zlib", "lib-of-all"]
    assert [names[match.number] for match in matches("libf", tuple(names))] == ["libffi", "lib-of-all"]
    assert [names[match.number] for match in matches("libg", tuple(names))] == ["glib", "zlib"]
