"""Comparison of two specs: the differences, and the verdict."""

from typing import Any

import pytest

from cachetui.analysis.comparison import compare
from cachetui.report.comparison import EQUAL, ComparisonReport, Side, sides, verdict
from cachetui.report.formats import written
from tests.support.rows import index_of, row


def test_comparison_lists_stacks_that_contain_only_one_spec() -> None:
    rows = [row(hash="a" * 32, stacks=["e4s", "hep", "root"]), row(hash="b" * 32, stacks=["hep", "root", "sdk"])]
    found = compare(index_of(rows), 0, 1)
    assert [side for side in sides(found) if side.section != EQUAL] == [Side("", "stacks", "e4s", "sdk")]
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv")}
    assert "stacks" in texts["table"]
    assert "stacks" in texts["markdown"]
    assert "stacks,e4s,sdk" in texts["csv"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({}, {}, "no recorded value differs"),
        ({"variants": ["+mpi", "~x"]}, {"variants": ["~mpi", "~x"]}, "1 variant differs: mpi"),
        ({"dependencies": ["zlib@1"]}, {"dependencies": ["zlib@2"]}, "only one dependency differs"),
        ({"dependencies": ["b"], "target": "zen3"}, {"dependencies": ["b"]}, "only target differs"),
        (
            {"dependencies": ["b"], "stacks": ["e4s"]},
            {"dependencies": ["b"], "bytes": 7},
            "only the hash differs",
        ),
        ({"dependencies": ["b"], "variants": []}, {"dependencies": ["c"]}, "1 variant, 2 dependencies differ"),
    ],
)
def test_comparison_verdict_counts_differing_fields(old: dict[str, Any], new: dict[str, Any], said: str) -> None:
    rows = [row(hash=letter * 32, **{"variants": ["+mpi"], **side}) for letter, side in (("a", old), ("b", new))]
    assert verdict(compare(index_of(rows), 0, 1)) == said


def test_unknown_dependencies_are_not_reported_as_a_difference() -> None:
    found = compare(index_of([row(hash="a" * 32), row(hash="b" * 32, dependencies=["zlib@1"])]), 0, 1)
    assert verdict(found) == "no recorded value differs"
    texts = {name: "".join(written(ComparisonReport(found), name, 80)) for name in ("table", "markdown", "csv", "json")}
    assert "dependencies" not in texts["csv"]
    assert '"dependencies": null' in texts["json"]
    assert texts["table"].endswith(f"\nverdict: {verdict(found)}\n")
    assert f"- verdict: {verdict(found)}\n" in texts["markdown"]
