"""Tables as aligned text, for a terminal or a pipe.

A long table is aligned in blocks of rows, so the whole table is never in memory. If the column names make a matrix too
wide, the heading has numbers instead of names, and a list above the matrix gives the name for each number.
Input: cells that may contain control characters from the content. This module escapes them, see `visible`.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from cachetui.safe_text import cut, visible

BLOCK_LINES = 10_000
"""Number of lines in a block of a table."""

MAX_COLUMN_CHARACTERS = 1_000
"""Maximum width of a column in characters. Longer cells extend beyond their column."""

MAX_CELL_CHARACTERS = 10_000
"""Maximum number of characters of a cell in aligned text. JSON and CSV contain the whole cell."""

MIN_COLUMN_CHARACTERS = 8
"""Minimum width of a column in characters. Columns are never cut below this width, even if a line is too long."""

PIPED_CHARACTERS = 80
"""Maximum width, in characters, of a matrix with column names in a pipe. A wider matrix has numbers as headings."""


def aligned(
    header: Sequence[str] | None,
    rows: Iterable[Sequence[str]],
    right: Collection[int] = (),
    shrinking: Collection[int] = (),
    width: int | None = None,
) -> Iterator[str]:
    """Yield a table as aligned text, line by line. `right`: the indices (from 0) of the columns to align on the right.

    `shrinking`: the indices of the columns to cut if a line does not fit into `width`, the width of the terminal. In
    every column, cells are cut to `MAX_CELL_CHARACTERS`.
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
    """Return the widths of the columns. The widest columns in `shrinking` get narrower until a line fits."""
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
    """Yield the lines of a matrix. The heading has the column names, or numbers if the line of names is too long.

    If the heading has numbers, a list above the matrix gives the name and the total of each column. If a line with
    numbers is still too long for the terminal, the matrix is split into parts with fewer columns.
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
    """Divide the columns into groups that fit into the width. Yield the indices of the columns of each group.

    Each group is shown after the first two columns, which belong to no group.
    """
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
