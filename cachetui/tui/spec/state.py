"""One spec, frozen, and what it needs and what needs it: in short, and as two trees that unfold.

A node of a tree is found by the way that leads to it, so cycles are harmless: they unfold as far as somebody goes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Self

from msgspec.structs import replace

from cachetui.analysis.deps import NodeState, node_state
from cachetui.model.dependency import ALL_TYPES, LINK_RUN, Edge
from cachetui.report.deps import closure_text, dependency_fields, needed_binaries
from cachetui.report.detail import Field, detail
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.sources.buildcache.binaries import Sizes, is_signed
from cachetui.store.graph import all_dependents, closure
from cachetui.tui.column_widths import Column
from cachetui.tui.glyphs import FOLDED, UNFOLDED
from cachetui.tui.lines import Cell, KeyedRows, Line, containing
from cachetui.tui.view.rows import SpecKey, row_of
from cachetui.tui.view.view import ListState, View, kept
from cachetui.workers.cancelling import Cancelled

Question = tuple[Index, str]
"""The hash of a spec: it takes long to find it in the graph, then to ask for the sizes of all that it needs."""


class Needs(NamedTuple):
    """What is known of what a spec needs."""

    root: int | None
    """Its node in the graph; None where no dependencies are recorded."""
    sizes: Mapping[str, int] | None = None
    """The bytes of binaries by their hashes, as far as something tells; None until that was asked."""

    def total(self, index: Index) -> int | None:
        """Bytes of the spec and of all that it needs; None where those of one are not known."""
        if self.root is None or self.sizes is None:
            return None
        wanted = set(needed_binaries(index, self.root))
        return sum(self.sizes[each] for each in wanted) if wanted <= self.sizes.keys() else None


def answers(question: Question, sizes_of: Callable[[Index, Cancelled], Sizes], cancelled: Cancelled) -> Iterator[Needs]:
    """Find the spec in the graph; then the sizes."""
    index, spec_hash = question
    root = index.graph.number(spec_hash)
    yield Needs(root)
    if root is not None:
        sizes = sizes_of(index, cancelled).each(needed_binaries(index, root))
        yield Needs(root, {each: size for each, size in sizes if size is not None})


class SpecState(ListState[Needs], frozen=True, kw_only=True):
    """A spec that stays the one that is looked at, whatever the filters are."""

    key: SpecKey | None

    @classmethod
    def of(cls, view: View) -> Self:
        """The spec under the cursor of a view."""
        return cls(view=view, key=view.spec_here)

    @property
    def row(self) -> int | None:
        """The spec as a row of the index; None where it is gone."""
        return row_of(self.view.index, self.key)

    @property
    def asks(self) -> Question | None:
        index, row = self.view.index, self.row
        spec_hash = None if row is None else index.spec(row).hash
        return (index, spec_hash) if spec_hash and index.graph else None

    @property
    def needs(self) -> Needs | None:
        """What is known of what it needs in the index that is looked at."""
        return self.found if self.answer and self.answer[0][0] is self.view.index else None

    @property
    def fields(self) -> Sequence[Field]:
        """All that there is to know of it that has the word, what it needs and what needs it before the commands."""
        row, index, needs = self.row, self.view.index, self.needs
        if row is None:
            return ()
        fields, more = detail(index, row, self.view.host, os.environ.get("CACHETUI_MIRROR"), is_signed), list[Field]()
        if needs is not None:
            size = (needs.sizes or {}).get(index.spec(row).hash or "")
            more += [] if size is None else [Field("size", (f"{size:,} bytes",))]
            more += [] if needs.root is None else dependency_fields(index, needs.root, needs.total(index))
        known = {field.label for field in more}
        at = next(k for k, field in enumerate(fields) if field.is_command)
        fields = [*(field for field in fields[:at] if field.label not in known), *more, *fields[at:]]
        return [field for field in fields if containing(self.word, field.label, *field.lines)]

    @property
    def closure(self) -> str:
        """What it needs to be installed and to run, in one line."""
        if self.needs is None or self.needs.root is None:
            return ""
        return visible(closure_text(self.view.index, self.needs.root, self.needs.total(self.view.index)))


COLUMNS = (
    Column("spec", 24, weight=1, middle=True),
    Column("hash", 7),
    Column("by", 15, rank=1),
    Column("where", 8),
)

WHERE: Mapping[NodeState, Cell] = {
    "here": Cell(""),
    "external": Cell("external", "muted"),
    "missing": Cell("not here", "bad"),
}
"""What is said of where a node is."""

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
        numbers = [each for each in walk(graph, [self.root], ALL_TYPES)[1:] if containing(self.word, graph.name(each))]
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
        where = WHERE[node_state(self.index, number)]
        return Line((f"{indent}{sign} {visible(name)}", visible(node.hash[:7]), ",".join(types), where))


class DepsState(SpecState, frozen=True, kw_only=True):
    """The trees of a spec, and where the user is in them."""

    unfolded: frozenset[Way] = frozenset({(NEEDS,)})

    @property
    def columns(self) -> Sequence[Column]:
        return COLUMNS

    @property
    def fields(self) -> Sequence[Field]:
        return ()

    @property
    def verdict(self) -> str:
        return ", ".join(self.closure.split(", ")[:2])

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

    def fold(self) -> DepsState:
        """Unfold the line under the cursor, or fold it."""
        branch = self.branch
        if branch is None or self.word or not branch.below:
            return self
        return replace(self, unfolded=self.unfolded ^ {branch.way})
