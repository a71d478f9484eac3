"""The rows of a coverage: the totals of its columns first, then a line for each package, version or compiler.

Input: a `Coverage`, frozen like everything here; a row is made when it is painted.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from math import log

from cachetui.analysis.coverage import Coverage, CoverageRow
from cachetui.text import visible
from cachetui.tui.rows.layout import Cell, Line
from cachetui.tui.rows.tones import Tone

GAPS = 4
"""The width of the figure that says how many gaps a row has."""

TOTALS = 3
"""The characters of a total where columns are narrow."""

TOTAL = ("total",)
"""The key of the row that sums the columns up; those of the others are texts."""


@dataclass(frozen=True)
class MatrixRows:
    """The rows of a coverage below the totals of its columns."""

    coverage: Coverage
    absent: str
    """The sign of a column that does not exist."""
    room: int = TOTALS
    """So many characters a total may have before it is shown in thousands."""

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {TOTAL: 0} | {row.name: k for k, row in enumerate(self.coverage.rows, 1)}

    @cached_property
    def largest(self) -> int:
        """The largest count of a cell."""
        return max((max(row.counts, default=0) for row in self.coverage.rows), default=0)

    @property
    def label(self) -> str:
        """What the totals are of: more than the rows below them where some are hidden."""
        return f"all {len(self.coverage.whole):,}" if self.coverage.hidden else "all"

    @cached_property
    def totals(self) -> tuple[str, ...]:
        columns = self.coverage.columns
        return tuple(self.absent if column.absent else short(column.specs, self.room) for column in columns)

    def __len__(self) -> int:
        return len(self.coverage.rows) + 1 if self.coverage.rows else 0

    def row(self, k: int) -> Line:
        if k == 0:
            gaps = sum(row.gaps for row in self.coverage.whole)
            return Line((self.label, f"{self.coverage.specs}", short(gaps, GAPS + 1), *self.totals), tone="title")
        row = self.coverage.rows[k - 1]
        is_missing = row.expected and not row.specs
        name = Cell(f"! {visible(row.name)}", "missing") if is_missing else visible(row.name)
        return Line((name, str(row.specs), Cell(str(row.gaps or ""), "gap"), *self._cells(row)))

    def _cells(self, row: CoverageRow) -> list[Cell | str]:
        columns = zip(row.counts, self.coverage.columns, strict=True)
        return [
            Cell(str(count), self._shade(count)) if count else self.absent if column.absent else ""
            for count, column in columns
        ]

    def _shade(self, count: int) -> Tone:
        """Few or many: the upper third of the largest count on a scale of powers is many."""
        return "title" if log(count + 1) >= log(self.largest + 1) * 2 / 3 else ""

    def key(self, k: int) -> Hashable:
        return self.coverage.rows[k - 1].name if k else TOTAL

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)


def short(number: int, room: int) -> str:
    """A number in full where it has at most so many digits, else in thousands, rounded."""
    text = str(number)
    return text if len(text) <= room else f"{round(number / 1000)}k"
