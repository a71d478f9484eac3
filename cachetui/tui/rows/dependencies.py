"""What a spec needs and what needs it, as two trees that unfold.

Input: an index with a dependency graph, and a node of it. A node is found by the way that leads to it, so cycles are
harmless: they unfold as far as somebody goes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from cachetui.model.dependency import LINK_RUN, Edge, State
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.rows.layout import Cell, Column, Line
from cachetui.tui.rows.tones import Tone

COLUMNS = (
    Column("spec", 24, share=1, most=64, ends=True),
    Column("hash", 7),
    Column("by", 15, drop=1),
    Column("where", 17),
)

MOST = 10_000
"""Most nodes that are listed below one."""

Direction = Literal["needs", "needed by"]

Way = tuple[Direction | int, ...]
"""The direction, then the nodes from the first below the root on."""

DIRECTIONS: tuple[Direction, ...] = ("needs", "needed by")


class Branch(NamedTuple):
    """One line: a node and the edge that leads to it; neither for a heading."""

    way: Way
    edge: Edge | None
    below: int
    """How many nodes hang below it."""


@dataclass(frozen=True)
class DependencyRows:
    """The two trees, those of their nodes unfolded that were."""

    index: Index
    root: int
    """A node of the graph."""
    unfolded: frozenset[Way]
    signs: tuple[str, str] = ("+", "-")
    """Before what is folded, and before what is unfolded."""

    @cached_property
    def branches(self) -> list[Branch]:
        found: list[Branch] = []
        waiting: list[Branch] = [self._branch((direction,), None) for direction in reversed(DIRECTIONS)]
        while waiting:
            branch = waiting.pop()
            found.append(branch)
            if branch.way in self.unfolded:
                below = [self._branch((*branch.way, edge.number), edge) for edge in self._edges(branch.way)]
                waiting += reversed(below)
        return found

    def _branch(self, way: Way, edge: Edge | None) -> Branch:
        return Branch(way, edge, len(self._edges(way)))

    def _edges(self, way: Way) -> list[Edge]:
        """What hangs below, what is needed to link and run first, then by name."""
        graph, last = self.index.graph, way[-1]
        number = last if isinstance(last, int) else self.root
        edges = graph.edges(number) if way[0] == "needs" else graph.dependents(number)
        edges.sort(key=lambda edge: (LINK_RUN.isdisjoint(edge.types), graph.name(edge.number)))
        return edges[:MOST]

    @cached_property
    def _places(self) -> dict[Way, int]:
        return {branch.way: k for k, branch in enumerate(self.branches)}

    def __len__(self) -> int:
        return len(self.branches)

    def row(self, k: int) -> Line:
        branch = self.branches[k]
        sign = self.signs[branch.way in self.unfolded] if branch.below or branch.way in self.unfolded else " "
        if branch.edge is None:
            return Line((Cell(f"{sign} {branch.way[0]}", "title"), "", "", f"{branch.below:,}"))
        node = self.index.graph.node(branch.edge.number)
        name = f"{node.name}@{node.version}" if node.version else node.name
        indent = "  " * (len(branch.way) - 1)
        state, tone = self.state(branch.edge.number)
        return Line(
            (
                Cell(f"{indent}{sign} {visible(name)}", tone),
                visible(node.hash[:7]),
                ",".join(branch.edge.types),
                Cell(state, tone),
            )
        )

    def state(self, number: int) -> tuple[str, Tone]:
        """Where the binary of a node is, and how that is shown."""
        graph = self.index.graph
        if self.index.rows_of(graph.hash(number)):
            return "", ""
        return ("external", "external") if graph.state(number) == State.EXTERNAL else ("not in this cache", "missing")

    def key(self, k: int) -> Way:
        return self.branches[k].way

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key) if isinstance(key, tuple) else None

    def parent(self, way: Way) -> Way:
        """The line that this one hangs below; a heading is its own."""
        return way[:-1] or way


def direct(index: Index, root: int) -> Iterator[Way]:
    """What is unfolded at first: what the spec needs itself."""
    if index.graph.edges(root):
        yield ("needs",)
