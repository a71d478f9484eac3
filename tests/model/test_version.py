"""The order of versions, and the versions in ranges and lists."""

import string
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cachetui.model.version import VersionError, VersionList, next_point, point, sort_key, split_git
from tests.support import naive
from tests.support.strategies import CHARACTERS, words

COMMIT = "8b5e22a9ab6e6bc3b4ff0a4c2c1d1fd4e3a2d0f7"

RUNS = ["1", "2", "02", "9", "10", "a", "b", "z", "Z", "rc", "alpha", "beta", "main", "develop"]
NAME_CHARACTERS = string.ascii_letters + string.digits + "_"

VERSIONS = st.one_of(
    st.builds(str.join, st.sampled_from(".-_"), st.lists(st.sampled_from(RUNS), min_size=1, max_size=4)),
    words(NAME_CHARACTERS, ".-", most=9),
    st.text(CHARACTERS, max_size=8),
)


@pytest.mark.parametrize(
    "rising",
    [
        [
            "1.2.3alpha",
            "1.2.3alpha1",
            "1.2.3beta",
            "1.2.3rc",
            "1.2.3rc1",
            "1.2.3rc2",
            "1.2.3",
            "1.2.3a",
            "1.2.3.0",
        ],
        ["1.9", "1.10", "1.10.0", "2"],
        ["1.RC", "1.Rc", "1.a", "1.b", "1.0", "1.1", "1.stable"],
        ["rc", "rc1", "9", "99999999999999999999", "1" + "0" * 5000],
        ["99", "stable", "nightly", "trunk", "head", "master", "main", "develop", "develop-1.17"],
        ["3.9.9", "3.10-rc1", "3.10"],
    ],
)
def test_versions_are_sorted_like_in_spack(rising: list[str]) -> None:
    assert sorted(set(rising), key=sort_key) == rising
    places = [point(version) for version in rising]
    assert all(one < other for one, other in pairwise(places))


@pytest.mark.parametrize(
    ("wanted", "taken", "left"),
    [
        ("4", "4 4.0.1 4.1rc2 4.0.0-rc4 4.develop", "5 4rc1 3.9 5rc1 develop"),
        ("3.3", "3.3 3.3.1", "3.31 3.30 3.2.9"),
        ("2.26-t9b", "2.26-t9b 2.26-t9b_atlas 2.26-t9bx", "2.26-t9 2.26-t9c 2.26"),
        ("1.2.3", "1.2.3 1.2.3.1 1.2.3b4", "1.2.3rc1 1.2.4 1.2.4rc1"),
        ("1.2.3:", "1.2.3 1.2.4rc1 2 develop main", "1.2.3rc1 1.2.2"),
        (":1.2.3", "1.2.3rc1 1.2.3 1.2.3.9 0 a", "1.2.4 1.2.4-alpha develop"),
        ("3.9", "3.9.1", "3.10-rc1 3.10"),
        ("1.2rc1:1.2", "1.2rc1 1.2rc2 1.2 1.2.1", "1.2beta 1.3"),
        (":1.12", "1.12.2 1.0", "1.13 2"),
        ("1.12:1", "1.12 1.99", "1.11 2"),
        ("2:1", "", "1 2 1.5"),
        (":", "1 develop a git.main", ""),
        ("=1.14", "1.14 1-14 1.014", f"1.14.0 1.14rc1 {COMMIT}=1.14"),
        ("develop", f"develop develop-1.17 {COMMIT}=develop git.x", "main 99"),
        ("=develop", "develop", f"develop-1.17 {COMMIT}=develop"),
        (":1.2,2:4", "1.2.9 4.5", "1.3 5"),
        ("1.1 , =1.3", "1.1.1 1.3", "1.3.1"),
        (f"{COMMIT}=develop", f"{COMMIT}=develop", f"{COMMIT}=1 develop git.x=develop"),
        ("git.main=1.2", "git.main=1.2 main=1.02", "1.2 git.main git.dev=1.2"),
        ("git.main", "git.main git.main=4 main=4", "main 4 git.dev git.dev=4"),
    ],
)
def test_version_list_matches_only_included_versions(wanted: str, taken: str, left: str) -> None:
    versions = VersionList.parse(wanted)
    assert [version for version in taken.split() if not versions.matches(version)] == []
    assert [version for version in left.split() if versions.matches(version)] == []


@pytest.mark.parametrize(
    ("text", "offset"),
    [("=1:2", 0), ("1:=2", 2), ("1, 4:=5", 5), ("3:1", 0), ("2, 3.2:2.9", 3), ("", 0), ("=", 0), ("1,", 2)],
)
def test_error_in_version_list_states_its_position(text: str, offset: int) -> None:
    with pytest.raises(VersionError) as caught:
        VersionList.parse(text)
    assert caught.value.offset == offset


def test_version_list_is_printed_sorted() -> None:
    assert str(VersionList.parse("2:, =1.3,1.2 ,1:1,1.2")) == "1,1.2,=1.3,2:"


@settings(deadline=None)
@given(VERSIONS, VERSIONS, VERSIONS)
def test_every_two_versions_have_a_consistent_order(a: str, b: str, c: str) -> None:
    assert (sort_key(a) < sort_key(b)) + (sort_key(b) < sort_key(a)) + (a == b) == 1
    first, second, third = sorted((a, b, c), key=sort_key)
    assert sort_key(first) <= sort_key(third)
    assert point(split_git(first)[1]) <= point(split_git(second)[1]) <= point(split_git(third)[1])


@settings(deadline=None)
@given(VERSIONS, VERSIONS)
def test_version_order_agrees_with_naive_comparison(a: str, b: str) -> None:
    order = (point(a) > point(b)) - (point(a) < point(b))
    assert order == (naive.compare(a, b) > 0) - (naive.compare(a, b) < 0)


@settings(deadline=None)
@given(VERSIONS, VERSIONS)
def test_upper_bound_of_prefix_exceeds_every_version_with_this_prefix(version: str, more: str) -> None:
    assert point(version) < next_point(point(version))
    if point(version)[1] == point("1")[1] and point(version)[0]:
        assert point(f"{version}.{more}") < next_point(point(version))
