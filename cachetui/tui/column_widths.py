"""The columns of a list, and their positions on the screen."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

GAP_CELLS = 2
"""Number of spaces between two columns."""


BAR_RANK = 9
"""The rank of a column with bars. It is omitted first, as soon as another column would be cut."""


class Column(NamedTuple):
    """A column of a list."""

    title: str
    width: int
    """Minimum width, in cells."""
    most: int = 0
    """Maximum width, in cells; 0 for no limit."""
    weight: int = 0
    """Share of the free width, relative to the weights of the other columns."""
    rank: int = 0
    """If the columns do not fit, the column with the highest rank is omitted first. Columns of rank 0 are kept."""
    right: bool = False
    """Whether to align the text to the right, for example numbers."""
    middle: bool = False
    """Whether to cut long text in the middle, because both ends of a name matter."""


class Slot(NamedTuple):
    """The position of a column on screen."""

    column: int
    x: int
    width: int


def lay_out(columns: Sequence[Column], width: int) -> list[Slot]:
    """Place the columns that fit. Columns with a weight share the remaining width, up to their maximum width."""
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
    """Place the first `frozen` columns, then as many columns from index `first` on as fit, but at least one.

    The columns after the frozen columns have no gap between them, because their widths include spaces.
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
    """Limit the width of a column to its title and its widest text. `texts` contains the width of each text."""
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
