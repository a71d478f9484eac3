"""The shortest text that turns one screen into another.

Only what xterm, tmux, screen, the Linux console, rxvt and the VT220 have in common is written: CUP, CUF, CUB, CUD, EL,
ED, ECH, DECSTBM, RI and SGR, backspace, carriage return and line feed, which goes down and nowhere else: the line to
the terminal adds nothing to it. Erasing is done in the plain look alone, since terminals disagree on what else an
erased cell takes over.
Input: frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import AnyStr

from cachetui.tui.wire.cells import HALF, LOOKS, NOWHERE, PLAIN, Frame, Look, Row, blank_row, change_of_look, text_of
from cachetui.tui.wire.scroll import scroll_between

ESC = "\x1b["

LEAST_TAIL = 4
"""Blanks at the end of a row that are erased rather than written."""

LEAST_HEAD = 12
"""Blanks at its beginning, where the cursor has to come back to the last of them first."""

BLANKS = re.compile(" {6,}")
"""Cells that are erased where that is shorter; in looks a blank is the plain one."""

NEARLY = re.compile(rb"[^\0]+(?:\0{1,4}[^\0]+)*")
"""Cells of which so few have not changed that they are shorter written than passed over."""

A_MOVE = 4
"""Bytes that a move along the row takes, or one more."""

ALIKE = re.compile(r"(.)\1*", re.DOTALL)
"""Cells of one look."""


def difference(shown: Frame | None, wanted: Frame) -> str:
    """What turns the screen that is shown into the one that is wanted; None: it may show anything.

    It begins and ends in the plain look, knows nothing of where the cursor stands, and leaves it where it is wanted,
    if it is wanted anywhere.
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
    """The same, by writing and erasing alone."""
    for y, (old, new) in enumerate(zip(shown.rows, wanted.rows, strict=True)):
        if old is not new and old != new:
            _paint_cells(pen, y, new, _changed(old, new))
    if not pen.written and wanted.cursor in (shown.cursor, NOWHERE):
        return ""
    pen.turn(PLAIN)
    if wanted.cursor != NOWHERE:
        pen.jump(*wanted.cursor)
    return "".join(pen.written)


def beginning(shown: Frame, wanted: Frame) -> Frame:
    """What is shown, but for the areas of the wanted frame that come first."""
    rows = list(shown.rows)
    if _size(shown) != _size(wanted):
        return wanted
    for left, top, right, bottom in wanted.first:
        for y in range(top, min(bottom, len(rows))):
            old, new = rows[y], wanted.rows[y]
            if old == new:
                continue
            if any(HALF in row.text[x : x + 1] for row in (old, new) for x in (left, right)):
                return wanted  # half of a wide character would be outside
            rows[y] = Row(*(f"{a[:left]}{b[left:right]}{a[right:]}" for a, b in zip(old, new, strict=True)))
    return wanted._replace(rows=rows)


def _size(frame: Frame) -> tuple[int, int]:
    return len(frame.rows), len(frame.rows[0].text)


def _changed(old: Row, new: Row) -> bytes:
    """For each cell something else than zero if it has changed."""
    bits = _number(old.text) ^ _number(new.text)
    if old.looks != new.looks:
        bits |= _number(old.looks) ^ _number(new.looks)
    bits |= bits >> 16
    bits |= bits >> 8
    return bits.to_bytes(4 * len(new.text), "little")[::4]


def _number(signs: str) -> int:
    """The signs as one number, 32 bits for each."""
    return int.from_bytes(signs.encode("utf-32-le", "surrogatepass"), "little")


def _paint_cells(pen: Pen, y: int, new: Row, changed: bytes) -> None:
    # Of a wide character both halves differ, or the first alone if the other one is as wide: that is enough to write.
    start, end = _leading(changed, b"\0"), len(changed.rstrip(b"\0"))
    tail = -1
    if new.text[end - 1] == " ":
        filled = max(len(signs.rstrip(" ")) for signs in new)
        erased = filled + _leading(changed[filled:], b"\0")
        if erased + LEAST_TAIL < end:
            end = tail = erased
    if new.text[start] == " ":
        blanks = min(_leading(signs, " ") for signs in new)
        erased = len(changed[: min(blanks, end)].rstrip(b"\0"))
        if erased > start + LEAST_HEAD:
            pen.erase_to_begin(y, erased - 1)
            start = erased
    for left, right in _erasures(new, changed, start, end):
        _paint_signs(pen, y, new, changed, start, left)
        pen.erase(y, new, left, right)
        start = right
    _paint_signs(pen, y, new, changed, start, end)
    if tail >= 0:
        pen.erase_to_end(y, new, tail)


