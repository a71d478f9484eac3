"""A matrix: a table with a cursor on a cell. The first columns are always visible. The others scroll by pages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from textual import events
from textual.message import Message

from cachetui.tui.keymap import Actions
from cachetui.tui.lines import LEFT, RIGHT, RULE, Cell, Line, Slot, lay_out_sideways, measure
from cachetui.tui.widgets.line_widget import Names, Piece, cell_pieces
from cachetui.tui.widgets.list_pane import EDGE_CELLS, Table

MORE_CELLS = 4
"""Width of the text that shows how many columns are hidden, in cells. The text is to the right of the columns."""


class Matrix(Table, keys="matrix"):
    """A table with a cursor on a cell. The first columns are frozen: they do not scroll.

    Column headings may have several lines.

    In the other columns, each cell fills the column. It begins with a space for the left bracket of the cursor.
    """

    GUTTER = 2

    FROZEN = 2
    """Number of columns that do not scroll."""

    FOCUSED = ()

    @dataclass
    class ColumnMoved(Message):
        """Sent when the cursor has moved to another column. Column 0 is the first after the frozen columns."""

        column: int

    _column = 0
    """The column under the cursor. Column 0 is the first after the frozen columns."""

    def show_column(self, column: int) -> None:
        """Move the cursor to a column, and show the page that contains the column."""
        column = max(0, min(column, len(self.columns) - 1 - self.FROZEN))
        if column != self._column:
            self._column, self._laid_out = column, None
            self.refresh()

    def lay_out(self, width: int) -> list[Slot]:
        """Return the positions of the columns on the page with the cursor. The last page has as many columns as fit."""
        first, last = self.FROZEN, len(self.columns) - 1
        slots, here = self._slots_from(first, width), min(last, self.FROZEN + self._column)
        while first < here and slots[-1].column < here:
            first = max(first, slots[-1].column) + 1
            slots = self._slots_from(first, width)
        while first > self.FROZEN and (more := self._slots_from(first - 1, width))[-1].column == last:
            first, slots = first - 1, more
        return slots

    def _slots_from(self, first: int, width: int) -> list[Slot]:
        """Return the positions of the frozen columns, and of the columns that fit, starting with column `first`."""
        slots = lay_out_sideways(self.columns, width - 1, self.FROZEN, first)
        if slots and (first > self.FROZEN or slots[-1].column < len(self.columns) - 1):
            slots = lay_out_sideways(self.columns, width - MORE_CELLS, self.FROZEN, first)
        return slots

    def actions(self) -> Actions:
        sideways: Actions = {"matrix.left": partial(self.move_column, -1), "matrix.right": partial(self.move_column, 1)}
        return {**super().actions(), **sideways}

    def move_column(self, delta: int) -> None:
        """Move the cursor to the right by `delta` columns, or to the left if `delta` is negative."""
        before = self._column
        self.show_column(self._column + delta)
        if self._column != before:
            self.post_message(self.ColumnMoved(self._column))

    @property
    def above(self) -> int:
        is_headless = self.is_empty or not self.columns
        return bool(self._title) + (0 if is_headless else len(self.columns[0].title.split("\n")))

    def pieces(self, y: int) -> Iterable[Piece]:
        if bool(self._title) <= y < self.above:
            return self._head_pieces(y - bool(self._title), is_last=y == self.above - 1)
        return super().pieces(y)

    def _head_pieces(self, line: int, *, is_last: bool) -> Iterator[Piece]:
        """Yield the texts and styles for one line of the column headings.

        Adjacent columns share a text if their headings are equal from the first line to this line. The last line ends
        with two counts: the hidden columns on the left, and the hidden columns on the right.
        """
        yield " " * self.GUTTER, ()
        x, width, names, last = 0, self.body_width, ("muted",), self.slots()[-1]
        for head, group in groupby(self.slots(), lambda slot: self.columns[slot.column].title.split("\n")[: line + 1]):
            slots, text = list(group), head[-1]
            yield " " * (slots[0].x - x), names
            x, room = slots[0].x, slots[-1].x + slots[-1].width - slots[0].x
            if text and (slots[1:] or measure(text) > room):
                room = width - x if slots[-1] == last and measure(text) > room else room
                rest = room - 1 - measure(text)
                text = f" {text}" + f" {RULE * rest}"[: max(0, rest)]
            yield from cell_pieces(text, room, names, right=self.columns[slots[0].column].right)
            x += room
        before = min((slot.column for slot in self.slots()[self.FROZEN :]), default=self.FROZEN) - self.FROZEN
        hidden = (before, LEFT), (len(self.columns) - 1 - last.column, RIGHT)
        more = "".join(f"{number}{symbol}" for number, symbol in hidden if number) if is_last else ""
        yield from cell_pieces(more, width + EDGE_CELLS - x, names, right=True)

    def cell_names(self, k: int, column: int) -> Names:
        return ("bold",) if k == self._row and column in (0, self.FROZEN + self._column) else ()

    def row_pieces(self, k: int, line: Line, gutter: str, base: Names) -> Iterator[Piece]:
        """Yield the texts of a row. Brackets replace the spaces around the cell with the cursor."""
        if k != self._row or self.is_empty:
            yield from super().row_pieces(k, line, gutter, base)
            return
        at, cells = self.FROZEN + self._column, [*line.cells]
        for bracket, column in zip("[]", range(at, len(cells)), strict=False):
            if isinstance(cell := cells[column], Cell):
                cells[column] = cell._replace(text=bracket + cell.text[1:])
        pieces = [*super().row_pieces(k, line._replace(cells=cells), gutter, base)]
        if self.slots()[-1].column == at:
            pieces[-3] = ("]" + pieces[-3][0][1:], pieces[-3][1])
        yield from pieces

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked cell. If the cursor is already there, open the cell."""
        at = self.column_of(event.x)
        if at >= self.FROZEN and at != self.FROZEN + self._column:
            self.move_column(at - self.FROZEN - self._column)
        super().on_click(event)
