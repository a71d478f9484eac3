"""Lists: a title line, column headings, and rows that scroll. A table has a cursor on one row.

A pane creates lines only for visible rows, so the time for painting does not depend on the number of rows. The first
visible row is `_top`. If there are enough rows, the rows from `_top` on fill the pane.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, cast

from textual import events, on
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from cachetui.tui.keymap import Actions, Keyed, KeyId
from cachetui.tui.lines import (
    CURSOR,
    EDGE,
    FOCUSED_RULE,
    GAP_CELLS,
    RULE,
    SIDE_TEE,
    SYMBOL_STYLES,
    TEE,
    THUMB,
    Cell,
    Column,
    EmptyRows,
    FixedRows,
    Line,
    Rows,
    Slot,
    Text,
    lay_out,
    measure,
    text_of,
)
from cachetui.tui.widgets.line_widget import KeyAsked, LineWidget, Names, Piece, cell_pieces, text_pieces

WHEEL_ROWS = 3
"""Number of rows that one notch of the mouse wheel scrolls."""

TITLE_CELLS = 14
"""Minimum width of a title in cells, if the text on the right of the title is long."""

EDGE_CELLS = 2
"""Number of cells after the columns: a space, and the edge with the thumb of the scrollbar."""


class ListPane(Keyed, LineWidget, can_focus=True, keys="rows"):
    """A pane with a title line, and rows in columns. Keys and the mouse wheel scroll the rows."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--cursor"}

    GUTTER: ClassVar[int] = 1
    """Number of cells before the columns, for the cursor and the symbols."""

    def __init__(
        self,
        columns: Sequence[Column] = (),
        *,
        title: str = "",
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.rows: Rows = FixedRows({})
        """The rows of the list."""
        self._title = title
        self._answer: Text = ()
        self._right_panes: Sequence[ListPane] = ()
        """The panes to the right. Their title lines touch the right edge of this pane."""
        self._top = 0
        self._laid_out: tuple[int, list[Slot]] | None = None
        """A cache: the width of the last layout, and the positions of the columns in it."""

    # Content

    def entitle(self, title: str, answer: Text = ()) -> None:
        """Set the texts of the title line: `title` on the left, and `answer` on the right."""
        if (title, answer) != (self._title, self._answer):
            self._title, self._answer = title, answer
            self.refresh(Region(0, 0, self.outer_size.width, 1))

    def join(self, *panes: "ListPane") -> None:
        """Draw a right edge that touches the title lines of these panes. Without panes, draw no edge."""
        if panes != self._right_panes:
            self._right_panes = panes
            self.refresh()

    def use_columns(self, columns: Sequence[Column]) -> None:
        """Replace the columns."""
        if tuple(columns) != self.columns:
            self.columns, self._laid_out = tuple(columns), None
            if self.styles.is_auto_width:
                self.refresh(layout=True)

    @property
    def above(self) -> int:
        """Number of lines above the rows: the title line, and the column headings. An empty list has no headings."""
        return bool(self._title) + (any(each.title for each in self.columns) and not self.is_empty)

    @property
    def is_empty(self) -> bool:
        """Whether the list is empty. Rows that explain why the list is empty do not count."""
        return not len(self.rows) or isinstance(self.rows, EmptyRows)

    @property
    def page(self) -> int:
        """The number of rows that fit into the pane."""
        return max(0, self.outer_size.height - self.above)

    @property
    def body_width(self) -> int:
        """Number of cells that the columns can use."""
        return max(0, self.outer_size.width - self.GUTTER - EDGE_CELLS)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width in cells at which no column is cut. Textual calls this for the width `auto`."""
        return (
            sum(max(column.width, column.most) + GAP_CELLS for column in self.columns)
            - GAP_CELLS
            + self.GUTTER
            + EDGE_CELLS
        )

    @property
    def is_active(self) -> bool:
        """Whether keys act on the pane: it has the focus, and no dialog is open."""
        return self.screen.focused is self and self.app.screen is self.screen

    @property
    def surroundings(self) -> object:
        return self.outer_size, self.has_focus, self.is_active, *self._joints

    @property
    def _joints(self) -> Sequence[int]:
        """The lines in which the right edge of this pane touches the title line of another pane."""
        return [pane.region.y - self.region.y for pane in self._right_panes]

    # Scrolling

    async def action_press(self, id: KeyId) -> None:
        """Run an action. If the pane does not have this action, ask the screen to run it."""
        if id in self.actions():
            await super().action_press(id)
        else:
            self.post_message(KeyAsked(id))

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "rows.up": partial(self.move, -1),
            "rows.down": partial(self.move, 1),
            "rows.page_up": partial(self.scroll_pages, -1),
            "rows.page_down": partial(self.scroll_pages, 1),
            "rows.half_up": partial(self.scroll_pages, -0.5),
            "rows.half_down": partial(self.scroll_pages, 0.5),
            "rows.first": lambda: self.move(-len(self.rows)),
            "rows.last": lambda: self.move(len(self.rows)),
        }

    def move(self, delta: int) -> None:
        """Scroll by `delta` rows: down, or up if negative. A subclass with a cursor moves the cursor instead."""
        self.scroll_rows(delta)

    def scroll_rows(self, delta: int) -> None:
        """Scroll down by `delta` rows, or up if `delta` is negative."""
        top, self._top = self._top, self.clamp_top(self._top + delta)
        if self._top != top:
            self.refresh()

    def keep_in_view(self) -> None:
        """Scroll as little as possible so that the rows fill the pane. A table also keeps its cursor visible."""
        if self.page:
            self._top = self.clamp_top(self._top)

    def clamp_top(self, top: int) -> int:
        """Return the number of the row to show first: `top`, or the nearest row so that the rows fill the pane."""
        return max(0, min(top, len(self.rows) - max(1, self.page)))

    def scroll_pages(self, pages: float) -> None:
        """Scroll down by `pages` pages, or up if `pages` is negative."""
        self.scroll_rows(round(pages * max(2, self.page - 1)))

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def scroll_by_wheel(self, event: events.MouseEvent) -> None:
        event.stop()
        self.scroll_rows(WHEEL_ROWS if isinstance(event, events.MouseScrollDown) else -WHEEL_ROWS)

    # Painting

    def render_lines(self, crop: Region) -> list[Strip]:
        self.keep_in_view()  # after a resize, Textual paints before it sends the event
        return super().render_lines(crop)

    def pieces(self, y: int) -> Iterable[Piece]:
        if self._title and y == 0:
            return self._title_pieces()
        if y < self.above:
            heads = self._in_slots([column.title for column in self.columns], ("muted",))
            return [(" " * self.GUTTER, ()), *heads, *self._edge(y)]
        k = self._top + y - self.above
        if k < len(self.rows):
            line = self.rows.row[k]
            return self.row_pieces(k, line, *self.gutter_and_styles(k, line))
        return [(" " * (self.outer_size.width - EDGE_CELLS), ()), *self._edge(y)]

    def gutter_and_styles(self, k: int, line: Line) -> tuple[str, Names]:
        """Return the text at the left edge of row `k`, before its columns, and the names of the row's styles."""
        return " " * self.GUTTER, ()

    def cell_names(self, k: int, column: int) -> Names:
        """Return the names of additional styles for a cell of row `k`."""
        return ()

    def _edge(self, y: int, names: Names = ()) -> Sequence[Piece]:
        """Return a space and the edge of the pane, for the right end of line `y`, with their styles."""
        edge = SIDE_TEE if y in self._joints else EDGE if self._right_panes else " "
        return [(" ", names), (THUMB if y - self.above in self._thumb() else edge, ("line",))]

    def _title_pieces(self) -> Iterator[Piece]:
        is_active = self.is_active
        rule, names = (
            (FOCUSED_RULE, ("accent",)) if is_active else (RULE, ("line",))  # type: tuple[str, Names]
        )
        width = self.outer_size.width - bool(self._right_panes)
        answered = max(0, width - 3 - min(TITLE_CELLS, measure(self._title) + 2))
        answer, of_answer = text_pieces([" ", *self._answer, " "] if any(self._answer) else [], answered)
        room = max(0, width - of_answer - 3)
        title, of_title = text_pieces([f" {self._title} "], room, ("accent",) if is_active else ())
        yield rule, names
        yield from title
        yield rule * (width - 2 - of_title - of_answer), names
        yield from answer
        yield rule, names
        yield TEE * bool(self._right_panes), ("line",)

    def row_pieces(self, k: int, line: Line, gutter: str, base: Names) -> Iterator[Piece]:
        """Yield the texts of row `k` with their styles. `gutter` is the text to the left of the columns.

        `base` contains the names of the row's styles.
        """
        yield gutter[:1], (*base, "accent") if gutter[:1] == CURSOR else base
        name = (*base, *self.cell_names(k, 0))  # one style for the name and the spaces before it saves output
        yield from (
            (symbol, (*name, SYMBOL_STYLES[symbol]) if symbol in SYMBOL_STYLES else name) for symbol in gutter[1:]
        )
        yield from self._in_slots(line.cells, base, k)
        yield from self._edge(self.above + k - self._top, base)

    def _in_slots(self, cells: Sequence[Cell | str], base: Names, k: int = -1) -> Iterator[Piece]:
        """Yield the texts of cells with their styles, each at the position of its column.

        Spaces fill the gaps, so that the texts are as wide as `body_width`. `k` is the number of the row, or -1 for the
        column headings.
        """
        width, x = self.body_width, 0
        for column, start, room in self._filled(cells, self.slots(), width):
            cell, how = cells[column], self.columns[column] if self.columns else Column("", 0)
            names = (*base, *self.cell_names(k, column)) if k >= 0 else base
            yield " " * (start - x), base
            if isinstance(cell, str) and len(cell) <= room and cell.isascii() and cell.isprintable():
                yield cell.rjust(room) if how.right else cell.ljust(room), names  # the most frequent case
            else:
                yield from cell_pieces(cell, room, names, right=how.right, middle=how.middle)
            x = start + room
        yield " " * (width - x), base

    def _filled(self, cells: Sequence[Cell | str], slots: Sequence[Slot], width: int) -> Sequence[Slot]:
        """Return the positions of the cells of a row.

        The last cell with a text extends over the empty cells after it.
        """
        if len(cells) == 1 < len(self.columns) or not slots:
            return [Slot(0, 0, width)]
        *others, last = slots[: 1 + max((k for k, slot in enumerate(slots) if text_of(cells[slot.column])), default=0)]
        is_right = bool(self.columns) and self.columns[last.column].right
        return [*others, last if is_right else last._replace(width=width - last.x)]

    def cuts(self, width: int) -> bool:
        """Return whether this width is too small for a row, or for the text on the right of the title."""
        body, room = width - self.GUTTER - EDGE_CELLS, width - 5 - min(TITLE_CELLS, measure(self._title) + 2)
        lines, slots = self.rows.row.of(range(len(self.rows))), self.lay_out(body)
        return sum(measure(text_of(cell)) for cell in self._answer) > room or any(
            measure(text_of(line.cells[slot.column])) > slot.width
            for line in lines
            for slot in self._filled(line.cells, slots, body)
        )

    def _thumb(self) -> range:
        """Return the lines that the thumb of the scrollbar covers. Line 0 is the first visible row.

        If all rows fit, the result is empty.
        """
        rows, page = len(self.rows), self.page
        if rows <= page:
            return range(0)
        length = max(1, page * page // rows)
        start = self._top * (page - length) // (rows - page)
        return range(start, start + length)

    def slots(self) -> list[Slot]:
        """Return the positions of the columns for the current width."""
        width = self.body_width
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = (width, self.lay_out(width))
        return self._laid_out[1]

    def lay_out(self, width: int) -> list[Slot]:
        """Return the positions of the columns for this width."""
        return lay_out(self.columns, width)


class Table(ListPane, keys="table"):
    """Rows with a cursor. When a key moves the cursor, the table sends a message to the screen.

    The app delivers the next key after the screen has handled this message.
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
        """Sent when the user clicks the heading of a column."""

        table: "Table"
        column: int

    FOCUSED: ClassVar[Names] = ("cursor",)
    """The styles of the row under the cursor while keys act on the table."""

    _row = 0

    def show(self, rows: Rows, columns: Sequence[Column], row: int) -> None:
        """Show rows, with the cursor on `row`. Do nothing if the rows are equal.

        If the cursor stays on the same key, scroll so that the cursor stays on the same line of the screen.
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
        """Open the row under the cursor.

        If the list is empty, the table shows actions that may help. Run the action under the cursor.
        """
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key, self._row))
        elif self._row < len(self.rows):
            self.post_message(KeyAsked(cast(KeyId, self.rows.key(self._row))))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row. If the cursor is already there, open the row.

        If the clicked cell has an action, run this action instead. For a column heading, send `HeadClicked` instead.
        """
        row, at = self._top + event.y - self.above, self.column_of(event.x)
        if event.y >= self.above and row < len(self.rows):
            cells = self.rows.row[row].cells
            cell = cells[at] if 0 <= at < len(cells) else ""
            acts = row == self._row or self.is_empty
            self.go(row)
            if isinstance(cell, Cell) and cell.id is not None:
                self.post_message(KeyAsked(cell.id))
            elif acts:
                self.choose()
        elif bool(self._title) <= event.y < self.above and at >= 0:
            self.post_message(self.HeadClicked(self, at))

    def column_of(self, x: int) -> int:
        """Return the index of the column at cell `x` of the pane, or -1 between columns."""
        slots = () if self.is_empty else self.slots()
        return next((slot.column for slot in slots if 0 <= x - self.GUTTER - slot.x < slot.width), -1)

    def gutter_and_styles(self, k: int, line: Line) -> tuple[str, Names]:
        has_cursor = k == self._row
        pointer = (CURSOR if self.is_active else ">") if has_cursor else " "
        return f"{pointer}{line.symbol}".ljust(self.GUTTER), self.FOCUSED if has_cursor and self.is_active else ()

    def cell_names(self, k: int, column: int) -> Names:
        return ("bold",) if k == self._row and not column else ()