def _paint_signs(pen: Pen, y: int, new: Row, changed: bytes, start: int, end: int) -> None:
    for span in NEARLY.finditer(changed, start, end):
        x, stop = span.span()
        while (x := pen.write(y, new, x, stop, changed)) < stop:
            x += _leading(changed[x:stop], b"\0")


def _erasures(new: Row, changed: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The runs of blanks that are shorter erased than written; what has not changed at their ends is not in them."""
    for run in BLANKS.finditer(new.text, start, end):
        first, last = run.span()
        if last - first - changed.count(b"\0", first, last) < LEAST_TAIL:
            continue
        for plain in BLANKS.finditer(new.looks, first, last):
            cells = changed[plain.start() : plain.end()]
            left, right = plain.start() + _leading(cells, b"\0"), plain.start() + len(cells.rstrip(b"\0"))
            spans = [span.end() - span.start() for span in NEARLY.finditer(changed, left, right)]
            moves = len(spans) - 1 - (right < end and bool(changed[right]))
            if sum(spans) + A_MOVE * moves > len(f"{ESC}{right - left}X"):
                yield left, right


def _leading(text: AnyStr, what: AnyStr) -> int:
    """How many of them a text begins with."""
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
        """None where terminals disagree: behind characters that combine, and at the end of a row."""
        self._y = -1
        self._ascii = True
        """Whether nothing else was written since the last move: how wide it is, terminals have their own mind."""

    def clear(self) -> None:
        """Erases the screen; the cursor is at its beginning then."""
        self.written.append(f"{ESC}m{ESC}H{ESC}2J")
        self._x, self._y = 0, 0

    def turn(self, look: Look) -> None:
        """Takes on a look."""
        if look is not self._look:
            self.written.append(change_of_look(self._look, look))
            self._look = look

    def jump(self, x: int, y: int) -> None:
        """Moves to a cell, wherever the cursor is."""
        self._move(_position(x, y), x, y)

    def write(self, y: int, row: Row, start: int, end: int, changed: bytes) -> int:
        """Writes these cells of a row, and those before them where that is shorter than a move.

        Stops behind characters that combine, and where a cell that has not changed has another look. Says where.
        """
        for x, stop, look in _alike(row.looks, self._reach(y, row, start), end):
            if x > start and not changed[x]:
                end = x
                break
            self.turn(LOOKS.values_of[ord(look)])
            signs = row.text[x:stop]
            if signs.isascii():
                self.written.append(signs)
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

    def erase(self, y: int, row: Row, start: int, end: int) -> None:
        """Erases these cells of a row."""
        self.write(y, row, start, start, b"")
        self.turn(PLAIN)
        self.written.append(f"{ESC}{end - start}X")

    def erase_to_end(self, y: int, row: Row, x: int) -> None:
        """Erases the rest of a row, this cell included."""
        self.write(y, row, x, x, b"")
        self.turn(PLAIN)
        self.written.append(f"{ESC}K")

    def erase_to_begin(self, y: int, x: int) -> None:
        """Erases a row up to this cell, which is included."""
        self.turn(PLAIN)
        self.jump(x, y)
        self.written.append(f"{ESC}1K")

    def _reach(self, y: int, row: Row, x: int) -> int:
        """Moves to a cell, unless it is shorter to write from another one on: that one."""
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

    def _bridges(self, row: Row, start: int, end: int, most: int) -> bool:
        """Whether these cells take at most so many bytes, and no look but that of now or of the cell behind them."""
        if end - start > most:
            return False
        text = text_of(row.text[start:end])
        looks = {LOOKS.values_of[ord(sign)] for sign in row.looks[start:end]}
        return (
            len(text) <= end - start
            and len(text.encode()) <= most
            and looks in ({self._look}, {LOOKS.values_of[ord(row.looks[end])]})
        )


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
