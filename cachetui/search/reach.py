"""What one comes to from each node of a directed graph, worked out for all nodes at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyroaring import BitMap


def reach(steps: Sequence[Sequence[int]], wanted: Iterable[int] | None = None) -> list[BitMap]:
    """For each node all that one comes to from it, itself included; `steps` are the nodes one step away.

    If only some nodes are `wanted`, all others are left out of what is found.
    """
    if wanted is None:
        found = [BitMap((node,)) for node in range(len(steps))]
    else:
        found = [BitMap()] * len(steps)
        for node in wanted:
            found[node] = BitMap((node,))
    order = _last_first(steps)
    is_done = bytearray(len(steps))
    has_cycles = False
    for node in order:
        if steps[node]:
            found[node] = BitMap.union(found[node], *map(found.__getitem__, steps[node]))
            has_cycles = has_cycles or not all(map(is_done.__getitem__, steps[node]))
        is_done[node] = True
    is_changed = has_cycles
    while is_changed:
        is_changed = False
        for node in order:
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
            for below in rest:
                if not seen[below]:
                    seen[below] = True
                    waiting.append((below, iter(steps[below])))
                    break
            else:
                order.append(node)
                waiting.pop()
    return order
