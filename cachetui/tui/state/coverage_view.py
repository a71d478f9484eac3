"""How the matrix of coverage is looked at: axes, order, marks, the cell. No widget in it.

Invariant: the marks are values of the axis of the columns, and where columns are compared there are at least two.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import cycle, dropwhile
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.coverage import COLUMN_AXES, Coverage, CoverageRow, Order, existing, ruled_out
from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.views import ScreenLook

ROW_AXES: tuple[str, ...] = ("package", "version", "compiler", "os", "target", "stack")
"""What the rows can be, in the order of the key that goes through them."""

ORDERS: tuple[tuple[Order, bool], ...] = (("name", False), ("specs", True), ("gaps", True))
"""Each order, and whether the greatest stand first in it."""

MatrixCell: TypeAlias = tuple[Hashable, str | None]
"""A row and a column of the matrix."""


class CoverageView(Struct, frozen=True):
    """How the matrix is looked at, and what it was when it was left."""

    row_axis: str = "package"
    column_axis: str = "stack"
    order: Order = "name"
    descending: bool = False
    only_gaps: bool = False
    gaps_before: bool = False
    """Where columns are compared: whether there were only rows with gaps before."""
    dense: bool = False
    """Whether it is a map of one cell a column instead of numbers."""
    marks: tuple[str, ...] = ()
    """The marked columns, in the order in which they were marked."""
    marked_before: tuple[str, tuple[str, ...]] = ("", ())
    """An axis of columns that are marked as soon as they are looked at, and these columns."""
    compared: bool = False
    """Whether the marked columns stand alone, with the rows in which they differ."""
    lacking: str | None = None
    """Of those the one that lacks what is shown: only rows that another one has and it has not."""
    turned_from: tuple[MatrixCell, int] | None = None
    """Where one column lacks what is shown: the cell and the first row on screen when all that differs was shown."""
    expected: frozenset[str] = frozenset()
    """Packages that have a row in any case."""
    expected_by: str = ""
    """The file that names them."""
    row: Hashable = None
    column: str | None = None
    """The cell under the cursor."""
    first_row: int = 0
    """The first row on screen when it was left."""
    first_column: str | None = None
    """The first of the columns that scroll on screen then."""
    counted: Coverage | None = None
    """The figures; None while they are counted."""

    @classmethod
    def of(cls, look: ScreenLook) -> CoverageView:
        """As it was looked at; what this version does not know is as at first."""
        order = look.order.removeprefix("-")
        columns = look.columns if look.columns in COLUMN_AXES else COLUMN_AXES[0]
        rows = look.rows if look.rows in ROW_AXES and look.rows != columns else ROW_AXES[0]
        known = (name for name, _ in ORDERS if name == order)
        return cls(
            row_axis=rows,
            column_axis=columns,
            order=next(known, "name"),
            descending=look.order.startswith("-"),
            only_gaps=look.only_gaps,
            dense=look.dense,
            marks=look.marked,
            compared=look.compared and len(look.marked) > 1,
            lacking=look.lacking if look.compared and look.lacking in look.marked else None,
        )

    @property
    def look(self) -> ScreenLook:
        """As it is saved; what is as at first is empty."""
        order = f"{'-' * self.descending}{self.order}"
        return ScreenLook(
            rows="" if self.row_axis == "package" else self.row_axis,
            columns="" if self.column_axis == "stack" else self.column_axis,
            order="" if order == "name" else order,
            marked=self.marks,
            compared=self.compared,
            lacking=self.lacking or "",
            only_gaps=self.only_gaps,
            dense=self.dense,
        )

    # Other views

    def at(self, cell: MatrixCell) -> CoverageView:
        """The same, with the cursor at another cell."""
        row, column = cell
        return replace(self, row=row, column=column)

    def left_for(self, cell: MatrixCell, first: tuple[int, str | None]) -> CoverageView:
        """As it is left for the specs of a cell; who comes back stays there too where all that differs is shown.

        `first`: the first row and the first column on screen.
        """
        return replace(self.at(cell), first_row=first[0], first_column=first[1], turned_from=None)

    def in_next_order(self) -> CoverageView:
        names = [name for name, _ in ORDERS]
        order, descending = ORDERS[(names.index(self.order) + 1) % len(ORDERS)]
        return replace(self, order=order, descending=descending)

    def with_next_columns(self) -> CoverageView:
        following = dropwhile(lambda axis: axis != self.column_axis, cycle(COLUMN_AXES))
        axis = next(axis for axis in following if axis not in (self.column_axis, self.row_axis))
        marked, marks = self.marked_before
        if axis != marked:
            return replace(self.not_compared(), column_axis=axis, marks=())
        return replace(self.not_compared(), column_axis=axis, marks=marks, marked_before=("", ()))

    def with_next_rows(self) -> CoverageView:
        following = dropwhile(lambda axis: axis != self.row_axis, cycle(ROW_AXES))
        return replace(self, row_axis=next(axis for axis in following if axis not in (self.row_axis, self.column_axis)))

    def marked_as(self, axis: str, marks: Sequence[str], index: Index, query: Query) -> CoverageView:
        """With these columns of an axis marked, as far as there are any: now, else as soon as they are looked at."""
        query = query.without_key("tag") if axis == "tag" else query
        there = tuple(existing(index, query, axis, marks))
        return replace(self, marks=there) if axis == self.column_axis else replace(self, marked_before=(axis, there))

    def with_mark_toggled(self, column: str) -> CoverageView:
        others = tuple(mark for mark in self.marks if mark != column)
        return replace(self, marks=others if column in self.marks else (*self.marks, column))

    def comparing(self, marks: tuple[str, ...]) -> CoverageView:
        """These columns alone, and the rows in which they differ."""
        before = self.gaps_before if self.compared else self.only_gaps
        return replace(self, marks=marks, compared=True, lacking=None, gaps_before=before)

    def not_compared(self) -> CoverageView:
        """All columns again, with the rows that there were before some of them were compared."""
        return replace(self, compared=False, lacking=None, only_gaps=self.gaps_before) if self.compared else self

    def turned_round(self, first_row: int = 0) -> CoverageView:
        """What the last marked column lacks; then what each one before it lacks; then all in which they differ.

        `first_row`: the first one on screen.
        """
        left = ((self.row, self.column), first_row) if self.lacking is None else self.turned_from
        turned = replace(self, lacking=self.next_lacking, turned_from=left)
        if turned.lacking is None:
            return turned if self.turned_from is None else replace(turned, column=self.turned_from[0][1])
        # where all of one column are gaps, the cursor is to be on one that has what is shown
        return turned if turned.column in turned.holders else replace(turned, column=turned.holders[0])

    def not_turned(self) -> tuple[CoverageView, int]:
        """All in which the columns differ, at the cell from which it was turned round, or at the one whose specs were
        looked at since; the first row on screen."""
        cell, first_row = self.turned_from or ((self.row, self.column), 0)
        return replace(self.at(cell), lacking=None, turned_from=None), first_row

    @property
    def next_lacking(self) -> str | None:
        """The column of which it is shown next what it lacks; None for all in which the columns differ."""
        sides = [None, *reversed(self.marks)]
        return sides[(sides.index(self.lacking) + 1) % len(sides)]

    @property
    def holders(self) -> tuple[str, ...]:
        """Where one column lacks what is shown, those that have it."""
        return tuple(mark for mark in self.marks if mark != self.lacking)

    # Filters of the columns themselves

    def filters_hiding(self, columns: Sequence[str], index: Index, query: Query) -> tuple[str, ...]:
        """All filters of the axis of the columns, as they were typed, where they leave any of these out; else none."""
        if not ruled_out(index, self.base(query), self.column_axis, columns):
            return ()
        others = query.without_key(self.column_axis).texts
        return tuple(text for text in query.texts if text not in others)

    def within(self, index: Index, query: Query) -> CoverageView:
        """The same under these filters: without the comparison of columns where they leave one of them out."""
        return self.not_compared() if self.compared and self.filters_hiding(self.marks, index, query) else self

    # What it asks for

    def base(self, query: Query) -> Query:
        """The query, over all tags where each of them is a column."""
        return query.without_key("tag") if self.column_axis == "tag" else query

    def asked(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """What is to be counted: the query, and the stacks that stand alone."""
        query = self.base(query)
        if not self.compared:
            return query, ()
        if self.column_axis == "stack":
            return query, self.marks
        return query.with_part(ValuePart.of(self.column_axis, self.marks)), ()

    def spelled(self, query: Query, tags: Sequence[str]) -> Query:
        """What the command `coverage` is to be asked for the same; `tags`: all that there are."""
        query, _ = self.asked(query)
        if self.column_axis == "tag" or query.parts_of("tag"):
            return query
        # without a tag the command looks at the one that is looked at first
        return query.with_part(ValuePart.of("tag", tags))

    @property
    def words(self) -> list[str]:
        """The options with which the command `coverage` gives the same rows."""
        words = [f"--rows={self.row_axis}"] if self.row_axis != "package" else []
        words += [f"--cols={self.column_axis}"] if self.column_axis != "stack" else []
        if self.compared and self.column_axis == "stack":
            words += [f"--{'lacks' if mark == self.lacking else 'stack'}={mark}" for mark in self.marks]
        words += ["--gaps"] if self.only_gaps else []
        words += [f"--expect={self.expected_by}"] if self.expected_by else []
        if self.order != "name" or self.descending:
            words.append(f"--sort={'-' * self.descending}{self.order}")
        return words

    @property
    def _is_lacking_first(self) -> bool:
        """Whether the rows stand by which of the compared columns lacks them, and only then by name."""
        return self.compared and (self.order, self.descending) == ORDERS[0]

    @property
    def sorting(self) -> tuple[Order, bool] | None:
        """What all rows are sorted by, and whether the greatest stand first; None where they stand in groups."""
        is_one_group = self.lacking is not None and len(self.marks) == 2
        return None if self._is_lacking_first and not is_one_group else (self.order, self.descending)

    def arranged(self, found: Coverage) -> Coverage:
        """The rows that are wanted, in the order that is wanted."""
        if self.compared and self.lacking is not None:
            found = found.lacking(self.holders, [self.lacking])
        elif self.compared:
            found = found.differing(self.marks)
        if self.only_gaps:
            found = found.with_gaps()
        if self._is_lacking_first:
            return _lacking_first(found)
        return found.ordered(self.order, descending=self.descending)


def _lacking_first(coverage: Coverage) -> Coverage:
    """The rows that a column lacks first, what the last column lacks before what the first one does."""
    rows = sorted(coverage.rows, key=lambda row: (not row.gaps, [not count for count in row.counts], row.place))
    return replace(coverage, rows=tuple(rows))


def query_of_cell(found: Coverage, base: Query, row: CoverageRow | None, column: str) -> Query:
    """The query that takes the specs of a cell, or without a row those of the column; raises QueryError.

    `base`: the query without the columns that stand alone: these are a way to look, and no filter to take along. What
    was typed stays as it was typed, the name too where it already means the one package that has a row.
    """
    whole = replace(found, query=base)
    is_named = len(whole.whole) == 1 and whole.row_axis == "package" and base.package is not None
    query = whole.column_query(column) if row is None or is_named else whole.cell_query(row.name, column)
    Query.parse(str(query), fuzzy_name=query.fuzzy_name)  # refuses a name that no query can spell
    return query


class CellChosen(Struct, frozen=True, eq=False):
    """How the screen ends when the user goes to the specs of a cell."""

    query: Query
    view: CoverageView
    index: Index
    """What the figures of the view are of."""
