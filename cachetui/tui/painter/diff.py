"""The shortest text that turns one screen into another.

It is made of what xterm, tmux, screen, the Linux console, rxvt and the VT220 have in common: CUP, CUF, CUB, CUD, EL,
ED, ECH, DECSTBM, RI, SGR, backspace, carriage return, and line feed, which only moves down (the driver sees to that).
Cells are erased in the plain look alone: terminals disagree on which other looks an erased cell takes over.
Input: frames.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import AnyStr, NamedTuple

from cachetui.tui.painter.cells import (
    HALF,
    LOOKS,
    NOWHERE,
    PLAIN,
    CellRow,
    Frame,
    Look,
    blank_row,
    change_of_look,
    text_of,
)

ESC = "\x1b["

LEAST_ROWS = 3
"""Least number of rows whose writing a scroll has to save."""

LEAST_TAIL = 4
"""Blanks at the end of a row that are erased rather than written."""

BLANKS = re.compile(" {11,}")
"""Blanks within a row that are erased and passed over rather than written."""

NEARLY = re.compile(rb"[^\0]+(?:\0{1,4}[^\0]+)*")
"""Changed cells, with up to four unchanged ones between them: writing those again is shorter than a move."""

ALIKE = re.compile(r"(.)\1*", re.DOTALL)
"""A run of cells of one look."""


def difference(shown: Frame | None, wanted: Frame) -> str:
    """The text that turns the screen that is shown into the one that is wanted; None: it may show anything.

    It begins and ends in the plain look. It does not rely on where the cursor stands, and leaves it where the wanted
    frame has it, if it has it anywhere.
    """
    if shown is None or _size(shown) != _size(wanted):
        pen = Pen()
        pen.clear()
        return _painted(pen, Frame([blank_row(len(row.text)) for row in wanted.rows], NOWHERE), wanted)
    scroll = scroll_between(shown.rows, wanted.rows)
    if scroll is None:
        return _painted(Pen(), shown, wanted)
    return scroll.text + _painted(Pen(), Frame(scroll.of(shown.rows), NOWHERE), wanted)


def _painted(pen: Pen, shown: Frame, wanted: Frame) -> str:
    """The same without scrolling."""
    for y, (old, new) in enumerate(zip(shown.rows, wanted.rows, strict=True)):
        if old is not new and old != new:
            _paint_cells(pen, y, new, _changed(old, new))
    if not pen.written and wanted.cursor in (shown.cursor, NOWHERE):
        return ""
    pen.turn(PLAIN)
    if wanted.cursor != NOWHERE:
        pen.jump(*wanted.cursor)
    return "".join(pen.written)


def _size(frame: Frame) -> tuple[int, int]:
    return len(frame.rows), len(frame.rows[0].text)


def _changed(old: CellRow, new: CellRow) -> bytes:
    """One byte for each cell: not zero where it has changed."""
    bits = _number(old.text) ^ _number(new.text)
    if old.looks != new.looks:
        bits |= _number(old.looks) ^ _number(new.looks)
    bits |= bits >> 16
    bits |= bits >> 8
    return bits.to_bytes(4 * len(new.text), "little")[::4]


def _number(signs: str) -> int:
    """The signs as one number, 32 bits for each."""
    return int.from_bytes(signs.encode("utf-32-le", "surrogatepass"), "little")


def _paint_cells(pen: Pen, y: int, new: CellRow, changed: bytes) -> None:
    # Of a wide character both halves differ, or the first alone if the other one is as wide: that is enough to write.
    end = len(changed.rstrip(b"\0"))
    filled = max(len(signs.rstrip(" ")) for signs in new)
    tail = filled + _leading(changed[filled:], b"\0")
    has_tail = tail + LEAST_TAIL < end
    for span in NEARLY.finditer(changed, 0, tail if has_tail else end):
        x, stop = span.span()
        while (x := pen.write(y, new, x, stop, changed)) < stop:
            x += _leading(changed[x:stop], b"\0")
    if has_tail:
        pen.erase_to_end(y, new, tail)


def _leading(text: AnyStr, what: AnyStr) -> int:
    """Length of the leading run of `what`."""
    return len(text) - len(text.lstrip(what))


def _alike(looks: str, start: int, end: int) -> Iterable[tuple[int, int, str]]:
    """The runs of one look between two cells."""
    if start < end and looks.count(look := looks[start], start, end) == end - start:
        return ((start, end, look),)
    return ((*run.span(), run[1]) for run in ALIKE.finditer(looks, start, end))


class Pen:
    """Writes cells; knows where the terminal's cursor is, and in which look the next character comes out."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self._look = PLAIN
        self._x: int | None = None
        """The column of the cursor; None where terminals disagree: after combining characters, at the end of a row."""
        self._y = -1
        self._ascii = True
        """Whether only ASCII was written since the last move: terminals disagree on the width of other characters."""

    def clear(self) -> None:
        """Erases the screen; the cursor is at its beginning then."""
        self.written.append(f"{ESC}m{ESC}H{ESC}2J")
        self._x, self._y = 0, 0

    def turn(self, look: Look) -> None:
        """Sets the look of what is written next."""
        if look is not self._look:
            self.written.append(change_of_look(self._look, look))
            self._look = look

    def jump(self, x: int, y: int) -> None:
        """Moves to a cell, wherever the cursor is."""
        self._move(_position(x, y), x, y)

    def write(self, y: int, row: CellRow, start: int, end: int, changed: bytes) -> int:
        """Writes these cells of a row, and some before them where that is shorter than a move.

        Stops after combining characters, and before an unchanged cell of another look. Returns where it stopped.
        """
        for x, stop, look in _alike(row.looks, self._reach(y, row, start), end):
            if x > start and not changed[x]:
                end = x
                break
            self.turn(LOOKS.values_of[ord(look)])
            signs = row.text[x:stop]
            if signs.isascii():
                self.written.append(signs if look != LOOKS[PLAIN] else BLANKS.sub(_erasure, signs))
                continue
            self._ascii = False
            text = text_of(signs)
            if len(text) > len(signs) - signs.count(HALF):
                texts = list(map(text_of, signs))
                one = next(k for k, text in enumerate(texts, 1) if len(text) > 1)
                self.written += texts[:one]
                self._x = None
                return x + one + _leading(signs[one:], HALF)
            self.written.append(text)
        self._x = None if end == len(row.text) else end
        return end

    def erase_to_end(self, y: int, row: CellRow, x: int) -> None:
        """Erases the rest of a row, this cell included."""
        self.write(y, row, x, x, b"")
        self.turn(PLAIN)
        self.written.append(f"{ESC}K")

    def _reach(self, y: int, row: CellRow, x: int) -> int:
        """Moves to a cell, or stays at one before it where it is shorter to write from there; returns which."""
        here = self._x if y == self._y else None
        if here == x:
            return x
        if here is not None and here < x and self._ascii:
            self._move(_step(x - here, 0), x, y)
            return x
        move = _position(x, y)
        if y >= self._y >= 0:
            move = min(move, f"\r{_step(x, y - self._y)}", key=len)
        if self._x is not None and self._ascii and y >= self._y:
            move = min(move, _step(x - self._x, y - self._y), key=len)
        if here is not None and here < x and self._bridges(row, here, x, len(move)):
            return here
        self._move(move, x, y)
        return x

    def _move(self, move: str, x: int, y: int) -> None:
        self.written.append(move)
        self._x, self._y, self._ascii = x, y, True

    def _bridges(self, row: CellRow, start: int, end: int, most: int) -> bool:
        """Whether these cells take `most` bytes at most, in no look but the one now or the one after them."""
        if end - start > most:
            return False
        text = text_of(row.text[start:end])
        looks = {LOOKS.values_of[ord(sign)] for sign in row.looks[start:end]}
        return (
            len(text) <= end - start
            and len(text.encode()) <= most
            and looks in ({self._look}, {LOOKS.values_of[ord(row.looks[end])]})
        )


