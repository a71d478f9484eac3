"""The coverage as a matrix; Enter opens the specs of a cell."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from cachetui.analysis.coverage import Coverage
from cachetui.report.coverage import CoverageReport
from cachetui.report.formats import Document
from cachetui.safe_text import plural, visible
from cachetui.tui.coverage.state import FROZEN, Counted, CoverageQuestion, CoverageState, figures_of
from cachetui.tui.frame import StateScreen
from cachetui.tui.keymap import Actions, Footer, KeyLabel, bindings, labelled
from cachetui.tui.lines import FixedRows, Text
from cachetui.tui.view.view import View
from cachetui.tui.widgets.list_pane import AFTER
from cachetui.tui.widgets.matrix import Matrix
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

NO_AXIS = "nothing else is recorded of these specs"


class CoverageScreen(StateScreen[CoverageState]):
    """The matrix, and below it the names of the columns where these have numbers."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("coverage")

    FOOTER: ClassVar[Footer] = (
        ("table.choose", "specs"),
        *labelled("coverage.gaps", "coverage.sort", "coverage.columns", "browse.filter", "coverage.mark"),
        *labelled("coverage.compare", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "a part of a row's or a column's name"

    state_of = CoverageState.of

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.home = self.matrix = Matrix(title="Coverage", frozen=FROZEN, id="matrix")
        self.body = (self.matrix,)

    def work(self, question: CoverageQuestion, cancelled: Cancelled) -> Iterator[Counted]:
        yield figures_of(question)

    # Show the state

    def show(self, state: CoverageState, before: CoverageState | None) -> None:
        """Show the matrix; the previous one stays until there is a new answer."""
        found, rows = state.coverage, state.rows
        waits_for = self.status.progress or ("counting" if state.question is not None else "")
        gaps = f" · {plural(found.gaps, 'gap')}" if found else ""
        self.matrix.entitle(f"Coverage{gaps}", [waits_for or state.cell_text])
        if found is None or rows is None:
            self.matrix.show(FixedRows({}), (), 0)
            return
        by = state.sorted_title
        shown = rows if len(rows) else self.empty([*self._why_empty(state, found), ("screen.back", "back")])
        self.matrix.show(shown, state.columns_in(self.app.size.width - Matrix.GUTTER - AFTER), state.cursor.on(rows))
        self.matrix.show_column(state.column_at)
        self.matrix.mark_order(by, state.is_falling != (by == "version"))  # versions begin with the newest

    def _why_empty(self, state: CoverageState, found: Coverage) -> Sequence[str | KeyLabel]:
        if not found.whole:
            return ["No spec matches.", ("browse.clear", "clear")]
        if state.word or found.columns:
            return [f"No row is left: {', '.join(state.causes)}.", ("browse.why", "remove what hides rows")]
        return [f"No spec here has a {found.column_axis}.", ("coverage.columns", "columns")]

    def heading_of(self, state: CoverageState) -> tuple[Text, str]:
        left, _ = super().heading_of(state)
        found = state.coverage
        if found is None:
            return left, ""
        return left, f"{plural(len(found.rows), found.row_axis)} × {plural(len(found.columns), found.column_axis)}"

    # Keys and messages of the matrix

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "coverage.gaps": self.own_step(CoverageState.turn_gaps),
            "coverage.columns": self.own_step(CoverageState.next_columns, NO_AXIS),
            "coverage.rows": self.own_step(CoverageState.next_rows, NO_AXIS),
            "coverage.sort": self.own_step(CoverageState.sort),
            "coverage.reverse": self.own_step(CoverageState.turn_order),
            "coverage.mark": self.own_step(CoverageState.mark),
            "browse.unmark": self.own_step(CoverageState.unmark, "no column is marked"),
            "coverage.compare": self.own_step(CoverageState.compare, "mark two columns or more to compare them"),
        }

    @on(Matrix.ColumnMoved)
    def follow_column(self, event: Matrix.ColumnMoved) -> None:
        self.do(lambda state: state.move_column(event.column))

    @on(Table.HeadClicked)
    def sort_by(self, event: Table.HeadClicked) -> None:
        """Sort by the column that was clicked, which has the cursor now."""
        self.do(lambda state: state.move_column(max(0, event.column - FROZEN)).sort())

    @on(Table.Chosen)
    def open_cell(self) -> None:
        """Open the specs of the cell."""
        self.ask("browse", self.state.opened(), "this cell is a gap: it has no specs to open")

    # Copy and export

    def here(self) -> View | None:
        return self.state.opened(row=True)

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self.state.coverage
        if found is None:
            return ()
        return ((plural(len(found.rows), "name"), "\n".join(visible(row.name) for row in found.rows)),)

    def document(self) -> Document | None:
        found = self.state.coverage
        return None if found is None else CoverageReport(found, self.state.view.index)
