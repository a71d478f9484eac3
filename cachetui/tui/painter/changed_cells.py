"""Compute a short output that updates the screen of a terminal from one frame to another.

The output uses only sequences that xterm, tmux, screen, the Linux console, rxvt and the VT220 have in common: CUP, CUF,
CUB, EL, ED, ECH, DECSTBM, RI, SGR, backspace, carriage return, and line feed. The driver ensures that a line feed only
moves down. The output never erases cells while a background, an underline or another attribute that is visible on
spaces is set, because terminals differ in this case.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from cachetui.tui.painter.cells import (
    CODES,
    HALF,
    LOOKS,
    NOWHERE,
    PLAIN,
    SPACE,
    CellRow,
    Frame,
    Look,
    blank_row,
    shows_on_spaces,
    text_of,
)

ESC = "\x1b["

NEARLY = re.compile(rb"[^\0]+(?:\0{1,4}[^\0]+)*")
"""Changed cells with gaps of up to four unchanged cells. Writing such a gap is shorter than moving the cursor."""

TOUCHED = re.compile(rb"[^\0](?:.*[^\0])?", re.DOTALL)
"""All cells from the first to the last changed cell."""

MIN_SPACES = 7
"""Minimum number of adjacent spaces that are erased instead of written."""

SPACES = re.compile(f"{SPACE}{{{MIN_SPACES},}}")
"""Spaces that may be erased."""


def difference(shown: Frame | None, newest: Frame) -> str:
    """Return the output that updates the terminal from the `shown` frame (None if unknown) to the `newest` frame.

    Colours and attributes are the terminal's defaults before and after the output. Before the output, the cursor may be
    anywhere. The output moves the cursor to its position in the newest frame.
    """
    if shown is None or _size(shown) != _size(newest):
        pen = Pen()
        pen.clear()
        return _painted(pen, Frame([blank_row(len(row.text)) for row in newest.rows], NOWHERE), newest)
    painted = _painted(Pen(), shown, newest)
    scroll = scroll_between(shown.rows, newest.rows)
    if scroll is None:
        return painted
    scrolled = scroll.text + _painted(Pen(), Frame(scroll.of(shown.rows), NOWHERE), newest)
    return min(painted, scrolled, key=lambda text: len(text.encode()))


def _painted(pen: "Pen", shown: Frame, newest: Frame) -> str:
    """Return the output that updates the terminal from one frame to another without scrolling."""
    for y, (old, new) in enumerate(zip(shown.rows, newest.rows, strict=True)):
        if old is not new and old != new:
            _paint_cells(pen, y, new, _changed(old, new))
    if not pen.written and newest.cursor in (shown.cursor, NOWHERE):
        return ""
    pen.turn(PLAIN)
    if newest.cursor != NOWHERE:
        pen.move(*newest.cursor)
    return "".join(pen.written)


def _size(frame: Frame) -> tuple[int, int]:
    return len(frame.rows), len(frame.rows[0].text)


@lru_cache(256)
def _changed(old: CellRow, new: CellRow) -> bytes:
    """Return a byte for each cell of a row. The byte is zero if the cell is unchanged."""
    bits = _number(old.text) ^ _number(new.text)
    if old.looks != new.looks:
        bits |= _number(old.looks) ^ _number(new.looks)
    bits |= bits >> 16
    bits |= bits >> 8
    return bits.to_bytes(4 * len(new.text), "little")[::4]


@lru_cache(512)
def _number(coded: str) -> int:
    """Convert a string to one number with 32 bits for each character. Such numbers can be compared fast."""
    return int.from_bytes(coded.encode("utf-32-le", "surrogatepass"), "little")


def _paint_cells(pen: "Pen", y: int, new: CellRow, changed: bytes) -> None:
    # If a wide character changed, its first cell differs. Writing the first cell also writes the second.
    start = len(changed) - len(changed.lstrip(b"\0"))
    for spaces in SPACES.finditer(new.looks, start):
        for span in NEARLY.finditer(changed, start, spaces.start()):
            pen.write(y, new, *span.span())
        start = spaces.end()
        touched = TOUCHED.search(changed, *spaces.span())
        if touched and start == len(changed):  # erase to the edge of the screen
            pen.erase(y, new, max(spaces.start(), min(touched.start(), pen.column_in(y))), start)
        elif touched:
            pen.erase(y, new, *touched.span())
    for span in NEARLY.finditer(changed, start):
        pen.write(y, new, *span.span())


class Pen:
    """Collects output for the terminal, and tracks the cursor's position and the current colours and attributes."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self._look = PLAIN
        self._x, self._y = -1, -1
        """The column and the row of the cursor; -1 if unknown."""
        self._is_sure = False
        """Whether the column of the cursor is certain.

        It is uncertain after non-ASCII characters and at the end of a row, because terminals disagree.
        """

    def clear(self) -> None:
        """Erase the screen."""
        self.written.append(f"{ESC}m{ESC}H{ESC}2J")
        self._x, self._y, self._is_sure = 0, 0, True

    def turn(self, look: Look) -> None:
        """Set the look (colours and attributes) of the next characters."""
        if look != self._look:
            self.written.append(_change_of_look(self._look, look))
            self._look = look

    def column_in(self, y: int) -> int:
        """Return the cursor's column. Return `sys.maxsize` if the column is unknown or the cursor is not in row `y`."""
        return self._x if self._is_sure and self._y == y else sys.maxsize

    def move(self, x: int, y: int) -> None:
        """Move the cursor to a cell."""
        self.written.append(_move(self._x, self._y, x, y, self._is_sure))
        self._x, self._y, self._is_sure = x, y, True

    def write(self, y: int, row: CellRow, start: int, end: int) -> None:
        """Write the cells of a row from column `start` to column `end` - 1."""
        if (start, y) != (self._x, self._y):
            self.move(start, y)
        x = self._x
        looks = row.looks[x:end]
        while looks:
            code = looks[0]
            if code != SPACE or shows_on_spaces(self._look):
                self.turn(LOOKS.values_of[ord(code)])
            looks = looks.lstrip(code if shows_on_spaces(self._look) else code + SPACE)
            self._put(x, y, row.text[x : end - len(looks)])
            x = end - len(looks)
        self._is_sure &= row.text[self._x : end].isascii() and end < len(row.text)
        self._x = end

    def _put(self, x: int, y: int, coded: str) -> None:
        """Write encoded cells in the current colours and attributes. The cursor must already be at (x, y)."""
        text = text_of(coded)
        if len(text) == len(coded) - coded.count(HALF):
            self.written.append(text)
        else:  # terminals disagree on the column of the cursor after combining characters
            cells = [*enumerate(coded, x), (x + len(coded), HALF)]
            self.written += (f"{_position(x, y)}{text_of(code)}" for x, code in cells)

    def erase(self, y: int, row: CellRow, start: int, end: int) -> None:
        """Erase the cells of a row from column `start` to column `end` - 1, or write spaces if this is shorter."""
        if end - start < MIN_SPACES and end < len(row.text):
            self.write(y, row, start, end)
            return
        self.write(y, row, start, start)
        if shows_on_spaces(self._look):
            self.turn(PLAIN)
        self.written.append(f"{ESC}K" if end == len(row.text) else f"{ESC}{end - start}X")


