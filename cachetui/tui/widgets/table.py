"""The one table of the browser, over a source of any length.

It asks its source for the rows on screen and for nothing else, so that showing other rows costs the
same whatever their number. The cursor belongs to a key, not to a row number: it stays on what the
user looks at while the rows around it change.
"""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, get_args

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message

from cachetui.tui.rows.layout import (
    Cell,
    Column,
    FixedRows,
    Names,
    Piece,
    Rows,
    Slot,
    Tone,
    cell_pieces,
    fit,
    lay_out,
    lay_out_sideways,
    measure,
    plain,
)
from cachetui.tui.widgets.linewise import LinewiseWidget
from cachetui.tui.widgets.signs import signs_of

WHEEL = 3
"""Rows that one notch of the wheel scrolls."""


class Table(LinewiseWidget, can_focus=True):
    """Rows in columns, with a cursor on a row, on a cell (a matrix), or none at all (text to read)."""

    STYLES = "table"

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"table--{name}"
        for name in (
            *("header", "header-cursor", "cursor", "cursor-row", "marked", "scroll", "placeholder"),
            *filter(None, get_args(Tone)),
        )
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="table.up", tooltip="One row up"),
        Binding("down,j", "move(1)", "Down", id="table.down", tooltip="One row down"),
        Binding("pageup", "page(-1)", "Page up", id="table.page_up", tooltip="One page up"),
        Binding("pagedown", "page(1)", "Page down", id="table.page_down", tooltip="One page down"),
        Binding("home,g", "first", "First", id="table.first", tooltip="To the first row"),
        Binding("end,G", "last", "Last", id="table.last", tooltip="To the last row"),
        Binding("left,h", "column(-1)", "Left", id="table.left", tooltip="One column to the left"),
        Binding("right,l", "column(1)", "Right", id="table.right", tooltip="One column to the right"),
        Binding("enter", "choose", "Choose", id="table.choose", tooltip="Choose the row under the cursor"),
    ]

    class CursorMessage(Message):
        """Says where the cursor stood when it was sent; row and key are None without rows."""

        def __init__(self, table: Table) -> None:
            super().__init__()
            self.table = table
            self.row = table.cursor_row
            self.key = table.cursor_key
            self.column = table.cursor_column

        @property
        def control(self) -> Table:
            """The table, so that a handler can ask for one by its selector."""
            return self.table

    class Moved(CursorMessage):
        """The cursor stands on something else, or on nothing any more."""

    class Chosen(CursorMessage):
        """Enter was pressed on the row (in a matrix, the cell) under the cursor."""

    class Clicked(CursorMessage):
        """The mouse has put the cursor somewhere, be it where it stood."""

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        header: bool = True,
        cursor: Literal["row", "cell", "none"] = "row",
        frozen: int = 1,
        placeholder: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`frozen`: in a matrix, the columns at the left that neither scroll nor take the cursor.

        `placeholder`: the lines that are shown where there are no rows.
        """
        super().__init__(id=id, classes=classes)
        self._columns = tuple(columns)
        self._header = int(header)
        self._cursor = cursor
        self._frozen = frozen if cursor == "cell" else 0
        self._gutter = int(cursor != "none")
        """One cell at the left, for the sign of the cursor and of a mark."""
        self._placeholder = placeholder
        self._rows: Rows = FixedRows(())
        self._key: Hashable = None
        self._row = 0
        self._top = 0
        self._column = self._frozen
        self._first = self._frozen
        self._laid_out: tuple[int, list[Slot]] | None = None

    # What is shown

    @property
    def rows(self) -> Rows:
        """The source that is shown."""
        return self._rows

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are shown."""
        return self._columns

    def show(
        self, rows: Rows, columns: Sequence[Column] | None = None, *, key: Hashable = None, afresh: bool = False
    ) -> None:
        """Shows other rows, in other columns if any: the cursor goes to `key`, or stays on its own, or at its number.

        The row under the cursor keeps its place on screen as far as the rows allow; `afresh`: the first row does.
        """
        before = self.cursor_key
        height_on_screen = self._row - self._top if len(self._rows) and not afresh else None
        wanted = self._key if key is None else key
        found = None if wanted is None else rows.find(wanted)
        self._rows = rows
        self._row = self._clamp(self._row if found is None else found)
        self._top = 0 if height_on_screen is None else self._row - height_on_screen
        self._key = rows.key(self._row) if len(rows) else wanted
        self._keep_cursor_in_view()
        self._laid_out = None
        if columns is not None and tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self._keep_column_in_view()
        self.refresh_changed()
        if self.cursor_key != before:
            self._report_move()

    @property
    def placeholder(self) -> str:
        """The text in place of rows, where there are none."""
        return self._placeholder

    @placeholder.setter
    def placeholder(self, text: str) -> None:
        if text != self._placeholder:
            self._placeholder = text
            if not len(self._rows):
                self.refresh()

    def repaint_row(self, row: int) -> None:
        """Paints one row again, after its source has another mark or figure for it."""
        if self._top <= row < self._top + self.page:
            self.refresh(Region(0, self._header + row - self._top, self.size.width, 1))

    # The cursor

    @property
    def cursor_row(self) -> int | None:
        """The row under the cursor; None without rows or without a cursor."""
        return self._row if self._gutter and len(self._rows) else None

    @property
    def cursor_key(self) -> Hashable:
        """The key of the row under the cursor; None where there is no such row."""
        return None if self.cursor_row is None else self._key

    @property
    def kept_key(self) -> Hashable:
        """What the cursor stays on, whether these rows have it or not."""
        return self._key

    @property
    def cursor_column(self) -> int | None:
        """In a matrix, the column under the cursor."""
        return self._column if self._cursor == "cell" and self._column < len(self._columns) else None

    @property
    def page(self) -> int:
        """How many rows the table has room for."""
        return max(0, self.size.height - self._header)

    def move(self, delta: int) -> None:
        """Moves the cursor by rows; without a cursor, scrolls."""
        if self._gutter:
            self.go(self._row + delta)
        else:
            self._scroll(delta)

    def go(self, row: int) -> None:
        """Puts the cursor on a row, or the nearest there is; scrolls as little as that needs."""
        self._go(row, self._top)

    def go_column(self, column: int) -> None:
        """In a matrix, puts the cursor on a column, or the nearest that takes it."""
        column = max(self._frozen, min(column, len(self._columns) - 1))
        if self._cursor != "cell" or column == self._column:
            return
        self._column = column
        if self._keep_column_in_view():
            self.refresh()
        else:
            self.refresh(Region(0, 0, self.size.width, self._header))
            self.repaint_row(self._row)
        self._report_move()

    def _go(self, row: int, top: int) -> None:
        row, old_row, old_top = self._clamp(row), self._row, self._top
        self._row, self._top = row, top
        self._keep_cursor_in_view()
        if self._top != old_top:
            self.refresh_changed()
        elif row != old_row:
            self.repaint_row(old_row)
            self.repaint_row(row)
        if row != old_row and len(self._rows):
            self._key = self._rows.key(row)
            self._report_move()

    def _scroll(self, delta: int) -> None:
        """Moves the view, and the cursor only as far as it must to stay in it."""
        top = self._clamp_top(self._top + delta)
        if not self._gutter:
            self._row = top
        self._go(max(top, min(self._row, top + self.page - 1)), top)

    def _clamp(self, row: int) -> int:
        return max(0, min(row, len(self._rows) - 1))

    def _clamp_top(self, top: int) -> int:
        return max(0, min(top, len(self._rows) - max(1, self.page)))

    def _keep_cursor_in_view(self) -> None:
        if not self.page:
            return
        if self._gutter:
            self._top = max(self._row - self.page + 1, min(self._top, self._row))
        self._top = self._clamp_top(self._top)

    def _keep_column_in_view(self) -> bool:
        """Scrolls sideways if the column of the cursor is out of view; says whether it did."""
        if self._cursor != "cell" or not self.size.width:
            return False
        before = self._first
        self._column = max(self._frozen, min(self._column, len(self._columns) - 1))
        self._first = min(self._first, self._column)
        self._laid_out = None
        while self._first < self._column and all(slot.column != self._column for slot in self._slots()):
            self._first += 1
            self._laid_out = None
        return self._first != before

    def _report_move(self) -> None:
        if self._gutter:
            self.post_message(self.Moved(self))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """How many lines all rows take; without any, the first line of what stands in their place."""
        return self._header + max(1, len(self._rows))

    # Keys and mouse

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Lets a key through to the screen where the table has no use for it."""
        if action == "column":
            return self._cursor == "cell"
        if action == "choose":
            return self.cursor_row is not None
        return True

    def action_move(self, delta: int) -> None:
        self.move(delta)

    def action_page(self, pages: int) -> None:
        delta = pages * max(1, self.page - 1)
        if self._gutter:
            self._go(self._row + delta, self._clamp_top(self._top + delta))
        else:
            self._scroll(delta)

    def action_first(self) -> None:
        self.move(-len(self._rows))

    def action_last(self) -> None:
        self.move(len(self._rows))

    def action_column(self, delta: int) -> None:
        self.go_column(self._column + delta)

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self))

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to where the mouse is."""
        at = event.get_content_offset(self)
        if at is None or not self._gutter or not 0 <= at.y - self._header < len(self._rows) - self._top:
            return
        event.stop()
        for slot in self._slots():
            if slot.x <= at.x - self._gutter < slot.x + slot.width and slot.column >= self._frozen:
                self.go_column(slot.column)
        self.go(self._top + at.y - self._header)
        self.post_message(self.Clicked(self))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(-WHEEL)

    def on_resize(self) -> None:
        # The first paint can come before this event, with the place that was right for the old size.
        before = self._top
        self._laid_out = None
        self._keep_cursor_in_view()
        if self._keep_column_in_view() or self._top != before:
            self.refresh()

    # Painting

    def pieces(self, y: int) -> Iterator[Piece]:
        k = self._top + y - self._header
        if y < self._header:
            return self._header_pieces()
        if not len(self._rows):
            return self._placeholder_pieces(y - self._header)
        if k < len(self._rows):
            return self._row_pieces(k)
        return iter([(" " * self.size.width, ())])

    def _header_pieces(self) -> Iterator[Piece]:
        signs = signs_of(self)
        marks = {"": "", "rising": signs.rising, "falling": signs.falling}
        slots = self._slots()
        titles = {}
        for slot in slots:
            column = self._columns[slot.column]
            mark = marks[column.order]
            titles[slot.column] = fit(plain(column.title), slot.width - len(mark), signs.cut) + mark
        more_left = self._first > self._frozen
        more_right = self._cursor == "cell" and bool(slots) and slots[-1].column < len(self._columns) - 1
        yield (signs.left if more_left else " ") * self._gutter, ("header",)
        yield from self._in_slots(slots, titles, ("header",), "header-cursor")
        yield signs.right if more_right else " ", ("header",)

    def _placeholder_pieces(self, y: int) -> Iterator[Piece]:
        width = self.size.width - self._gutter
        lines = [
            piece
            for line in self._placeholder.splitlines()
            for piece in textwrap.wrap(plain(line), max(20, width), subsequent_indent="  ") or [""]
        ]
        text = fit(lines[y], width, signs_of(self).cut) if y < len(lines) else ""
        yield " " * self._gutter, ()
        yield text, ("placeholder",)
        yield " " * (width - measure(text)), ()

    def _row_pieces(self, k: int) -> Iterator[Piece]:
        line = self._rows.row(k)
        here = k == self.cursor_row
        base = (line.tone,) if line.tone else ()
        if line.marked:
            base = (*base, "marked")
        if here:
            base = (*base, "cursor-row" if self._cursor == "cell" else "cursor")
        sign = "*" if line.marked else ">" if here else " "
        yield sign * self._gutter, base
        slots = self._slots() if len(line.cells) > 1 else [Slot(0, 0, self._body_width)]
        yield from self._in_slots(slots, line.cells, base, "cursor" if here else "")
        yield (signs_of(self).thumb, ("scroll",)) if k - self._top in self._thumb() else (" ", () if here else base)

    def _in_slots(
        self,
        slots: Sequence[Slot],
        cells: Sequence[Cell | str] | Mapping[int, Cell | str],
        base: Names,
        highlight: str,
    ) -> Iterator[Piece]:
        """The cells in their slots, as wide as the body; `highlight` is for the column of the cursor."""
        cut, x = signs_of(self).cut, 0
        for slot in slots:
            yield " " * (slot.x - x), base
            names = (*base, highlight) if highlight and slot.column == self.cursor_column else base
            column = self._columns[slot.column]
            yield from cell_pieces(cells[slot.column], slot.width, names, cut, right=column.right, ends=column.ends)
            x = slot.x + slot.width
        yield " " * (self._body_width - x), ()

    @property
    def _body_width(self) -> int:
        """The width of the cells: beside them stands one at the right, for the sign of more columns or rows."""
        return max(0, self.size.width - self._gutter - 1)

    def _thumb(self) -> range:
        """The lines of the scroll mark that show the view; none where all rows have room."""
        rows, page = len(self._rows), self.page
        if rows <= page:
            return range(0)
        length = max(1, page * page // rows)
        start = self._top * (page - length) // (rows - page)
        return range(start, start + length)

    def _slots(self) -> list[Slot]:
        width = self._body_width
        if self._laid_out is None or self._laid_out[0] != width:
            if self._cursor == "cell":
                slots = lay_out_sideways(self._columns, width, self._frozen, self._first)
            else:
                slots = lay_out(self._columns, width)
            self._laid_out = (width, slots)
        return self._laid_out[1]
