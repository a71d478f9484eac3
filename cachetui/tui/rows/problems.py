"""The problems found while reading, as rows of a table."""

from __future__ import annotations

from cachetui.model.problem import Problem
from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, Column, Line

PROBLEM_COLUMNS = (
    Column("", 5),
    Column("page", 20, share=1, ends=True),
    Column("line", 5, right=True, drop=1),
    Column("what is wrong", 24, share=2, words=True),
)


def problem_line(problem: Problem) -> Line:
    """One problem found while reading."""
    cells = (
        Cell(problem.level, "fault" if problem.level == "fault" else ""),
        visible(problem.path),
        str(problem.line or ""),
        visible(problem.message),
    )
    return Line(cells)