@lru_cache(1024)
def _move(old_x: int, old_y: int, x: int, y: int, is_sure: bool) -> str:
    """Return the shortest output that moves the cursor to (x, y). `is_sure` tells whether `old_x` is certain."""
    moves = [_position(x, y)]
    if 0 <= old_y <= y:
        down = "\n" * (y - old_y)
        moves.append("\r" + down + _across(x))
        if is_sure:
            moves.append(down + _across(x - old_x))
    return min(moves, key=len)


@lru_cache(1024)
def _change_of_look(old: Look, new: Look) -> str:
    """Return the shortest control sequence that changes the SGR codes from `old` to `new`.

    The sequence contains either only the codes that differ, or a reset and all new codes.
    """
    before, after = CODES.findall(old), CODES.findall(new)
    ends = {_end_of(code) for code in before if code not in after}
    colors = {_end_of(code) for code in after if len(code) > 1}
    added = [code for code in after if code not in before or _end_of(code) in ends]
    return min(f"{ESC}{';'.join([*sorted(ends - colors), *added])}m", f"{ESC};{new}m" if new else f"{ESC}m", key=len)


def _end_of(code: str) -> str:
    """Return the SGR code that undoes an SGR code."""
    if len(code) > 1:
        return "39" if code[0] in "39" else "49"
    return "22" if code in "12" else f"2{code}"


