"""Tables as aligned text, for a terminal or a pipe.

A long table is aligned block by block, so that it is never in memory as a whole. A matrix too wide for the names of its
columns has numbers there, and the names above it. Input: cells that may quote pages; they are made `visible` here.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from cachetui.safe_text import cut, visible

BLOCK_LINES = 10_000
"""Lines of a table that are aligned together."""

MAX_COLUMN_CHARACTERS = 1_000
"""Characters of the widest column; longer cells stick out of it."""

MAX_CELL_CHARACTERS = 10_000
"""Characters of a cell; JSON and CSV have all of it."""

MIN_COLUMN_CHARACTERS = 8
"""Characters that a column keeps if it is cut for a terminal."""

PIPED_CHARACTERS = 80
"""The width that decides how the columns of a matrix are headed without a terminal."""


def aligned(
    header: Sequence[str] | None,
    rows: Iterable[Sequence[str]],
    right: Collection[int] = (),
    shrinking: Collection[int] = (),
    width: int | None = None,
) -> Iterator[str]:
    """Aligned columns, line by line; the columns numbered in `right` hold figures.

    On a terminal of this width the `shrinking` columns are cut so that a line fits. A cell of thousands of
    characters is cut anywhere, so that it leaves all other rows in place.
    """
    left = chain([header] if header else [], rows)
    widths: list[int] = []
    while block := [[cut(visible(cell), MAX_CELL_CHARACTERS) for cell in row] for row in islice(left, BLOCK_LINES)]:
        longest = [min(max(map(len, column)), MAX_COLUMN_CHARACTERS) for column in zip(*block, strict=True)]
        widths = [max(pair) for pair in zip_longest(widths, longest, fillvalue=0)]
        shown = _fitting(widths, shrinking, width)
        cuts = [most if k in shrinking and width else MAX_CELL_CHARACTERS for k, most in enumerate(shown)]
        for row in block:
            cells = map(cut, row, cuts)
            placed = (
                cell.rjust(most) if k in right else cell.ljust(most)
                for k, (cell, most) in enumerate(zip(cells, shown, strict=True))
            )
            yield "  ".join(placed).rstrip() + "\n"


def _fitting(widths: Sequence[int], shrinking: Collection[int], width: int | None) -> Sequence[int]:
    """The widths with the widest of the columns that may shrink made narrower, until a line fits."""
    found = list(widths)
    excess = 0 if width is None else sum(found) + 2 * len(found) - 2 - width
    while excess > 0:
        widest = max(shrinking, key=lambda k: found[k], default=None)
        if widest is None or found[widest] <= MIN_COLUMN_CHARACTERS:
            break
        found[widest] -= 1
        excess -= 1
    return found


def matrix(
    names: Sequence[str], lines: Sequence[Sequence[str]], totals: Sequence[str], width: int | None
) -> Iterator[str]:
    """Under the names of the columns where that fits, else under numbers, with the names and totals above.

    A terminal that is too narrow even for the numbers gets the columns in several parts.
    """
    table = [[visible(cell) for cell in line] for line in (names, *lines, totals)]
    if sum(_widths(table)) + 2 * len(names) - 2 <= (width or PIPED_CHARACTERS):
        yield from aligned(None, table, right=range(1, len(names)))
        return
    head, *body, last = table
    numbers = [*head[:2], *map(str, range(1, len(head) - 1))]
    yield from aligned(None, zip(numbers[2:], head[2:], last[2:], strict=True), right=(0, 2))
    table = [numbers, *body, [*last[:2], *("" for _ in last[2:])]]
    for columns in _parts(_widths(table), width):
        yield "\n"
        part = [[line[k] for k in (0, 1, *columns)] for line in table]
        yield from aligned(None, part, right=range(1, len(part[0])))


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*table, strict=True)]


def _parts(widths: Sequence[int], width: int | None) -> Iterator[list[int]]:
    """The numbers of the columns after the first two, as many at a time as a terminal has room for."""
    first = widths[0] + widths[1] + 2
    part: list[int] = []
    used = first
    for k, own in enumerate(widths[2:], 2):
        if part and width is not None and used + 2 + own > width:
            yield part
            part, used = [], first
        part.append(k)
        used += 2 + own
    yield part
