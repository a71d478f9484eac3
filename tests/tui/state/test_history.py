"""The steps of a day: the last thousand can be taken back."""

from __future__ import annotations

from itertools import pairwise

from cachetui.query.query import Query
from cachetui.tui.state.history import STEPS, FilterState, History


def test_a_long_day_forgets_its_first_steps() -> None:
    queries = [Query.parse(f"p{number}") for number in range(STEPS + 50)]
    history = History()
    for before, after in pairwise(queries):
        history.step(FilterState(before), FilterState(after))
    taken_back = [FilterState(queries[-1])]
    while (state := history.back(taken_back[-1])) is not None:
        taken_back.append(state)
    assert [state.query for state in taken_back] == queries[: -STEPS - 2 : -1]
    assert history.forth(taken_back[-1]) == taken_back[-2]
