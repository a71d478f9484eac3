"""Which binaries are complete: all that they need to run has a binary in the content, or is an external.

Worked out for the whole graph at once: from everything that is missing to all that needs it. Input: an index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyroaring import BitMap

from cachetui.model.dependency import LINK_RUN, State
from cachetui.query.parts.dependencies import CompletePart

if TYPE_CHECKING:
    from cachetui.search.index import Index
    from cachetui.store.graph import Graph


def complete_rows(index: Index, part: CompletePart) -> BitMap:
    """The rows of complete binaries, or of the others; rows whose dependencies are not recorded are neither."""
    recorded = index.tag_rows(index.graph.tags)
    return recorded - index.incomplete_rows if part.wanted else recorded & index.incomplete_rows


def knows_complete(index: Index) -> bool:
    """Whether it was worked out already which binaries are complete."""
    return bool(index.graph) and "incomplete_rows" in vars(index)


def incomplete_rows(index: Index) -> BitMap:
    """The rows of the binaries that need something that is missing."""
    from cachetui.store.walks import all_dependents  # late: most queries walk nowhere

    graph, hashes = index.graph, index.columns.hashes
    here = {hashes.raw(number) for number in range(len(hashes)) if len(index.hash_rows(number))}
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
    needing = all_dependents(graph, missing, LINK_RUN) if missing else []
    return BitMap(row for number in needing for row in index.rows_of(graph.hash(number)))


def _is_external(graph: Graph, node_hash: str) -> bool:
    """Whether a hash is an external in the first tag that knows more of it than its name."""
    number = graph.number(node_hash)
    return number is not None and graph.state(number) == State.EXTERNAL
