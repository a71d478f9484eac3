"""A matrix: rows with a cursor on one cell, and columns that scroll sideways beside frozen ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.geometry import Region

from cachetui.tui.rows.layout import Column, Slot, lay_out_sideways
from cachetui.tui.rows.line_pieces import Names
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Standing, Table


class MatrixStanding(NamedTuple):
    """How a matrix stood."""

    rows: Standing
    column: int
    """The column under the cursor."""
    first: int
    """The first of those that scroll in view."""


class Matrix(Table):
    """Rows in columns with a cursor on a cell."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--header-cursor", "rows--cursor-row"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "column(-1)", "Left", id="matrix.left", tooltip="One column to the left"),
        Binding("right,l", "column(1)", "Right", id="matrix.right", tooltip="One column to the right"),
    ]

    CURSOR = ("cursor-row",)

    def __init__(self, columns: Sequence[Column], *, frozen: int = 1, id: str | None = None) -> None:
        """`frozen`: the columns at the left that neither scroll nor take the cursor."""
        super().__init__(columns, id=id)
        self._frozen = frozen
        self._column = self._first = frozen
        """The column of the cursor, and the first of those that scroll in view."""

    @property
    def cursor_column(self) -> int | None:
        """The column under the cursor."""
        return self._column if self._column < len(self._columns) else None

    def go_column(self, column: int) -> None:
        """Puts the cursor on a column, or the nearest that takes it."""
        column = max(self._frozen, min(column, len(self._columns) - 1))
        if column == self._column:
            return
        self._column = column
        if self._keep_column_in_view():
            self.refresh()
        else:
            self.refresh(Region(0, 0, self.size.width, self._header))
            self.repaint_row(self._row)
        self.report_move()

    def show_from_column(self, first: int) -> None:
        """Scrolls to where this column is the first that scrolls, as far as the cursor stays in view."""
        self._first = first
        self._keep_column_in_view()
        self.refresh()

    @property
    def cell_standing(self) -> MatrixStanding:
        """How it stands now, to stand so again."""
        return MatrixStanding(self.standing, self._column, self._first)

    def stand_at_cell_again(self, standing: MatrixStanding) -> None:
        """Puts the cursor and the view where they were, sideways too."""
        self.stand_again(standing.rows)
        if (self._column, self._first) != standing[1:]:
            _, self._column, self._first = standing
            self._laid_out = None
            self._keep_column_in_view()
            self.refresh()
            self.report_move()

    def use_columns(self, columns: Sequence[Column] | None) -> None:
        before = self._columns
        super().use_columns(columns)
        if self._columns != before:
            self._keep_column_in_view()

    def _keep_column_in_view(self) -> bool:
        """Scrolls sideways if the column of the cursor is out of view; says whether it did."""
        if not self.size.width:
            return False
        before = self._first
        self._column = max(self._frozen, min(self._column, len(self._columns) - 1))
        self._first = min(self._first, self._column)
        self._laid_out = None
        while self._first < self._column and all(slot.column != self._column for slot in self.slots()):
            self._first += 1
            self._laid_out = None
        self._fill_room()
        return self._first != before

    def _fill_room(self) -> None:
        """Scrolls back as long as that hides no column at the right: none is hidden beside empty cells."""
        while self._first > self._frozen:
            self._first -= 1
            self._laid_out = None
            slots = self.slots()
            if not slots or slots[-1].column < len(self._columns) - 1:
                self._first += 1
                self._laid_out = None
                return

    def resized(self) -> None:
        super().resized()
        if self._keep_column_in_view():
            self.refresh()

    def action_column(self, delta: int) -> None:
        self.go_column(self._column + delta)

    def go_to_cell(self, row: int, x: int) -> None:
        for slot in self.slots():
            if slot.x <= x < slot.x + slot.width and slot.column >= self._frozen:
                self.go_column(slot.column)
        super().go_to_cell(row, x)

    # Painting

    def header_edges(self) -> tuple[str, str]:
        signs, slots = signs_of(self), self.slots()
        more_right = bool(slots) and slots[-1].column < len(self._columns) - 1
        return signs.left if self._first > self._frozen else " ", signs.right if more_right else " "

    def cell_names(self, column: int, names: Names, highlight: str) -> Names:
        return (*names, highlight) if column == self.cursor_column else names

    def lay_out(self, width: int) -> list[Slot]:
        return lay_out_sideways(self._columns, width, self._frozen, self._first)
