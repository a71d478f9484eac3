"""The commands that look at a catalogue as a whole: coverage, diff and doctor.

Results go to standard output; what they are of, and what was passed over, to standard error.
Input: the options. What the engine finds is written by `report`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import cast

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.analysis.coverage import COLUMN_AXES, ORDERS, ROW_AXES, Coverage, Order, coverage, looked_at
from cachetui.analysis.drift import Comparison, Drift, drift
from cachetui.analysis.expectations import Expectations, ExpectError, Verdict, read, verdicts
from cachetui.analysis.health import health
from cachetui.cli.options import FORMATS, Options, UsageError
from cachetui.cli.session import (
    FOUND,
    NOTHING,
    answer,
    no_host_notes,
    note,
    open_catalogue,
    query_of,
    talk,
    terminal_width,
)
from cachetui.explain.unknown import unknown_values
from cachetui.explain.why import why_nothing
from cachetui.model.problem import Problem
from cachetui.query.parts import ValuePart
from cachetui.report.coverage import CoverageReport
from cachetui.report.drift import DriftReport
from cachetui.report.formats import FormatError, written
from cachetui.report.health import HealthReport
from cachetui.report.why import left_out_notes, nothing_found
from cachetui.search.index import Index
from cachetui.search.names import nearest_names


def run(options: Options) -> int:
    """Runs one of the three and returns its exit status."""
    if options.format not in FORMATS:
        raise FormatError(f"no format {options.format} for {options.command}: there are {', '.join(FORMATS)}")
    return {"coverage": _coverage, "diff": _diff, "doctor": _doctor}[options.command](options)


# Coverage


def _coverage(options: Options) -> int:
    rows, columns = _axes(options)
    order, descending = _order(options.sort)
    expected = _expectations(options)
    typed = query_of(options)

    def ask(index: Index) -> tuple[tuple[Index, Coverage, tuple[Verdict, ...]], Iterable[int]]:
        query = looked_at(index, typed, rows, columns)
        found = coverage(index, query, rows, columns, stacks=options.stack, expected=expected.packages)
        taken = index.rows(query)
        inside = query.with_part(ValuePart.of("stack", options.stack)) if options.stack else query
        return (index, found, verdicts(index, inside, expected)), _one_a_page(index, taken)

    index, found, judged = answer(open_catalogue(options), options, ask)
    shown = found.ordered(order, descending=descending)
    shown = shown.with_gaps() if options.gaps else shown
    if options.count:
        print(len(shown.rows))
    else:
        report = CoverageReport(shown, index, judged, options.limit)
        sys.stdout.writelines(written(report, options.format, terminal_width()))
    talk(_coverage_notes(index, found, expected))
    if not found.specs:
        talk(no_host_notes(options, index))
    if options.exit_code and (any(each.kind != "covered" for each in judged) if judged else found.gaps):
        return NOTHING
    return FOUND if found.specs else NOTHING


def _axes(options: Options) -> tuple[str, str]:
    for option, axis, axes in (("rows", options.rows, ROW_AXES), ("cols", options.cols, COLUMN_AXES)):
        if axis not in axes:
            raise UsageError(f"--{option} cannot be {axis}: there are {', '.join(axes)}")
    if options.rows == options.cols:
        raise UsageError(f"--rows and --cols are both {options.rows}: choose two different ones")
    if options.stack and options.cols != "stack":
        raise UsageError(f"--stack names columns, and the columns are --cols {options.cols}: write stack=... instead")
    return options.rows, options.cols


def _order(sort: str | None) -> tuple[Order, bool]:
    name = (sort or "name").removeprefix("-")
    if name not in ORDERS:
        raise UsageError(f"coverage cannot be sorted by {name}: there are {', '.join(ORDERS)}")
    return name, sort is not None and name != sort


def _expectations(options: Options) -> Expectations:
    if options.expect is None:
        return Expectations((), ())
    try:
        return read(options.expect)
    except ExpectError as error:
        raise UsageError(f"--expect {error}") from None


def _coverage_notes(index: Index, found: Coverage, expected: Expectations) -> Iterator[str]:
    """What the figures are of."""
    yield from expected.notes
    yield from left_out_notes(index, found.query)
    if not found.specs:
        yield from nothing_found(index, why_nothing(index, found.query))
        return
    yield from (unknown.phrase for unknown in unknown_values(index, found.query))
    rows = _counted(len(found.rows), found.row_axis)
    columns = _counted(len(found.columns), found.column_axis)
    tags = sorted(found.query.ticked("tag", index.tags), key=index.tags.index)
    where = ", ".join(tags) if 0 < len(tags) <= 3 else _counted(len(tags) or len(index.tags), "tag")
    yield f"{rows} and {columns} in {where}: {_counted(found.specs, 'spec')}, {_counted(found.gaps, 'gap')}"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 'es' if name.endswith('s') else 's'}"


# Drift


def _diff(options: Options) -> int:
    if len(options.words) < 2:
        raise UsageError("diff needs two tags: cachetui diff ./content develop-2025-04-20 develop")
    old, new = options.words[:2]
    query = query_of(replace(options, words=options.words[2:]))
    if query.parts_of("tag"):
        raise UsageError("diff compares the two tags that it is given: leave tag= out of the query")
    if options.by not in ("signature", "hash"):
        raise UsageError(f"--by cannot be {options.by}: there are signature, hash")
    by = cast(Comparison, options.by)

    def ask(index: Index) -> tuple[tuple[Index, Drift], Iterable[int]]:
        for tag in (old, new):
            _check_tag(index, tag)
        both = index.value_rows("tag", old) | index.value_rows("tag", new)
        return (index, drift(index, old, new, query, by=by)), _one_a_page(index, index.rows(query) & both)

    index, found = answer(open_catalogue(options), options, ask)
    if options.count:
        print(len(found.changes) + sum(map(len, _wholes(found))))
    else:
        sys.stdout.writelines(written(DriftReport(found, options.limit), options.format, terminal_width()))
    if not found and not found.unchanged and not found.rebuilt:
        talk(nothing_found(index, why_nothing(index, query)))
        talk(no_host_notes(options, index))
        return NOTHING
    if options.limit is not None and options.limit < len(found.changes) and not options.count:
        note(f"{options.limit} of {len(found.changes)} changes; --limit cut the rest")
    return NOTHING if options.exit_code and found else FOUND


def _wholes(found: Drift) -> tuple[tuple[str, ...], ...]:
    return *found.packages.values(), found.stacks_gained, found.stacks_lost


def _check_tag(index: Index, tag: str) -> None:
    if tag not in index.tags:
        near = nearest_names(tag, index.tags) or index.tags[:3]
        raise UsageError(f"no tag {tag}; nearest: {', '.join(near)}" if near else f"no tag {tag}: there are none")


# Health


def _doctor(options: Options) -> int:
    if options.words:
        raise UsageError(f"doctor takes no query: {' '.join(options.words)}")

    def ask(index: Index) -> tuple[tuple[Index, tuple[Problem, ...]], Iterable[int]]:
        for tag in options.tag:
            _check_tag(index, tag)
        return (index, health(index, options.tag)), ()

    # its subject is the files, so they are always compared
    index, problems = answer(open_catalogue(options), replace(options, fresh=True), ask)
    if options.count:
        print(len(problems))
    else:
        sys.stdout.writelines(written(HealthReport(problems[: options.limit]), options.format))
    faults = sum(problem.level == "fault" for problem in problems)
    counts = ((faults, "fault"), (len(problems) - faults, "note"), (len(index.columns.page_path), "page"))
    note("{} and {}, {} read".format(*(_counted(number, name) for number, name in counts)))
    return NOTHING if faults else FOUND


def _one_a_page(index: Index, rows: BitMap) -> Iterator[int]:
    """One of the rows for each page that has some."""
    start = index.columns.page_start
    at = 0
    while len(rows) and at <= rows.max():
        row = rows.next_set_bit(at)
        yield row
        at = start[index.page(row) + 1]
