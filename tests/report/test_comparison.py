"""The words for specs that look alike: what differs where that is recorded, that it is not where it is not."""

from __future__ import annotations

from cachetui.analysis.comparison import compare
from cachetui.report.comparison import ComparisonReport, Side, labelled_sides, remark, sides, twins_field
from cachetui.report.formats import written
from cachetui.search.index import Index
from tests.support.caches import CACHES, index_of_folder
from tests.support.rows import index_of, row


def lines_of_twins(index: Index, package: str) -> tuple[str, ...]:
    number = index.package_number(package)
    assert number is not None
    field = next(found for each in index.package_rows(number) if (found := twins_field(index, each)))
    return field.lines


def test_of_pages_it_is_said_that_the_difference_is_not_recorded() -> None:
    index = index_of([row(hash=letter * 32, package="zlib") for letter in "abcde"])
    assert lines_of_twins(index, "zlib") == ("4 others: same but for the hash",)
    found = compare(index, 0, 1)
    assert [side.label for side in sides(found)] == ["spec"]
    assert remark(found) == "nothing that is recorded differs; no dependencies are recorded of either"
    found = compare(index_of([row(hash="a" * 32), row(hash="b" * 32, target="zen3")]), 0, 1)
    assert sides(found)[1:] == [Side("target", "x86_64_v3", "zen3")]
    assert remark(found) == "no dependencies are recorded of either"


def test_specs_whose_dependencies_are_recorded_as_the_same_are_not_said_to_differ_in_these() -> None:
    index = index_of([row("zlib", hash=letter * 32, dependencies=["gmake@4"]) for letter in "ab"])
    assert compare(index, 0, 1).dependencies == ()
    assert "dependencies" not in " ".join(lines_of_twins(index, "zlib"))


def test_what_both_have_of_a_list_is_told_from_what_one_has() -> None:
    rows = [row(hash="a" * 32, stacks=["e4s", "hep", "root"]), row(hash="b" * 32, stacks=["hep", "root", "sdk"])]
    found = compare(index_of(rows), 0, 1)
    assert labelled_sides(found)[1:] == [
        Side("variants", *["all the same"] * 2),
        Side("only its stacks", "e4s", "sdk"),
        Side("stacks of both", "hep, root", "hep, root"),
        Side("tags", *["all the same"] * 2),
        Side("the same", *["compiler, os, platform, target"] * 2),
    ]
    assert sides(found)[1:] == [Side("stacks", "e4s", "sdk")]
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv")}
    assert "only its stacks" in texts["table"]
    assert "only its stacks" in texts["markdown"]
    assert "stacks,e4s,sdk" in texts["csv"]


def test_of_what_does_not_differ_it_is_said_that_it_is_the_same() -> None:
    rows = [row(hash=each[0] * 32, os=each[1:], variants=[]) for each in ("arhel8", "brhel9")]
    assert labelled_sides(compare(index_of(rows), 0, 1))[1:] == [
        Side("os", "rhel8", "rhel9"),
        Side("variants", "none", "none"),
        Side("stacks", *["all the same"] * 2),
        Side("tags", *["all the same"] * 2),
        Side("the same", *["compiler, platform, target"] * 2),
    ]


def test_what_is_said_of_dependencies_is_no_difference() -> None:
    found = compare(index_of([row(hash="a" * 32), row(hash="b" * 32, dependencies=["zlib@1"])]), 0, 1)
    assert remark(found) == "nothing that is recorded differs; no dependencies are recorded of hdf5@1.14.3 /aaaaaaa"
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv", "json")}
    assert "dependencies" not in texts["csv"]
    assert '"dependencies": null' in texts["json"]
    assert texts["table"].endswith(f"\nnote: {remark(found)}\n")
    assert f"- note: {remark(found)}\n" in texts["markdown"]


def test_dependencies_that_are_the_same_are_no_difference() -> None:
    rows = [row(hash=letter * 32, target=target, dependencies=["zlib@1"]) for letter, target in ("ax", "by")]
    found = compare(index_of(rows), 0, 1)
    assert [side.label for side in sides(found)] == ["spec", "target"]
    assert remark(found) == "their dependencies are the same"


def test_of_a_build_cache_it_is_said_which_dependencies_differ() -> None:
    first, *others = lines_of_twins(index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest"), "py-bt-num")
    assert first.endswith(" alike but for dependencies")
    assert all(line.startswith("/") and ": other ^" in line for line in others)


def test_lists_of_one_side_and_of_both_are_spelled_alike_and_whole_where_there_is_room() -> None:
    both = [f"+v{letter}" for letter in "abcdefgh"]
    rows = [
        row(hash="a" * 32, stacks=["deprecated", "e4s", "hep", "root"], variants=[*both, "+hl", "~szip"]),
        row(hash="b" * 32, stacks=["e4s", "root", "sdk"], variants=[*both, "~hl", "+szip"]),
    ]
    found = compare(index_of(rows), 0, 1)
    sides_of = {side.label: (side.old, side.new) for side in labelled_sides(found)}
    assert sides_of["only its stacks"] == ("deprecated, hep", "sdk")
    assert sides_of["stacks of both"] == ("e4s, root", "e4s, root")
    assert sides_of["only its variants"] == ("+hl, ~szip", "~hl, +szip")
    assert sides_of["variants of both"] == (", ".join(both),) * 2
    few = {side.label: side.old for side in labelled_sides(found, 2)}
    assert few["variants of both"] == "+va, +vb and 6 more"
    assert few["only its stacks"] == "deprecated, hep"
    texts = {name: "".join(written(ComparisonReport(found), name)) for name in ("markdown", "csv")}
    assert f"| variants of both | {', '.join(both)} |" in texts["markdown"]
    assert 'stacks,"deprecated,hep",sdk' in texts["csv"]
