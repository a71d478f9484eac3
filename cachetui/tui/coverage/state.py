"""The coverage of what a view selects, as one frozen value, and the steps from one to the next."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from msgspec.structs import replace

from cachetui.analysis.coverage import COLUMN_AXES, ORDERS, ROW_AXES, Coverage, coverage
from cachetui.analysis.coverage import Order as RowOrder
from cachetui.safe_text import plural, visible
from cachetui.tui.coverage.rows import TOTAL, CoverageRows, with_columns
from cachetui.tui.view.derived import keep, kept, known
from cachetui.tui.view.list_state import ListState
from cachetui.tui.view.view import Cursor, Order, View

Question = tuple[View, str, str]
"""What is to be counted: the specs of a view, by the axis of the rows and that of the columns."""


class CoverageState(ListState, frozen=True, kw_only=True):
    """How the matrix is looked at, and where the cursor is in it."""

    row_axis: str = "package"
    column_axis: str = "stack"
    counted: Coverage | None = None
    """The figures; None until the screen has had them counted."""
    order: Order = Order()
    only_gaps: bool = False
    is_map: bool = False
    marks: tuple[str, ...] = ()
    """The marked columns."""
    compares: bool = False
    """Whether the marked columns stand alone, with the rows in which they differ."""
    column: Cursor = Cursor()

    @classmethod
    def of(cls, view: View) -> CoverageState:
        """The coverage of a view, the cursor on the package that is under the view's own."""
        return cls(view=view, cursor=Cursor(view.package_here, 1)).looked_up()

    # What follows from it

    @property
    def scope(self) -> View:
        """The view that is counted: over all tags where each of them has a row or a column."""
        return self.view.choose_tag(None) if "tag" in (self.row_axis, self.column_axis) else self.view

    @property
    def question(self) -> Question | None:
        """What there is to count; None where all is counted."""
        if self.counted is not None:
            return None
        return self.scope, self.row_axis, self.column_axis

    @property
    def _key(self) -> Hashable:
        return "coverage", self.row_axis, self.column_axis

    def looked_up(self) -> CoverageState:
        """With the figures if they were counted before, else without."""
        return replace(self, counted=known(self.scope.results, self._key))

    def answered(self, question: Question, answer: Coverage) -> CoverageState:
        """With the figures, if they are still asked for."""
        if question != self.question:
            return self
        keep(self.scope.results, self._key, answer)
        return replace(self, counted=answer)

    @property
    def found(self) -> Coverage | None:
        """The rows and columns that are wanted, in the order that is wanted."""
        if self.counted is None:
            return None
        counted, marks = self.counted, self.marks if self.compares else ()
        key = (self.word, marks, self.only_gaps, self.order)
        return kept(counted, key, lambda: self._arranged(counted))

    def _arranged(self, counted: Coverage) -> Coverage:
        """The rows with one of the typed words in their names; words that no row has are of the columns."""
        words = self.word.lower().split()
        of_rows = [word for word in words if any(word in row.name.lower() for row in counted.rows)]
        of_columns = [word for word in words if word not in of_rows]
        columns = self.marks if self.compares else [column.name for column in counted.columns]
        found = with_columns(counted, _named(columns, of_columns))
        if self.compares:
            found = found.differing(self.marks)
        if self.only_gaps:
            found = found.with_gaps()
        shown = _named([row.name for row in found.rows], of_rows)
        hidden = tuple(row for row in found.rows if row.name not in shown)
        if hidden:
            rows = tuple(row for row in found.rows if row.name in shown)
            found = replace(found, rows=rows, hidden=found.hidden + hidden)
        return found.ordered(self.sorted_by, descending=self.is_falling)

    @property
    def sorted_by(self) -> RowOrder:
        """What sorts the rows."""
        return cast(RowOrder, self.order.column or "name")

    @property
    def is_falling(self) -> bool:
        """Whether the greatest stand first: with specs and gaps by themselves, with names turned round."""
        return (self.sorted_by != "name") != self.order.reverse

    @property
    def rows(self) -> CoverageRows | None:
        """The rows of the matrix."""
        found, is_map = self.found, self.is_map
        return None if found is None else kept(found, is_map, lambda: CoverageRows(found, is_map))

    @property
    def column_at(self) -> int:
        """The number of the column under the cursor, from 0."""
        names = [column.name for column in self.found.columns] if self.found else []
        if self.column.key in names:
            return names.index(self.column.key)
        return max(0, min(self.column.row, len(names) - 1))

    @property
    def cell(self) -> tuple[Hashable, str, int] | None:
        """The row and the column under the cursor, and how many specs they have; None where there is no cell."""
        found, rows = self.found, self.rows
        if found is None or not rows:
            return None
        k, column = self.cursor.on(rows), found.columns[self.column_at]
        specs = column.specs if k == TOTAL else found.rows[k - 1].counts[self.column_at]
        return rows.key(k), column.name, specs

    @property
    def cell_text(self) -> str:
        """The cell under the cursor in words."""
        if self.cell is None or self.found is None:
            return ""
        row, column, specs = self.cell
        name = f"all {len(self.found.whole):,}" if row == TOTAL else visible(str(row))
        if self.found.columns[self.column_at].absent:
            return f"no {self.column_axis} {visible(column)} here"
        return f"{name} in {visible(column)}: {plural(specs, 'spec') if specs else 'a gap'}"

    def opened(self, *, row: bool = False) -> View | None:
        """A view of its own on the specs of the cell, of a total those of its column; None for a gap.

        `row`: for a gap those of its row.
        """
        if self.cell is None or self.found is None:
            return None
        name, column, specs = self.cell
        if not specs and (name == TOTAL or not row):
            return None
        if name == TOTAL:
            query = self.found.column_query(column)
        else:
            query = self.found.cell_query(str(name), column) if specs else self.found.row_query(str(name))
        return replace(self.view.opened(query), only=self.view.only)

    @property
    def words(self) -> Sequence[str]:
        """The options with which the command `coverage` gives the same rows."""
        words = [f"--rows={self.row_axis}"] if self.row_axis != "package" else []
        words += [f"--cols={self.column_axis}"] if self.column_axis != "stack" else []
        words += [f"--stack={mark}" for mark in self.marks] if self.compares and self.column_axis == "stack" else []
        words += ["--gaps"] if self.only_gaps else []
        return [*words, f"--sort={'-' * self.is_falling}{self.sorted_by}"] if self.order != Order() else words

    # Steps

    def on_view(self, view: View) -> CoverageState:
        """The same of other filters, or of a newer index."""
        return replace(self, view=view).looked_up()

    def move_column(self, column: int) -> CoverageState:
        """Put the cursor on a column."""
        return replace(self, column=Cursor(self.found.columns[column].name, column)) if self.found else self

    def turn_gaps(self) -> CoverageState:
        """Only the rows with a gap, or all again."""
        return replace(self, only_gaps=not self.only_gaps)

    def turn_map(self) -> CoverageState:
        """A map in place of the numbers, or the numbers again."""
        return replace(self, is_map=not self.is_map)

    def next_columns(self) -> CoverageState:
        """The next axis for the columns."""
        axis = _next(COLUMN_AXES, self.column_axis, self.row_axis)
        return replace(self, column_axis=axis, marks=(), compares=False, column=Cursor()).looked_up()

    def next_rows(self) -> CoverageState:
        """The next axis for the rows."""
        axis = _next(ROW_AXES, self.row_axis, self.column_axis)
        return replace(self, row_axis=axis, cursor=Cursor()).looked_up()

    def sort(self) -> CoverageState:
        """Sort by the next of name, specs and gaps; these from the most."""
        return replace(self, order=self.order.next(ORDERS))

    def turn_order(self) -> CoverageState:
        """Turn the order round."""
        return replace(self, order=self.order._replace(reverse=not self.order.reverse))

    def mark(self) -> CoverageState:
        """Mark the column under the cursor, or take its mark away."""
        if self.cell is None:
            return self
        column = self.cell[1]
        others = tuple(mark for mark in self.marks if mark != column)
        marks = others if column in self.marks else (*self.marks, column)
        return replace(self, marks=marks, compares=self.compares and len(marks) > 1)

    def compare(self) -> CoverageState:
        """The marked columns alone, with the rows in which they differ; or all again."""
        return replace(self, compares=not self.compares) if len(self.marks) > 1 else self


def figures_of(question: Question) -> Coverage:
    """Count what a view selects."""
    view, rows, columns = question
    among = None if view.only is None else view.results.rows
    return coverage(view.index, view.asked, rows, columns, among=among)


def _named(names: Sequence[str], words: Sequence[str]) -> frozenset[str]:
    """The names with any of these words; all where there is no word."""
    return frozenset(name for name in names if not words or any(word in name.lower() for word in words))


def _next(axes: Sequence[str], axis: str, other: str) -> str:
    """The next of the axes, without the one of the other side."""
    free = [each for each in axes if each != other]
    return free[(free.index(axis) + 1) % len(free)]