def _erasure(blanks: re.Match[str]) -> str:
    """Erases the blanks and moves after them."""
    cells = blanks.end() - blanks.start()
    return f"{ESC}{cells}X{ESC}{cells}C"


@lru_cache(4096)
def _position(x: int, y: int) -> str:
    if x == 0:
        return f"{ESC}{y + 1}H" if y else f"{ESC}H"
    return f"{ESC}{y + 1};{x + 1}H"


@lru_cache(4096)
def _step(across: int, down: int) -> str:
    """The move so many cells to the right (or the left, if negative) and so many rows down."""
    return min("\n" * down, _times(down, "B"), key=len) + (
        min("\b" * -across, _times(-across, "D"), key=len) if across < 0 else _times(across, "C")
    )


def _times(cells: int, direction: str) -> str:
    return f"{ESC}{cells if cells > 1 else ''}{direction}" if cells else ""


# Rows that only went up or down: within margins (DECSTBM) a line feed in the last row moves all of them up, a reverse
# index (RI) in the first one down.


class Scroll(NamedTuple):
    """The rows from `top` to before `bottom` go up by so many lines; down, if that is negative."""

    top: int
    bottom: int
    lines: int

    @property
    def text(self) -> str:
        """The text that does it, in the plain look. Terminals disagree on where the cursor is afterwards."""
        if self.lines > 0:
            moves = f"\x1b[{self.bottom}H" + "\n" * self.lines
        else:
            moves = f"\x1b[{self.top + 1}H" + "\x1bM" * -self.lines
        return f"\x1b[{self.top + 1};{self.bottom}r{moves}\x1b[r"

    def of(self, rows: Sequence[CellRow]) -> list[CellRow]:
        """The rows after it."""
        moving = rows[self.top : self.bottom]
        blank = [blank_row(len(rows[0].text))] * abs(self.lines)
        moved = [*moving[self.lines :], *blank] if self.lines > 0 else [*blank, *moving[: self.lines]]
        return [*rows[: self.top], *moved, *rows[self.bottom :]]


