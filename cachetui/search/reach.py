"""What one comes to from each node of a directed graph, worked out for all nodes at once."""

from __future__ import annotations

from collections.abc import Sequence

from pyroaring import BitMap


def reach(steps: Sequence[Sequence[int]]) -> list[BitMap]:
    """For each node all that one comes to from it, itself included; `steps` are the nodes one step away."""
    order = _last_first(steps)
    found = [BitMap((node,)) for node in range(len(steps))]
    is_changed = True
    while is_changed:  # once, and once more to see that nothing changed; cycles take some more rounds
        is_changed = False
        for node in order:
            if steps[node]:
                joined = BitMap.union(found[node], *map(found.__getitem__, steps[node]))
                if len(joined) != len(found[node]):
                    found[node] = joined
                    is_changed = True
    return found


def _last_first(steps: Sequence[Sequence[int]]) -> list[int]:
    """The nodes in an order in which, but for cycles, each stands after those that one comes to from it."""
    order: list[int] = []
    seen = [False] * len(steps)
    for start in range(len(steps)):
        if seen[start]:
            continue
        seen[start] = True
        waiting = [(start, iter(steps[start]))]
        while waiting:
            node, rest = waiting[-1]
            below = next((each for each in rest if not seen[each]), None)
            if below is None:
                order.append(node)
                waiting.pop()
            else:
                seen[below] = True
                waiting.append((below, iter(steps[below])))
    return order
