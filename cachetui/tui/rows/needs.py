"""What a spec needs, as lines of a tree that are read beside its fields: no more of them than there is room for.

Input: an index with a dependency graph, and a node of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.model.dependency import LINK_RUN, State
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.rows.layout import Cell, Column, Line
from cachetui.tui.rows.tones import Tone

COLUMNS = (Column("needs", 24, share=1, ends=True), Column("hash", 7), Column("where", 9))

INDENT = "  "


def needs_lines(index: Index, root: int, room: int) -> list[Line]:
    """What a node needs to link and run, one line each; below these what they need, level by level as long as all of a
    level has room. A node is unfolded once."""
    found: list[tuple[int, int]] = [(0, number) for number in _needs(index, root)]
    unfolded, depth = {root}, 0
    while any(level == depth for level, _ in found):
        longer: list[tuple[int, int]] = []
        for level, number in found:
            longer.append((level, number))
            if level == depth and number not in unfolded:
                unfolded.add(number)
                longer += ((depth + 1, each) for each in _needs(index, number))
        if len(longer) > room:
            break
        found, depth = longer, depth + 1
    return [_line(index, level, number) for level, number in found]


def _needs(index: Index, number: int) -> Sequence[int]:
    """What a node needs to link and run, by name."""
    graph = index.graph
    edges = (edge for edge in graph.edges(number) if not LINK_RUN.isdisjoint(edge.types))
    return sorted((edge.number for edge in edges), key=graph.name)


def _line(index: Index, level: int, number: int) -> Line:
    graph = index.graph
    node = graph.node(number)
    name = f"{node.name}@{node.version}" if node.version else node.name
    tone: Tone = "missing"
    where = "not here"
    if index.rows_of(graph.hash(number)):
        tone = where = ""
    elif graph.state(number) == State.EXTERNAL:
        tone = where = "external"
    return Line((Cell(f"{INDENT * level}{visible(name)}", tone), visible(node.hash[:7]), Cell(where, tone)))
