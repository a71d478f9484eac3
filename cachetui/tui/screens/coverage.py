"""The coverage screen: what there is of each package in each stack, where the gaps are, and how stacks differ.

Three things are done here: look along a row or a column for gaps, compare two columns, go to the specs of a cell.
Input: an index and the query of the browse screen, whose filters can be cleared and brought back from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from cachetui.analysis.coverage import Coverage, coverage
from cachetui.query.query import Query
from cachetui.report.coverage import CoverageReport
from cachetui.search.index import Index
from cachetui.settings.views import ScreenLook
from cachetui.tui.screens import coverage_hints as keys
from cachetui.tui.screens import coverage_lines as lines
from cachetui.tui.screens.coverage_cell import CoverageCell
from cachetui.tui.screens.coverage_keys import COVERAGE_KEYS
from cachetui.tui.screens.coverage_names import CellFinder
from cachetui.tui.screens.export import Writer
from cachetui.tui.screens.filter_steps import TakenOut
from cachetui.tui.screens.help import COVERAGE_HELP
from cachetui.tui.screens.list_screens import HelpSection
from cachetui.tui.screens.survey_base import COMMON_HELP, FILTERS_HELP, SurveyScreen
from cachetui.tui.state.coverage_view import CoverageView
from cachetui.tui.state.view import View
from cachetui.tui.widgets.coverage_matrix import CoverageMatrix
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table


class CoverageScreen(SurveyScreen[Coverage]):
    """The matrix, the full name of what is under the cursor above it, the legend of its columns below it."""

    AUTO_FOCUS = "Matrix"

    SAVED_AS = "coverage"

    BINDINGS: ClassVar[list[BindingType]] = COVERAGE_KEYS

    KEYS: ClassVar[Sequence[HelpSection]] = (*COVERAGE_HELP, ("Everywhere", (*FILTERS_HELP, *COMMON_HELP)))

    def __init__(self, index: Index, query: Query, content: str | None, view: CoverageView) -> None:
        self._matrix = CoverageMatrix(id="matrix")
        super().__init__(index, content, self._matrix, keys.HINTS)
        self._query = query
        self._view = view
        self._finder = CellFinder(self._matrix, lambda: (self._index, self._view, self._query), self.key_of)
        self._find = Prompt("/", lines.PLACEHOLDER, id="find", completer=self._finder.completions)
        self._cell = CoverageCell(self._matrix, self._status)
        self._begins = False
        """Whether the next figures are of other columns that are compared."""

    def body(self) -> ComposeResult:
        yield self._find
        yield from super().body()
        yield from self._cell.widgets()

    def on_mount(self) -> None:
        if self._view.counted is None:
            self.ask()
        else:
            self.show_answer(self._view.counted)

    def on_resize(self) -> None:
        self.call_after_refresh(self._follow_size)

    def _follow_size(self) -> None:
        if (found := self.shown) is not None:
            self._show_heading(found)
            self._show_cell()

    @property
    def look(self) -> ScreenLook:
        return self._view.look

    # Figures

    def question(self) -> Callable[[Index], Coverage]:
        view = self._view.within(self._newest, self._query)
        if view is not self._view and not self._message:
            self.hint(keys.why_not_compared(self._view, self._newest, self._query, self.key_of))
        self._view = view
        query, stacks = view.asked(self._query)
        return lambda index: coverage(
            index, query, view.row_axis, view.column_axis, stacks=stacks, expected=view.expected
        )

    def follow_view(self, view: View) -> None:
        is_same, self._query = view.query == self._query, view.query
        if is_same:
            super().follow_view(view)
        else:
            self._newest = view.index
            self._change(self._view, again=True)

    def show_answer(self, found: Coverage) -> None:
        self._view = replace(self._cell.noted_in(self._view), counted=found)
        self._show()
        if found_now := self._finder.find_sought():
            self._show_found(found_now)

    @property
    def shown(self) -> Coverage | None:
        """The rows that are wanted of what was counted, in the order that is wanted."""
        return None if self._view.counted is None else self._view.arranged(self._view.counted)

    def _show(self) -> None:
        found, view = self.shown, self._view
        if found is None:
            return
        self._matrix.placeholder = lines.why_empty(
            found, view, self._query, self.key_of, has_pages=bool(len(self._index))
        )
        self.set_class(view.dense, "-map")
        shown = found if found.columns else replace(found, rows=(), hidden=found.whole)
        order, has_totals = view.sorting, view.lacking is None
        cell = view.row, view.column or shown.first_column_of(view.row)
        self._matrix.show_coverage(shown, view.marks, order, cell, dense=view.dense, has_totals=has_totals)
        self._cell.note_sent(cell, view, begins=self._begins)
        self._begins, self._view = False, replace(view, first_row=0, first_column=None)
        self._show_heading(found)
        self._show_cell()

    def _show_heading(self, found: Coverage) -> None:
        width, signs = self.app.size.width, signs_of(self)
        self._heading.show(*lines.heading(found, self._view, self._query, width, signs))

    # The cell under the cursor

    @on(Table.Moved, "#matrix")
    def follow_cell(self) -> None:
        self._show_cell()

    def _show_cell(self) -> None:
        self._cell.show(self._view)
        self._wanted_hints = keys.hints(self._view, self._query, self._cell.here)
        self._show_hints()

    def choose(self, event: Table.Chosen) -> None:
        """Goes to the specs of the cell; where rows share it, to their numbers."""
        if len(self._matrix.rows_here) > 1:
            self.action_turn_dense()
            return
        chosen = self._cell.chosen(self._view, self._query, self._index)
        if isinstance(chosen, str):
            self.hint(chosen)
        else:
            self.dismiss(chosen)

    # How it is looked at

    def _change(self, view: CoverageView, *, again: bool) -> None:
        """Looks at it in another way, from the same cell; `again`: the figures are other ones."""
        self._view = self._cell.noted_in(view)
        if again:
            self._view = replace(self._view, counted=None)
            self.ask()
        else:
            self._show()

    def action_only_gaps(self) -> None:
        self._change(replace(self._view, only_gaps=not self._view.only_gaps), again=False)
        self.hint("" if self._view.counted is None else keys.gaps_text(self._view.counted, self._view))

    def action_turn_dense(self) -> None:
        """Shows a map in place of the numbers, or the numbers again, at the same cell."""
        self._view = replace(self._view.at(self._matrix.cell), dense=not self._view.dense)
        self._show()

    def action_sort(self) -> None:
        self._sort(self._view.in_next_order())

    def action_reverse(self) -> None:
        self._sort(replace(self._view, descending=not self._view.descending))

    def _sort(self, view: CoverageView) -> None:
        """Shows the rows in another order: from the first of them the cursor goes to the first again."""
        here, before, self._view = self._matrix.rows_here, self.shown, self._cell.noted_in(view)
        if here and before and self.shown and here[0].name == before.rows[0].name:
            self._view = replace(self._view, row=self.shown.rows[0].name)
        self._show()

    def action_next_columns(self) -> None:
        self._change_axes(self._view.with_next_columns())

    def action_next_rows(self) -> None:
        self._change_axes(self._view.with_next_rows())

    def _change_axes(self, view: CoverageView) -> None:
        self._change(view, again=True)
        self.hint(keys.axes_text(view, self.key_of))

    def action_mark(self) -> None:
        name = self._matrix.column_name
        if self._view.compared:
            self.hint(keys.how_to_mark_others(self.key_of))
        elif name is not None:
            self._change(self._view.with_mark_toggled(name), again=False)

    def action_compare(self) -> None:
        """Shows the marked columns and the one under the cursor alone; all columns again."""
        if self._view.compared:
            self._change(self._view.not_compared(), again=True)
            return
        name, marks = self._matrix.column_name, self._view.marks
        # the column under the cursor is the second one where only one is marked
        self._compare(marks if len(marks) > 1 or name is None or name in marks else (*marks, name))

    def _compare(self, marks: tuple[str, ...]) -> None:
        if len(marks) < 2:
            self.hint(keys.how_to_compare(self.key_of))
            return
        self._begins, compared = True, self._view.comparing(marks)
        if compared.filters_hiding(marks, self._index, self._query):
            self._view = replace(self._cell.noted_in(compared), counted=None)
            self.post_message(self.StepAsked(TakenOut(compared.column_axis, "compare"), self))
        else:
            self._change(compared, again=True)

    def action_turn_round(self) -> None:
        """Shows what one of the compared columns lacks, then what the other one does, then all again."""
        if self._view.compared:
            self._view = self._cell.noted_in(self._view).turned_round(self._matrix.first_in_view)
            self._show()
            self._matrix.show_from(0)  # where the first rows stay the same, others below them do not
        else:
            self.hint(keys.how_to_turn_round(self.key_of))

    def action_close(self) -> None:
        """Leaves what one of the compared columns lacks first, then the comparison, then the coverage."""
        if self._view.compared and self._view.lacking is not None:
            self._view, first_row = self._cell.noted_in(self._view).not_turned()
            self._show()
            self._matrix.show_from(first_row)
        elif self._view.compared:
            self.action_compare()
        else:
            super().action_close()

    # Finding

    def action_find(self) -> None:
        self._finder.begin()
        self.open_prompt(self._find)

    def forget_message(self) -> None:
        """Keeps what is said of the words in the line as long as these stand there."""
        if not self.has_class("-typing"):
            super().forget_message()

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        self.hint(self._finder.follow(event.text.split()))

    @on(Prompt.Left)
    def stop_typing(self, event: Prompt.Left) -> None:
        self.hint("")
        self.leave_prompt()
        if event.chosen:
            self._show_found(self._finder.find(event.text.split()))
        else:
            self._finder.go_back()

    def _show_found(self, found: str | tuple[str, ...]) -> None:
        """Compares the columns that are named, or says what there is to say."""
        if isinstance(found, str):
            self.hint(found)
        else:
            self._compare(found)

    # What leaves the screen

    def copies(self) -> Sequence[tuple[str, str]]:
        return () if self.shown is None else lines.copy_texts(self.shown, self._view, self.made_by)

    @property
    def made_by(self) -> str:
        query = self._index.exact(self._view.spelled(self._query, self._index.tags))
        return lines.command_text(self._view, query, self._content)

    @property
    def shows(self) -> Sequence[str]:
        return () if self.shown is None else lines.shown_rows(self.shown, self._view)

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        found = self.shown
        if found is None:
            return super().exports()
        index = self._index
        what = f"the coverage, {lines.size_text(found, self._view)}"
        writers = self.writers(lambda: CoverageReport(found, index))
        return lines.file_name(found, self._view), what, writers
