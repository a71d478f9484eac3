"""The matrix of a coverage: its columns have their full names as heads where all of them fit, else numbers.

Or, dense, a map of one cell a column, with as many rows in a line as it takes for all to be seen at once.

Input: a `Coverage`, frozen like everything that is shown here.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from typing import Literal

from cachetui.analysis.coverage import Coverage, CoverageRow, Order
from cachetui.safe_text import visible
from cachetui.tui.rows.coverage import GAPS, SPECS, TOGETHER, TOTALS, MapRows, MatrixRows
from cachetui.tui.rows.layout import GAP, Column, measure
from cachetui.tui.widgets.legend import legend_columns
from cachetui.tui.widgets.matrix import Matrix, MatrixStanding
from cachetui.tui.widgets.signs import signs_of

FROZEN = 3
"""Name, specs and gaps stay in place."""

MAP_FROZEN = 1
"""In a map the name alone stays in place."""

ROOMY = 100
"""From this width on a column of a map takes two cells, if all columns have room for that: a picture that is twice as
wide, or two digits, which then stand apart."""

MAP_NAME, MAP_NAMES = 12, 28
"""The least and the most cells for a name in a map."""

MAP_MORE = 3
"""Cells that say how many rows more a line stands for."""

AROUND_MAP = 5
"""Lines around a map: the heading, how it is read, the heads, the cell in words, the last line."""


class CoverageMatrix(Matrix):
    """A coverage as a matrix; its columns follow its width."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__((), frozen=FROZEN, id=id)
        self._marks: Collection[str] = ()
        self._order: tuple[Order, bool] | None = ("name", False)
        self._wanted: str | None = None
        """The column that the cursor goes to as soon as there is a size to lay it out in."""
        self._first_wanted: tuple[int, str | None] | None = None
        """The row and the column that are to be the first on screen, as long as nobody has moved it since."""
        self._stood_from: MatrixStanding | None = None
        """How it stands with these; None as long as there is no size."""
        self._dense = False
        self._has_totals = True
        self._row_before: Hashable = None
        """The row under the cursor when the map took the place of the numbers, or the other way round."""
        self.is_numbered = False
        """Whether the heads are numbers, since the names do not fit."""

    def show_coverage(
        self,
        coverage: Coverage,
        marks: Collection[str],
        order: tuple[Order, bool] | None,
        cell: tuple[Hashable, str | None] = (None, None),
        *,
        dense: bool = False,
        has_totals: bool = True,
    ) -> None:
        """Shows other figures; the cursor goes to the cell, a row and a column, or stays on its own.

        `order`: what the rows are sorted by, and whether the greatest stand first; None where one column does not say.
        `has_totals`: a line above the numbers sums up all rows, those that are hidden too.
        """
        row, column = cell
        self._first_wanted = None
        if dense != self._dense:
            column = column or self.column_name
            # a line of a map may stand for several rows: it leads back to the one that it was opened on
            together = [each.name for each in self.rows_here]
            row = self._row_before if self._row_before in together else row
            self._row_before = row
            self._dense, self._frozen = dense, MAP_FROZEN if dense else FROZEN
        self._marks, self._order, self._wanted, self._has_totals = marks, order, column, has_totals
        self._lay_out(coverage, row)

    @property
    def coverage(self) -> Coverage | None:
        return self.rows.coverage if isinstance(self.rows, MatrixRows | MapRows) else None

    @property
    def map_rows(self) -> MapRows | None:
        """What the map shows; None for the numbers."""
        return self.rows if isinstance(self.rows, MapRows) else None

    @property
    def rows_here(self) -> Sequence[CoverageRow]:
        """The rows under the cursor: none at the totals, more than one where they share a line."""
        at = self.cursor_row
        return self.rows.rows_at(at) if isinstance(self.rows, MatrixRows | MapRows) and at is not None else ()

    def go_to_cell_of(self, row: Hashable, column: str | None) -> None:
        """Puts the cursor on the cell of this row and this column, as far as they are there."""
        self.go_to_row(row)
        if column is not None:
            self.go_to_column(column)

    def go_to_row(self, name: Hashable) -> None:
        """Puts the cursor on the row of this name, or key."""
        at = self.rows.find(name)
        if at is not None:
            self.go(at)

    def begin(self) -> None:
        """Scrolls to the first row; the cursor goes there if it would be out of view."""
        self.go_in_view(self._row if self._row < self.page else 0, 0)

    def begin_from(self, row: int, column: str | None) -> None:
        """Scrolls to where this row is the first on screen, and this column of those that scroll.

        As soon as there is a size, and again where that changes: the lines below it come when it is there.
        """
        self._first_wanted, self._stood_from = (row, column), None
        if not self.size.width:
            return
        self.show_from(row)
        if column in self.names:
            self.show_from_column(self.names.index(column) + self._frozen)
        self._stood_from = self.cell_standing

    @property
    def first_cell(self) -> tuple[int, str | None]:
        """The first row on screen, and the first of the columns that scroll."""
        return self.first_in_view, next((name for _, name in self.in_view), None)

    @property
    def column_name(self) -> str | None:
        """The name of the column under the cursor."""
        at, coverage = self.cursor_column, self.coverage
        return None if at is None or coverage is None else coverage.columns[at - self._frozen].name

    @property
    def cell(self) -> tuple[Hashable, str | None]:
        """The key of the row and the name of the column under the cursor."""
        return self.cursor_key, self.column_name

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.coverage.columns] if self.coverage else []

    def go_to_column(self, name: str) -> None:
        """Puts the cursor on the column of this name."""
        if name in self.names:
            self.go_column(self.names.index(name) + self._frozen)

    @property
    def in_view(self) -> list[tuple[int, str]]:
        """The numbers, from 1, and names of the columns on screen."""
        names = self.names
        places = [slot.column - self._frozen for slot in self.slots() if slot.column >= self._frozen]
        return [(place + 1, names[place]) for place in places if place < len(names)]

    def resized(self) -> None:
        if self._stood_from not in (None, self.cell_standing):
            self._first_wanted = None
        if self.coverage is not None:
            self._lay_out(self.coverage)
        super().resized()
        if self._first_wanted is not None:
            self.begin_from(*self._first_wanted)

    def _lay_out(self, coverage: Coverage, key: Hashable = None) -> None:
        if self._dense:
            self._lay_out_map(coverage, key)
            return
        rows = MatrixRows(coverage, signs_of(self).dot, above=int(self._has_totals))
        if not self.size.width:
            self.show(rows, key=key)
            return
        axis = rows.coverage.row_axis
        widest = max([len(rows.label), *(measure(visible(row.name)) for row in rows.coverage.rows)])
        room = 28 if self.size.width >= 100 else 20 if self.size.width >= 80 else 15
        orders: list[Literal["", "rising", "falling"]] = ["", "", ""]
        if self._order is not None:
            by, descending = self._order
            orders[("name", "specs", "gaps").index(by)] = "falling" if descending else "rising"
        fixed = [
            Column(axis, max(len(axis) + 1, min(widest, room)), order=orders[0], ends=True),
            Column("specs", SPECS, right=True, order=orders[1]),
            Column("gaps", GAPS + 1, right=True, order=orders[2]),
        ]
        left = self.size.width - sum(column.width + GAP for column in fixed) - 3
        rows, heads = self._fitting(rows, left)
        self.show(rows, [*fixed, *heads], key=key)
        self._go_to_wanted()

    def _go_to_wanted(self) -> None:
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self.go_to_column(wanted)

    def _lay_out_map(self, coverage: Coverage, key: Hashable) -> None:
        signs = signs_of(self)
        rows = MapRows(coverage, signs.dot)
        if self.size.width and signs.blocks.has_dots:
            # not by the lines of this widget, which depend on what stands below it by now
            room, beside = self.app.size.height - AROUND_MAP, legend_columns(self.app.size.width)
            lines = {number: -(-len(rows) // number) + (number > 1) * -(-number // beside) for number in (1, 2)}
            rows = replace(rows, together=next((number for number in lines if lines[number] <= room), TOGETHER))
        self.is_numbered = False
        count, gap = len(coverage.columns), int(rows.together == 1)
        if self.size.width >= ROOMY and self.body_width - GAP - MAP_NAMES >= (2 + gap) * count:
            rows = replace(rows, cells=2)
        else:
            gap = 0
        heads = [
            Column(
                "*" if column.name in self._marks else str(number % 10 ** (1 + gap)), rows.cells, right=True, gap=gap
            )
            for number, column in enumerate(coverage.columns, 1)
        ]
        longest = max((measure(visible(row.name)) for row in coverage.rows), default=0) + MAP_MORE
        room = self.body_width - GAP - (rows.cells + gap) * count
        width = min(MAP_NAMES, max(MAP_NAME, min(room, longest)))
        self.show(rows, [Column(coverage.row_axis, width, ends=True), *heads], key=key)
        if self.size.width:
            self._go_to_wanted()

    def _fitting(self, rows: MatrixRows, room: int) -> tuple[MatrixRows, list[Column]]:
        """Full names where all of them fit, else numbers; a star for a column that is marked."""
        names = [visible(column.name) for column in rows.coverage.columns]
        stars = ["*" if column.name in self._marks else "" for column in rows.coverage.columns]
        largest = len(str(rows.largest))
        full = max([largest, *(len(str(column.specs)) for column in rows.coverage.columns)])
        widths = [max(measure(name) + 1, full) for name in names]
        self.is_numbered = sum(width + GAP for width in widths) > room
        number = len(str(len(names))) + 1
        is_roomy = not self.is_numbered or (max(full, number) + GAP) * len(names) <= room
        rows = replace(rows, room=full if is_roomy else TOTALS)
        if not self.is_numbered:
            heads = zip(names, stars, widths, strict=True)
            return rows, [Column(star + name, width, right=True) for name, star, width in heads]
        width = max([number, largest, *map(len, rows.totals)])
        return rows, [Column(f"{star}{number}", width, right=True) for number, star in enumerate(stars, 1)]
