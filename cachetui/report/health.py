"""What is wrong with a catalogue, a problem in each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cachetui.model.problem import Problem
from cachetui.report.formats import Block, TableBlock

FIELDS = ("path", "line", "level", "kind", "message")
"""The fields of a problem, in the order of the JSON output."""


class HealthReport:
    def __init__(self, problems: Sequence[Problem]) -> None:
        self._problems = problems

    def document(self) -> object:
        return [{field: getattr(problem, field) for field in FIELDS} for problem in self._problems]

    def records(self) -> TableBlock:
        return TableBlock(FIELDS, map(_cells, self._problems), right=(1,))

    def blocks(self, width: int | None) -> Iterator[Block]:
        rows = (_cells(problem) for problem in self._problems)
        found = ((level, f"{path}:{line}" if line else path, *rest) for path, line, level, *rest in rows)
        yield TableBlock(("level", "place", "kind", "message"), found, headed=False)


def _cells(problem: Problem) -> list[str]:
    return ["" if (value := getattr(problem, field)) is None else str(value) for field in FIELDS]
