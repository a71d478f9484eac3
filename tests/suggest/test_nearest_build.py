"""The builds that come nearest to a query."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.spec import VALUE_KEYS
from cachetui.query.parser import MOST_TERMS
from cachetui.query.query import Query
from cachetui.search.availability import Availability
from cachetui.search.index import Index
from cachetui.search.signatures import Builds
from cachetui.suggest.nearest_build import ComparedBuild, KnownBuilds, fewest_failures, nearest_builds
from tests.support.naive import satisfies
from tests.support.queries import ROWS, readable_queries
from tests.support.rows import index_of, row

FEW = index_of(
    [
        row(compiler="gcc@11.4.0"),
        row(compiler="gcc@13.2.0"),
        row(version="1.12.2", compiler="oneapi@=2023.0.0", os="rhel8"),
        row(tag="v0.20.0", os="ubuntu20.04", target="zen4"),
        row("zlib", "1.3.1", variants=["+shared"]),
    ]
)


def differences(index: Index, text: str) -> list[str]:
    return ["; ".join(each.phrase for each in build.differences) for build in nearest_builds(index, Query.parse(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5@1.14 %gcc@12 os=ubuntu22.04", ["gcc@13.2.0 instead of %gcc@12", "gcc@11.4.0 instead of %gcc@12"]),
        ("hdf5@1.14 target=zen4 tag=develop os=ubuntu20.04", ["v0.20.0 instead of tag=develop"]),
        ("hdf55 %gcc@13", ["hdf5 instead of hdf55"]),
        ("hdf5@1.12 os=ubuntu22.04", ["1.14.3 instead of @1.12", "rhel8 instead of os=ubuntu22.04"]),
        ("hdf5 ~mpi", ["+mpi instead of ~mpi"]),
        ("hdf5 +nope %gcc@13", ["no variant nope instead of +nope"]),
        ("zlib", [""]),  # the query matches this build
        ("", []),
        ("stack=nobody", []),  # nothing in common
        ("nothing-like-it", []),
    ],
)
def test_nearest_builds_list_their_differing_terms(text: str, expected: list[str]) -> None:
    assert differences(FEW, text) == expected


def test_nearest_build_states_its_own_value_for_every_facet() -> None:
    index = index_of(ROWS)
    for key in VALUE_KEYS:
        for found in nearest_builds(index, Query.parse(f"hdf5 {key}=no,2001-01-01", has_graph=True)):
            assert all(term.actual_value for term in found.differences)


def test_nearest_builds_prefer_similar_name_to_newer_version() -> None:
    index = index_of([row("hdf5", "1.14"), row("hdf", "4.2"), row("hdfview", "9")])
    for name in ("hdff5", "hdf55"):
        assert index.spec(nearest_builds(index, Query.parse(name))[0].row).package == "hdf5"


def test_nearest_builds_prefer_similar_value_to_newer_version() -> None:
    index = index_of([row(version=version, os=name) for version, name in (("1", "ubuntu22.04"), ("2", "rhel9"))])
    assert differences(index, "hdf5 os=ubunut22")[0] == "ubuntu22.04 instead of os=ubunut22"


@given(
    st.lists(st.sampled_from(ROWS), max_size=40), st.lists(st.sampled_from(readable_queries()), min_size=8, max_size=8)
)
def test_nearest_build_violates_the_fewest_query_terms(rows: list[dict[str, Any]], asked: list[Query]) -> None:
    rows = [*{(each["tag"], each["hash"]): each for each in rows}.values()]
    index = index_of(rows)
    for query in asked:
        failed = {
            (each["tag"], each["hash"]): [term for term in query.terms if not satisfies(Query((term,)), each)]
            for each in rows
            if query.package is None or satisfies(Query((query.package,)), each)
        }
        found = nearest_builds(index, query)
        for build in found:
            spec = index.spec(build.row)
            own = failed.get((spec.tag, spec.hash or ""))
            if own is not None:
                assert [each.term for each in build.differences] == own
                assert len(own) == min(map(len, failed.values()))
        assert bool(found) >= any(len(own) < len(query.terms) for own in failed.values())


@given(st.lists(st.frozensets(st.integers(0, 30)), max_size=9))
def test_search_for_fewest_violated_terms_agrees_with_naive_count(masks: list[frozenset[int]]) -> None:
    counts = [sum(row not in mask for mask in masks) for row in range(30)]
    rows = BitMap(row for row in range(30) if counts[row] == min(counts))
    assert fewest_failures(BitMap(range(30)), map(BitMap, masks)) == (min(counts), rows)
    assert fewest_failures(BitMap(), map(BitMap, masks))[1] == BitMap()


def test_query_with_maximum_number_of_terms_has_nearest_build() -> None:
    text = "hdf5 " + " ".join(f"+mpi{k}" for k in range(MOST_TERMS - 1))
    assert len(nearest_builds(FEW, Query.parse(text))[0].differences) == MOST_TERMS - 1


def test_builds_without_hash_are_distinguished_by_their_values() -> None:
    index = index_of(row(version=version, hash=None) for version in ("1.12.2", "1.14.3", "1.9.2"))
    builds = KnownBuilds(Availability(index, Query()))
    wanted = ComparedBuild("a" * 32, "hdf5", None, Builds(index).of(1), None, None)
    assert builds.same(wanted)
    newer = replace(wanted, signature=wanted.signature._replace(version="1.14.9", os="rhel8"))
    assert not builds.same(newer)
    assert builds.nearest(wanted, ()) == (replace(wanted, hash=""), {})
