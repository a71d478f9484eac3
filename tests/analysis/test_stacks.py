"""The size of each stack compared with its usual size, and the packages that were removed and added."""

from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import sampled_from

from cachetui.analysis.stacks import stack_gaps, stack_sizes
from cachetui.query.query import Query
from cachetui.report.formats import written
from cachetui.report.stacks import StacksReport
from tests.support.random_rows import CATALOGUES
from tests.support.rows import index_of, row

WEEKS = [f"develop-2025-05-{day:02}" for day in (4, 11, 18, 25)]

ROWS = [
    *(row(f"p{number}", tag=week, stacks=["e4s", "root"]) for week in WEEKS[:3] for number in range(10)),
    *(row(f"p{number}", tag=WEEKS[3], stacks=["e4s"]) for number in range(2, 9)),
    row("new", tag=WEEKS[3], stacks=["e4s", "hep"]),
    row("old", tag=WEEKS[0], stacks=["retired"]),
    *(row(f"p{number}", tag="develop", stacks=["e4s"]) for number in range(50)),
    row("gone", tag="v0.22.0", stacks=["lost"]),
    row("kept", tag="v0.23.0", stacks=["e4s"]),
]


def test_size_of_stack_is_compared_with_its_usual_size() -> None:
    e4s, hep = stack_sizes(index_of(ROWS))
    assert (e4s.stack, e4s.tag, e4s.specs, e4s.usual, e4s.percent, e4s.change) == ("e4s", WEEKS[3], 8, 10, 80, -2)
    assert (e4s.packages_removed, e4s.packages_new) == (("p0", "p1", "p9"), ("new",))
    assert [*e4s.tags.items()] == [*zip(WEEKS, (10, 10, 10, 8), strict=True)]
    assert e4s.is_low
    assert not e4s.is_low_at(8)
    assert e4s.is_low_at(7)
    assert (hep.stack, hep.specs, hep.usual, hep.change, hep.packages_new) == ("hep", 1, 1, 1, ("new",))
    gaps = stack_gaps(index_of(ROWS), WEEKS[3], ["e4s", "hep"])
    assert {stack: len(names) for stack, names in gaps.items()} == {"e4s": 0, "hep": 7}


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (["v0.23.0"], [("lost", 0, -1, ("gone",), ()), ("e4s", 1, 1, (), ("kept",))]),
        (["v0.22.0"], [("lost", 1, 0, (), ())]),
        ([WEEKS[0]], [("e4s", 10, 0, (), ()), ("retired", 1, 0, (), ())]),
    ],
)
def test_stacks_of_requested_tag_are_compared_only_with_older_tags(
    tags: list[str], found: list[tuple[object, ...]]
) -> None:
    sizes = stack_sizes(index_of(ROWS), tags)
    assert [(size.stack, size.specs, size.change, size.packages_removed, size.packages_new) for size in sizes] == found


def test_content_without_stacks_is_listed_as_one_row() -> None:
    # today's snapshot equals the present state
    sizes_of_days = {"mirror": 2, "2026-11-26": 3, "2026-11-27": 3, "2026-11-28": 2}
    rows = [
        row(f"p{k}", hash=f"{k}" * 32, tag=day, stacks=[]) for day, size in sizes_of_days.items() for k in range(size)
    ]
    sizes = stack_sizes(index_of(rows))
    assert [(size.stack, size.tag, size.specs, size.usual, size.packages_removed) for size in sizes] == [
        ("", "mirror", 2, 3, ("p2",))
    ]
    table = "".join(written(StacksReport(sizes), "table")).splitlines()
    assert table[1].split() == ["mirror", "67", "%", "2", "3", "-1", "1", "0", "██▆"]
    html = "".join(written(StacksReport(sizes), "html"))
    assert "██<i>▆</i>" in html
    assert 'http-equiv="refresh"' in html


@given(CATALOGUES, sampled_from(["", "rhel8"]))
def test_stack_sizes_equal_naive_count(rows: list[dict[str, Any]], os: str) -> None:
    sizes = stack_sizes(index_of(rows), query=Query.parse(f"os={os}" if os else ""))
    rows = [each for each in rows if os in ("", each["os"])]
    for size in sizes:
        held = {tag: [each for each in rows if each["tag"] == tag and _holds(size.stack, each)] for tag in size.tags}
        now, before = [{each["package"] for each in own} for own in (*reversed(held.values()), [])][:2]
        assert size.tags == {tag: len(own) for tag, own in held.items()}
        assert size.usual == max(1, round(median(len(own) for own in held.values() if own)))
        if len(held) > 1:
            assert size.packages_removed == tuple(sorted(before - now))
            assert size.packages_new == tuple(sorted(now - before))


def _holds(stack: str, each: dict[str, Any]) -> bool:
    return stack in each["stacks"] if stack else True
