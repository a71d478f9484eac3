"""The rows and columns of a coverage: the totals of its columns, then a line for each package, version or compiler."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import cached_property
from math import log
from typing import cast

from msgspec.structs import replace

from cachetui.analysis.coverage import Coverage
from cachetui.safe_text import visible
from cachetui.tui.column_widths import GAP, Column
from cachetui.tui.glyphs import CUT, DOT, HALVES
from cachetui.tui.lines import Cell, KeyedRows, Line, fit, measure
from cachetui.tui.styles import Style

TOTAL = 0
"""The key of the row of totals; those of the others are their names."""

FROZEN = 3
"""Columns that do not scroll: the name, its specs, its gaps."""

SHADED = 3
"""Cells that are filled right under a number."""

MARGINS = 2
"""A blank at each side of a column, where the brackets of the cursor stand."""

NARROWEST, WIDEST = 7, 9
"""Cells of a column whose name is cut, without its margins."""

MOST_NAMED = 12
"""Columns that have names; more of them have numbers, where the names have no room in full."""

NAMES, WIDE_NAMES, WIDE = 20, 28, 100
"""Cells for the names of rows at most; the same from a width of the screen on."""


class CoverageRows(KeyedRows, frozen=True, dict=True):
    """Numbers, or a map of one cell for each column."""

    found: Coverage
    is_map: bool = False

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        rows = self.found.rows if self.found.columns else ()
        return [TOTAL, *(row.name for row in rows)] if rows else []

    def made(self, k: int) -> Line:
        found = self.found
        if k == TOTAL:
            gaps = sum(row.gaps for row in found.whole)
            cells = self._cells([column.specs for column in found.columns], shaded=False)
            return Line((f"all {len(found.whole):,}", f"{found.specs:,}", f"{gaps:,}", *cells), "bold")
        row = found.rows[k - 1]
        cells = self._cells(row.counts, shaded=True)
        return Line((visible(row.name), f"{row.specs:,}", f"{row.gaps:,}" if row.gaps else "", *cells))

    def _cells(self, counts: Sequence[int], *, shaded: bool) -> Iterator[Cell]:
        """A sign for each column, or a number with a blank behind it."""
        for count, column in zip(counts, self.found.columns, strict=True):
            nothing = "-" if column.absent else DOT
            if self.is_map:
                yield Cell(HALVES[2], "bar") if count else Cell(nothing, "muted")
            elif count:
                text = f"{count:{SHADED},} "
                yield Cell(text, "", [(0, len(text) - 1, shade(count, self._largest))] if shaded else ())
            else:
                yield Cell(f"{nothing:>{SHADED}} ", "muted")

    @cached_property
    def _largest(self) -> int:
        return max((max(row.counts) for row in self.found.rows), default=0)


def shade(number: int, largest: int) -> Style:
    """The shade behind a number, on a scale of powers, so that few still differ from some."""
    step = int(3 * log(number) / log(largest)) if largest > 1 else 2
    return cast(Style, f"heat-{min(step, 2) + 1}")


def with_columns(found: Coverage, names: Collection[str]) -> Coverage:
    """A coverage of these columns alone, with the gaps that are in them."""
    places = [k for k, column in enumerate(found.columns) if column.name in names]
    if len(places) == len(found.columns):
        return found
    existing = [k for k in places if not found.columns[k].absent]
    rows = (
        replace(row, counts=tuple(row.counts[k] for k in places), gaps=sum(not row.counts[k] for k in existing))
        for row in found.rows
    )
    return replace(found, columns=tuple(found.columns[k] for k in places), rows=tuple(rows))


def coverage_columns(
    found: Coverage, marks: Collection[str], by: str, width: int, *, is_map: bool
) -> tuple[Sequence[Column], bool]:
    """The columns in a width, and whether those that scroll have numbers in place of their names.

    `by`: the title of the one that sorts the rows, which needs room for a sign.
    """
    longest = max((measure(visible(row.name)) for row in found.whole), default=0)
    most = WIDE_NAMES if width >= WIDE else NAMES
    figures = {"specs": found.specs, "gaps": sum(row.gaps for row in found.whole)}
    heads = {title: len(title) + 2 * (title == by) for title in (found.row_axis, *figures)}
    frozen = [Column(found.row_axis, max(heads[found.row_axis], min(longest, most)), middle=True)]
    frozen += [Column(title, max(heads[title], len(f"{n:,}")), right=True) for title, n in figures.items()]
    if is_map:
        return [*frozen, *(Column(sign, 1) for sign in ruler(len(found.columns)))], True
    names = [visible(column.name) for column in found.columns]
    left = width - sum(column.width + GAP for column in frozen)
    shown, widths = _heads(names, left)
    numbered = shown is not names and len(names) > MOST_NAMED
    if numbered:
        shown, widths = [str(k) for k in range(1, len(names) + 1)], [len(str(len(names)))] * len(names)
    for name, column, own in zip(shown, found.columns, widths, strict=True):
        mark = "*" if column.name in marks else ""
        frozen.append(Column(f"{mark}{name} ", max(own, SHADED, len(f"{column.specs:,}")) + MARGINS, right=True))
    return frozen, numbered


def _heads(names: list[str], room: int) -> tuple[list[str], list[int]]:
    """Names in full where all of them have room, else cut to what tells them apart; and their widths."""
    widths = [max(NARROWEST, measure(name)) for name in names]
    if sum(widths) + MARGINS * len(names) <= room:
        return names, widths
    least = WIDEST if (WIDEST + MARGINS) * len(names) <= room else NARROWEST
    cuts: tuple[Callable[[str, int], str], ...] = (_tail, fit, _middle)
    for width in range(least, WIDEST + 1):
        for cut in cuts:
            shown = [cut(name, width) for name in names]
            if len({*shown}) == len(names):
                return shown, [width] * len(names)
    return [_middle(name, WIDEST) for name in names], [WIDEST] * len(names)


def _tail(name: str, width: int) -> str:
    return name if measure(name) <= width else f"{CUT}{name[len(name) - width + 1 :]}"


def _middle(name: str, width: int) -> str:
    return fit(name, width, middle=True)


def ruler(columns: int) -> str:
    """The numbers of columns of one cell: `1···5····10`."""
    signs = [DOT] * columns
    for number in (1, *range(5, columns + 1, 5)):
        for k, digit in enumerate(str(number), number - 1):
            signs[k : k + 1] = digit
    return "".join(signs)[:columns]


def legend(names: Sequence[str], first: int, width: int) -> list[Line]:
    """The names of numbered columns from the `first` on, in as many beside each other as a width has room for."""
    entries = [f"{number:>3} {visible(name)}" for number, name in enumerate(names, 1)][first:]
    cell = max(map(measure, entries), default=0) + GAP
    beside = max(1, width // cell)
    lines = (entries[k : k + beside] for k in range(0, len(entries), beside))
    return [Line(("".join(f"{entry}{' ' * (cell - measure(entry))}" for entry in line),), "muted") for line in lines]
