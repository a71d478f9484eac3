"""Reachable nodes, compared with a naive walk on random graphs, with cycles and long chains."""

from hypothesis import given
from hypothesis import strategies as st

from cachetui.search.availability import reach

SIZE = 8

STEPS = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=4), min_size=SIZE, max_size=SIZE)


@given(steps=STEPS)
def test_reachable_nodes_agree_with_naive_walk(steps: list[list[int]]) -> None:
    for start, found in enumerate(reach(steps)):
        walked = {start}
        while more := {below for node in walked for below in steps[node]} - walked:
            walked |= more
        assert set(found) == walked


def test_reachable_nodes_of_long_chain_and_cycle_are_complete() -> None:
    assert len(reach([[k + 1] for k in range(5_000)] + [[]])[0]) == 5_001
    assert {len(found) for found in reach([[(k + 1) % 300] for k in range(300)])} == {300}
