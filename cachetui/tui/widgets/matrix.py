"""A matrix: rows with a cursor on one cell, and columns that scroll sideways beside frozen ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from cachetui.tui.bindings import bindings
from cachetui.tui.column_widths import Slot, lay_out_sideways
from cachetui.tui.glyphs import CURSOR
from cachetui.tui.lines import Line
from cachetui.tui.widgets.line_widget import Names
from cachetui.tui.widgets.table import Table


class Matrix(Table):
    """A table with a cursor on a cell; its first `frozen` columns stay where they are."""

    GUTTER = 2

    BINDINGS: ClassVar[list[BindingType]] = bindings("matrix")

    @dataclass
    class ColumnMoved(Message):
        """The cursor is in another column, numbered from 0 behind the frozen ones."""

        matrix: Matrix
        column: int

    frozen = 3
    _column = _first = 0
    """The column of the cursor and the first in view, both counted behind the frozen ones."""

    @property
    def cursor_column(self) -> int:
        """The column under the cursor, numbered from 0 behind the frozen ones."""
        return self._column

    def show_column(self, column: int) -> None:
        """Put the cursor into a column, and scroll it into view."""
        column = max(0, min(column, len(self._columns) - self.frozen - 1))
        self._column = column
        self._first = min(self._first, column)
        self._laid_out = None
        while self._first < column and all(slot.column != column + self.frozen for slot in self.slots()):
            self._first, self._laid_out = self._first + 1, None
        self._kept.clear()
        self.refresh()

    def action_column(self, delta: int) -> None:
        before = self._column
        self.show_column(self._column + delta)
        if self._column != before:
            self.post_message(self.ColumnMoved(self, self._column))

    def on_resize(self) -> None:
        super().on_resize()
        self.show_column(self._column)

    def lay_out(self, width: int) -> list[Slot]:
        return lay_out_sideways(self._columns, width, self.frozen, self.frozen + self._first)

    def row_look(self, k: int, line: Line) -> tuple[str, Names]:
        has_cursor = k == self.cursor_row
        gutter = f"{(CURSOR if self.has_focus else '>') if has_cursor else ' '} "
        return gutter, ("cursor-row",) if has_cursor else ()

    def cell_names(self, k: int, column: int) -> Names:
        return ("cursor-cell",) if k == self.cursor_row and column == self.frozen + self._column else ()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the cell where the mouse was pressed; once more opens it."""
        x = event.x - self.before
        at = next((each.column for each in self.slots() if each.x <= x < each.x + each.width), -1)
        if at >= self.frozen and at != self.frozen + self._column:
            self.action_column(at - self.frozen - self._column)
        super().on_click(event)
