"""Coverage, with what became of the expectations where there are some.

In the tables for people a gap and a column that exists in none of the tags are marked; in CSV a gap is 0 and such a
column is empty. Only where something is expected, CSV says of each row whether it is. Input is what `analysis`
found; nothing is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cachetui.analysis.coverage import Coverage, CoverageRow, Verdict, VerdictKind
from cachetui.report.formats import Block, Code, MatrixBlock, TableBlock
from cachetui.search.index import Index

GAP, ABSENT = "·", "-"
"""In the place of a figure: where there is none, and where the column exists in none of the tags looked at."""

VERDICTS: tuple[VerdictKind, ...] = ("missing", "differs", "unreadable", "covered")
"""What is missing first, what is covered last."""

_VERDICT_COLUMNS = ("verdict", "specs", "expected", "stacks", "remark")


class CoverageReport:
    """At most `limit` rows of the matrix, or the verdicts on what is expected, or both."""

    def __init__(
        self,
        coverage: Coverage,
        index: Index,
        verdicts: Sequence[Verdict] = (),
        limit: int | None = None,
        *,
        matrix: bool = True,
    ) -> None:
        """Without `matrix` the verdicts stand alone, except in JSON, which always has both."""
        self._matrix = matrix
        self._limit = limit
        self._coverage = coverage
        self._has_expected = any(row.expected for row in coverage.whole)
        self._rows = coverage.rows[:limit]
        self._verdicts = verdicts
        self._index = index

    def document(self) -> object:
        coverage = self._coverage
        document: dict[str, object] = {
            "axes": {"rows": coverage.row_axis, "columns": coverage.column_axis},
            "columns": coverage.columns,
            "rows": list(map(self._row_document, self._rows)),
            "gaps": coverage.gaps,
        }
        if self._verdicts or not self._matrix:
            document["expectations"] = [_verdict_document(verdict, self._index) for verdict in self._verdicts]
        return document

    def _row_document(self, row: CoverageRow) -> object:
        names = (column.name for column in self._coverage.columns)
        package = {"package": row.name} if self._coverage.row_axis == "package" else {}
        return {
            "row": row.name,
            **package,
            "specs": row.specs,
            "expected": row.expected,
            "cells": dict(zip(names, row.counts, strict=True)),
        }

    def records(self) -> TableBlock:
        if not self._matrix:
            return _verdict_table(self._verdicts, self._index, self._limit)
        coverage = self._coverage
        expected = ["expected"] if self._has_expected else []
        names = [coverage.row_axis, "specs", *expected, *(column.name for column in coverage.columns)]
        return TableBlock(names, map(self._record, self._rows))

    def _record(self, row: CoverageRow) -> Sequence[str]:
        columns = zip(row.counts, self._coverage.columns, strict=True)
        counts = ("" if column.absent else str(count) for count, column in columns)
        expected = ["yes" if row.expected else "no"] if self._has_expected else []
        return [row.name, str(row.specs), *expected, *counts]

    def blocks(self, width: int | None) -> Iterator[Block]:
        coverage = self._coverage
        if self._verdicts:
            yield _verdict_table(self._verdicts, self._index, self._limit, "-")
        if self._rows and self._matrix:
            names = [coverage.row_axis, "specs", *(column.name for column in coverage.columns)]
            # a figure of all rows says so where not all of them stand above it
            label = "total" if len(self._rows) == len(coverage.whole) else f"total of all {len(coverage.whole)}"
            totals = [label, str(coverage.specs), *(_figure(c.specs, absent=c.absent) for c in coverage.columns)]
            yield MatrixBlock(names, list(map(self._cells, self._rows)), totals)

    def _cells(self, row: CoverageRow) -> Sequence[str]:
        columns = zip(row.counts, self._coverage.columns, strict=True)
        return [row.name, str(row.specs), *(_figure(count, absent=column.absent) for count, column in columns)]


def _figure(count: int, *, absent: bool) -> str:
    return ABSENT if absent else str(count or GAP)


def _verdict_table(
    verdicts: Sequence[Verdict], index: Index, limit: int | None = None, nothing: str = ""
) -> TableBlock:
    """At most `limit` verdicts, those first that something should be done about.

    A stack stands with the number of its specs that meet what is expected; `nothing` stands where there is nothing.
    """
    ordered = sorted(verdicts, key=lambda verdict: VERDICTS.index(verdict.kind))[:limit]
    rows = [[cell or nothing for cell in _verdict_cells(verdict, index)] for verdict in ordered]
    return TableBlock(_VERDICT_COLUMNS, rows, right=(1,), shrinking=(2, 3, 4))


def _verdict_cells(verdict: Verdict, index: Index) -> Sequence[str]:
    stacks = " ".join(f"{stack}:{specs}" for stack, specs in verdict.stacks.items() if specs)
    return verdict.kind, str(verdict.specs), Code(verdict.expectation.text), stacks, _remark(verdict, index)


def _verdict_document(verdict: Verdict, index: Index) -> object:
    """A verdict for JSON."""
    return {
        "spec": verdict.expectation.text,
        "verdict": verdict.kind,
        "required": verdict.expectation.required,
        "specs": verdict.specs,
        "stacks": verdict.stacks,
        "nearest": index.spec(verdict.nearest.row) if verdict.nearest else None,
        "remark": _remark(verdict, index),
    }


def _remark(verdict: Verdict, index: Index) -> str:
    """Why an expectation cannot be read, or what the nearest build has instead; empty where it is covered."""
    if verdict.nearest is None:
        return verdict.expectation.fault
    spec = index.spec(verdict.nearest.row)
    differences = "; ".join(each.phrase for each in verdict.nearest.differences)
    return f"nearest: {spec.package}@{spec.version or '?'} /{(spec.hash or '')[:7]} has {differences}"
