"""Expectations: the verdict on each spec that should be there."""

from __future__ import annotations

import pytest

from cachetui.analysis.expectations import Verdict, verdicts
from cachetui.environments.expected import parse
from cachetui.query.query import Query
from tests.support.caches import CACHES, index_of_folder
from tests.support.rows import index_of, row


def test_verdicts() -> None:
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
    assert [(each.part.text, each.actual_value) for each in nearest.differences] == [("@2:", "1.0")]
    elsewhere = found[2].nearest
    assert elsewhere is not None
    assert [(each.part.text, each.actual_value) for each in elsewhere.differences] == [("tag=develop", "v1.0.0")]
    assert found[4].expectation.fault.startswith("column 6: ")
    assert [each.kind for each in verdicts(index, Query(), parse("zlib"))] == ["covered"]


def judged(packages: str, *specs: str) -> list[Verdict]:
    """The verdicts on specs of an environment with this `packages` section."""
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
def test_what_an_environment_requires(packages: str, spec: str, kind: str, differs: list[str]) -> None:
    (found,) = judged(packages, spec)
    assert found.kind == kind
    nearest = found.nearest.differences if found.nearest else ()
    assert [each.part.text for each in nearest] == differs


def test_stacks_and_the_tag_where_it_was_last_seen() -> None:
    rows = [
        row(stacks=["e4s", "root"]),
        row(stacks=["e4s", "hep"], hash="a" * 32),
        row("zlib", stacks=["hep"], tag="v1.0.0"),
        row("zlib", stacks=["hep"], tag="develop-2025-01-05"),
        row("zlib", "9", stacks=["hep"]),
    ]
    found = verdicts(index_of(rows), Query.parse("tag=develop"), parse("hdf5\nzlib@1\nnosuch\n"))
    assert [each.stacks for each in found] == [{"e4s": 2, "hep": 1}, {"e4s": 0, "hep": 0}, {"e4s": 0, "hep": 0}]
    assert [each.last_seen for each in found] == [None, "develop-2025-01-05", None]


def test_dependencies_count_where_the_content_records_them() -> None:
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
