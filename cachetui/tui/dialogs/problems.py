"""The dialog of the problems that were found while reading."""

from collections.abc import Sequence
from typing import Any, ClassVar

from cachetui.model.problem import Problem
from cachetui.report.detail import Field
from cachetui.safe_text import containing, visible
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, StateScreen
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, KeyedRows, Line, measure


class ProblemRows(KeyedRows, frozen=True, dict=True):
    """Problems as rows, which are made when they are shown."""

    problems: Sequence[Problem]

    @property
    def keys(self) -> Sequence[int]:
        return range(len(self.problems))

    def made(self, k: int) -> Line:
        problem = self.problems[k]
        level = Cell(problem.level, "bad" if problem.level == "fault" else "muted")
        return Line((level, visible(problem.path), str(problem.line or ""), visible(problem.message)))


class ProblemDialog(ListDialog):
    """All problems; that under the cursor is shown in full below the list."""

    FOOTER: ClassVar[Footer] = (("prompt.leave", "back"),)

    def __init__(self, below: StateScreen[Any]) -> None:
        paths = (measure(visible(each.path)) for each in (*below.status.stale, *below.state.view.index.problems))
        page = as_wide_as(Column("page", 20, weight=1, rank=2, middle=True), paths)
        columns = (
            *(Column("", 5), page),
            *(Column("line", 5, right=True, rank=1), Column("reason", 30, weight=4)),
        )
        super().__init__(
            below, "Errors and warnings", columns, placeholder="a part of a path or a reason", in_full=True
        )

    def rows(self, text: str) -> ProblemRows:
        problems = (*self.status.stale, *self.view.index.problems)
        return ProblemRows([each for each in problems if containing(text, each.path, each.message, each.level)])

    def fields(self, key: int) -> Sequence[Field]:
        assert isinstance(self.table.rows, ProblemRows)
        problem = self.table.rows.problems[key]
        line = f", line {problem.line}" if problem.line else ""
        return Field("page", (visible(problem.path) + line,)), Field("problem", (visible(problem.message),))

    def answer(self, key: int) -> Answer:
        return None
