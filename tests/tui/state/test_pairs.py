"""The pairs of marked specs."""

from __future__ import annotations

from itertools import combinations

import pytest

from cachetui.tui.state.pairs import Pairs


@pytest.mark.parametrize("count", range(2, 9))
def test_each_pair_comes_once_from_the_row_under_the_cursor_on(count: int) -> None:
    rows = list(range(100, 100 + count))
    every = list(combinations(rows, 2))
    for at in range(count):
        pairs = Pairs.beginning_with(rows, at)
        found = [pairs.pair(number) for number in range(pairs.total)]
        first = every.index(found[0])
        assert rows[at] in found[0]
        assert found == every[first:] + every[:first]


def test_of_very_many_rows_none_but_what_is_asked_for_is_worked_out() -> None:
    rows = range(10_000_000)
    pairs = Pairs.beginning_with(rows, len(rows) - 1)
    assert pairs.total == len(rows) * (len(rows) - 1) // 2
    assert pairs.pair(0) == (0, len(rows) - 1)
    assert pairs.pair(1) == (1, 2)
    assert pairs.pair(pairs.total - 1) == (0, len(rows) - 2)
