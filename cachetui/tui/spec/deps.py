"""The dependencies and dependents of a spec, as two trees. Enter opens the spec of a line.

The key of a line is its path in the tree. A cycle of dependencies is harmless, because only the user unfolds lines.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.deps import breaking, dependencies, is_bare, node_state
from cachetui.mappings import Once, latest
from cachetui.model.dependency import ALL_TYPES, LINK_RUN, Edge
from cachetui.model.host import Fit, Host
from cachetui.model.spec import HASH
from cachetui.report.deps import DependencyReport
from cachetui.safe_text import containing, visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.store.graph import all_dependents, closure
from cachetui.tui.frame import ListScreen, spec_title, tag_text
from cachetui.tui.keymap import Actions
from cachetui.tui.lines import (
    BAD,
    FOLDED,
    GOOD,
    UNFOLDED,
    Cell,
    Column,
    KeyedRows,
    Line,
    Text,
    title_answer,
)
from cachetui.tui.view.rows import SpecKey, host_symbol, row_of
from cachetui.tui.view.saved import saved_view
from cachetui.tui.view.view import ListState, View


class Needs(Struct, frozen=True, eq=False, dict=True):
    """The dependencies and dependents of a spec."""

    root: int | None
    """The number of the spec's node in the graph; None if its dependencies are unknown."""
    answer: Text = ()
    """A summary next to the list's title: how many link and run dependencies are available, missing and external."""
    breaks: int | None = None
    """Number of installed specs that need the spec at run time. None for a build cache."""
    fits: Mapping[int, Fit] = {}
    """Whether each node runs on the host. Each value is computed when it is first used."""

    @latest
    def rows_by(self, key: tuple[Index, frozenset["TreePath"], str, bool]) -> "DepsRows":
        """Return the lines of the trees.

        `key` has the index, the unfolded lines, the search word, and whether to omit nodes that do not run on the host.
        """
        return DepsRows(key[0], self.root or 0, self, *key[1:])


def answer(question: tuple[Index, str, Host]) -> Needs:
    """Find the dependencies and dependents of a spec. `question` has the index, the hash of the spec, and the host."""
    index, spec_hash, host = question
    root = index.graph.number(spec_hash)
    if root is None:
        return Needs(None)
    fits = Once[int, Fit](lambda number: index.node_fit(number, host))
    # compute the dependents and whether they run on the host now, so that no key waits for these results
    fits.of(edge.number for edge in (*index.graph.edges(root), *index.graph.dependents(root)))
    return Needs(root, availability(index, root), len(breaking(index, spec_hash)) if index.graph.trees else None, fits)


def availability(index: Index, root: int) -> Text:
    """Summarize the link and run dependencies of the node `root`: how many are available, missing or external."""
    if is_bare(index, root):
        return title_answer("?", "unknown", ": no dependencies are recorded")
    states = Counter(node_state(index, number) for number in closure(index.graph, [root])[1:])
    here, missing = states["here"], states["missing"]
    external = f", {states['external']:,} external" * bool(states["external"])
    if missing:
        return title_answer(BAD, f"{missing:,} of {here + missing:,} missing", external)
    return title_answer(GOOD, f"{here:,} of {here:,} available" if here else "no dependencies needed", external)


MAX_NODES = 10_000
"""Maximum number of lines directly below a line."""

NEEDS, NEEDED_BY = TREES = "dependencies", "dependents"

TreePath = tuple[str, ...]
"""The path to a line: `NEEDS` or `NEEDED_BY`, then the hash of each node from the root (excluded) to the line."""


class Branch(NamedTuple):
    """A line of a tree, with a node and the types of the dependency. The node of a heading is the spec itself."""

    path: TreePath
    number: int
    types: Sequence[str]
    below: int
    """The number of lines directly below this line when it is unfolded."""


