"""The index, compared with loops over random pages: rows, facet counts, packages and tags."""

from collections.abc import Collection
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.spec import FACETS, Page, Row, Spec, normal_compiler
from cachetui.query.query import Query
from cachetui.query.terms import Term, ValueTerm
from cachetui.search.index import Index
from cachetui.search.results import Results
from tests.support import naive
from tests.support.random_catalogues import PACKAGES, columns_of, pages, used_pages
from tests.support.rows import index_of, rows_of
from tests.support.rows import row as page_row

QUERIES = st.lists(
    st.sampled_from(
        [
            "hdf5",
            "zlib",
            "@1.2:",
            "+mpi",
            "build_type=Release",
            "os=ubuntu22.04,rhel8",
            "os!=rhel8",
            "platform=linux",
            "target=x86_64_v3:",
            "%gcc",
            "%gcc@11",
            "compiler=gcc@11.4.0",
            "compiler!=gcc,none",
            "stack=e4s",
            "stack=e4s,hep",
            "stack=hep",
            "stack!=hep",
            "tag=develop,v0.9.0",
            "tag!=develop",
            "fits=linux-rhel8-zen3",
            "/aaaa",
        ]
    ),
    max_size=4,
    unique_by=lambda text: text if text.startswith("stack") else "name" if text in PACKAGES else text[:2],
).map(lambda texts: Query.parse(" ".join(sorted(texts, key=lambda text: text not in PACKAGES))))


class Binary(NamedTuple):
    """A row with its page, for a naive loop."""

    page: Page
    row: Row

    @property
    def fields(self) -> dict[str, Any]:
        row = self.row
        return {
            "package": self.page.package,
            "tag": self.page.tag,
            "hash": row.hash or "",
            "compiler": row.compiler or "none",
            "versions": row.versions,
            "os": row.os or "",
            "platform": row.platform or "",
            "target": row.target or "",
            "variants": row.variants,
            "stacks": row.stacks,
        }

    def values(self, facet: str) -> tuple[str, ...]:
        if facet == "stack":
            return self.row.stacks
        if facet == "tag":
            return (self.page.tag,)
        value = getattr(self.row, facet)
        return () if value is None else (normal_compiler(value),) if facet == "compiler" else (value,)


def binaries(some: list[Page]) -> list[Binary]:
    return [Binary(page, row) for page in used_pages(some) for row in rows_of(page)]


def satisfies(term: Term, binary: Binary) -> bool:
    if term.key in FACETS and term.key != "stack" and getattr(binary.row, term.key) is None:
        # a row without a value matches only terms that exclude values
        return isinstance(term, ValueTerm) and term.excluded
    return naive.satisfies(Query((term,)), binary.fields)


def taken(query: Query, some: list[Page]) -> list[Binary]:
    return [binary for binary in binaries(some) if all(satisfies(term, binary) for term in query.terms)]


def specs_number(query: Query, some: list[Binary], tags: Collection[str]) -> int:
    """Return the number of rows in one tag, or of distinct hashes and rows without a hash in several tags."""
    if query.tag is not None or len(tags) < 2:
        return len(some)
    return len({binary.row.hash for binary in some if binary.row.hash}) + sum(not binary.row.hash for binary in some)


def as_text(spec: Spec) -> str:
    return repr((spec.package, spec.tag, spec.hash, spec.compiler, spec.os, spec.platform, spec.target, spec.variants,
                 spec.stacks, spec.version, spec.bytes))  # fmt: skip


def binary_as_text(binary: Binary) -> str:
    page, row = binary
    return repr((page.package, page.tag, row.hash, row.compiler, row.os, row.platform, row.target, row.variants,
                 row.stacks, ",".join(row.versions) or None,
                 row.size if isinstance(row.size, int) else None))  # fmt: skip


