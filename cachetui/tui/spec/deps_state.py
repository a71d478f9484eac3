"""What a spec needs and what needs it, frozen: two trees that unfold.

A node is found by the way that leads to it, so cycles are harmless: they unfold as far as somebody goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from cachetui.model.dependency import ALL_TYPES, LINK_RUN, Edge, State
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.store.graph import all_dependents, closure
from cachetui.tui.column_widths import Column
from cachetui.tui.glyphs import FOLDED, UNFOLDED
from cachetui.tui.lines import Cell, KeyedRows, Line
from cachetui.tui.spec.state import SpecState
from cachetui.tui.view.derived import kept

COLUMNS = (
    Column("spec", 24, weight=1, middle=True),
    Column("hash", 7),
    Column("by", 15, rank=1),
    Column("where", 8),
)

MOST = 10_000
"""Most nodes that are listed below one."""

NEEDS, NEEDED_BY = "needs", "needed by"

Way = tuple[str, ...]
"""The direction, then the hashes of the nodes from the first below the root on."""


class Branch(NamedTuple):
    """One line: a node, and the types of the edge that leads to it; a heading has the root and no types."""

    way: Way
    number: int
    types: Sequence[str]
    below: int
    """How many nodes hang below it."""


class DepsRows(KeyedRows, frozen=True, dict=True):
    """The two trees; with a word the nodes of all their levels that have it."""

    index: Index
    root: int
    unfolded: frozenset[Way]
    word: str

    @cached_property
    def branches(self) -> Sequence[Branch]:
        """The lines, in their order."""
        found: list[Branch] = []
        waiting = [self._branch((direction,), self.root, ()) for direction in (NEEDED_BY, NEEDS)]
        while waiting:
            branch = waiting.pop()
            found.append(branch)
            if self.word:
                waiting += () if branch.way[1:] else reversed(list(self._named(branch.way[0])))
            elif branch.way in self.unfolded:
                hashes = self.index.graph.hash
                below = [
                    self._branch((*branch.way, hashes(edge.number)), edge.number, edge.types)
                    for edge in self._edges(branch.way[0], branch.number)
                ]
                waiting += reversed(below)
        return found

    def _branch(self, way: Way, number: int, types: Sequence[str]) -> Branch:
        return Branch(way, number, types, len(self._edges(way[0], number)))

    def _edges(self, direction: str, number: int) -> Sequence[Edge]:
        """What hangs below a node, what is needed to link and run first, then by name."""
        graph = self.index.graph
        edges = graph.edges(number) if direction == NEEDS else graph.dependents(number)
        edges.sort(key=lambda edge: (LINK_RUN.isdisjoint(edge.types), graph.name(edge.number)))
        return edges[:MOST]

    def _named(self, direction: str) -> Iterable[Branch]:
        """The nodes of all levels with the word in their name."""
        graph, walk = self.index.graph, closure if direction == NEEDS else all_dependents
        numbers = [each for each in walk(graph, [self.root], ALL_TYPES)[1:] if self.word.lower() in graph.name(each)]
        for number in sorted(numbers, key=graph.name)[:MOST]:
            yield self._branch((direction, graph.hash(number)), number, ())

    @cached_property
    def keys(self) -> Sequence[Way]:
        return [branch.way for branch in self.branches]

    def made(self, k: int) -> Line:
        way, number, types, below = self.branches[k]
        sign = " " if not below or self.word else UNFOLDED if way in self.unfolded else FOLDED
        if not way[1:]:
            return Line((Cell(f"{sign} {way[0]} {below:,}", "bold"), "", "", ""))
        node = self.index.graph.node(number)
        name = f"{node.name}@{node.version}" if node.version else node.name
        indent = "  " * (len(way) - 1)
        where = Cell("not here", "bad")
        if self.index.rows_of(node.hash):
            where = Cell("")
        elif node.state == State.EXTERNAL:
            where = Cell("external", "muted")
        return Line((f"{indent}{sign} {visible(name)}", visible(node.hash[:7]), ",".join(types), where))


class DepsState(SpecState, frozen=True, kw_only=True):
    """The trees of a spec, and where the user is in them."""

    unfolded: frozenset[Way] = frozenset({(NEEDS,)})

    @property
    def rows(self) -> DepsRows | None:
        """The trees; None where nothing is recorded, or not known yet."""
        root, index = self.needs and self.needs.root, self.view.index
        if root is None:
            return None
        key = ("deps", root, self.unfolded, self.word)
        return kept(index, key, lambda: DepsRows(index, root, self.unfolded, self.word))

    @property
    def branch(self) -> Branch | None:
        """The line under the cursor."""
        rows = self.rows
        return None if rows is None else rows.branches[self.cursor.on(rows)]

    @property
    def row_here(self) -> int | None:
        """The spec under the cursor as a row of the index, in the tag of the root where it is there too."""
        branch, index = self.branch, self.view.index
        if branch is None:
            return self.row
        rows = list(index.rows_of(index.graph.hash(branch.number)))
        tag = self.key[0] if self.key else ""
        return next((row for row in rows if index.tag_of(row) == tag), rows[0] if rows else None)

    def fold(self, unfolds: bool | None = None) -> DepsState:
        """Unfold the line under the cursor, or fold it; None for the other one. What is folded goes to its parent."""
        branch, rows = self.branch, self.rows
        if branch is None or rows is None or self.word:
            return self
        is_unfolded = branch.way in self.unfolded
        if unfolds is None:
            unfolds = not is_unfolded
        if unfolds:
            return self if is_unfolded or not branch.below else replace(self, unfolded=self.unfolded | {branch.way})
        if is_unfolded:
            return replace(self, unfolded=self.unfolded - {branch.way})
        parent = branch.way[:-1] or branch.way
        return self if parent == branch.way else self.move(parent, rows.find(parent) or 0)
