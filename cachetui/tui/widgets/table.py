"""A table: rows, with a cursor on one row."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import events
from textual.geometry import Region
from textual.message import Message

from cachetui.tui.keymap import Actions, KeyId
from cachetui.tui.lines import CURSOR, FALLING, RISING, Cell, Column, EmptyRows, Line, Rows
from cachetui.tui.widgets.line_widget import KeyAsked, Names
from cachetui.tui.widgets.list_pane import ListPane


class Table(ListPane, keys="table"):
    """Rows with a cursor. When a key moves the cursor, the table sends a message to the screen.

    The next key waits in `terminal.typeahead` until the screen has handled this message.
    """

    GUTTER = 3
    """Number of cells before the columns: one for the cursor, and two for symbols."""

    @dataclass
    class Moved(Message):
        """Sent when the cursor has moved to another row."""

        table: "Table"
        key: Hashable
        row: int

    class Chosen(Moved):
        """Sent when the user presses Enter on a row."""

    @dataclass
    class HeadClicked(Message):
        """Sent when the user clicks the head of a column."""

        table: "Table"
        column: int
        title: str

    FOCUSED: ClassVar[Names] = ("cursor",)
    """The styles of the row under the cursor while keys act on the table."""

    _row = 0
    _sorted: tuple[str, bool] = ("", False)
    """The title of the sorted column, and whether the order is descending."""

    def show(self, rows: Rows, columns: Sequence[Column], row: int) -> None:
        """Show rows, with the cursor on `row`. If nothing has changed, do nothing.

        If the key under the cursor stays the same, scroll so that its row stays on the same line of the screen.
        """
        if rows is self.rows and row == self._row and tuple(columns) == self.columns:
            return
        row = rows.first if isinstance(rows, EmptyRows) else max(0, min(row, len(rows) - 1))
        if len(rows) and row < len(rows) and rows.key(row) == self.key:
            self._top = max(0, self._top + row - self._row)
        self.rows, self._row = rows, row
        self.keep_in_view()
        self.use_columns(columns)
        self.refresh()

    def mark_order(self, title: str, is_falling: bool) -> None:
        """Show an arrow in the head of the sorted column."""
        if (title, is_falling) != self._sorted:
            self._sorted = (title, is_falling)
            self.refresh()

    @property
    def key(self) -> Hashable | None:
        """The key of the row under the cursor. None if the table is empty."""
        return None if self.is_empty else self.rows.key(self._row)

    def actions(self) -> Actions:
        return {**super().actions(), "table.choose": self.choose}

    def move(self, delta: int) -> None:
        self.go(self._row + delta)

    def scroll_rows(self, delta: int) -> None:
        super().scroll_rows(delta)
        self.go(self._row + delta)

    def go(self, row: int) -> None:
        """Move the cursor to the existing row that is nearest to `row`."""
        first = self.rows.first if isinstance(self.rows, EmptyRows) else 0
        row, old, top = max(first, min(row, len(self.rows) - 1)), self._row, self._top
        self._row = row
        self.keep_in_view()
        if self._top != top:
            self.refresh()
        elif row != old:
            self.refresh(self._region_of(old), self._region_of(row))
        if row != old and not self.is_empty:
            self.post_message(self.Moved(self, self.rows.key(row), row))

    def _region_of(self, row: int) -> Region:
        return Region(0, self.above + row - self._top, self.outer_size.width, 1)

    def keep_in_view(self) -> None:
        if self.page:
            self._top = self.clamp_top(max(self._row - self.page + 1, min(self._top, self._row)))

    def choose(self) -> None:
        """Open the row under the cursor. In an empty table, run the action under the cursor instead."""
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key, self._row))
        elif self._row < len(self.rows):
            self.post_message(KeyAsked(cast(KeyId, self.rows.key(self._row))))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row, or open the row if it is already there. For a head, send a message."""
        row, at = self._top + event.y - self.above, self.column_of(event.x)
        if event.y >= self.above and row < len(self.rows):
            cells = self.rows.row(row).cells
            cell = cells[at] if 0 <= at < len(cells) else ""
            acts = row == self._row or self.is_empty
            self.go(row)
            if isinstance(cell, Cell) and cell.id is not None:
                self.post_message(KeyAsked(cell.id))
            elif acts:
                self.choose()
        elif self._heads and bool(self._title) <= event.y < self.above and at >= 0:
            self.post_message(self.HeadClicked(self, at, self.columns[at].title))

    def column_of(self, x: int) -> int:
        """Return the index of the column at cell `x` of the pane, or -1 between columns."""
        slots = () if self.is_empty else self.slots()
        return next((slot.column for slot in slots if 0 <= x - self.GUTTER - slot.x < slot.width), -1)

    def row_look(self, k: int, line: Line) -> tuple[str, Names]:
        has_cursor = k == self._row
        pointer = (CURSOR if self.is_active else ">") if has_cursor else " "
        names = self.FOCUSED if has_cursor and self.is_active else ()
        return f"{pointer}{line.symbol}".ljust(self.GUTTER), names

    def cell_names(self, k: int, column: int) -> Names:
        return ("bold",) if k == self._row and not column else ()

    def headings(self) -> Sequence[str]:
        title, is_falling = self._sorted
        symbol = f" {FALLING if is_falling else RISING}"
        return [column.title + (symbol if title and column.title == title else "") for column in self.columns]
