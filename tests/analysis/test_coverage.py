"""Coverage, compared with naive loops over random catalogues and with the counts stated on the pages of the sample."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.coverage import (
    Coverage,
    Judgement,
    coverage,
    excluded_names,
    verdicts,
    with_default_tag,
)
from cachetui.catalogue import Catalogue
from cachetui.model.spec import COLUMN_AXES, ROW_AXES, normal_compiler
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from tests.support.caches import CACHES, index_of_folder
from tests.support.environments import parse
from tests.support.places import SAMPLE_CONTENT
from tests.support.random_rows import CATALOGUES, TAGS, build
from tests.support.rows import index_of, row


@pytest.fixture(scope="module")
def sample() -> Index:
    return Catalogue(SAMPLE_CONTENT, Settings(os.environ), index_cache=False).load()


def values(axis: str, each: dict[str, Any]) -> list[str]:
    if axis == "stack":
        return [stack for stack in each["stacks"] if stack != "root"]
    if axis == "version":
        return list(each["versions"])
    if axis not in each:  # of an installation
        return []
    return [normal_compiler(each["compiler"]) if axis == "compiler" else each[axis]]


def table(found: Coverage) -> dict[str, tuple[int, ...]]:
    return {row.name: row.counts for row in found.rows}


@given(CATALOGUES, st.sampled_from(ROW_AXES), st.sampled_from(COLUMN_AXES), st.sampled_from([*TAGS, None]))
def test_coverage_counts_equal_naive_counts(
    rows: list[dict[str, Any]], row_axis: str, column_axis: str, tag: str | None
) -> None:
    if row_axis == column_axis:
        return
    found = coverage(index_of(rows), Query.parse(f"tag={tag}" if tag else ""), row_axis, column_axis)
    seen: dict[tuple[str | None, str | None], set[object]] = {(None, None): set()}
    for number, each in enumerate(rows):
        if tag in (None, each["tag"]):
            for one in [None, *values(row_axis, each)]:
                for other in [None, *values(column_axis, each)]:
                    seen.setdefault((one, other), set()).add(build(each, number))
    lines = {one for one, other in seen if one}
    assert {line.name for line in found.rows} == lines
    assert {column.name for column in found.columns} == {other for _, other in seen if other}
    assert found.specs == len(seen[None, None])
    for column in found.columns:
        assert column.specs == len(seen[None, column.name])
        assert not column.absent
    for line in found.rows:
        counts = [len(seen.get((line.name, column.name), ())) for column in found.columns]
        assert line.counts == tuple(counts)
        assert line.specs == len(seen[line.name, None])
        assert line.gaps == counts.count(0)


@given(CATALOGUES, st.sampled_from(ROW_AXES), st.sampled_from(COLUMN_AXES))
def test_query_of_coverage_cell_selects_exactly_the_counted_specs(
    rows: list[dict[str, Any]], row_axis: str, column_axis: str
) -> None:
    if row_axis == column_axis:
        return
    index = index_of(rows)
    found = coverage(index, Query.parse("hdf5"), row_axis, column_axis)
    for line in found.rows:
        for column, count in zip(found.columns, line.counts, strict=True):
            query = found.cell_query(line.name, column.name)
            taken = index.rows(Query.parse(str(query)))
            assert len({index.spec(number).hash or number for number in taken}) == count


def test_coverage_counts_equal_the_counts_on_sample_pages(sample: Index) -> None:
    found = coverage(sample, Query.parse("tag=develop"))
    names = [column.name for column in found.columns]
    pages = 0
    for path in Path(SAMPLE_CONTENT).iterdir():
        text = path.read_text()
        if "[package, develop]" in text:
            title = re.search(r'title: "(.*)"', text)
            meta = re.search(r"^meta: (.*)", text, re.MULTILINE)
            assert title is not None
            assert meta is not None
            stated = json.loads(meta[1])["num_specs_by_stack"]
            counts = dict(zip(names, table(found)[title[1]], strict=True))
            assert {name: count for name, count in counts.items() if count} == {
                name: count for name, count in stated.items() if name != "root"
            }
            pages += 1
    assert pages == len(found.rows) == 4


def test_stack_terms_in_query_limit_stack_columns_of_coverage(sample: Index) -> None:
    for query, names in (
        ("stack=e4s", {"e4s"}),
        ("stack=e4s,hep", {"e4s", "hep"}),
        ("stack=e4s stack=hep", {"e4s", "hep"}),
    ):
        found = coverage(sample, Query.parse(query))
        assert {column.name for column in found.columns} == names
        assert all(row.counts for row in found.rows)
    assert coverage(sample, Query.parse("stack=e4s")).gaps == 0


ROWS = [
    row("hdf5", stacks=["e4s"]),
    row("hdf5", "1.12", stacks=["e4s", "hep"]),
    row("zlib", stacks=["hep"], os="rhel8"),
    row("zlib", tag="v1.0.0", stacks=["tutorial"]),
]


def test_coverage_columns_are_limited_to_default_tag() -> None:
    index = index_of(ROWS)
    query = with_default_tag(index, Query.parse("os=ubuntu22.04"))
    assert str(query) == "os=ubuntu22.04 tag=develop"
    found = coverage(index, query)
    assert [column.name for column in found.columns] == ["e4s", "hep"]
    assert [column.name for column in coverage(index, query, columns="os").columns] == ["ubuntu22.04"]
    assert [column.name for column in coverage(index, Query.parse("stack!=hep")).columns] == ["e4s", "tutorial"]
    assert with_default_tag(index, Query(), "package", "tag") == Query()
    assert with_default_tag(index, Query.parse("tag=v1.0.0")) == Query.parse("tag=v1.0.0")


def test_stack_without_specs_is_not_counted_as_gap() -> None:
    found = coverage(index_of(ROWS), Query.parse("tag=develop"), stacks=["hep", "tutorial", "nosuch"])
    assert [(column.name, column.specs, column.absent) for column in found.columns] == [
        ("hep", 2, False),
        ("tutorial", 0, True),
        ("nosuch", 0, True),
    ]
    assert table(found) == {"hdf5": (1, 0, 0), "zlib": (1, 0, 0)}
    assert found.gaps == 0


def test_coverage_counts_missing_expected_packages_as_gaps() -> None:
    found = coverage(index_of(ROWS), Query.parse("tag=develop"), expected=["boost", "zlib"])
    assert [(line.name, line.specs, line.gaps, line.expected) for line in found.rows] == [
        ("boost", 0, 2, True),
        ("hdf5", 2, 0, False),
        ("zlib", 1, 1, True),
    ]
    assert found.gaps == 3
    assert [line.name for line in found.searched("", only_gaps=True).rows] == ["boost", "zlib"]
    assert [line.name for line in found.ordered("specs").rows] == ["boost", "zlib", "hdf5"]
    assert [line.name for line in found.ordered("gaps", descending=True).rows] == ["boost", "zlib", "hdf5"]
    assert [line.name for line in found.ordered("name", descending=True).rows] == ["boost", "zlib", "hdf5"]
    assert found.ordered("specs").ordered("name").rows == found.rows


def test_query_of_coverage_cell_supports_package_name_with_space() -> None:
    index = index_of([row("two words"), row("hdf5")])
    found = coverage(index, Query.parse("hdf5 tag=develop"))
    query = found.cell_query("two words", "e4s")
    assert [index.spec(number).package for number in index.rows(query)] == ["two words"]


@pytest.mark.parametrize(
    ("query", "axis", "names", "hidden"),
    [
        ("", "stack", ["e4s", "hep"], []),
        ("stack=e4s", "stack", ["e4s", "hep"], ["hep"]),
        ("stack=e4s,hep", "stack", ["e4s", "hep"], []),
        ("stack=e4s stack=hep", "stack", ["e4s", "hep"], ["e4s", "hep"]),
        ("stack!=hep", "stack", ["e4s", "hep", "root"], ["hep"]),
        ("stack=e4s", "stack", ["root", "nowhere"], ["root"]),
        ("stack=e4s", "os", ["ubuntu22.04", "ubuntu24.04"], []),
        ("os=ubuntu22.04", "os", ["ubuntu22.04", "ubuntu24.04"], ["ubuntu24.04"]),
        ("%gcc@11", "compiler", ["gcc@11.4.0", "gcc@13.2.0"], ["gcc@13.2.0"]),
        ("tag=develop-2025-04-20 stack=e4s", "stack", ["e4s-neoverse-v2"], []),
    ],
)
def test_coverage_hides_columns_that_the_query_excludes(
    sample: Index, query: str, axis: str, names: list[str], hidden: list[str]
) -> None:
    assert excluded_names(sample, Query.parse(query), axis, names) == hidden


# Expected specs


def test_coverage_gives_each_expected_spec_a_verdict_and_nearest_build() -> None:
    rows = [row(), row(hash="a" * 32), row(hash=None), row(hash=None), row("zlib", tag="v1.0.0"), row("zfp", "1.0")]
    index = index_of([*rows, row(hash="a" * 32, tag="v1.0.0")])
    expected = parse("hdf5@1.14\nzfp@2: os=ubuntu22.04\nzlib\nnosuch\nhdf5 @@\n")
    found = verdicts(index, Query.parse("tag=develop stack=e4s"), expected)
    assert [(each.kind, each.specs) for each in found] == [
        ("covered", 4),
        ("differs", 0),
        ("missing", 0),
        ("missing", 0),
        ("unreadable", 0),
    ]
    nearest = found[1].nearest
    assert nearest is not None
    assert [(each.term.text, each.actual_value) for each in nearest.differences] == [("@2:", "1.0")]
    elsewhere = found[2].nearest
    assert elsewhere is not None
    assert [(each.term.text, each.actual_value) for each in elsewhere.differences] == [("tag=develop", "v1.0.0")]
    assert found[4].expectation.fault.startswith("cannot read '@@' (column 6); ")
    assert [each.kind for each in verdicts(index, Query(), parse("zlib"))] == ["covered"]


def judged(packages: str, *specs: str) -> list[Judgement]:
    """Return the verdicts on the specs of an environment with the given `packages` section."""
    rows = [
        row(variants=["+mpi", "build_type=Release"]),
        row("zlib", "1.3", compiler="gcc@13.2.0", target="zen4", variants=["+pic"]),
        row("data", "1", compiler="none", variants=[]),
    ]
    text = f"spack:\n  packages: {packages}\n  specs: [{', '.join(specs)}]\n"
    return list(verdicts(index_of(rows), Query(), parse(text)))


@pytest.mark.parametrize(
    ("packages", "spec", "kind", "differs"),
    [
        ("{all: {require: '%gcc@11'}}", "hdf5", "covered", []),
        ("{all: {require: '%gcc@11'}}", "zlib", "differs", ["%gcc@11"]),
        ("{all: {require: ['%gcc@11', target=zen4]}}", "zlib", "differs", ["%gcc@11"]),
        ("{all: {require: [{one_of: ['%gcc@11', '%gcc@13']}]}}", "zlib", "covered", []),
        ("{all: {require: [{any_of: ['%gcc@11', '%clang']}, target=zen4]}}", "zlib", "differs", ["%gcc@11"]),
        ("{all: {require: [{spec: '%gcc@11'}]}}", "zlib", "differs", ["%gcc@11"]),
        ("{all: {require: '%gcc@11'}, zlib: {require: '@1.3'}}", "zlib", "covered", []),
        ("{all: {require: '%gcc@13'}, zlib: {require: zlib@1.2}}", "zlib", "differs", ["@1.2"]),
        ("{zlib: {require: '@1.2:'}}", "zlib@1.3", "covered", []),
        ("{zlib: {require: '@:1.2'}}", "zlib@1.3", "differs", ["@:1.2"]),
        ("{all: {require: '+mpi'}}", "zlib", "covered", []),
        ("{all: {require: '~mpi'}}", "hdf5", "differs", ["~mpi"]),
        ("{zlib: {require: '+shared'}}", "zlib", "differs", ["+shared"]),
        ("{all: {require: '%gcc'}}", "data", "covered", []),
        ("{c: {require: gcc@13}, cxx: {require: gcc@13}}", "hdf5", "differs", ["%gcc@13"]),
        ("{c: {require: [gcc@13]}, zlib: {require: '@1.3'}}", "zlib", "covered", []),
        ("{'all:': {require: '%gcc@11'}}", "zlib", "differs", ["%gcc@11"]),
    ],
)
def test_coverage_applies_environment_requirements_to_expected_specs(
    packages: str, spec: str, kind: str, differs: list[str]
) -> None:
    (found,) = judged(packages, spec)
    assert (found.kind, found.reason) == (kind, "excluded_by_require" if kind == "differs" else None)
    nearest = found.nearest.differences if found.nearest else ()
    assert [each.term.text for each in nearest] == differs


def test_coverage_counts_expected_specs_for_each_stack() -> None:
    rows = [
        row(stacks=["e4s", "root"]),
        row(stacks=["e4s", "hep"], hash="a" * 32),
        row("zlib", stacks=["hep"], tag="v1.0.0"),
        row("zlib", stacks=["hep"], tag="develop-2025-01-05"),
        row("zlib", "9", stacks=["hep"]),
    ]
    found = verdicts(index_of(rows), Query.parse("tag=develop"), parse("hdf5\nzlib@1\nnosuch\n"))
    assert [each.stacks for each in found] == [{"e4s": 2, "hep": 1}, {"e4s": 0, "hep": 0}, {"e4s": 0, "hep": 0}]
    assert [each.reason for each in found] == [None, "no_build", "no_package"]


def test_coverage_compares_recorded_dependencies_with_those_of_expected_specs() -> None:
    index = index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest")
    expected = parse("bt-app ^bt-mpich\nbt-hdf ^bt-core@1.1.4\nbt-hdf ^bt-core+pic\nbt-hdf ^bt-core@9\n")
    assert [(each.kind, each.specs) for each in verdicts(index, Query(), expected)] == [
        ("covered", 2),
        ("covered", 4),
        ("covered", 1),
        ("differs", 0),
    ]
    pages = index_of([row("bt-hdf", "1.0")])
    assert [(each.expectation.text, each.kind) for each in verdicts(pages, Query(), expected)] == [
        ("bt-app", "missing"),
        ("bt-hdf", "covered"),
    ]
