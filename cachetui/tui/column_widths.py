"""The columns of a list, and where they are in a given width."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

GAP_CELLS = 2
"""Empty cells between two columns."""


BAR_RANK = 9
"""The rank of a column with bars, which gives way as soon as the text of another one would be cut."""


class Column(NamedTuple):
    """A column of a list."""

    title: str
    width: int
    """The least width in cells."""
    most: int = 0
    """The greatest width in cells; 0 for no limit."""
    weight: int = 0
    """Its share of the free width, relative to other columns."""
    rank: int = 0
    """Without room for all columns that with the highest rank goes first; with rank 0 it always stays."""
    right: bool = False
    """Whether it is aligned to the right, as numbers are."""
    middle: bool = False
    """Whether long text is cut in the middle, not at the end, as names differ at both ends."""


class Slot(NamedTuple):
    """The place of a column on screen."""

    column: int
    x: int
    width: int


def lay_out(columns: Sequence[Column], width: int) -> list[Slot]:
    """Place the columns that fit, and divide the free width by weight among those below their greatest width."""
    chosen = list(range(len(columns)))
    if _extent(max(column.width, column.most) for column in columns) > width:
        chosen = [k for k in chosen if columns[k].rank < BAR_RANK]
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
    """Place the first `frozen` columns, then from column `first` on those that fit whole, at least one.

    The latter have no gap between them, as their widths include spaces where they need some.
    """
    slots = list(_place(((k, columns[k].width) for k in range(min(frozen, len(columns)))), width))
    x = slots[-1].x + slots[-1].width + GAP_CELLS if slots else 0
    for k in range(max(frozen, first), len(columns)):
        if x >= width or (x + columns[k].width > width and len(slots) > frozen):
            break
        slots.append(Slot(k, x, min(columns[k].width, width - x)))
        x += columns[k].width
    return slots


def as_wide_as(column: Column, texts: Iterable[int]) -> Column:
    """Return the column, at most as wide as the widest of its texts, given by their widths, or its title."""
    most = max(len(column.title) + 2, max(texts, default=0))
    return column._replace(width=min(column.width, most), most=most)


def _extent(widths: Iterable[int]) -> int:
    widths = list(widths)
    return sum(widths) + GAP_CELLS * (len(widths) - 1)


def _place(widths: Iterable[tuple[int, int]], width: int) -> Iterator[Slot]:
    x = 0
    for column, wanted in widths:
        if x >= width:
            return
        yield Slot(column, x, min(wanted, width - x))
        x += wanted + GAP_CELLS
