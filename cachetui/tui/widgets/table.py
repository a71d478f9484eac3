"""A list: rows with a cursor on one of them.

Invariant: the cursor belongs to a key, not to a row number: it stays on what the user has gone to while the rows around
it change, and comes back to it where it was hidden. Where he has gone nowhere yet it stays on the first row, whichever
that is, unless it is told to hold its row.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from cachetui.tui.rows.layout import Column, Line, Rows
from cachetui.tui.rows.line_pieces import Names
from cachetui.tui.widgets.scrolled import ScrolledRows

MARKED = "*"
"""Stands before what is marked."""


class Standing(NamedTuple):
    """How a list stood: where its cursor was, and where it was scrolled to."""

    key: Hashable
    """The key of the row under the cursor."""
    first: int
    """The first row on screen."""
    is_placed: bool
    gone_to: Hashable
    height: int | None


class Table(ScrolledRows):
    """Rows in columns with a cursor on a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose", id="table.choose", tooltip="Choose the row under the cursor"),
    ]

    GUTTER = 1
    CURSOR: ClassVar[Names] = ("cursor",)
    """How the row under the cursor looks."""

    class CursorMessage(Message):
        """Says where the cursor stood when it was sent; row and key are None without rows."""

        def __init__(self, table: Table) -> None:
            super().__init__()
            self.table = table
            self.row = table.cursor_row
            self.key = table.cursor_key

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

    _key: Hashable = None
    """The key of the row under the cursor."""
    _row = 0
    """Its place."""
    _is_placed = False
    """Whether somebody has put the cursor where it is."""
    _gone_to: Hashable = None
    """The key of the row that the user has gone to, whether it is there now or not."""
    _height: int | None = None
    """How far below the first row on screen that row is to be, once it is there; None for wherever."""

    def show(
        self,
        rows: Rows,
        columns: Sequence[Column] | None = None,
        *,
        key: Hashable = None,
        else_first: bool = False,
        begins: bool = False,
        holds: bool = False,
    ) -> None:
        """Shows other rows, in other columns if any: the cursor goes to `key`, or to the row that the user has gone to,
        or stays on its own, or at its number.

        One that nobody has put anywhere stays on the first row, and so does that of a list that `begins` with other
        things; one that `holds` stays on its row all the same. `else_first`: where its own row is gone, it goes there
        too; it comes back to the line in which it was. Where other rows come before it, the list shows its top if the
        cursor is in view there, else the cursor stays in its line.
        """
        before = self.cursor_key
        if key is not None or begins:
            self._gone_to, self._height = key, None
        elif not self._is_placed:
            self._gone_to = (before if self._gone_to is None else self._gone_to) if holds else None
        rows_before, row_before, top_before = self._rows, self._row, self._top
        self._is_placed = key is not None or (self._is_placed and not begins)
        wanted = self._key if self._gone_to is None or rows.find(self._gone_to) is None else self._gone_to
        wanted = wanted if key is None else key
        stays = self._is_placed or (holds and not begins)
        found = rows.find(wanted) if stays and wanted is not None else None
        stays_at_number = self._is_placed and not else_first
        self._rows = rows
        self._row = self._clamp(found if found is not None else self._row if stays_at_number else 0)
        height = row_before - top_before
        if before is not None and before == self._gone_to and found is None:
            self._height = height
        keeps_line = found is not None and wanted == before and self._row >= self.page > 0
        self._top = self._row - height if keeps_line else 0
        if top_before and _are_same_above(rows_before, rows, range(top_before - 1, row_before), self._row - row_before):
            self._top = top_before + self._row - row_before
        self._key = rows.key(self._row) if len(rows) else wanted
        if self._height is not None and self.cursor_key == self._gone_to:
            self._top, self._height = self._row - self._height, None
        self.keep_in_view()
        self.use_columns(columns)
        self.refresh_changed()
        if self.cursor_key != before:
            self.report_move()

    # The cursor

    @property
    def cursor_row(self) -> int | None:
        """The row under the cursor; None without rows."""
        return self._row if len(self._rows) else None

    @property
    def cursor_key(self) -> Hashable:
        """The key of the row under the cursor; None where there is no such row."""
        return None if self.cursor_row is None else self._key

    def kept_keys(self, *, holds: bool) -> Sequence[Hashable]:
        """What the cursor goes to where other rows are shown that have it, first what the user has gone to; `holds` as
        these are shown."""
        return [key for key in (self._gone_to, self._key) if key is not None] if self._is_placed or holds else ()

    @property
    def is_placed(self) -> bool:
        """Whether somebody has put the cursor where it is; else it stays on the first row."""
        return self._is_placed

    @property
    def place(self) -> tuple[Hashable, int]:
        """The key of the row under the cursor, and how far below the first row on screen it is."""
        return self.cursor_key, self._row - self._top

    def want(self, place: tuple[Hashable, int]) -> None:
        """Puts the cursor where it was, as soon as that row is there."""
        self._is_placed = True
        self._gone_to, self._height = place
        self.show(self.rows)

    def go_back(self, place: tuple[Hashable, int] | None) -> None:
        """Puts the cursor where it was; None: where nobody had put it, from now on on the first row again."""
        if place is not None:
            self.want(place)
        else:
            self._key, self._gone_to, self._height, self._is_placed = None, None, None, False
            self._row = self._top = 0

    def stay(self) -> None:
        """From now on the row under the cursor is one that the user has gone to."""
        self._is_placed, self._height = True, None
        if self.cursor_row is not None:
            self._gone_to = self._key

    @property
    def standing(self) -> Standing:
        """How it stands now, to stand so again."""
        return Standing(self._key, self._top, self._is_placed, self._gone_to, self._height)

    def stand_again(self, standing: Standing) -> None:
        """Puts the cursor and the view where they were, as far as that row is there; it is no move of the user's."""
        at = self._rows.find(standing.key)
        if at is not None:
            self.go_in_view(at, standing.first)
            self._key = standing.key  # rows of several may be known by another one now
        _, _, self._is_placed, self._gone_to, self._height = standing

    def forget_hidden(self) -> None:
        """Lets a cursor that nobody has moved not come back to the row that a filter hid."""
        if not self._is_placed:
            self._gone_to = None

    def action_first(self) -> None:
        """Goes to the first row, and from now on stays there, whichever that is."""
        super().action_first()
        self._gone_to, self._height, self._is_placed = None, None, False

    def move(self, delta: int) -> None:
        """Moves the cursor by so many rows."""
        self.go(self._row + delta)

    def go(self, row: int) -> None:
        """Puts the cursor on a row, or the nearest there is; scrolls as little as that needs."""
        self.go_in_view(row, self._top)

    def scroll_rows(self, delta: int) -> None:
        """Moves the view, and the cursor only as far as it must to stay in it."""
        top = self.clamp_top(self._top + delta)
        self.go_in_view(max(top, min(self._row, top + self.page - 1)), top)

    def show_from(self, first: int) -> None:
        """Scrolls to where this row is the first on screen, as far as the cursor stays in view."""
        self.go_in_view(self._row, self.clamp_top(first))

    def go_in_view(self, row: int, top: int) -> None:
        """Puts the cursor on a row, or the nearest, and scrolls to `top` as far as the cursor stays in view."""
        row, old_row, old_top = self._clamp(row), self._row, self._top
        self._row, self._top = row, top
        self.keep_in_view()
        if self._top != old_top:
            self.refresh_changed()
        elif row != old_row:
            self.repaint_row(old_row)
            self.repaint_row(row)
        if row != old_row and len(self._rows):
            self._key = self._rows.key(row)
            self.stay()
            self.report_move()

    def _clamp(self, row: int) -> int:
        return max(0, min(row, len(self._rows) - 1))

    def keep_in_view(self) -> None:
        if self.page:
            self._top = self.clamp_top(max(self._row - self.page + 1, min(self._top, self._row)))
        else:  # it is hidden, and may be painted before it knows its size again
            self._top = max(0, min(self._top, self._row))

    def report_move(self) -> None:
        """Says that the cursor stands on something else."""
        self.post_message(self.Moved(self))

    # Keys and mouse

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Lets Enter through to the screen where there is no row to choose."""
        return action != "choose" or self.cursor_row is not None

    def action_page(self, pages: float) -> None:
        """Goes by pages; the cursor keeps its place on screen."""
        delta = self.rows_of(pages)
        self.go_in_view(self._row + delta, self.clamp_top(self._top + delta))

    def action_choose(self) -> None:
        self.stay()
        self.post_message(self.Chosen(self))

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to where the mouse is."""
        at = event.get_content_offset(self)
        if at is None or not 0 <= at.y - self._header < len(self._rows) - self._top:
            return
        event.stop()
        self.go_to_cell(self._top + at.y - self._header, at.x - self.GUTTER)
        self.post_message(self.Clicked(self))

    def go_to_cell(self, row: int, x: int) -> None:
        """Puts the cursor where the mouse was pressed: on a row, `x` cells after the gutter."""
        self.go(row)

    # Painting

    def row_looks(self, k: int, line: Line) -> tuple[str, Names, str]:
        has_cursor = k == self.cursor_row
        names = (*(("marked",) if line.marked else ()), *(self.CURSOR if has_cursor else ()))
        signs = (MARKED if line.marked else " ", line.sign or " ", ">" if has_cursor else " ")
        return "".join(signs[-self.GUTTER :]), names, "cursor" if has_cursor else ""

    def edge_names(self, k: int, names: Names) -> Names:
        return () if k == self.cursor_row else names


def _are_same_above(before: Rows, now: Rows, places: range, shift: int) -> bool:
    """Whether the rows at these places stand so many places further now."""
    if places.start + shift < 0 or places.stop + shift > len(now):
        return False
    return all(before.key(k) == now.key(k + shift) for k in places)


class MarkedTable(Table):
    """A list whose rows can be marked and have a sign of their own: both stand before the sign of the cursor."""

    GUTTER = 3
