"""Walks through a dependency graph: all that nodes need, and all that needs them.

Every walk is a loop over numbers of nodes: cycles, edges to nothing and very long chains are harmless.
Input: a graph, and numbers of its nodes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from cachetui.model.dependency import LINK_RUN
from cachetui.store.graph import Graph


def closure(graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN) -> list[int]:
    """These nodes and all that they need by edges of these types, nearest first, each hash once."""
    followed = graph.followed(types)
    found: dict[int, None] = dict.fromkeys(numbers)
    queue = list(found)
    bases, several = graph.bases, len(graph.parts) > 1
    for number in queue:
        p = bisect_right(bases, number) - 1 if several else 0
        part, base, follow = graph.parts[p], bases[p], followed[p]
        first, target, kind, state = part.first, part.target, part.kind, part.state
        k = number - base
        for at in range(first[k], first[k + 1]):
            if follow[kind[at]]:
                other = target[at]
                needed = base + other
                if needed not in found:
                    if several and not state[other]:
                        needed = graph.known(p, other)
                        if needed in found:
                            continue
                    found[needed] = None
                    queue.append(needed)
    return _each_hash_once(graph, queue) if several else queue


def all_dependents(graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN) -> list[int]:
    """These nodes and all that need them in any tag, by edges of these types, nearest first, each hash once."""
    followed = graph.followed(types)
    wanted = [graph.hash(number) for number in numbers]
    queue = list(dict.fromkeys(found for each in wanted for found in graph.everywhere(each)))
    found = set(queue)
    for number in queue:
        p = bisect_right(graph.bases, number) - 1
        part, base, follow = graph.parts[p], graph.bases[p], followed[p]
        sources, leading = graph.reverse[p]
        for at in leading[number - base]:
            if follow[part.kind[at]]:
                for needs in _everywhere_of(graph, p, sources[at]):
                    if needs not in found:
                        found.add(needs)
                        queue.append(needs)
    return _each_hash_once(graph, queue) if len(graph.parts) > 1 else queue


def all_dependents_in_tag(graph: Graph, numbers: Iterable[int], types: frozenset[str]) -> set[int]:
    """These nodes and all of the same tag that need them by edges of these types."""
    followed = graph.followed(types)
    found = set(numbers)
    queue = list(found)
    bases, reversed_parts = graph.bases, graph.reverse
    for number in queue:
        p = bisect_right(bases, number) - 1
        base, kind, follow = bases[p], graph.parts[p].kind, followed[p]
        sources, leading = reversed_parts[p]
        for at in leading[number - base]:
            if follow[kind[at]]:
                needs = base + sources[at]
                if needs not in found:
                    found.add(needs)
                    queue.append(needs)
    return found


def _everywhere_of(graph: Graph, p: int, k: int) -> list[int]:
    """The nodes with the hash of node k of a part, in all parts."""
    return [k] if len(graph.parts) == 1 else graph.everywhere(graph.parts[p].hashes[k])


def _each_hash_once(graph: Graph, numbers: Iterable[int]) -> list[int]:
    """Of several nodes of one hash the first that is known by more than its name."""
    found: dict[str, int] = {}
    for number in numbers:
        node_hash = graph.hash(number)
        if node_hash not in found or not graph.state(found[node_hash]):
            found[node_hash] = number
    return list(found.values())
