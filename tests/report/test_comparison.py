"""Two specs side by side: what differs where that is recorded, that it is not where it is not."""

from cachetui.analysis.comparison import compare
from cachetui.report.comparison import ComparisonReport, Side, remark, sides
from cachetui.report.formats import written
from tests.support.rows import index_of, row


def test_each_side_lists_its_own_elements() -> None:
    rows = [row(hash="a" * 32, stacks=["e4s", "hep", "root"]), row(hash="b" * 32, stacks=["hep", "root", "sdk"])]
    found = compare(index_of(rows), 0, 1)
    assert sides(found)[1:] == [Side("stacks", "e4s", "sdk")]
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv")}
    assert "stacks" in texts["table"]
    assert "stacks" in texts["markdown"]
    assert "stacks,e4s,sdk" in texts["csv"]


def test_text_about_dependencies_is_not_a_difference() -> None:
    found = compare(index_of([row(hash="a" * 32), row(hash="b" * 32, dependencies=["zlib@1"])]), 0, 1)
    assert remark(found) == "nothing that is recorded differs; not both have their dependencies recorded"
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv", "json")}
    assert "dependencies" not in texts["csv"]
    assert '"dependencies": null' in texts["json"]
    assert texts["table"].endswith(f"\nnote: {remark(found)}\n")
    assert f"- note: {remark(found)}\n" in texts["markdown"]
