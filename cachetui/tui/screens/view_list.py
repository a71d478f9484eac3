"""The saved views as a list: to open one, to remove one, to begin with one; and a line for the name of a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.settings.views import SavedView, Views, ViewsError, choose_start, read_views, remove_view
from cachetui.text import visible
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line
from cachetui.tui.screens.lists import SheetScreen, list_help
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table

COLUMNS = (
    Column("view", 16, share=1, most=40, ends=True),
    Column("", 5),
    Column("screen", 9),
    Column("query", 20, share=3),
)

START = "start"
"""Stands beside the view that the browser begins with."""


def _lines(views: Views) -> Iterator[Line]:
    for name, saved in sorted(views.named.items()):
        start = START if name == views.start else ""
        yield Line((Cell(visible(name), "key"), start, saved.screen, visible(saved.query) or "everything"))


class NameScreen(SheetScreen):
    """Asks for the name of a view; ends with it, or None."""

    AUTO_FOCUS = "Input"

    KEYS = list_help("Save this view", "a name for what is looked at; a view of that name is saved anew")

    def __init__(self, views: Views, saved: SavedView) -> None:
        """`saved`: what is to be saved."""
        table = Table(COLUMNS, placeholder="No view is saved yet.")
        table.show(FixedRows(_lines(views)))
        super().__init__(f"Save as a view: {visible(saved.query) or 'everything'}", table, "Enter save   Esc back")
        self._line = Prompt(":", "a name for it", id="view-name")

    def body(self) -> ComposeResult:
        yield self._line
        yield from super().body()

    def on_mount(self) -> None:
        self._line.open()

    @on(Prompt.Left)
    def end(self, event: Prompt.Left) -> None:
        self.dismiss(event.text if event.chosen and event.text.strip() else None)


class ViewsScreen(SheetScreen):
    """The saved views; ends with the name of the one to open, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "choose_start", "Start", id="views.start", tooltip="Begin with this view; again: with none"),
        Binding("x", "remove", "Remove", id="views.remove", tooltip="Remove this view"),
    ]

    KEYS = list_help(
        "Saved views",
        "what was saved under a name, of this content",
        ("s", "the browser begins with this one; again: with none"),
        ("x", "remove this one"),
        enter="open it",
    )

    def __init__(self, views: Views, identity: str) -> None:
        """`identity`: of the content."""
        self._views, self._identity = views, identity
        self._table = Table(COLUMNS, placeholder="No view is saved yet: Ctrl+P, then Save this view.")
        super().__init__("Saved views", self._table, "Enter open it   s begin with it   x remove it   Esc back")
        self._show()

    def _show(self) -> None:
        self._table.show(FixedRows(_lines(self._views), sorted(self._views.named)))

    def action_choose_start(self) -> None:
        def choose(name: str) -> None:
            choose_start(self._views.path, self._identity, None if name == self._views.start else name)

        self._change(choose)

    def action_remove(self) -> None:
        self._change(lambda name: remove_view(self._views.path, self._identity, name))

    def _change(self, change: Callable[[str], None]) -> None:
        """Changes what is saved of the view under the cursor, and lists again what there is."""
        name = self._table.cursor_key
        if not isinstance(name, str):
            return
        try:
            change(name)
            self._views = read_views(self._views.path)
        except ViewsError as error:
            self.hint(str(error))
        else:
            self._show()
            self.hint("")
