"""The base of the lists, the matrix and the text panes: rows in columns below a header, of which a part is in view.

It asks its source for the rows on screen and for nothing else, so that showing other rows costs the same whatever
their number. Invariant: `_top`, the first row in view, leaves no line free that a row could fill.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.strip import Strip

from cachetui.tui.rows.layout import GAP, Cell, Column, FixedRows, Line, Rows, Slot, lay_out
from cachetui.tui.rows.line_pieces import Names, Piece, paragraph_pieces, slot_pieces, title_texts
from cachetui.tui.widgets.linewise import LinewiseWidget
from cachetui.tui.widgets.signs import signs_of

MOST_KEPT = 200
"""Painted rows that are kept: more than a screen has."""

WHEEL = 3
"""Rows that one notch of the wheel scrolls."""


class ScrolledRows(LinewiseWidget, can_focus=True):
    """Rows in columns, scrolled by keys and by the wheel."""

    STYLES = "rows"
    WINNING = ("cursor",)

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"rows--{name}" for name in ("header", "cursor", "marked")}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="rows.up", tooltip="One row up"),
        Binding("down,j", "move(1)", "Down", id="rows.down", tooltip="One row down"),
        Binding("pageup", "page(-1)", "Page up", id="rows.page_up", tooltip="One page up"),
        Binding("pagedown", "page(1)", "Page down", id="rows.page_down", tooltip="One page down"),
        Binding("ctrl+u", "page(-0.5)", "Up", id="rows.half_up", tooltip="Half a page up", show=False),
        Binding("ctrl+d", "page(0.5)", "Down", id="rows.half_down", tooltip="Half a page down", show=False),
        Binding("home,g", "first", "First", id="rows.first", tooltip="To the first row"),
        Binding("end,G", "last", "Last", id="rows.last", tooltip="To the last row"),
    ]

    GUTTER: ClassVar[int] = 0
    """Cells at the left of a row, for its signs."""

    def __init__(
        self, columns: Sequence[Column], *, header: bool = True, placeholder: str = "", id: str | None = None
    ) -> None:
        """`placeholder`: the lines that are shown where there are no rows."""
        super().__init__(id=id)
        self._columns = tuple(columns)
        self._header = int(header)
        self._placeholder = placeholder
        self._rows: Rows = FixedRows(())
        self._top = 0
        self._kept: dict[int, tuple[Line, Sequence[Slot], object, Strip]] = {}
        """By the number of a row what it was painted from, and how it came out."""
        self._laid_out: tuple[int, list[Slot]] | None = None
        """The slots of the columns, and the width that they are for."""

    # What is shown

    @property
    def rows(self) -> Rows:
        """The source that is shown."""
        return self._rows

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are shown."""
        return self._columns

    @abstractmethod
    def show(self, rows: Rows, columns: Sequence[Column] | None = None) -> None:
        """Shows other rows, in other columns if any are given."""

    def use_columns(self, columns: Sequence[Column] | None) -> None:
        """Takes other columns, if any are given."""
        if columns is None or tuple(columns) == self._columns:
            return
        before = self._wanted_width
        self._columns, self._laid_out = tuple(columns), None
        if self._wanted_width != before and self.styles.is_auto_width:
            self.refresh(layout=True)

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

    @property
    def page(self) -> int:
        """How many rows there is room for."""
        return max(0, self.size.height - self._header)

    @property
    def _wanted_width(self) -> int:
        """The cells that all columns have something to show in, with what stands beside them."""
        return self.GUTTER + 1 + sum(max(column.width, column.most) + GAP for column in self._columns) - GAP

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As many cells as the columns have something to show in; counts where a style sheet says `auto`."""
        return self._wanted_width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """How many lines all rows take; without any, the first line of what stands in their place."""
        return self._header + max(1, len(self._rows))

    # Scrolling

    @abstractmethod
    def move(self, delta: int) -> None:
        """What the arrow keys do: goes by so many rows."""

    @abstractmethod
    def scroll_rows(self, delta: int) -> None:
        """Moves the view by so many rows."""

    @property
    def first_in_view(self) -> int:
        """The first row on screen."""
        return self._top

    def clamp_top(self, top: int) -> int:
        """The nearest row to this one that can be the first in view."""
        return max(0, min(top, len(self._rows) - max(1, self.page)))

    @abstractmethod
    def keep_in_view(self) -> None:
        """Scrolls as little as the size and the rows need."""

    def resized(self) -> None:
        """Fits what is shown into the size."""
        # The first paint can come before Textual tells of the size, with the place that was right for the old one.
        before = self._top
        self._laid_out = None
        self.keep_in_view()
        if self._top != before:
            self.refresh()

    def on_resize(self) -> None:
        # Textual calls this handler of each class in turn, so what differs is a method of its own.
        self.resized()

    def action_move(self, delta: int) -> None:
        self.move(delta)

    def action_page(self, pages: float) -> None:
        self.scroll_rows(self.rows_of(pages))

    def rows_of(self, pages: float) -> int:
        """How many rows so many pages are, each of which begins with the last row of the one before."""
        return round(pages * max(2, self.page - 1))

    def action_first(self) -> None:
        self.move(-len(self._rows))

    def action_last(self) -> None:
        self.move(len(self._rows))

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def scroll_by_wheel(self, event: events.MouseEvent) -> None:
        event.stop()
        self.scroll_rows(WHEEL if isinstance(event, events.MouseScrollDown) else -WHEEL)

    # Painting

    def pieces(self, y: int) -> Iterator[Piece]:
        k = self._top + y - self._header
        if y < self._header:
            return self._header_pieces()
        if not len(self._rows):
            return self._placeholder_pieces(y - self._header)
        if k < len(self._rows):
            line = self._rows.row(k)
            return self._row_pieces(k, line, self.row_looks(k, line))
        return iter([(" " * self.size.width, ())])

    def _header_pieces(self) -> Iterator[Piece]:
        signs = signs_of(self)
        directions = {"rising": signs.rising, "falling": signs.falling}
        titles = title_texts(self.slots(), self._columns, directions, signs.cut)
        left, right = self.header_edges()
        yield left * self.GUTTER, ("header",)
        yield from self._in_slots(self.slots(), titles, ("header",), "header-cursor")
        yield right, ("header",)

    def header_edges(self) -> tuple[str, str]:
        """The signs at the left and the right end of the header."""
        return " ", " "

    def _placeholder_pieces(self, y: int) -> Iterator[Piece]:
        yield " " * self.GUTTER, ()
        width = self.size.width - self.GUTTER
        yield from paragraph_pieces(self._placeholder, y, width, signs_of(self).cut)

    def _row_pieces(self, k: int, line: Line, looks: tuple[str, Names, str]) -> Iterator[Piece]:
        signs, base, highlight = looks
        base = (*((line.tone,) if line.tone else ()), *base)
        yield signs, base
        slots = self.slots() if len(line.cells) > 1 else [Slot(0, 0, self.body_width)]
        yield from self._in_slots(slots, line.cells, base, highlight)
        if k - self._top in self._thumb():
            yield signs_of(self).thumb, ()
        else:
            yield " ", self.edge_names(k, base)

    def make_line(self, y: int) -> Strip:
        """A line; that of a row is kept while the rows give the same for it: scrolling asks for most of them again."""
        k = self._top + y - self._header
        if y < self._header or k >= len(self._rows):
            return super().make_line(y)
        line = self._rows.row(k)
        row_looks = self.row_looks(k, line)
        if row_looks[2]:  # which cell of it is under the cursor is not told by its looks
            return self.strip_of(self._row_pieces(k, line, row_looks))
        looks = row_looks, k - self._top in self._thumb(), self.size.width
        kept = self._kept.get(k)
        if kept is not None and kept[0] == line and kept[1] is self.slots() and kept[2] == looks:
            return kept[3]
        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        strip = self.strip_of(self._row_pieces(k, line, row_looks))
        self._kept[k] = line, self.slots(), looks, strip
        return strip

    def notify_style_update(self) -> None:
        self._kept.clear()
        super().notify_style_update()

    def row_looks(self, k: int, line: Line) -> tuple[str, Names, str]:
        """The signs in the gutter of a row, the names of its looks, and the one of its cell under the cursor."""
        return " " * self.GUTTER, ("marked",) if line.marked else (), ""

    def edge_names(self, k: int, names: Names) -> Names:
        """How the last cell of a row looks."""
        return names

    def cell_names(self, column: int, names: Names, highlight: str) -> Names:
        """How a cell of a row or of the header looks; `highlight` is for the one under the cursor."""
        return names

    def _in_slots(
        self,
        slots: Sequence[Slot],
        cells: Sequence[Cell | str] | Mapping[int, Cell | str],
        base: Names,
        highlight: str,
    ) -> Iterator[Piece]:
        """The cells in their slots, as wide as the body."""
        of_cell = partial(self.cell_names, names=base, highlight=highlight) if highlight else None
        return slot_pieces(slots, self._columns, cells, self.body_width, base, signs_of(self).cut, of_cell)

    @property
    def body_width(self) -> int:
        """The width of the cells: beside them stands one at the right, for the sign of more columns or rows."""
        return max(0, self.size.width - self.GUTTER - 1)

    def _thumb(self) -> range:
        """The lines of the scroll mark that show the view; none where all rows have room."""
        rows, page = len(self._rows), self.page
        if rows <= page:
            return range(0)
        length = max(1, page * page // rows)
        start = self._top * (page - length) // (rows - page)
        return range(start, start + length)

    def slots(self) -> list[Slot]:
        """Where the columns stand at the present width."""
        width = self.body_width
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = (width, self.lay_out(width))
        return self._laid_out[1]

    def lay_out(self, width: int) -> list[Slot]:
        """Places the columns in this width."""
        return lay_out(self._columns, width)
