"""The saved views as a list: to open one, to remove one, to begin with one; and a line for the name of a new one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.safe_text import visible
from cachetui.settings.views import Removed, SavedView, Views, choose_start, read_views, remove_view, restore_view
from cachetui.settings.views_file import ViewsError
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import SheetScreen, list_help
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table

COLUMNS = (
    Column("view", 16, share=1, most=40, ends=True),
    Column("", 5),
    Column("screen", 9),
    Column("query", 20, share=3),
)

HINTS = (
    Hint("table.choose", "Enter", "open it"),
    Hint("views.start", "s", "begin with it"),
    Hint("views.remove", "x", "remove it"),
    Hint("screen.close", "Esc", "back"),
)

START = "start"
"""Stands beside the view that the browser begins with."""


OPENS_ON = "the tags that it opens on"
"""The two tags of a comparison for which nobody chose others: these follow the newest week."""


def _about(saved: SavedView) -> str:
    """The query of a view, and where it compares two tags, these."""
    query = visible(saved.query) or "everything"
    if saved.screen != "drift":
        return query
    old, new = visible(saved.look.old), visible(saved.look.new)
    return f"{f'{old} -> {new}' if old and new else OPENS_ON}, {query}"


def _lines(views: Views) -> Iterator[Line]:
    for name, saved in sorted(views.named.items()):
        start = START if name == views.start else ""
        yield Line((Cell(visible(name), "key"), start, saved.screen, _about(saved)))


SAVE_HINTS = (Hint("prompt.done", "Enter", "save"), Hint("prompt.leave", "Esc", "back"))


class NameScreen(SheetScreen):
    """Asks for the name of a view; ends with it, or None."""

    AUTO_FOCUS = "Input"

    KEYS = list_help("Save this view", "a name for what is looked at; a view of that name is saved anew")

    def __init__(self, views: Views, saved: SavedView) -> None:
        """`saved`: what is to be saved."""
        table = Table(COLUMNS, placeholder="No view is saved yet.")
        table.show(FixedRows(_lines(views)))
        super().__init__(f"Save as a view: {_about(saved)}", table, SAVE_HINTS)
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
        Binding("u", "undo", "Put back", id="views.undo", tooltip="Put back the view that was removed last"),
    ]

    KEYS = list_help(
        "Saved views",
        "what was saved under a name, of this content",
        ("s", "the browser begins with this one; again: with none"),
        ("x", "remove this one"),
        ("u", "put back the one that was removed last"),
        enter="open it",
    )

    def __init__(self, views: Views, identity: str) -> None:
        """`identity`: of the content."""
        self._views, self._identity = views, identity
        self._table = Table(COLUMNS, placeholder="No view is saved yet: Ctrl+P, then Save this view.")
        super().__init__("Saved views", self._table, HINTS)
        self._removed: list[Removed] = []
        """The views that were removed here, the last one last."""
        self._show()

    def _show(self) -> None:
        self._table.show(FixedRows(_lines(self._views), sorted(self._views.named)))

    def action_choose_start(self) -> None:
        def choose(name: str) -> str:
            is_start = name == self._views.start
            choose_start(self._views.path, self._identity, None if is_start else name)
            return "the browser begins as always" if is_start else f"the browser begins with {visible(name)}"

        self._change(choose)

    def action_remove(self) -> None:
        def remove(name: str) -> str:
            self._removed.append(remove_view(self._views.path, self._identity, name))
            return f"view {visible(name)} removed: {self.key_of('views.undo', 'u')} puts it back"

        self._change(remove)

    def action_undo(self) -> None:
        """Puts back the view that was removed last."""
        if self._removed:

            def restore(name: str) -> str:
                restore_view(self._views.path, self._identity, self._removed[-1])
                self._removed.pop()
                return f"view {visible(name)} is back"

            self._change(restore, self._removed[-1].name)
        else:
            self.hint("no view was removed here")

    def _change(self, change: Callable[[str], str], name: Hashable = None) -> None:
        """Changes what is saved of a view, by itself of the one under the cursor, and says what was done."""
        name = name or self._table.cursor_key
        if not isinstance(name, str):
            return
        try:
            said = change(name)
            self._views = read_views(self._views.path)
        except ViewsError as error:
            self.hint(str(error))
        else:
            self._show()
            self.hint(said)
