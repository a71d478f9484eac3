"""Make a short text that turns one screen of a terminal into another.

It only uses what xterm, tmux, screen, the Linux console, rxvt and the VT220 have in common: CUP, CUF, EL, ED, DECSTBM,
RI, SGR, and line feed. Cells are only erased in the plain look, because terminals disagree on erasing in others.
Input: frames.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from cachetui.tui.painter.cells import (
    HALF,
    LOOKS,
    NOWHERE,
    PLAIN,
    CellRow,
    Frame,
    Look,
    blank_row,
    text_of,
)

ESC = "\x1b["

LEAST_ROWS = 3
"""Least number of rows that scrolling has to save from being written."""

NEARLY = re.compile(rb"[^\0]+(?:\0{1,4}[^\0]+)*")
"""Changed cells, with up to four unchanged ones between them, as writing these is shorter than moving the cursor."""

ALIKE = re.compile(r"(.)\1*", re.DOTALL)
"""A run of cells with the same look."""


def difference(shown: Frame | None, wanted: Frame) -> str:
    """Return the text that turns the `shown` screen, or an unknown one (None), into the `wanted` one.

    The text begins and ends in the plain look. The cursor may be anywhere before, and is where the wanted frame has it
    afterwards.
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
    """Return the text without scrolling."""
    for y, (old, new) in enumerate(zip(shown.rows, wanted.rows, strict=True)):
        if old is not new and old != new:
            _paint_cells(pen, y, new, _changed(old, new))
    if not pen.written and wanted.cursor in (shown.cursor, NOWHERE):
        return ""
    pen.turn(PLAIN)
    if wanted.cursor != NOWHERE:
        pen.move(*wanted.cursor)
    return "".join(pen.written)


def _size(frame: Frame) -> tuple[int, int]:
    return len(frame.rows), len(frame.rows[0].text)


def _changed(old: CellRow, new: CellRow) -> bytes:
    """Return a byte for each cell, zero where the cell is the same."""
    bits = _number(old.text) ^ _number(new.text)
    if old.looks != new.looks:
        bits |= _number(old.looks) ^ _number(new.looks)
    bits |= bits >> 16
    bits |= bits >> 8
    return bits.to_bytes(4 * len(new.text), "little")[::4]


def _number(signs: str) -> int:
    """Return the characters as one number, 32 bits for each."""
    return int.from_bytes(signs.encode("utf-32-le", "surrogatepass"), "little")


def _paint_cells(pen: Pen, y: int, new: CellRow, changed: bytes) -> None:
    # Where a wide character changed, at least its first cell differs, and writing that writes both.
    filled = max(len(signs.rstrip(" ")) for signs in new)
    for span in NEARLY.finditer(changed, 0, filled):
        pen.write(y, new, *span.span())
    if any(changed[filled:]):
        pen.erase_to_end(filled, y)


class Pen:
    """Collects the text; knows the position and the present look of the terminal's cursor."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self._look = PLAIN
        self._x: int | None = None
        """The column of the cursor; None after characters that are not ASCII, and at the end of a row, where terminals
        disagree."""
        self._y = 0

    def clear(self) -> None:
        """Erase the screen."""
        self.written.append(f"{ESC}m{ESC}H{ESC}2J")

    def turn(self, look: Look) -> None:
        """Set the look of what is written next."""
        if look != self._look:
            self.written.append(f"{ESC};{look}m" if look else f"{ESC}m")
            self._look = look

    def move(self, x: int, y: int) -> None:
        """Move the cursor to a cell."""
        if y != self._y or self._x is None or x < self._x:
            self.written.append(_position(x, y))
        elif x > self._x:
            self.written.append(f"{ESC}{x - self._x}C")
        self._x, self._y = x, y

    def write(self, y: int, row: CellRow, start: int, end: int) -> None:
        """Write the cells of a row from `start` up to `end`."""
        self.move(start, y)
        for run in ALIKE.finditer(row.looks, start, end):
            self.turn(LOOKS.values_of[ord(run[1])])
            signs = row.text[run.start() : run.end()]
            text = text_of(signs)
            if len(text) == len(signs) - signs.count(HALF):
                self.written.append(text)
                continue
            # Terminals disagree on where the cursor is after combining characters.
            cells = [*enumerate(signs, run.start()), (run.end(), HALF)]
            self.written += (f"{_position(x, y)}{text_of(sign)}" for x, sign in cells)
        self._x = end if row.text[start:end].isascii() and end < len(row.text) else None

    def erase_to_end(self, x: int, y: int) -> None:
        """Erase the rest of a row, from this cell on."""
        self.move(x, y)
        self.turn(PLAIN)
        self.written.append(f"{ESC}K")


def _position(x: int, y: int) -> str:
    return f"{ESC}{y + 1};{x + 1}H" if x else f"{ESC}{y + 1}H"


# Scrolling: between margins (DECSTBM), a line feed in the last row moves all rows up, a reverse index (RI) in the first
# row moves them down.


class Scroll(NamedTuple):
    """Move the rows from `top` up to, but not including, `bottom` up by so many lines; down if negative."""

    top: int
    bottom: int
    lines: int

    @property
    def text(self) -> str:
        """The text for the terminal, which has to be in the plain look; the cursor may be anywhere afterwards."""
        if self.lines > 0:
            moves = f"\x1b[{self.bottom}H" + "\n" * self.lines
        else:
            moves = f"\x1b[{self.top + 1}H" + "\x1bM" * -self.lines
        return f"\x1b[{self.top + 1};{self.bottom}r{moves}\x1b[r"

    def of(self, rows: Sequence[CellRow]) -> list[CellRow]:
        """Return the rows after scrolling."""
        moving = rows[self.top : self.bottom]
        blank = [blank_row(len(rows[0].text))] * abs(self.lines)
        moved = [*moving[self.lines :], *blank] if self.lines > 0 else [*blank, *moving[: self.lines]]
        return [*rows[: self.top], *moved, *rows[self.bottom :]]


def scroll_between(old: Sequence[CellRow], new: Sequence[CellRow]) -> Scroll | None:
    """Return the scroll that puts the most rows into their wanted place; None where it saves too little."""
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
    return scroll if left + LEAST_ROWS <= len(changed) else None
