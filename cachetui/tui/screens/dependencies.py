"""What a spec needs and what needs it: two trees, from which one goes on to the specs that they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from cachetui.report.deps import closure_text, needed_binaries
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.rows.dependencies import COLUMNS, DependencyRows, Way, direct
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, HelpSection, ListScreen, list_help
from cachetui.tui.screens.size_reading import SizesRead, read_sizes
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

HINTS = (
    Hint("table.choose", "Enter", "go to it"),
    Hint("dependencies.unfold dependencies.up", "Right Left", "unfold, fold"),
    Hint("screen.help", "?", "help"),
    BACK,
)


class DependenciesScreen(ListScreen):
    """The trees of one spec; Enter opens the spec of a node over them, so that Esc comes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "fold_or_unfold", "Fold", id="dependencies.fold", tooltip="Fold or unfold the line"),
        Binding("right,l", "unfold", "Unfold", id="dependencies.unfold", tooltip="Show what hangs below"),
        Binding("left,h", "fold", "Fold", id="dependencies.up", tooltip="Fold, or go to the line above"),
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = list_help(
        "Dependencies",
        "what the spec needs, and what needs it",
        ("Right, Left", "unfold a line; fold it, or go to the one that it hangs below"),
        ("Space", "unfold or fold"),
        ("not in this cache", "its binary is nowhere here; an external has to be on the host"),
        enter="go to that spec; Esc there comes back",
    )

    def __init__(self, index: Index, root: int, open_spec: Callable[[int], Screen[object]]) -> None:
        """`root`: a node of the graph; `open_spec` makes the screen of a row of the index."""
        graph = index.graph
        self._table = Table(COLUMNS)
        node = graph.node(root)
        super().__init__(visible(f"{node.name}@{node.version} /{node.hash[:7]}"), self._table, HINTS)
        self._index, self._root, self._open_spec = index, root, open_spec
        self._unfolded = frozenset(direct(index, root))
        self._about = Bar(id="status")

    def on_mount(self) -> None:
        self._show()
        self._about.show_message(closure_text(self._index, self._root), self.app.size.width)
        read_sizes(self, self._index, lambda: needed_binaries(self._index, self._root))

    @on(SizesRead)
    def show_size(self, event: SizesRead) -> None:
        if event.total is not None:
            self._about.show_message(closure_text(self._index, self._root, event.total), self.app.size.width)

    def body(self) -> ComposeResult:
        yield self._about
        yield from super().body()

    def _show(self) -> None:
        signs = signs_of(self)
        rows = DependencyRows(self._index, self._root, self._unfolded, (signs.folded, signs.unfolded))
        self._table.show(rows)

    @property
    def _way(self) -> Way | None:
        key = self._table.cursor_key
        return key if isinstance(key, tuple) else None

    @on(Table.Moved)
    def forget_hint(self) -> None:
        self.hint("")

    def choose(self, event: Table.Chosen) -> None:
        """Goes to the spec of a node; unfolds or folds a heading."""
        rows, way = self._table.rows, self._way
        if way is None or not isinstance(rows, DependencyRows):
            return
        number = way[-1]
        if not isinstance(number, int):
            self.action_fold_or_unfold()
            return
        found = self._index.rows_of(self._index.graph.hash(number))
        if found:
            self.app.push_screen(self._open_spec(found[0]))
        else:
            node = self._index.graph.node(number)
            where = f"external, {node.external or 'a module'}" if node.external is not None else "not in this cache"
            self.hint(visible(f"{where}: {node.name}@{node.version} /{node.hash}"))

    def action_fold_or_unfold(self) -> None:
        if self._way in self._unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    def action_unfold(self) -> None:
        if self._way is not None:
            self._unfolded |= {self._way}
            self._show()

    def action_fold(self) -> None:
        """Folds the line, or one that is folded goes to the line that it hangs below."""
        rows, way = self._table.rows, self._way
        if way is None or not isinstance(rows, DependencyRows):
            return
        if way in self._unfolded:
            self._unfolded -= {way}
            self._show()
        else:
            self._table.go(rows.find(rows.parent(way)) or 0)