@lru_cache(4096)
def _position(x: int, y: int) -> str:
    return f"{ESC}{y + 1};{x + 1}H" if x else f"{ESC}{y + 1}H"


@lru_cache(1024)
def _across(cells: int) -> str:
    """Return the output that moves the cursor to the right by `cells`, or to the left if `cells` is negative."""
    if cells < 0:
        return min("\b" * -cells, f"{ESC}{-cells}D", key=len)
    return f"{ESC}{cells if cells > 1 else ''}C" if cells else ""


# Scrolling between margins (DECSTBM): a line feed in the last row moves all rows up, and a reverse index (RI) in the
# first row moves all rows down.


class Scroll(NamedTuple):
    """A scroll of the rows from `top` to `bottom` - 1. They move up by `lines` rows, or down if `lines` is negative."""

    top: int
    bottom: int
    lines: int

    @property
    def text(self) -> str:
        """The output that scrolls the lines. Before it, the terminal must have the default colours and attributes.

        The output leaves the cursor at an unknown position.
        """
        if self.lines > 0:
            moves = f"\x1b[{self.bottom}H" + "\n" * self.lines
        else:
            moves = f"\x1b[{self.top + 1}H" + "\x1bM" * -self.lines
        return f"\x1b[{self.top + 1};{self.bottom}r{moves}\x1b[r"

    def of(self, rows: Sequence[CellRow]) -> list[CellRow]:
        """Return the rows after scrolling."""
        moving = rows[self.top : self.bottom]
        space = [blank_row(len(rows[0].text))] * abs(self.lines)
        moved = [*moving[self.lines :], *space] if self.lines > 0 else [*space, *moving[: self.lines]]
        return [*rows[: self.top], *moved, *rows[self.bottom :]]


def scroll_between(old: Sequence[CellRow], new: Sequence[CellRow]) -> Scroll | None:
    """Return the scroll after which the fewest cells must be written. Return None if scrolling saves nothing.

    A scroll moves whole rows. Therefore, if a list scrolls, the cells next to the list must be written again.
    """
    changed = [y for y, (shown, newest) in enumerate(zip(old, new, strict=True)) if shown != newest]
    rows, new_rows = _rows_of_words(old, changed), _rows_of_words(new, changed)
    moves = Counter(rows[word] - y for word, y in new_rows.items() if y >= 0 and rows.get(word, -1) >= 0)
    del moves[0]
    lines = max(moves, key=lambda lines: (moves[lines], -abs(lines)), default=0)
    first = end = start = max(0, -lines)
    saved = most = 0
    for y in range(start, min(len(new), len(new) - lines)):
        saved = max(0, saved + _differing(old[y], new[y]) - _differing(old[y + lines], new[y]))
        if not saved:
            start = y + 1
        if saved > most:
            most, first, end = saved, start, y + 1
    return Scroll(first + min(lines, 0), end + max(lines, 0), lines) if most else None


def _rows_of_words(rows: Sequence[CellRow], numbers: Sequence[int]) -> dict[str, int]:
    """Map each word on the screen rows `numbers` to its row number, or to -1 if the word occurs several times."""
    found: dict[str, int] = {}
    for y in numbers:
        for word in rows[y].text.split():
            found[word] = -1 if word in found else y
    return found


def _differing(old: CellRow, new: CellRow) -> int:
    """Return the number of cells that differ between two rows."""
    return 0 if old == new else len(new.text) - _changed(old, new).count(0)
