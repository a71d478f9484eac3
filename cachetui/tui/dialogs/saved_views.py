"""The dialog of saved views: open, save and remove them."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from cachetui.query.parser import QueryError
from cachetui.safe_text import containing, visible
from cachetui.settings.saved_views import (
    SavedView,
    Views,
    ViewsError,
    checked_name,
    read_views,
    remove_view,
    save_view,
)
from cachetui.tui.column_widths import Column
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, ScreenAsked, StateScreen
from cachetui.tui.keymap import Actions, Footer, bindings
from cachetui.tui.lines import Cell, FixedRows, Line
from cachetui.tui.view.saved import screen_of, view_of

SAVE = ""
"""The key of the row that saves the present view."""


class SavedViewDialog(ListDialog):
    """The views by name; below them, once a name is typed, the row that saves the present view."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("views")

    FOOTER: ClassVar[Footer] = (
        *(("prompt.done", "open or save"), ("views.remove", "remove"), ("prompt.leave", "back")),
    )

    def __init__(self, below: StateScreen[Any]) -> None:
        columns = Column("view", 16, 40, weight=1), Column("", 7), Column("screen", 8), Column("query", 24, weight=2)
        super().__init__(below, "Saved views", columns, placeholder="a view, or a name to save this one under")
        identity = below.browser.catalogue.source.identity
        self._file = below.state.view.settings.views_path(identity), identity
        """The file of the views, and the identity of the content."""
        self._present = below.state.saved
        """The present view; None if commands cannot show it."""
        self._saved, self._problem = Views(), ""
        self._removed: dict[str, SavedView] = {}
        """The views removed here, which can be restored until the dialog is closed."""
        self._read()

    def _read(self) -> None:
        """Read the views again."""
        try:
            self._saved, self._problem = read_views(self._file[0]), ""
        except ViewsError as error:
            self._problem = str(error)

    @property
    def _listed(self) -> dict[str, SavedView]:
        return {**self._removed, **self._saved.named}

    def rows(self, text: str) -> FixedRows:
        views = sorted(self._listed.items())
        lines = {name: self._line(name, saved) for name, saved in views if containing(text, name, saved.query)}
        if text:
            again = "again " if text in self._saved.named else ""
            lines[SAVE] = Line((f"+ save this view {again}as {visible(text)}",))
        return FixedRows(lines)

    def nothing(self, text: str) -> Sequence[str]:
        return [self._problem or "No view is saved yet: type a name to save this one."]

    def _line(self, name: str, saved: SavedView) -> Line:
        note = "" if name in self._saved.named else "removed"
        return Line(
            (Cell(visible(name), "bold"), Cell(note, "muted"), saved.screen, visible(saved.query) or "everything")
        )

    def answer(self, key: str) -> Answer:
        if key != SAVE:
            try:
                saved = self._listed[key]
                return ScreenAsked(screen_of(saved), view_of(saved, self.view), saved.words)
            except QueryError as error:
                return f"the view {visible(key)} cannot be opened: {error}"
        try:
            name = checked_name(self.line.text)
            if self._present is None:
                raise ViewsError("this screen cannot be saved: no command shows the same; remove the word or the marks")
            save_view(*self._file, name, self._present)
        except ViewsError as error:
            self.say(str(error))
            return None
        return f"saved as {visible(name)}: {self.sign('browse.views')} and cachetui --view open it"

    def actions(self) -> Actions:
        return {**super().actions(), "views.remove": self.remove_or_restore}

    def remove_or_restore(self) -> None:
        """Remove the view under the cursor, or restore it."""
        name = str(self.table.key)
        if name in self._saved.named:
            self._removed[name] = self._saved.named[name]
            self._change(lambda: remove_view(*self._file, name))
        elif name in self._removed:
            self._change(lambda: save_view(*self._file, name, self._removed[name]))

    def _change(self, change: Callable[[], object]) -> None:
        try:
            change()
        except ViewsError as error:
            self.say(str(error))
        self._read()
        self.find(self.table.key)
