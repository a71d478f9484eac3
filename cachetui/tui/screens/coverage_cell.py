"""The cell under the cursor of a coverage: the lines around the matrix that tell of it, the query for its specs, and
the one that the cursor would be on if it were there.

Above numbers stands the cell in words, below them the names of numbered columns. Above a map stands how it is read,
below it the cell in words, the counts of the rows that share it, and the names of the columns where there is room.
"""

from __future__ import annotations

from collections.abc import Iterator

from textual.widget import Widget

from cachetui.query.errors import QueryError
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.tui.rows.layout import measure
from cachetui.tui.rows.tones import Tone
from cachetui.tui.screens import coverage_lines as lines
from cachetui.tui.screens.coverage_hints import CellHere
from cachetui.tui.state.coverage_view import CellChosen, CoverageView, MatrixCell, query_of_cell
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.coverage_matrix import CoverageMatrix
from cachetui.tui.widgets.legend import Legend
from cachetui.tui.widgets.signs import signs_of


class CoverageCell:
    """The cell under the cursor of one matrix."""

    def __init__(self, matrix: CoverageMatrix, above: Bar) -> None:
        self._matrix, self._above = matrix, above
        self._below = Bar(id="cell")
        self._counts, self._names = Legend(id="counts"), Legend(id="legend")
        self._sent: tuple[MatrixCell, MatrixCell] | None = None
        """The cell that the cursor was sent to last, and the one that it came to where that one was not there."""

    def widgets(self) -> Iterator[Widget]:
        """The lines below the matrix, from above."""
        yield self._below
        yield self._counts
        yield self._names

    def show(self, view: CoverageView) -> None:
        """Shows the lines; nothing where there is no cell."""
        matrix, found = self._matrix, self._matrix.coverage
        name = matrix.column_name
        if found is None or name is None or matrix.cursor_row is None:
            self._above.show([])
            self._below.show([])
            self._counts.show_entries([])
            self._names.show_entries([])
            return
        at = matrix.names.index(name)
        number = f"{at + 1} " if matrix.is_numbered or view.dense else ""
        column = lines.column_text(found, view, at, number)
        here = [lines.cell_text(found, matrix.rows_here, at, matrix.app.size.width - measure(column) - 2)], [column]
        # The heading, the line of the cell, the heads and the last line stand there, too, below a map one more.
        free = matrix.app.size.height - len(matrix.rows) - 4
        if matrix.map_rows is None:
            self._above.show(*here)
            self._counts.show_entries([])
            self._names.show_entries(self._columns(view) if matrix.is_numbered else [], free)
            return
        self._above.show(lines.map_legend(matrix.map_rows, signs_of(matrix).dot))
        self._below.show(*here)
        shared = matrix.rows_here if matrix.map_rows.together > 1 else ()
        self._counts.show_entries(lines.count_entries(shared, at))
        names = self._columns(view)
        free -= 1 + len(self._counts.rows)
        self._names.show_entries(names if self._names.lines_of(len(names)) <= free else [], free)

    def note_sent(self, wanted: MatrixCell, view: CoverageView, *, begins: bool) -> None:
        """Notes that the cursor was sent to a cell, which may not be there, and shows the rows that belong there.

        `begins`: the first rows, as the columns are other ones that are compared.
        """
        if view.compared and view.row is not None and self._matrix.cursor_key != view.row:
            self._matrix.go(0)  # the package of before does not differ
        elif begins:
            self._matrix.begin()
        elif view.first_row or view.first_column is not None:
            self._matrix.begin_from(view.first_row, view.first_column)
        self._sent = wanted, self._matrix.cell

    def noted_in(self, view: CoverageView) -> CoverageView:
        """The view at the cell under the cursor; as long as the user has not moved it, at the one it was sent to."""
        if self._sent is None:
            return view
        wanted, came_to = self._sent
        return view.at(wanted if came_to == self._matrix.cell else self._matrix.cell)

    @property
    def here(self) -> CellHere:
        matrix = self._matrix
        is_none = matrix.coverage is not None and matrix.cursor_row is None
        return CellHere(matrix.column_name, len(matrix.rows_here), self.is_gap, is_none)

    @property
    def is_gap(self) -> bool:
        """Whether there is a cell of one row, or of a total, and it has no spec."""
        matrix, found = self._matrix, self._matrix.coverage
        if found is None or matrix.column_name is None or matrix.cursor_row is None or len(matrix.rows_here) > 1:
            return False
        at, row = matrix.names.index(matrix.column_name), next(iter(matrix.rows_here), None)
        return not (row.counts[at] if row else found.columns[at].specs)

    def chosen(self, view: CoverageView, query: Query, index: Index) -> CellChosen | str:
        """What leads to the specs of the cell under the cursor, or why there is nothing; `query`: that of all cells."""
        found = "" if view.counted is None else self._query(view, query)
        if isinstance(found, str):
            return found
        return CellChosen(found, view.left_for(self._matrix.cell, self._matrix.first_cell), index)

    def _query(self, view: CoverageView, query: Query) -> Query | str:
        matrix, found = self._matrix, self._matrix.coverage
        column, row = matrix.column_name, next(iter(matrix.rows_here), None)
        if found is None or column is None or matrix.cursor_row is None:
            return ""
        if self.is_gap:
            return "a gap: there is no spec to go to"
        try:
            return query_of_cell(found, view.base(query), row, column)
        except QueryError:
            return "a query cannot spell this name"

    def _columns(self, view: CoverageView) -> list[tuple[str, str, Tone]]:
        """The columns on screen: their number, with a star for one that is marked, and their name."""
        here = self._matrix.column_name
        return [
            (f"{'*' if name in view.marks else ''}{number}", name, "key" if name == here else "")
            for number, name in self._matrix.in_view
        ]
