"""Terms that match nothing, spec counts after the removal of each term, and spec counts for a host."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.query.parser import MOST_TERMS
from cachetui.query.query import Query
from cachetui.search.results import Results
from cachetui.suggest.no_match import MAX_NEAREST_VALUES, host_fit, unmatched, without_each
from tests.support.caches import CACHES, index_of_folder
from tests.support.installs import index_of as installation
from tests.support.naive import satisfies
from tests.support.queries import ROWS, readable_queries
from tests.support.rows import ALPHABET, index_of, row

FEW = index_of(
    [
        row(compiler="gcc@11.4.0"),
        row(compiler="gcc@13.2.0"),
        row(version="1.12.2", compiler="oneapi@=2023.0.0", os="rhel8", stacks=["hep", "root"]),
        row(tag="v0.20.0", os="ubuntu20.04", target="zen4"),
        row("zlib", "1.3.1", variants=["+shared"], hash="2feova4".ljust(32, "x")),
        row("py-mpi4py", "4.0.1", variants=[]),
    ]
)

HOSTS = index_of(
    [
        *(row(version=str(k), os="rhel8") for k in range(3)),
        *(row(version=str(k), os="ubuntu24.04") for k in range(2)),
        row(os="gentoo2"),
        row(os="rhel8", target="zen4"),
        row("zlib", os="ubuntu24.04"),
    ]
)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("bison", []),
        ("libpng@1.6.37", []),
        ("bison@4", ["bison@4 matches nothing; nearest: 3.8.2"]),
        ("bisonn", ["bisonn matches nothing; nearest: bison"]),
    ],
)
def test_unmatched_term_on_installation_suggests_nearest_value(text: str, phrases: list[str]) -> None:
    assert [each.phrase for each in unmatched(installation("1.1.0"), Query.parse(text))] == phrases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 +mpi os=ubuntu22.04 %oneapi", {}),
        ("hdf55", {"hdf55": "hdf5"}),
        ("hdf55@99 +nope", {"hdf55": "hdf5"}),
        ("other.hdf5", {"other.hdf5": "hdf5"}),
        ("nothing-like-it", {"nothing-like-it": ""}),
        ("builtin.hdf5 stack=e4", {"stack=e4": "e4s"}),
        ("hdf5 stack=e4,hpe,e4s", {"stack=e4": "e4s", "stack=hpe": "hep"}),
        ("hdf5 os=ubuntu22.4", {"os=ubuntu22.4": "ubuntu22.04, ubuntu20.04"}),
        ("hdf5 os!=rhel9,rhel8", {"os!=rhel9": "rhel8"}),
        ("hdf5 arch=linus-ubuntu22.04-zen5", {"platform=linus": "linux", "target=zen5": "zen4"}),
        ("hdf5 target=zen5:", {"target=zen5:": "zen4"}),
        ("tag=v0.20", {"tag=v0.20": "v0.20.0"}),
        ("hdf5 %gccc", {"%gccc": "gcc"}),
        ("hdf5 %gcc@12", {"%gcc@12": "gcc@13.2.0, gcc@11.4.0"}),
        ("hdf5 %gccc@11.4", {"%gccc@11.4": "gcc@11.4.0, gcc@13.2.0"}),
        ("hdf5 compiler=gcc@12", {"compiler=gcc@12": "gcc@13.2.0, gcc@11.4.0"}),
        ("hdf5@1.13", {"hdf5@1.13": "1.14.3, 1.12.2"}),
        ("hdf5@=1.12,2:", {"hdf5@=1.12,2:": "1.12.2, 1.14.3"}),
        ("@2", {"@2": ""}),
        ("hdf5+mpii", {"hdf5+mpii": "+mpi"}),
        ("hdf5 -mpi", {"hdf5 -mpi": "+mpi"}),
        ("hdf5 build_type=Debug", {"hdf5 build_type=Debug": "build_type=Release"}),
        ("hdf5 stak=e4s", {"hdf5 stak=e4s": "stack=e4s, stack=hep"}),
        ("zlib +mpi", {"zlib +mpi": ""}),
        ("/2feovb4x", {"/2feovb4x": "2feova4xxxxxxxxxxxxxxxxxxxxxxxxx"}),
        ("/2FEOVA4", {"/2FEOVA4": "2feova4xxxxxxxxxxxxxxxxxxxxxxxxx"}),
        ("/eova4xxx", {"/eova4xxx": "2feova4xxxxxxxxxxxxxxxxxxxxxxxxx"}),
        ("fits=darwin-sequoia-m1", {"fits=darwin-sequoia-m1": ""}),
        ("hdf5 stack=hep tag=v9", {"tag=v9": ""}),
    ],
)  # fmt: skip
def test_unmatched_query_term_is_listed_with_nearest_values(text: str, expected: dict[str, str]) -> None:
    found = unmatched(FEW, Query.parse(text))
    assert {each.text: ", ".join(each.nearest) for each in found} == expected
    assert all(each.term in Query.parse(text).terms for each in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 +mpii", {"hdf5 +mpii": "+mpi"}),
        ("hdf +mpii", {"hdf +mpii": "+mpi"}),  # a prefix of hdf5
        ("qqq", {"qqq": ""}),
    ],
)
def test_unmatched_term_after_fuzzy_package_name_gets_nearest_value(text: str, expected: dict[str, str]) -> None:
    found = unmatched(FEW, Query.parse(text, fuzzy_name=True))
    assert {each.text: ", ".join(each.nearest) for each in found} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bt-app ^bt-mpihc", {"^bt-mpihc": "bt-mpich, bt-openmpi, bt-check"}),
        ("bt-core ^bt-openmpi@99", {"^bt-openmpi@99": "4.1.6"}),
        ("bt-core %c=gcc@99", {"%c=gcc@99": "gcc@12.2.0"}),
        ("%fortran=clang", {"%fortran=clang": ""}),
        ("%gccc", {"%gccc": "gcc"}),
        ("complete=no", {"complete=no": ""}),
        ("complete=ye", {"complete=ye": "yes"}),
    ],
)
def test_unmatched_dependency_is_listed_with_nearest_names(text: str, expected: dict[str, str]) -> None:
    index = index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest")
    found = unmatched(index, Query.parse(text, has_graph=True))
    assert {each.text: ", ".join(each.nearest) for each in found} == expected


def test_every_term_is_unmatched_in_empty_index() -> None:
    assert [each.text for each in unmatched(index_of([]), Query.parse("hdf5 os=rhel8"))] == ["hdf5", "os=rhel8"]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("hdf5 stack=e4", ["stack=e4 matches nothing; nearest: e4s"]),
        ("hdf5 os!=amzn2", ["os!=amzn2 excludes no spec"]),
        ("platform!=linux", ["platform!=linux matches nothing"]),
        ("hdf5 stack=hep tag=v0.20.0", ["stack=hep matches nothing in this tag, but it is in develop"]),
        ("hdf5@1.12 tag=v0.20.0", ["hdf5@1.12 matches nothing in this tag, but it is in develop"]),
        ("hdf5 stack=hep tag=v9", ["tag=v9 matches nothing"]),
    ],
)
def test_unmatched_term_is_described_in_one_phrase(text: str, phrases: list[str]) -> None:
    assert [each.phrase for each in unmatched(FEW, Query.parse(text))] == phrases


def test_suggestions_stop_after_a_maximum_number_of_unmatched_values() -> None:
    found = unmatched(FEW, Query.parse("stack=" + ",".join(f"e4s{k}" for k in range(1000))))
    assert [bool(each.nearest) for each in found] == [True] * MAX_NEAREST_VALUES + [False] * (1000 - MAX_NEAREST_VALUES)


# Each query without one term


@given(
    st.lists(st.sampled_from(ROWS), max_size=40), st.lists(st.sampled_from(readable_queries()), min_size=8, max_size=8)
)
def test_spec_counts_after_removing_each_term_equal_naive_count(rows: list[dict[str, Any]], asked: list[Query]) -> None:
    index = index_of({(each["tag"], each["hash"]): each for each in rows}.values())
    for query in asked:
        found = without_each(index, query)
        assert sorted(each.text for each in found) == sorted(query.spelled)
        assert [each.specs for each in found] == sorted((each.specs for each in found), reverse=True)
        for each in found:
            assert each.query.terms == tuple(p for p in query.terms if p not in query.spelled[each.text])
            assert each.specs == len({row["hash"] for row in rows if satisfies(each.query, row)}), (
                query.line,
                each.text,
            )


def test_suggestions_treat_arch_triple_as_one_term() -> None:
    found = without_each(FEW, Query.parse("zlib arch=linux-rhel8-zen4"))
    assert [(each.text, each.specs, str(each.query)) for each in found] == [
        ("arch=linux-rhel8-zen4", 1, "zlib"),
        ("zlib", 0, "os=rhel8 platform=linux target=zen4"),
    ]


def test_longest_query_is_counted_without_each_of_its_terms() -> None:
    query = Query.parse("hdf5 " + " ".join(f"+mpi{k}" for k in range(MOST_TERMS - 1)))
    assert len(without_each(FEW, query)) == MOST_TERMS


# The host


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("hdf5 fits=linux-rhel8-zen3", "7 = 3 run + 2 glibc + 1 unknown os or libc + 1 zen4"),
        ("hdf5 fits=zen3", "7 = 6 run + 1 zen4"),
        ("zlib fits=linux-ubuntu24.04-zen3", "1 = 1 run"),
    ],
)
def test_specs_hidden_by_host_filter_are_counted_by_reason(text: str, counted: str) -> None:
    found = host_fit(HOSTS, Query.parse(text))
    assert found is not None
    assert found.sum == counted
    assert found.shown == len(Results.of(HOSTS, Query.parse(text)))


RARE = ["zen3", "zen5", "icelake", "m1", "a64fx", "power9le", "power9le", "power8le", "nobody's"]

IN_TWO_TAGS = [
    {**row(version=target, target=target, hash=ALPHABET[k] * 32), "tag": tag, "stacks": [tag]}
    for k, target in enumerate(("zen3", "zen4"))
    for tag in ("v1.0", "v1.1")
]


@pytest.mark.parametrize(
    ("rows", "host", "counted"),
    [
        (
            [row(platform="darwin", os=os, target="m1") for os in ("sequoia", "sonoma", "ventura")],
            "darwin-sequoia-m1",
            "3 = 1 run + 2 unknown os or libc",
        ),
        (
            [row(target=target) for target in RARE],
            "linux-ubuntu24.04-zen3",
            "9 = 1 run + 2 power9le + 1 a64fx + 1 icelake + 1 m1 + 3 others",
        ),
        (IN_TWO_TAGS, "zen3", "2 = 1 run + 1 zen4"),
    ],
    ids=["other-release-may-run", "rare-targets-are-one-number", "spec-in-two-tags-counts-once"],
)
def test_counts_of_host_filter_are_grouped_by_target_or_os(rows: list[dict[str, Any]], host: str, counted: str) -> None:
    found = host_fit(index_of(rows), Query.parse(f"fits={host}"))
    assert found is not None
    assert found.sum == counted
