"""Coverage, drift and health as text, JSON, CSV and Markdown.

Input is what the engine found; nothing is worked out here but widths. In the tables for people a zero is blank and
a column that exists in none of the tags is marked; in CSV a zero is 0 and such a column is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cachetui.analysis.coverage import Coverage, CoverageRow
from cachetui.analysis.drift import Change, Drift
from cachetui.analysis.expectations import Verdict, VerdictKind
from cachetui.model.problem import Problem
from cachetui.report.report import csv_line, json_text, markdown_table, text_table
from cachetui.search.index import Index
from cachetui.text import visible

ABSENT = "·"
"""In the place of a figure where the column exists in none of the tags looked at."""

PIPED = 80
"""The width that decides how columns are headed where there is no terminal."""

_VERDICTS: tuple[VerdictKind, ...] = ("missing", "differs", "unreadable", "covered")

# Coverage


def coverage_text(
    coverage: Coverage, verdicts: Sequence[Verdict], index: Index, form: str, limit: int | None, width: int | None
) -> Iterator[str]:
    """At most `limit` rows of the matrix, behind the verdicts on what is expected; `width` is that of a terminal."""
    rows = coverage.rows[:limit]
    if form == "json":
        yield json_text(_coverage_document(coverage, rows, verdicts, index))
    elif form == "csv":
        yield from _coverage_csv(coverage, rows)
    else:
        names = [coverage.row_axis, "specs", *(column.name for column in coverage.columns)]
        lines = [_cells(coverage, row) for row in rows]
        # a figure of all rows says so where not all of them stand above it
        label = "total" if len(rows) == len(coverage.whole) else f"total of all {len(coverage.whole)}"
        totals = [label, str(coverage.specs), *(_figure(c.specs, absent=c.absent) for c in coverage.columns)]
        if verdicts:
            yield from _verdict_table(verdicts, index, form)
            yield "\n"
        if form == "markdown":
            yield from markdown_table(names, [*lines, totals], right=range(1, len(names)))
        elif lines:
            yield from _matrix(names, lines, totals, width)


def _coverage_document(
    coverage: Coverage, rows: Sequence[CoverageRow], verdicts: Sequence[Verdict], index: Index
) -> dict[str, object]:
    names = [column.name for column in coverage.columns]
    document: dict[str, object] = {
        "axes": {"rows": coverage.row_axis, "columns": coverage.column_axis},
        "columns": [{"name": c.name, "specs": c.specs, "absent": c.absent} for c in coverage.columns],
        "rows": [
            {
                "package": row.name,
                "specs": row.specs,
                "expected": row.expected,
                "cells": dict(zip(names, row.counts, strict=True)),
            }
            for row in rows
        ],
        "gaps": coverage.gaps,
    }
    if verdicts:
        document["expectations"] = [
            {
                "spec": verdict.expectation.text,
                "verdict": verdict.kind,
                "specs": verdict.specs,
                "nearest": index.spec(verdict.nearest.row) if verdict.nearest else None,
                "remark": _remark(verdict, index),
            }
            for verdict in verdicts
        ]
    return document


def _coverage_csv(coverage: Coverage, rows: Sequence[CoverageRow]) -> Iterator[str]:
    yield csv_line([coverage.row_axis, "specs", "expected", *(column.name for column in coverage.columns)])
    absent = [column.absent for column in coverage.columns]
    for row in rows:
        counts = ("" if gone else str(count) for count, gone in zip(row.counts, absent, strict=True))
        yield csv_line([row.name, str(row.specs), "yes" if row.expected else "no", *counts])


def _cells(coverage: Coverage, row: CoverageRow) -> list[str]:
    counts = zip(row.counts, coverage.columns, strict=True)
    return [row.name, str(row.specs), *(_figure(count, absent=column.absent) for count, column in counts)]


def _figure(count: int, *, absent: bool) -> str:
    return ABSENT if absent else str(count or "")


def _verdict_table(verdicts: Sequence[Verdict], index: Index, form: str) -> Iterator[str]:
    """What is missing first, what is covered last."""
    header = ("verdict", "specs", "expected", "remark")
    ordered = sorted(verdicts, key=lambda verdict: _VERDICTS.index(verdict.kind))
    rows = [(each.kind, str(each.specs), each.expectation.text, _remark(each, index)) for each in ordered]
    return (markdown_table if form == "markdown" else text_table)(header, rows, right=(1,))


def _remark(verdict: Verdict, index: Index) -> str:
    """Why an expectation cannot be read, or what the nearest build has instead; empty where it is covered."""
    if verdict.nearest is None:
        return verdict.expectation.fault
    spec = index.spec(verdict.nearest.row)
    differences = "; ".join(each.phrase for each in verdict.nearest.differences)
    return f"nearest: {spec.package}@{spec.version or '?'} /{(spec.hash or '')[:7]} has {differences}"


def _matrix(
    names: Sequence[str], lines: Sequence[Sequence[str]], totals: Sequence[str], width: int | None
) -> Iterator[str]:
    """Under the names of the columns where that fits, else under numbers, with the names and totals above.

    A terminal that is too narrow even for the numbers gets the columns in several parts.
    """
    table = [[visible(cell) for cell in line] for line in (names, *lines, totals)]
    if sum(_widths(table)) + 2 * len(names) - 2 <= (width or PIPED):
        yield from text_table(None, table, right=range(1, len(names)))
        return
    head, *body, last = table
    numbers = [*head[:2], *map(str, range(1, len(head) - 1))]
    yield from _legend(list(zip(numbers[2:], head[2:], last[2:], strict=True)), width or PIPED)
    table = [numbers, *body, [*last[:2], *("" for _ in last[2:])]]
    for columns in _parts(_widths(table), width):
        yield "\n"
        yield from _figures([[line[k] for k in (0, 1, *columns)] for line in table])


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*table, strict=True)]


def _legend(entries: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Number, name and total of each column, as many side by side as fit, numbered downwards."""
    number, name, total = _widths(entries)
    cells = [f"{k:>{number}} {text:<{name}} {specs:>{total}}" for k, text, specs in entries]
    beside = max(1, (width + 3) // (number + name + total + 5))
    deep = -(-len(cells) // beside)
    for place in range(deep):
        yield "   ".join(cells[place::deep]).rstrip() + "\n"


def _parts(widths: Sequence[int], width: int | None) -> Iterator[list[int]]:
    """The numbers of the columns behind the first two, as many at a time as a terminal has room for."""
    first = widths[0] + widths[1] + 1
    part: list[int] = []
    used = first
    for k, own in enumerate(widths[2:], 2):
        if part and width is not None and used + 1 + own > width:
            yield part
            part, used = [], first
        part.append(k)
        used += 1 + own
    yield part


def _figures(table: Sequence[Sequence[str]]) -> Iterator[str]:
    name, *widths = _widths(table)
    for line in table:
        figures = (cell.rjust(width) for cell, width in zip(line[1:], widths, strict=True))
        yield " ".join((line[0].ljust(name), *figures)).rstrip() + "\n"


# Drift


def drift_text(drift: Drift, form: str, limit: int | None) -> Iterator[str]:
    """Everything that changed, at most `limit` of the changes within packages, then what was only rebuilt."""
    changes = drift.changes[:limit]
    if form == "json":
        yield json_text(_drift_document(drift, changes))
        return
    header = ("package", "kind", "old", "new", "specs")
    rows = [*_comings_and_goings(drift), *(_change_cells(change, form) for change in changes)]
    if form == "csv":
        kept = [("", kind, "", "", str(specs)) for kind, specs in _kept(drift).items()]
        yield from map(csv_line, [header, *rows, *kept])
        return
    if rows:
        cells = [[cell or "-" for cell in row] for row in rows]
        yield from (markdown_table if form == "markdown" else text_table)(header, cells, right=(4,))
        yield "\n"
    yield f"unchanged, same hash: {drift.unchanged}\n"
    if form == "markdown":
        yield "\n"
    yield f"rebuilt, same signature: {drift.rebuilt}\n"


def _kept(drift: Drift) -> dict[str, int]:
    return {"unchanged": drift.unchanged, "rebuilt": drift.rebuilt}


def _drift_document(drift: Drift, changes: Sequence[Change]) -> dict[str, object]:
    return {
        "old": drift.old,
        "new": drift.new,
        "packages_gone": drift.packages_gone,
        "packages_new": drift.packages_new,
        "changes": [
            {"package": c.package, "kind": c.kind, "old": c.old, "new": c.new, "specs": c.specs} for c in changes
        ],
        "stacks_gained": drift.stacks_gained,
        "stacks_lost": drift.stacks_lost,
        "stacks_absent": drift.stacks_absent,
        **_kept(drift),
    }


def _comings_and_goings(drift: Drift) -> Iterator[tuple[str, ...]]:
    """Packages, then stacks as a whole, each once."""
    yield from ((name, "gone", "", "", "") for name in drift.packages_gone)
    yield from ((name, "new", "", "", "") for name in drift.packages_new)
    yield from (("", "stack gained", "", stack, "") for stack in drift.stacks_gained)
    yield from (("", "stack lost", stack, "", "") for stack in drift.stacks_lost)
    told = {*drift.stacks_gained, *drift.stacks_lost}
    yield from (("", "stack absent", stack, "", "") for stack in drift.stacks_absent if stack not in told)


def _change_cells(change: Change, form: str) -> tuple[str, ...]:
    kind: str = change.kind
    if change.kind == "version" and form != "csv":
        kind += " up" if change.is_rise else " down"
    old, new = ("" if value is None else str(value) for value in (change.old, change.new))
    return change.package, kind, old, new, str(change.specs)


# Health

_PROBLEM = ("path", "line", "level", "kind", "message")
"""The fields of a problem, in the order of the JSON output."""


def health_text(problems: Sequence[Problem], form: str) -> Iterator[str]:
    """Every problem in one line."""
    if form == "json":
        yield json_text([{key: getattr(each, key) for key in _PROBLEM} for each in problems])
        return
    rows = [["" if (value := getattr(each, key)) is None else str(value) for key in _PROBLEM] for each in problems]
    if form == "csv":
        yield from map(csv_line, [_PROBLEM, *rows])
    elif form == "markdown":
        yield from markdown_table(_PROBLEM, rows, right=(1,))
    else:
        places = (f"{path}:{line}" if line else path for path, line, *_ in rows)
        yield from text_table(None, [(row[2], place, *row[3:]) for row, place in zip(rows, places, strict=True)])
