"""A matrix: a table with a cursor on a cell, and columns that scroll sideways next to frozen columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from cachetui.tui.column_widths import Slot, lay_out_sideways
from cachetui.tui.glyphs import RIGHT
from cachetui.tui.keymap import Actions, bindings
from cachetui.tui.lines import Cell, Line, fit, measure
from cachetui.tui.widgets.line_widget import Names, Piece
from cachetui.tui.widgets.table import Table


class Matrix(Table):
    """A table with a cursor on a cell. The first columns are frozen."""

    GUTTER = 2

    FOCUSED = ()

    BINDINGS: ClassVar[list[BindingType]] = bindings("matrix")

    @dataclass
    class ColumnMoved(Message):
        """The message that the cursor moved to another column. Columns are numbered from 0 after the frozen columns."""

        column: int

    def __init__(self, *, title: str = "", frozen: int = 1, id: str | None = None) -> None:
        super().__init__(title=title, id=id)
        self._frozen = frozen
        self._column = self.first = 0
        """The column of the cursor, and the first visible column, both numbered from 0 after the frozen columns."""

    def show_column(self, column: int) -> None:
        """Move the cursor to a column, and scroll the column into view. Show as many columns as fit."""
        last = len(self.columns) - 1
        column = max(0, min(column, last - self._frozen))
        first = min(self.first, column)
        while first < column and self._last_from(first) < column + self._frozen:
            first += 1
        while first and self._last_from(first - 1) == last:
            first -= 1
        if (column, first) != (self._column, self.first):
            self._column, self.first, self._laid_out = column, first, None
            self.refresh()

    def _last_from(self, first: int) -> int:
        """Return the last visible column if `first` is the first visible column."""
        return lay_out_sideways(self.columns, self.body_width - 1, self._frozen, self._frozen + first)[-1].column

    def actions(self) -> Actions:
        sideways: Actions = {"matrix.left": partial(self.move_column, -1), "matrix.right": partial(self.move_column, 1)}
        return {**super().actions(), **sideways}

    def move_column(self, delta: int) -> None:
        """Move the cursor to the right by `delta` columns, or to the left if `delta` is negative."""
        before = self._column
        self.show_column(self._column + delta)
        if self._column != before:
            self.post_message(self.ColumnMoved(self._column))

    def on_resize(self) -> None:
        self.show_column(self._column)

    def lay_out(self, width: int) -> list[Slot]:
        return lay_out_sideways(self.columns, width - 1, self._frozen, self._frozen + self.first)

    @property
    def above(self) -> int:
        return super().above + (not self.is_empty)

    def pieces(self, y: int) -> Iterable[Piece]:
        if bool(self._title) <= y < self.above and self.columns:
            is_upper = y == bool(self._title)
            heads = self._upper_heads() if is_upper else self._in_slots(self.headings(), ("muted",))
            more = RIGHT if self._last_from(self.first) < len(self.columns) - 1 and not is_upper else " "
            return [(" " * self.GUTTER, ()), *heads, (f" {more}", ("muted",))]
        return super().pieces(y)

    def _upper_heads(self) -> Iterator[Piece]:
        """Yield the pieces of the upper line of the heads. Adjacent columns with the same upper head share its text."""
        x = 0
        for upper, own in groupby(
            self.slots()[self._frozen :], lambda slot: self.columns[slot.column].title.partition("\n")[0]
        ):
            slots = list(own)
            text = fit(upper, sum(slot.width for slot in slots) - 1)
            yield f"{' ' * (slots[0].x + 1 - x)}{text}", ("muted",)
            x = slots[0].x + 1 + measure(text)
        yield " " * (self.body_width - x), ()

    def headings(self) -> Sequence[str]:
        return [each.rpartition("\n")[2] for each in super().headings()]

    def cell_names(self, k: int, column: int) -> Names:
        is_here = k == self._row and column == self._frozen + self._column
        return ("cursor-cell",) if is_here else super().cell_names(k, column)

    def row_pieces(self, k: int, line: Line, gutter: str, base: Names) -> Iterator[Piece]:
        """Yield the pieces of a row. Brackets replace the spaces before and after the cell with the cursor."""
        at, cells = self._frozen + self._column, [*line.cells]
        if k != self._row:
            yield from super().row_pieces(k, line, gutter, base)
            return
        here = (slot for slot in self.slots() if slot.column >= at)
        for (column, _, width), bracket in zip(here, "[]", strict=False):
            cell = cells[column]
            if isinstance(cell, Cell):
                left = width - measure(cell.text)
                spans = [(start + left, end + left, style) for start, end, style in cell.spans]
                cells[column] = cell._replace(text=bracket + cell.text.rjust(width)[1:], spans=spans)
        pieces = [*super().row_pieces(k, line._replace(cells=cells), gutter, base)]
        if self.slots()[-1].column == at:
            pieces[-3] = ("]" + pieces[-3][0][1:], pieces[-3][1])
        yield from pieces

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked cell. A click on the cell with the cursor opens the cell."""
        at = self.column_of(event.x)
        if at >= self._frozen and at != self._frozen + self._column:
            self.move_column(at - self._frozen - self._column)
        super().on_click(event)