class DepsRows(KeyedRows, frozen=True, dict=True):
    """The lines of the trees of dependencies and dependents. With a search word: a list of the nodes with this word."""

    index: Index
    root: int
    needs: Needs
    unfolded: frozenset[TreePath]
    word: str
    is_only_host: bool
    """Whether to omit nodes that do not run on the host."""

    columns = (
        Column("spec", 24, weight=1, middle=True),
        Column("hash", 7),
        Column("types", 15, rank=1),
        Column("where", 8),
    )

    @cached_property
    def branches(self) -> Sequence[Branch]:
        """All lines, from top to bottom."""
        found: list[Branch] = []
        waiting = [self._branch((direction,), self.root, ()) for direction in (NEEDED_BY, NEEDS)]
        while waiting:
            branch = waiting.pop()
            found.append(branch)
            if self.word:
                waiting += () if branch.path[1:] else reversed(list(self._named(branch.path[0])))
            elif branch.path in self.unfolded:
                hashes = self.index.graph.hash
                below = [
                    self._branch((*branch.path, hashes(edge.number)), edge.number, edge.types)
                    for edge in self._edges(branch.path[0], branch.number)
                    if self._is_shown(edge.number)
                ]
                waiting += reversed(below)
        return found

    def _is_shown(self, number: int) -> bool:
        return not self.is_only_host or self.needs.fits[number].distance is not None

    @cached_property
    def host_counts(self) -> tuple[int, int, int]:
        """Counts of the direct dependencies and dependents.

        The first number counts specs that run on the host. The second counts specs that may run on the host.
        The third number is the total.
        """
        symbols = Counter(
            host_symbol(self.needs.fits[edge.number]) for tree in TREES for edge in self._edges(tree, self.root)
        )
        return symbols[""], symbols["?"], symbols.total()

    def _branch(self, path: TreePath, number: int, types: Sequence[str]) -> Branch:
        return Branch(path, number, types, sum(self._is_shown(edge.number) for edge in self._edges(path[0], number)))

    def _edges(self, direction: str, number: int) -> Sequence[Edge]:
        """Return the dependencies or dependents of a node. Link and run types come first.

        Inside each group, the nodes are sorted by name.
        """
        graph = self.index.graph
        edges = (
            graph.edges(number)
            if direction == NEEDS
            else [edge for edge in graph.dependents(number) if not self.index.is_hidden(graph.hash(edge.number))]
        )
        edges.sort(key=lambda edge: (LINK_RUN.isdisjoint(edge.types), graph.name(edge.number)))
        return edges[:MAX_NODES]

    def _named(self, direction: str) -> Iterable[Branch]:
        """Yield a line for each node in a tree whose name contains the search word."""
        graph, walk = self.index.graph, closure if direction == NEEDS else all_dependents
        numbers = [each for each in walk(graph, [self.root], ALL_TYPES)[1:] if containing(self.word, graph.name(each))]
        for number in sorted(filter(self._is_shown, numbers), key=graph.name)[:MAX_NODES]:
            yield self._branch((direction, graph.hash(number)), number, ())

    @cached_property
    def keys(self) -> Sequence[TreePath]:
        return [branch.path for branch in self.branches]

    def make_line(self, k: int) -> Line:
        (path, number, types, below), breaks = self.branches[k], self.needs.breaks
        symbol = " " if not below or self.word else UNFOLDED if path in self.unfolded else FOLDED
        if not path[1:]:
            broken = "" if path[0] == NEEDS or breaks is None else f"; {breaks:,} need this spec to run"
            of_all = f" of {len(self._edges(path[0], number)):,}" if self.is_only_host else ""
            return Line((Cell(f"{symbol} {path[0]} {below:,}{of_all}{broken}", "bold"), "", "", ""))
        node = self.index.graph.node(number)
        name = f"{node.name}@{node.version}" if node.version else node.name
        state = node_state(self.index, number)
        where = Cell("" if state == "here" else state, "bad" if state == "missing" else "muted")
        cells = f"{'  ' * (len(path) - 1)}{symbol} {visible(name)}", visible(node.hash[:7]), ",".join(types), where
        return Line(cells, symbol=host_symbol(self.needs.fits[number]))


