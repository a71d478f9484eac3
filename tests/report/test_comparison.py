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


def test_what_is_said_of_dependencies_is_no_difference() -> None:
    found = compare(index_of([row(hash="a" * 32), row(hash="b" * 32, dependencies=["zlib@1"])]), 0, 1)
    assert remark(found) == "nothing that is recorded differs; no dependencies are recorded of hdf5@1.14.3 /aaaaaaa"
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv", "json")}
    assert "dependencies" not in texts["csv"]
    assert '"dependencies": null' in texts["json"]
    assert texts["table"].endswith(f"\nnote: {remark(found)}\n")
    assert f"- note: {remark(found)}\n" in texts["markdown"]


def test_of_a_build_cache_it_is_said_which_dependencies_differ() -> None:
    first, *others = lines_of_twins(index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest"), "py-bt-num")
    assert first.endswith(" alike but for dependencies")
    assert all(line.startswith("/") and ": other ^" in line for line in others)
