"""The rows of a coverage: the totals of its columns first, then a line for each package, version or compiler.

Or as a map of one cell a column, in which a line may stand for four rows.

Input: a `Coverage`, frozen like everything here; a row is made when it is painted.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cachetui.analysis.coverage import Coverage, CoverageRow
from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, Line, figure
from cachetui.tui.rows.pictures import DOT_LINES, digits, shade, short, stacked

SPECS = 6
"""The width of the figure that says how many specs a row has."""

GAPS = 4
"""The width of the figure that says how many gaps a row has."""

TOTALS = 3
"""The characters of a total where columns are narrow."""

TOTAL = ("total",)
"""The key of the row that sums the columns up; those of the others are texts."""


@dataclass(frozen=True)
class MatrixRows:
    """The rows of a coverage, as a rule below the totals of its columns."""

    coverage: Coverage
    absent: str
    """The sign of a column that does not exist."""
    room: int = TOTALS
    """Longest total, in characters, that is not shown in thousands."""
    above: int = 1
    """Lines above the rows: the one of the totals, or none."""

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        totals: dict[Hashable, int] = {TOTAL: 0} if self.above else {}
        return totals | {row.name: k for k, row in enumerate(self.coverage.rows, self.above)}

    @cached_property
    def largest(self) -> int:
        return largest_count(self.coverage)

    @property
    def label(self) -> str:
        """What the totals are of: more than the rows below them where some are hidden."""
        return f"all {len(self.coverage.whole):,}" if self.coverage.hidden else "all"

    @cached_property
    def totals(self) -> tuple[str, ...]:
        columns = self.coverage.columns
        return tuple(self.absent if column.absent else short(column.specs, self.room) for column in columns)

    def __len__(self) -> int:
        return len(self.coverage.rows) + self.above if self.coverage.rows else 0

    def row(self, k: int) -> Line:
        if k < self.above:
            gaps = sum(row.gaps for row in self.coverage.whole)
            return Line(
                (self.label, figure(self.coverage.specs, SPECS), short(gaps, GAPS + 1), *self.totals), tone="title"
            )
        row = self.coverage.rows[k - self.above]
        return Line((name_cell(row), figure(row.specs, SPECS), Cell(str(row.gaps or ""), "gap"), *self._cells(row)))

    def _cells(self, row: CoverageRow) -> list[Cell | str]:
        columns = zip(row.counts, self.coverage.columns, strict=True)
        return [
            Cell(str(count), shade(count, self.largest)) if count else self.absent if column.absent else ""
            for count, column in columns
        ]

    def rows_at(self, k: int) -> Sequence[CoverageRow]:
        """The row that a line stands for; none for the totals."""
        return () if k < self.above else (self.coverage.rows[k - self.above],)

    def key(self, k: int) -> Hashable:
        return TOTAL if k < self.above else self.coverage.rows[k - self.above].name

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)


@dataclass(frozen=True)
class MapRows:
    """The rows of a coverage without totals, a cell or two for each column: a number, or which of the rows have specs.

    A cell has a half for each of two rows, or a line of dots for each of four.
    """

    coverage: Coverage
    absent: str
    """The sign of a column that does not exist."""
    together: int = 1
    """Rows that share a line: one, two, or as many as a cell has lines of dots."""
    cells: int = 1
    """The cells of a column."""

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {row.name: k // self.together for k, row in enumerate(self.coverage.rows)}

    @cached_property
    def largest(self) -> int:
        return largest_count(self.coverage)

    def __len__(self) -> int:
        return -(-len(self.coverage.rows) // self.together)

    def rows_at(self, k: int) -> Sequence[CoverageRow]:
        """The rows that share a line."""
        return self.coverage.rows[k * self.together : (k + 1) * self.together]

    def row(self, k: int) -> Line:
        rows = self.rows_at(k)
        more = f" +{len(rows) - 1}" if len(rows) > 1 else ""
        name = name_cell(rows[0])
        first = Cell(f"{name.text}{more}", name.tone) if isinstance(name, Cell) else f"{name}{more}"
        columns = zip(self.coverage.columns, *(row.counts for row in rows), strict=True)
        return Line((first, *(self.absent if column.absent else self._cell(counts) for column, *counts in columns)))

    def _cell(self, counts: Sequence[int]) -> Cell:
        if self.together == 1:
            return Cell(digits(counts[0], self.cells), shade(counts[0], self.largest))
        return Cell(stacked([count > 0 for count in counts], self.together) * self.cells, "bar")

    def key(self, k: int) -> Hashable:
        return self.coverage.rows[k * self.together].name

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)


TOGETHER = len(DOT_LINES)
"""The most rows that share a line of a map, where there are too many for a line each."""


def name_cell(row: CoverageRow) -> Cell | str:
    """The name of a row, with a sign where it is expected and missing altogether."""
    is_missing = row.expected and not row.specs
    return Cell(f"! {visible(row.name)}", "missing") if is_missing else visible(row.name)


def largest_count(coverage: Coverage) -> int:
    """The largest count of a cell."""
    return max((max(row.counts, default=0) for row in coverage.rows), default=0)