@given(pages(), QUERIES)
def test_query_results_agree_with_naive_search(some: list[Page], query: Query) -> None:
    results = Results.of(Index(columns_of(some)), query)
    expected = taken(query, some)
    assert sorted(map(as_text, map(results.index.spec, results.rows))) == sorted(map(binary_as_text, expected))
    assert (len(results), results.specs) == (len(expected), specs_number(query, expected, results.index.tags))
    names = [results.index.packages[number] for number in results.packages]
    assert names == sorted({binary.page.package for binary in expected})
    for number, name in zip(results.packages, names, strict=True):
        own = [binary for binary in expected if binary.page.package == name]
        assert results.specs_of(number) == specs_number(query, own, results.index.tags)
        rows = results.package_rows(number)
        assert sorted(rows) == [row for row in results.rows if results.index.spec(row).package == name]
        versions = {",".join(binary.row.versions) for binary in expected if binary.page.package == name}
        assert set(results.versions(number)) == versions - {""}


@given(pages(), QUERIES)
def test_counts_of_a_facet_ignore_terms_of_the_same_facet(some: list[Page], query: Query) -> None:
    results = Results.of(Index(columns_of(some)), query)
    for facet in (*FACETS, "tag"):
        holding: dict[str, list[Binary]] = {}
        others = query.without_key(facet)
        for binary in taken(others, some):
            for value in set(binary.values(facet)):
                holding.setdefault(value, []).append(binary)
        tags = () if facet == "tag" else results.index.tags
        counts = {value: specs_number(others, own, tags) for value, own in holding.items()}
        found = {value.value: value.specs for value in results.facet(facet)}
        assert {value: specs for value, specs in found.items() if specs} == counts
        scope = taken(Query(query.terms_of("tag")), some)
        assert {value for binary in scope for value in binary.values(facet)} <= set(found)


@given(pages())
def test_lookup_by_tag_or_hash_prefix_agrees_with_naive_search(some: list[Page]) -> None:
    index = Index(columns_of(some))
    every = binaries(some)
    for row in range(len(index)):
        spec = index.spec(row)
        holding = {binary.page.tag for binary in every if spec.hash and binary.row.hash == spec.hash} or {spec.tag}
        assert spec.tags == tuple(tag for tag in index.tags if tag in holding)
    found = [(as_text(index.spec(row)), index.columns.extra(row).dependencies) for row in range(len(index))]
    assert sorted(found) == sorted((binary_as_text(each), each.row.dependencies) for each in every)
    for prefix in ("a", "a" * 31, "a" * 32, "c2", "q"):
        rows = index.rows(Query.parse(f"/{prefix}"))
        assert len(rows) == sum((binary.row.hash or "").startswith(prefix) for binary in every)


