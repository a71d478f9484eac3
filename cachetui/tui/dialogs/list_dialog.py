"""The base class of dialogs: a list to select from, with a text field, over the lower part of a screen."""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input

from cachetui.report.specs import Field
from cachetui.tui.frame import Answer, KeysScreen, StateScreen
from cachetui.tui.keymap import Actions, Footer, labelled
from cachetui.tui.lines import Column, FixedRows, Rows, fitted
from cachetui.tui.painter.painter import lines_of
from cachetui.tui.view.view import ShownState, Step, View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.line_widget import Bar, dialog_title
from cachetui.tui.widgets.list_pane import Table
from cachetui.tui.widgets.prompt import Prompt

MAX_MEASURED_ROWS = 1000
"""Maximum number of rows whose texts are measured. Measuring more rows would be slow."""


class DialogList(Table):
    """The list of a dialog."""

    @property
    def is_active(self) -> bool:
        """Whether keys act on the list. This is also true while the text field has the focus."""
        return self.app.screen is self.screen


class ListDialog(KeysScreen[Answer], ModalScreen[Answer], keys="dialog"):
    """A list with a text field that filters the rows. Enter selects a row, and Esc closes the dialog.

    When the dialog closes, it returns its result to the screen below.
    """

    FOOTER = (("prompt.done", "select"), *labelled("prompt.leave"))

    highest: ClassVar[float] = 0.7
    """Maximum height of the dialog (fraction of the screen's height)."""

    first: Hashable = None
    """The key of the row under the cursor when the dialog opens."""

    def __init__(
        self,
        below: StateScreen[ShownState],
        title: str,
        columns: Sequence[Column],
        *,
        symbol: str = "/",
        placeholder: str = "type to filter",
        types: bool = True,
        in_full: bool = False,
    ) -> None:
        """`types`: whether there is a text field.

        `in_full`: whether a pane below the list shows the current row in full.
        """
        super().__init__()
        self.below = below
        self.line = Prompt(f" {symbol} ", placeholder)
        self.table = DialogList(columns)
        self.full = DetailPane(title="Details")
        self.rule, self.box = Bar(), Vertical(id="box")
        self._title, self._types, self._in_full = title, types, in_full
        self.title_answer = ""
        """The text at the right end of the title line."""
        self._first_rows = 0
        """The number of rows while the text field is empty."""

    @property
    def view(self) -> View:
        """The current view of the screen below."""
        return self.below.state.view

    @abstractmethod
    def rows(self, text: str) -> Rows:
        """Return the rows that match a typed text."""

    def answer(self, key: Any) -> Answer:
        """Return the result of the dialog if the user selects the row with this key. None keeps the dialog open."""
        return None

    def nothing(self, text: str) -> Sequence[str]:
        """Return lines that explain why no row matches the typed text."""
        return [f"No row contains {text}." if text else "The list is empty."]

    def fields(self, key: Any) -> Sequence[Field]:
        """Return the fields that the pane below the list shows for a row."""
        return ()

    def compose(self) -> ComposeResult:
        with self.box:
            yield self.rule
            if self._types:
                self.line.add_class("-open")  # open the field before Textual applies its styles
                yield self.line
            yield self.table
            if self._in_full:
                yield self.full
        yield self.keys

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of the screen below, which stays visible around the dialog."""
        return [strip.crop(*crop.column_span) for strip in lines_of(self.below)[crop.y : crop.bottom]]

    def on_mount(self) -> None:
        self.table.can_focus = not self._types
        self.full.can_focus = False
        if self._types:
            self.line.open()
        else:
            self.table.focus()
        self.show_rows()

    def show_rows(self) -> None:
        """Show the rows. Set the columns and the height of the dialog so that the rows fit."""
        self.find(self.first)
        if len(self.table.rows) <= MAX_MEASURED_ROWS and not self.table.is_empty:
            self.table.use_columns(fitted(self.table.columns, self.table.rows))
        self._first_rows = 0 if self.table.is_empty else len(self.table.rows)
        self.lay_out()

    def find(self, key: Hashable = None) -> None:
        """Show the rows that match the typed text. Put the cursor on the row with this key, or on the first row."""
        text = self.line.text.strip()
        self.ask_question()
        rows = FixedRows({}) if self._asked else self.rows(text)
        if not len(rows):
            typed: Footer = (("dialog.clear", "clear"),) if text else (("dialog.close", "back"),)
            rows = self.empty([*(() if self._asked else self.nothing(text)), *typed])
        self.table.show(rows, self.table.columns, (None if key is None else rows.find(key)) or 0)
        self.show_in_full()
        self.show_title_line()

    def show_title_line(self) -> None:
        """Show the title line over the whole width of the screen."""
        self.rule.show(dialog_title(self._title, "counting" if self._asked else self.title_answer, self.app.size.width))

    def show_answer(self, answer: KeysScreen.Worked) -> None:
        self.show_rows()

    def follow(self, step: Step) -> None:
        self.find(self.table.key)

    @on(Table.Moved)
    def show_in_full(self) -> None:
        if self._in_full:
            fields = () if self.table.key is None else self.fields(self.table.key)
            self.full.display = bool(fields)
            self.full.show_fields(fields)
            self.full.refresh(layout=True)

    @on(Input.Changed)
    def filter_rows(self) -> None:
        self.find()

    @on(Prompt.Stepped)
    def move(self, event: Prompt.Stepped) -> None:
        self.table.move(event.delta)

    def end(self, answer: Answer) -> None:
        """Close the dialog, and return its result. If the dialog is already closed, do nothing."""
        if self.app.screen is self:
            self.dismiss(answer)

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "dialog.close": lambda: self.end(None),
            "dialog.clear": lambda: self.line.put(""),
            "dialog.page_up": partial(self.table.scroll_pages, -1),
            "dialog.page_down": partial(self.table.scroll_pages, 1),
        }

    @on(Prompt.Left)
    def end_line(self, event: Prompt.Left) -> None:
        if event.kept:
            self.choose()
        else:
            self.end(None)

    @on(Table.Chosen)
    def choose(self) -> None:
        """Select the row under the cursor. If the row has a result for the dialog, close the dialog."""
        if self.table.key is None:
            self.table.choose()
        elif (answer := self.answer(self.table.key)) is not None:
            self.end(answer)

    @on(events.Resize)
    def lay_out(self) -> None:
        """Set the height of the dialog to fit all rows. The height does not change while the user filters the rows."""
        height = self.app.size.height
        rows = self.table.above + (self._first_rows or height) + 2
        self.box.styles.height = min(rows + self._in_full * height // 4, int(height * self.highest))
        self.show_keys()
        self.show_title_line()