def scroll_between(old: Sequence[CellRow], new: Sequence[CellRow]) -> Scroll | None:
    """The scroll that brings the most rows to where they are wanted; None where it leaves too many to be written."""
    changed = [y for y, (before, after) in enumerate(zip(old, new, strict=True)) if before != after]
    if len(changed) < LEAST_ROWS:
        return None
    places: dict[CellRow, list[int]] = {}
    for y in changed:
        if not old[y].text.isspace():
            places.setdefault(old[y], []).append(y)
    ways = Counter(y - wanted for wanted in changed for y in places.get(new[wanted], ()))
    lines, arriving = max(ways.items(), key=lambda way: (way[1], -abs(way[0])), default=(0, 0))
    if arriving < LEAST_ROWS:
        return None
    rows = [wanted for wanted in changed if wanted + lines in places.get(new[wanted], ())]
    scroll = Scroll(rows[0] + min(lines, 0), rows[-1] + 1 + max(lines, 0), lines)
    left = sum(before != after for before, after in zip(scroll.of(old), new, strict=True))
    return _widened(_widened(scroll, -1, old, new), 1, old, new) if left + LEAST_ROWS <= len(changed) else None


def _widened(scroll: Scroll, at: int, old: Sequence[CellRow], new: Sequence[CellRow]) -> Scroll:
    """With the row above (-1) or below (1) moving too, if that leaves fewer cells to be written."""
    wider = scroll._replace(top=scroll.top - 1) if at < 0 else scroll._replace(bottom=scroll.bottom + 1)
    if wider.top < 0 or wider.bottom > len(old):
        return scroll
    rows = zip(scroll.of(old), wider.of(old), new, strict=True)
    fewer = sum(_cells(before, wanted) - _cells(after, wanted) for before, after, wanted in rows if before != after)
    return wider if fewer > 0 else scroll


def _cells(shown: CellRow, wanted: CellRow) -> int:
    """How many cells differ."""
    cells = zip(shown.text, shown.looks, wanted.text, wanted.looks, strict=True)
    return sum(text != other or looks != another for text, looks, other, another in cells)
