"""How the matrix of coverage is looked at: axes, order, marks, the cell. No widget in it.

Invariant: the marks are values of the axis of the columns, and where columns are compared there are at least two.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import cycle, dropwhile

from cachetui.analysis.coverage import COLUMN_AXES, Coverage, Order
from cachetui.query.parts import ValuePart
from cachetui.query.query import Query

ROW_AXES: tuple[str, ...] = ("package", "version", "compiler")
"""What the rows can be, in the order of the key that goes through them."""

ORDERS: tuple[tuple[Order, bool], ...] = (("name", False), ("specs", True), ("gaps", True))
"""Each order, and whether the greatest stand first in it."""


@dataclass(frozen=True)
class CoverageView:
    """How the matrix is looked at, and what it was when it was left."""

    rows: str = "package"
    columns: str = "stack"
    order: Order = "name"
    descending: bool = False
    only_gaps: bool = False
    marks: tuple[str, ...] = ()
    """The marked columns, in the order in which they were marked."""
    compared: bool = False
    """Whether the marked columns stand alone, with the rows in which they differ."""
    expected: frozenset[str] = frozenset()
    """Packages that have a row in any case."""
    expected_by: str = ""
    """The file that names them."""
    row: Hashable = None
    column: str | None = None
    """The cell under the cursor."""
    counted: Coverage | None = None
    """The figures; None while they are counted."""

    # Other views

    def in_next_order(self) -> CoverageView:
        names = [name for name, _ in ORDERS]
        order, descending = ORDERS[(names.index(self.order) + 1) % len(ORDERS)]
        return replace(self, order=order, descending=descending)

    def with_next_columns(self) -> CoverageView:
        behind = dropwhile(lambda axis: axis != self.columns, cycle(COLUMN_AXES))
        axis = next(axis for axis in behind if axis not in (self.columns, self.rows))
        return replace(self, columns=axis, marks=(), compared=False)

    def with_next_rows(self) -> CoverageView:
        behind = dropwhile(lambda axis: axis != self.rows, cycle(ROW_AXES))
        return replace(self, rows=next(axis for axis in behind if axis not in (self.rows, self.columns)))

    def with_mark_toggled(self, column: str) -> CoverageView:
        others = tuple(mark for mark in self.marks if mark != column)
        return replace(self, marks=others if column in self.marks else (*self.marks, column))

    # What it asks for

    def base(self, query: Query) -> Query:
        """The query, over all tags where each of them is a column."""
        return query.without_key("tag") if self.columns == "tag" else query

    def asked(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """What is to be counted: the query, and the stacks that stand alone."""
        query = self.base(query)
        if not self.compared:
            return query, ()
        if self.columns == "stack":
            return query, self.marks
        return query.with_part(ValuePart.of(self.columns, self.marks)), ()

    @property
    def words(self) -> list[str]:
        """The options with which the command `coverage` gives the same rows."""
        words = [f"--rows={self.rows}"] if self.rows != "package" else []
        words += [f"--cols={self.columns}"] if self.columns != "stack" else []
        words += [f"--stack={mark}" for mark in self.marks if self.compared and self.columns == "stack"]
        words += ["--gaps"] if self.only_gaps else []
        words += [f"--expect={self.expected_by}"] if self.expected_by else []
        if self.order != "name" or self.descending:
            words.append(f"--sort={'-' * self.descending}{self.order}")
        return words

    def arranged(self, found: Coverage) -> Coverage:
        """The rows that are wanted, in the order that is wanted."""
        if self.compared:
            found = found.differing(self.marks)
        if self.only_gaps:
            found = found.with_gaps()
        if self.compared and (self.order, self.descending) == ORDERS[0]:
            return _lacking_first(found)
        return found.ordered(self.order, descending=self.descending)


def _lacking_first(coverage: Coverage) -> Coverage:
    """The rows that a column lacks first, what the last column lacks before what the first one does."""
    rows = sorted(coverage.rows, key=lambda row: (not row.gaps, [not count for count in row.counts], row.place))
    return replace(coverage, rows=tuple(rows))
