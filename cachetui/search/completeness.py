"""Which binaries are incomplete: what they need to run has neither a binary in the content nor is an external.

Worked out for the whole graph at once: from everything that is missing to all that needs it. Input: a graph.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from cachetui.model.dependency import LINK_RUN, State
from cachetui.store.graph import Graph, all_dependents


def incomplete_hashes(graph: Graph, here: Container[bytes]) -> Iterator[str]:
    """The hashes of what is missing and of all that needs it; `here` are the hashes of all binaries."""
    missing = []
    base = 0
    for part in graph.parts:
        missing += [
            base + k
            for k, state in enumerate(part.state)
            if state != State.EXTERNAL
            and part.hashes.raw(k) not in here
            and (state != State.UNKNOWN or not _is_external(graph, part.hashes[k]))
        ]
        base += len(part)
    yield from map(graph.hash, all_dependents(graph, missing, LINK_RUN) if missing else ())


def _is_external(graph: Graph, node_hash: str) -> bool:
    """Whether a hash is an external in the first tag that knows more of it than its name."""
    number = graph.number(node_hash)
    return number is not None and graph.state(number) == State.EXTERNAL
