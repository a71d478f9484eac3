"""The shortest text that turns one screen into another.

Only what the terminfo entries of xterm, tmux, screen, the Linux console, rxvt and the VT220 have in common is
written: CUP, CUF, CUB, CUD, EL, ED and SGR. Erasing is done in the plain look alone, since terminals disagree on what
else an erased cell takes over.
Input: frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress, count, groupby, repeat
from operator import is_not, itemgetter

from cachetui.tui.cells import BLANK, PLAIN, Cell, Frame, Look, Row

ESC = "\x1b["

OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}
"""What turns an attribute off; other ones go by a reset."""

WEIGHT = {"1", "2"}
"""Bold and dim: one setting to some terminals, where the last one counts, so that their order matters."""

LEAST_TAIL = 4
"""Blanks at the end of a row that are erased rather than written."""

LEAST_HEAD = 12
"""Blanks at its beginning, where the cursor has to come back to the last of them first."""

TEXT, LOOK = itemgetter(0), itemgetter(1)
"""Of a cell."""

NEARLY = re.compile(rb"\x01+(?:\0{1,4}\x01+)*")
"""Cells of which so few have not changed that they are shorter written than passed over."""


@lru_cache(4096)
def change_of_look(old: Look, new: Look) -> str:
    """The shortest sequence from one look to another."""
    if old == new:
        return ""
    anew = ["", *new.attributes, *filter(None, new[1:])]
    steps = _steps(old, new)
    codes = anew if steps is None else min(anew, steps, key=lambda codes: len(";".join(codes)))
    return f"{ESC}{';'.join(codes)}m"


def _steps(old: Look, new: Look) -> list[str] | None:
    """The codes that change what differs; None where an attribute can only be reset."""
    gone = [code for code in old.attributes if code not in new.attributes]
    if any(code not in OFF for code in gone):
        return None
    steps = list(dict.fromkeys(OFF[code] for code in gone))
    kept = {code for code in old.attributes if OFF.get(code) not in steps}
    if kept & WEIGHT != WEIGHT and set(new.attributes) >= WEIGHT:
        kept -= WEIGHT
    steps += [code for code in new.attributes if code not in kept]
    if old.foreground != new.foreground:
        steps.append(new.foreground or "39")
    if old.background != new.background:
        steps.append(new.background or "49")
    return steps


def difference(shown: Frame | None, wanted: Frame) -> str:
    """What turns the screen that is shown into the one that is wanted; None: it may show anything.

    It begins and ends in the plain look, knows nothing of where the cursor stands, and leaves it where it is wanted.
    """
    pen = Pen()
    if shown is None or (len(shown.rows), len(shown.rows[0])) != (len(wanted.rows), len(wanted.rows[0])):
        pen.clear()
        shown = Frame([[BLANK] * len(row) for row in wanted.rows], (-1, -1))
    for y, (old, new) in enumerate(zip(shown.rows, wanted.rows, strict=True)):
        if old is not new and 1 in (changed := bytes(map(is_not, old, new))):
            _paint_cells(pen, y, new, changed)
    if not pen.written and shown.cursor == wanted.cursor:
        return ""
    pen.turn(PLAIN)
    pen.jump(*wanted.cursor)
    return "".join(pen.written)


def beginning(shown: Frame, wanted: Frame) -> Frame:
    """What is shown, but for the areas of the wanted frame that come first."""
    rows = list(shown.rows)
    if len(rows) != len(wanted.rows) or len(rows[0]) != len(wanted.rows[0]):
        return wanted
    for left, top, right, bottom in wanted.first:
        for y in range(top, min(bottom, len(rows))):
            old, new = rows[y], wanted.rows[y]
            if old is new or old[left:right] == new[left:right]:
                continue
            if any(not row[x][0] for row in (old, new) for x in (left, right) if x < len(row)):
                return wanted  # half of a wide character would be outside
            rows[y] = [*old[:left], *new[left:right], *old[right:]]
    return wanted._replace(rows=rows)


def _paint_cells(pen: Pen, y: int, new: Row, changed: bytes) -> None:
    # Of a wide character both halves differ, or the first alone if the other one is as wide: that is enough to write.
    start, end = changed.index(1), changed.rindex(1) + 1
    tail = changed.find(1, len(new) - _blanks(reversed(new), len(new))) if new[-1] is BLANK else -1
    if 0 <= tail < end - LEAST_TAIL:
        end = tail
    else:
        tail = -1
    head = changed.rfind(1, start, _blanks(new, end)) if new[start] is BLANK else -1
    if head >= start + LEAST_HEAD:
        pen.erase_to_begin(y, head)
        start = head + 1
    for span in NEARLY.finditer(changed, start, end):
        x, stop = span.span()
        while x >= 0:
            x = changed.find(1, pen.write(y, new, x, stop, changed), stop)
    if tail >= 0:
        pen.erase_to_end(y, new, tail)


def _blanks(cells: Iterable[Cell], otherwise: int) -> int:
    """How many cells are blank before the first that is not; if there is none, something else."""
    return next(compress(count(), map(is_not, cells, repeat(BLANK))), otherwise)


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
        x = self._reach(y, row, start)
        for look, same in groupby(row[x:end], LOOK):
            if x > start and not changed[x]:
                end = x
                break
            self.turn(look)
            texts = list(map(TEXT, same))
            text = "".join(texts)
            if not text.isascii():
                self._ascii = False
                if len(text) > len(texts) - texts.count(""):
                    one = next(compress(count(), map((1).__lt__, map(len, texts))))
                    self.written += texts[: one + 1]
                    self._x = None
                    return x + one + 1
            self.written.append(text)
            x += len(texts)
        self._x = None if end == len(row) else end
        return end

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
        if y == self._y + 1 and y:
            move = min(move, "\r\n" + _step(x, 0), key=len)
        if self._x is not None and self._ascii and y >= self._y:
            move = min(move, _step(x - self._x, y - self._y), key=len)
        if here is not None and here < x and self._bridges(row[here : x + 1], len(move)):
            return here
        self._move(move, x, y)
        return x

    def _move(self, move: str, x: int, y: int) -> None:
        self.written.append(move)
        self._x, self._y, self._ascii = x, y, True

    def _bridges(self, cells: Row, most: int) -> bool:
        """Whether the cells before the last one take at most so many bytes and no look of their own."""
        if len(cells) > most + 1:
            return False
        *texts, _ = map(TEXT, cells)
        *looks, next_look = map(LOOK, cells)
        return (
            set(looks) in ({self._look}, {next_look})
            and max(map(len, texts)) < 2
            and sum(len(text.encode()) for text in texts) <= most
        )


@lru_cache(4096)
def _position(x: int, y: int) -> str:
    if x == 0:
        return f"{ESC}{y + 1}H" if y else f"{ESC}H"
    return f"{ESC}{y + 1};{x + 1}H"


@lru_cache(4096)
def _step(across: int, down: int) -> str:
    """The move so many cells to the right (or the left, if negative) and so many rows down."""
    return _times(down, "B") + (
        min("\b" * -across, _times(-across, "D"), key=len) if across < 0 else _times(across, "C")
    )


def _times(cells: int, direction: str) -> str:
    return f"{ESC}{cells if cells > 1 else ''}{direction}" if cells else ""
