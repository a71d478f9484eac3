"""The columns of a list and where they stand in a width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

GAP = 2
"""Blank cells between two columns."""


class Column(NamedTuple):
    """A column: its least width, the share of the free width that it takes, and the rank in which it gives way."""

    title: str
    width: int
    """Cells that it has at least."""
    most: int = 0
    """Cells beyond which it takes no more; 0 for no such bound."""
    weight: int = 0
    """Parts of the free width; 0 for none."""
    rank: int = 0
    """Where there is no room for all, the column with the highest rank goes first; 0 stays."""
    right: bool = False
    """Whether it is aligned at the right, as numbers are."""
    middle: bool = False
    """Whether text that is too long loses its middle and not its end: names differ at both ends."""


class Slot(NamedTuple):
    """The place of a column on screen."""

    column: int
    x: int
    width: int


def lay_out(columns: Sequence[Column], width: int) -> list[Slot]:
    """Place the columns that fit, and divide the free width by weight among those that could use it."""
    chosen = list(range(len(columns)))
    while chosen and _extent(columns[k].width for k in chosen) > width:
        last = max(chosen, key=lambda k: (columns[k].rank, k))
        if not columns[last].rank:
            break
        chosen.remove(last)
    widths = {k: columns[k].width for k in chosen}
    free = width - _extent(widths.values())
    growing = [k for k in chosen if columns[k].weight and not 0 < columns[k].most <= widths[k]]
    while free > 0 and growing:
        total, share = sum(columns[k].weight for k in growing), free
        for k in growing:
            more = min(free, max(1, share * columns[k].weight // total))
            more = min(more, columns[k].most - widths[k]) if columns[k].most else more
            widths[k] += more
            free -= more
        growing = [k for k in growing if not 0 < columns[k].most <= widths[k]]
    return list(_place(widths.items(), width))


def lay_out_sideways(columns: Sequence[Column], width: int, frozen: int, first: int) -> list[Slot]:
    """Place the `frozen` columns, then from `first` on those that fit whole, at least one.

    These have no gap between them: their own width has a blank at each side where they need one.
    """
    slots = list(_place(((k, columns[k].width) for k in range(min(frozen, len(columns)))), width))
    x = slots[-1].x + slots[-1].width + GAP if slots else 0
    for k in range(max(frozen, first), len(columns)):
        if x >= width or (x + columns[k].width > width and len(slots) > frozen):
            break
        slots.append(Slot(k, x, min(columns[k].width, width - x)))
        x += columns[k].width
    return slots


def as_wide_as(column: Column, texts: Iterable[int]) -> Column:
    """The column, bounded by the longest of its texts, given by their widths, and by its title."""
    most = max(len(column.title) + 2, max(texts, default=0))
    return column._replace(width=min(column.width, most), most=most)


def _extent(widths: Iterable[int]) -> int:
    widths = list(widths)
    return sum(widths) + GAP * (len(widths) - 1)


def _place(widths: Iterable[tuple[int, int]], width: int) -> Iterator[Slot]:
    x = 0
    for column, wanted in widths:
        if x >= width:
            return
        yield Slot(column, x, min(wanted, width - x))
        x += wanted + GAP
