"""`coverage`: print the coverage table of packages and stacks. With `--expect`, print verdicts on expected specs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.coverage import (
    ORDERS,
    Coverage,
    Judgement,
    coverage,
    excluded_names,
    verdicts,
    with_default_tag,
)
from cachetui.cli.options import Baseline, GateFormat, Option, QueryResultOptions, Tags, UsageError
from cachetui.cli.output import FOUND, NOTHING, print_gate, print_notes, read_baseline
from cachetui.cli.session import (
    answer,
    checked_stacks,
    no_such,
    open_catalogue,
    query_notes,
    query_of,
    searched,
    settled,
    virtual_notes,
)
from cachetui.environments.reader import read_expected
from cachetui.environments.wanted import Expectations
from cachetui.model.spec import COLUMN_AXES, ROW_AXES
from cachetui.query.terms import ValueTerm
from cachetui.report.coverage import CoverageDocument, CoverageReport
from cachetui.report.specs import Places
from cachetui.report.why import host_notes, nothing_found
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.suggest.no_match import unmatched


class CoverageOptions(QueryResultOptions, frozen=True, kw_only=True):
    rows: Annotated[
        str,
        Option(
            f"show this property in the rows: {ROW_AXES[0]} (default), {', '.join(ROW_AXES[1:])}",
            "AXIS",
            values=ROW_AXES,
        ),
    ] = "package"
    cols: Annotated[
        str,
        Option(
            f"show this property in the columns: {', '.join(COLUMN_AXES)}; default: stack, or os with --rows stack",
            "AXIS",
            values=COLUMN_AXES,
        ),
    ] = ""
    stack: Annotated[
        tuple[str, ...], Option("show only the column of this stack; repeatable", "S", completed_by="stack")
    ] = ()
    gaps: Annotated[bool, Option("show only rows with a gap; with --expect, only missing specs")] = False
    search: Annotated[
        str,
        Option(
            "show only rows with WORD in their names; names of columns do not count",
            "WORD",
        ),
    ] = ""
    mark: Annotated[tuple[str, ...], Option("mark this column for --compare; repeatable", "COLUMN")] = ()
    compare: Annotated[bool, Option("show only the marked columns, and the rows in which these columns differ")] = False
    only_in: Annotated[
        str, Option("with --compare: show only rows that COLUMN has and the other marked columns lack", "COLUMN")
    ] = ""
    sort: Annotated[
        str | None,
        Option(
            f"sort by {', '.join(ORDERS)} or a column; -ORDER reverses",
            "ORDER",
            "output",
            offered=ORDERS,
            signed=True,
        ),
    ] = None
    expect: Annotated[
        str | None,
        Option(
            "compare with FILE: spack.lock, spack.yaml or a list of names",
            "FILE",
            completed_by="file",
        ),
    ] = None
    exit_code: Annotated[
        bool, Option("exit with status 1 for a gap; with --expect, for a missing spec", group="output")
    ] = False
    tag: Tags = ()
    format: GateFormat = "table"
    baseline: Baseline = None


DOCUMENT = (CoverageDocument,)


def run(options: CoverageOptions) -> int:
    """Print the coverage table, or the verdicts on expected specs."""
    options = replace(options, cols=options.cols or ("os" if options.rows == "stack" else "stack"))
    _check_axes(options)
    before = read_baseline(options.baseline, CoverageDocument, CoverageDocument.cases)
    expected = Expectations((), ()) if options.expect is None else read_expected(options.expect, options.settings)
    typed = query_of(options, tag=options.tag)

    def ask(index: Index) -> tuple[tuple[Index, Coverage, tuple[Judgement, ...]], Iterable[int]]:
        present, package = index, typed.package
        if package is not None and "tag" in (options.rows, options.cols):
            index = catalogue.over_snapshots(index, package=package.name)
        checked_stacks(index, options.stack)
        query = with_default_tag(index, settled(index, typed, options.tag), options.rows, options.cols)
        if hidden := excluded_names(index, query, "stack", options.stack):
            raise UsageError(
                f"the query excludes the stack {', '.join(hidden)}: select stacks with --stack instead of stack="
            )
        found = coverage(index, query, options.rows, options.cols, stacks=options.stack, expected=expected.packages)
        inside = query.with_term(ValueTerm.of("stack", options.stack)) if options.stack else query
        return (index, found, verdicts(index, inside, expected)), present.rows(query)

    catalogue = open_catalogue(options, typed.named_tags)
    _, (index, found, judged) = answer(catalogue, options, ask)
    sort = options.sort or "name"
    _check_columns(found, options)
    shown = found.ordered(sort.removeprefix("-"), descending=sort.startswith("-"))
    shown = shown.searched(
        options.search, options.mark if options.compare else (), options.only_in, only_gaps=options.gaps
    )
    listed = [verdict for verdict in judged if not options.gaps or verdict.kind != "covered"]
    report = CoverageReport(shown, index, listed if judged else None, Places(catalogue.contents), options.mark)
    lacking = any(each.kind != "covered" for each in judged) if judged else found.gaps > 0
    fails = (options.exit_code and lacking) or not (found.specs and found.rows)
    failed = print_gate(
        report, options, before, fails=fails, path=options.expect or "", number=len(listed if judged else shown.rows)
    )
    print_notes(_notes(index, found, expected, judged))
    return NOTHING if failed else FOUND


def _check_axes(options: CoverageOptions) -> None:
    if options.rows == options.cols:
        raise UsageError(f"--rows and --cols are both {options.rows}: choose two different properties")
    if options.stack and options.cols != "stack":
        raise UsageError(
            f"--stack needs --cols stack, not --cols {options.cols}: to filter by stack, write stack=... in the query"
        )


def _check_columns(found: Coverage, options: CoverageOptions) -> None:
    if options.only_in and not options.compare:
        raise UsageError("--only-in selects rows of a comparison: add --compare")
    if options.compare and len(options.mark) < 2:
        raise UsageError("--compare needs two marked columns: mark each column with --mark COLUMN")
    names = [column.name for column in found.columns]
    for name, known in (
        *((mark, names) for mark in options.mark),
        *((column, options.mark) for column in filter(None, [options.only_in])),
        ((options.sort or "name").removeprefix("-"), [*ORDERS, *names]),
    ):
        if name not in known:
            raise no_such("column", name, known)


def _notes(index: Index, found: Coverage, expected: Expectations, judged: Sequence[Judgement]) -> Iterator[str]:
    """Yield notes on the query, the expectations and the searched tags."""
    yield from expected.answerable(has_graph=bool(index.graph)).notes
    yield from virtual_notes(index, (entry.query for entry in expected.entries if entry.query))
    yield from host_notes(index, found.query)
    if not found.specs:
        yield from nothing_found(index, found.query)
        return
    yield from dict.fromkeys(
        (*query_notes(index, found.query), *(each.phrase for each in unmatched(index, found.query)))
    )
    where = searched(index, found.query)
    if judged:
        counts = Counter(verdict.kind for verdict in judged)
        yield f"{len(judged):,} expected: {', '.join(f'{number:,} {kind}' for kind, number in counts.items())}; {where}"
    else:
        shown = f"{len(found.rows):,} of " if found.hidden else ""
        rows, columns = plural(len(found.whole), found.row_axis), plural(len(found.columns), found.column_axis)
        yield f"{shown}{rows} and {columns}: {plural(found.specs, 'spec')}, {plural(found.gaps, 'gap')}; {where}"
