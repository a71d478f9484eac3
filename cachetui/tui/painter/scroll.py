"""Rows that only went up or down: the terminal moves them itself.

Within margins (DECSTBM) a line feed in the last row moves all of them up, a reverse index (RI) in the first one down.
Input: rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from cachetui.tui.painter.cells import CellRow, blank_row

LEAST = 3
"""Least number of rows whose writing a scroll has to save."""


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
    if len(changed) < LEAST:
        return None
    places: dict[CellRow, list[int]] = {}
    for y in changed:
        if not old[y].text.isspace():
            places.setdefault(old[y], []).append(y)
    ways = Counter(y - wanted for wanted in changed for y in places.get(new[wanted], ()))
    lines, arriving = max(ways.items(), key=lambda way: (way[1], -abs(way[0])), default=(0, 0))
    if arriving < LEAST:
        return None
    rows = [wanted for wanted in changed if wanted + lines in places.get(new[wanted], ())]
    scroll = Scroll(rows[0] + min(lines, 0), rows[-1] + 1 + max(lines, 0), lines)
    left = sum(before != after for before, after in zip(scroll.of(old), new, strict=True))
    return _widened(_widened(scroll, -1, old, new), 1, old, new) if left + LEAST <= len(changed) else None


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