def catalogue(*rows: tuple[str, str, Row]) -> Index:
    """Return an index. Each row is given with its package and its tag."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for package, tag, row in rows:
        groups.setdefault((package, tag), []).append(row)
    return Index(
        columns_of(
            [
                Page.of(path=f"{tag}/{package}/specs.md", package=package, tag=tag, rows=tuple(group))
                for (package, tag), group in groups.items()
            ]
        )
    )


def binary(letter: str = "a", **fields: Any) -> Row:
    return Row(hash=letter * 32, os="rhel8", platform="linux", target="zen3", compiler="gcc@12.1.0", **fields)


SMALL = catalogue(
    ("zlib", "develop", binary("a", versions=("1.2",), stacks=("e4s", "hep", "root"))),
    ("zlib", "develop", binary("b", versions=("1.10",), stacks=("hep", "root"))),
    ("zlib", "v0.9.0", binary("c", versions=("1.10",), stacks=("e4s",))),
    ("hdf5", "develop", binary("d", versions=("1.14",), stacks=("tools",))),
)


def facet(query: str, key: str) -> list[tuple[str, int]]:
    return [(value.value, value.specs) for value in Results.of(SMALL, Query.parse(query)).facet(key)]


def test_facet_values_are_sorted_by_count_with_stack_root_last() -> None:
    assert facet("tag=develop", "stack") == [("hep", 2), ("e4s", 1), ("tools", 1), ("root", 2)]
    assert facet("tag=develop @1.14", "stack") == [("hep", 0), ("e4s", 0), ("tools", 1), ("root", 0)]


def test_tag_facet_counts_specs_of_unselected_tags() -> None:
    assert facet("tag=v0.9.0", "tag") == [("develop", 3), ("v0.9.0", 1)]


def test_selected_and_excluded_facet_values_are_listed_with_zero_count() -> None:
    found = Results.of(SMALL, Query.parse("tag=v0.9.0 stack=hep stack!=tools")).facet("stack")
    assert [(value.value, value.specs, value.selected, value.excluded) for value in found] == [
        ("e4s", 1, False, False),
        ("hep", 0, True, False),
        ("tools", 0, False, True),
    ]


def test_selected_facet_value_missing_from_index_is_still_listed() -> None:
    query = Query.parse("tag=v0.9.0 stack=gone,hep stack!=left compiler=gcc,nvhpc target=zen4: os=','")
    results = Results.of(SMALL, query)
    found = [(value.value, value.specs, value.selected, value.excluded) for value in results.facet("stack")]
    assert found == [
        ("e4s", 0, False, False),
        ("gone", 0, True, False),
        ("hep", 0, True, False),
        ("left", 0, False, True),
    ]
    assert [value.value for value in results.facet("compiler") if value.selected] == ["gcc@12.1.0", "nvhpc"]
    assert not any(value.selected for facet in ("target", "os") for value in results.facet(facet))
    assert "gone" not in str(query.toggled("stack", "gone", SMALL.values("stack")))
    assert "left" not in str(query.toggled("stack", "left", SMALL.values("stack"), excluded=True))


def test_specs_are_sorted_by_newest_version_then_hash() -> None:
    results = Results.of(SMALL, Query.parse("zlib"))
    rows = list(results.package_rows(results.packages[0]))
    assert [(SMALL.spec(row).hash or "")[0] for row in rows] == ["b", "c", "a"]
    assert results.versions(results.packages[0]) == ["1.10", "1.2"]


def test_best_match_of_incomplete_package_name_comes_first() -> None:
    index = catalogue(
        ("zlib-ng", "develop", binary("a")), ("py-zlib", "develop", binary("b")), ("zlib", "develop", binary("c"))
    )

    def found(name: str) -> list[str]:
        return [index.packages[number] for number in Results.of(index, Query.parse(name, fuzzy_name=True)).packages]

    assert (found("zli"), found("zlib")) == (["zlib", "zlib-ng", "py-zlib"], ["zlib"])


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["v1.0.0", "develop-2025-01-05", "develop"], "develop"),
        (["v1.0.0", "develop-2025-01-05", "develop-2024-12-29"], "develop-2025-01-05"),
        (["v0.9.0", "v0.10.0"], "v0.10.0"),
        (["nightly"], None),
        ([], None),
    ],
)
def test_default_tag_is_develop_or_newest(tags: list[str], expected: str | None) -> None:
    assert catalogue(*(("zlib", tag, binary()) for tag in tags)).default_tag == expected


def test_query_on_empty_index_finds_nothing() -> None:
    index = catalogue()
    results = Results.of(index, Query.parse("zlib@1.2 os=rhel8 /abc fits=zen3 tag=develop"))
    assert (len(results), results.packages, results.facet("stack")) == (0, (), ())
    assert [(value.value, value.specs) for value in results.facet("os")] == [("rhel8", 0)]
    assert (index.packages, index.tags, index.values("stack"), index.problems) == ((), (), (), ())


def test_query_results_are_correct_after_cache_overflow() -> None:
    index = catalogue(*(("zlib", "develop", binary("a", versions=(f"1.{number}",))) for number in range(3)))
    for number in range(300):
        assert len(Results.of(index, Query.parse(f"@=1.{number}"))) == (number < 3)


@pytest.mark.parametrize("stacks", [1, 40])
def test_query_result_is_correct_for_few_and_many_rows(stacks: int) -> None:
    index = index_of(
        page_row(version=version, variants=[mpi], stacks=[f"stack{number}"], os=os)
        for version in ("1.1", "1.2", "1.3")
        for mpi in ("+mpi", "~mpi")
        for number in range(stacks)
        for os in ("ubuntu22.04", "rhel8")
    )
    ours = [(number, spec) for number in index.all_rows if (spec := index.spec(number)).os == "ubuntu22.04"]
    newer = [number for number, spec in ours if spec.version != "1.1"]
    with_mpi = [number for number, spec in ours if "+mpi" in spec.variants]
    assert list(index.rows(Query.parse("os=ubuntu22.04 @1.2:"))) == newer
    assert list(index.rows(Query.parse("os=ubuntu22.04 +mpi"))) == with_mpi