class DepsState(ListState[Needs], frozen=True, kw_only=True):
    """The trees of the dependencies and dependents of a spec."""

    key: SpecKey | None
    unfolded: frozenset[TreePath] = frozenset({(NEEDS,)})

    @classmethod
    def of(cls, view: View) -> Self:
        """Show the spec under the cursor of a view."""
        return cls(view=view.of_host(), key=view.current_spec)

    @property
    def row(self) -> int | None:
        """The row of the spec in the index; None if the spec was removed."""
        return row_of(self.view.index, self.key)

    @property
    def asks(self) -> tuple[Index, str, Host] | None:
        """The input of the computation: the index, the hash of the spec, and the host.

        None if the spec was removed or has no hash, or if the content has no record of dependencies.
        """
        index, row = self.view.index, self.row
        spec_hash = None if row is None else index.spec(row).hash
        return (index, spec_hash, self.view.host) if spec_hash and index.graph else None

    @property
    def needs(self) -> Needs | None:
        """The dependencies and dependents in the current index; None until they have been computed."""
        return self.found if self.answer and self.answer[0][0] is self.view.index else None

    @property
    def title_answer(self) -> Text:
        return self.needs.answer if self.needs else ()

    @property
    def rows(self) -> DepsRows | None:
        """The lines of the trees; None if the dependencies are unknown."""
        needs = self.needs
        if needs is None or needs.root is None:
            return None
        return needs.rows_by[self.view.index, self.unfolded, self.word, self.view.query.fits is not None]

    @property
    def branch(self) -> Branch | None:
        """The line under the cursor; None if the trees are empty."""
        rows = self.rows
        return None if rows is None else rows.branches[self.cursor.on(rows)]

    @property
    def shows_dependents(self) -> bool:
        """Whether the cursor is in the tree of dependents."""
        return self.branch is not None and self.branch.path[0] == NEEDED_BY

    @property
    def saved(self) -> SavedView | None:
        if self.word or self.view.query.fits or self.key is None or not HASH.fullmatch(self.key[2]):
            return None
        return saved_view(self.view, "deps", [f"/{self.key[2]}", *["--dependents"] * self.shows_dependents])

    def with_words(self, words: Sequence[str]) -> "DepsState":
        (first, *_), unfolded = words, NEEDED_BY if "--dependents" in words else NEEDS
        return replace(self, key=(self.view.shown_tag or "", "", first[1:]), unfolded=frozenset({(unfolded,)}))

    @property
    def current_row(self) -> int | None:
        """The index row of the spec under the cursor. None if the index lacks this spec.

        If several tags contain the spec, use the tag of the spec whose trees are shown.
        """
        branch, index = self.branch, self.view.index
        if branch is None:
            return self.row
        rows = list(index.rows_of(index.graph.hash(branch.number)))
        tag = self.key[0] if self.key else ""
        return next((row for row in rows if index.tag_of(row) == tag), rows[0] if rows else None)

    def fold(self) -> "DepsState":
        """Fold or unfold the line under the cursor."""
        branch = self.branch
        if branch is None or self.word or not branch.below:
            return self
        return replace(self, unfolded=self.unfolded ^ {branch.path})


class DepsScreen(ListScreen[DepsState], keys="deps"):
    """The trees of the dependencies and dependents of a spec."""

    FOOTER = (
        *(("table.choose", "go to spec"), ("deps.fold", "fold"), ("browse.filter", "filter")),
        *(("browse.install", "install"), ("browse.copy", "copy"), ("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "part of a name, at any level"

    TITLE = "Dependencies"

    state_of = DepsState.of

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.body = (self.table,)

    def work(self, question: tuple[Index, str, Host]) -> Iterator[Needs]:
        yield answer(question)

    def title_of(self, state: DepsState) -> str:
        return self.TITLE if state.row is None else spec_title(state.view, state.row)

    def nothing(self, state: DepsState) -> Sequence[str]:
        return ["No spec here." if state.row is None else "This content records no dependencies for this spec."]

    def heading_of(self, state: DepsState) -> tuple[Text, str]:
        return [tag_text(state.view)], ""

    def host_counts(self, state: DepsState) -> tuple[int, int, int]:
        return state.rows.host_counts if state.rows else (0, 0, 0)

    # Keys

    def actions(self) -> Actions:
        return {**super().actions(), "deps.fold": self.own_step(DepsState.fold)}

    def current_view(self) -> View | None:
        row = self.state.current_row
        return None if row is None else self.state.view.of_row(row).go_to_pane("detail")

    def open_row(self) -> None:
        """Open the spec under the cursor. On a heading, fold or unfold the tree."""
        branch = self.state.branch
        if branch is None or not branch.path[1:]:
            self.do(DepsState.fold)
        else:
            view = self.current_view()
            self.ask("browse", view and view.go_to_pane("specs"), "this content has no binary of this spec")

    def copies(self) -> Sequence[tuple[str, str]]:
        branch = self.state.branch
        return [] if branch is None else [("hash", visible(self.state.view.index.graph.hash(branch.number)))]

    def document(self) -> DependencyReport | None:
        """Return the tree under the cursor as a document to export. Return None if the trees are empty."""
        if self.state.rows is None or self.state.key is None:
            return None
        found = dependencies(self.state.view.index, self.state.key[2], dependents=self.state.shows_dependents)
        return DependencyReport(found)
