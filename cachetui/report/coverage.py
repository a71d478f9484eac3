"""The output of `coverage`: the coverage table, and the verdicts on expected specs.

A gap appears as `·` in tables for people and as 0 in CSV. If a stack is in none of the searched tags, the cells of its
column are `-` in tables for people and empty in CSV.
Input: results of `analysis`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from cachetui.analysis.coverage import Coverage, CoverageColumn, CoverageRow, Judgement, VerdictKind
from cachetui.model.problem import Reason
from cachetui.report.formats import (
    Block,
    Case,
    CaseKey,
    Code,
    ErrorRecord,
    FactsBlock,
    Judged,
    MatrixBlock,
    ReportBlock,
    TableBlock,
    TitleBlock,
)
from cachetui.report.specs import Places, SpecRecord
from cachetui.report.why import nearest_text
from cachetui.safe_text import plural
from cachetui.search.index import Index

GAP, ABSENT = "·", "-"
"""The symbols for a gap, and for the cells of a column whose stack is in none of the searched tags."""

VERDICTS: tuple[VerdictKind, ...] = ("missing", "differs", "unreadable", "covered")
"""The kinds of verdicts, in the order of the table."""

_VERDICT_COLUMNS = ("verdict", "specs", "asked", "stacks", "message")


class Axes(Struct, frozen=True):
    """The properties in the rows and in the columns of the table, such as `package` and `stack`."""

    rows: str
    columns: str


class RowRecord(Struct, frozen=True):
    """A row of the table."""

    row: str
    package: str | None
    """The name of the package; None if the rows show another property."""
    specs: int
    expected: bool
    cells: Mapping[str, int]


class VerdictRecord(Struct, frozen=True):
    """The verdict on one expected spec."""

    asked: str
    verdict: VerdictKind
    reason: Reason | None
    """The reason why no build matches the expected spec; None if a build matches it."""
    required: Sequence[str]
    specs: int
    stacks: Mapping[str, int]
    nearest: SpecRecord | None
    differs: Sequence[tuple[str, str]]
    """The terms that the nearest build violates, each with the value of that build."""
    message: str


class CoverageDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/coverage/2"):
    """The table, and the verdicts on the expected specs."""

    axes: Axes
    columns: Sequence[CoverageColumn]
    rows: Sequence[RowRecord]
    gaps: int
    expectations: Sequence[VerdictRecord]
    errors: Sequence[ErrorRecord] = ()
    """The expected specs without a build. If no specs are expected, the gaps of the table."""

    def cases(self) -> Iterator[Case]:
        """Yield a test case for each expected spec.

        If no specs are expected, yield a failing test case for each gap, and a passing test case for each full row.
        """
        for each in self.expectations:
            message = "; ".join(filter(None, (f"{each.asked} {each.verdict}", each.message)))
            key: CaseKey = (each.asked, each.verdict) if each.reason else ()
            yield Case(command="coverage", name=each.asked, key=key, reason=each.reason, message=message)
        there = [column.name for column in self.columns if not column.absent]
        for row in () if self.expectations else self.rows:
            gaps: list[CaseKey] = [(row.row, name) for name in there if not row.cells[name]]
            for key in gaps or [()]:
                yield Case(
                    command="coverage",
                    name=row.row,
                    key=key,
                    reason="gap" if key else None,
                    message=f"gap: {' '.join(key)}",
                )


class CoverageReport(Judged, frozen=True):
    """The output of `coverage` in all formats. Formats other than JSON omit the table if there are `verdicts`."""

    coverage: Coverage
    index: Index
    verdicts: Sequence[Judgement] | None = None
    places: Places = Places()
    marks: Sequence[str] = ()
    """The names of the columns whose heading is marked with `*`."""

    def document(self) -> CoverageDocument:
        coverage = self.coverage
        return self.judged(
            CoverageDocument(
                Axes(coverage.row_axis, coverage.column_axis),
                coverage.columns,
                list(map(self._row, coverage.rows)),
                coverage.gaps,
                list(map(self._verdict, self.verdicts or ())),
            )
        )

    def _row(self, row: CoverageRow) -> RowRecord:
        package = row.name if self.coverage.row_axis == "package" else None
        names = (column.name for column in self.coverage.columns)
        return RowRecord(row.name, package, row.specs, row.expected, dict(zip(names, row.counts, strict=True)))

    def _verdict(self, verdict: Judgement) -> VerdictRecord:
        nearest, wanted = verdict.nearest, verdict.expectation
        return VerdictRecord(
            wanted.text,
            verdict.kind,
            verdict.reason,
            wanted.required,
            verdict.specs,
            verdict.stacks,
            self.places.spec(self.index.spec(nearest.row)) if nearest else None,
            [(each.term.text, each.actual_value) for each in nearest.differences] if nearest else (),
            _remark(verdict, self.index),
        )

    def records(self) -> TableBlock:
        if self.verdicts is not None:
            rows = ([*_verdict_cells(each, self.index), each.reason or ""] for each in _in_order(self.verdicts))
            return TableBlock((*_VERDICT_COLUMNS, "reason"), rows)
        return TableBlock(self._names, [self._cells(row, "0", "") for row in self.coverage.rows])

    def blocks(self, width: int | None) -> Iterator[Block]:
        coverage = self.coverage
        counts = Counter(verdict.kind for verdict in self.verdicts or ())
        said = ", ".join(f"{number:,} {kind}" for kind, number in counts.items()) or plural(coverage.gaps, "gap")
        yield ReportBlock(
            (
                TitleBlock(f"Coverage: {coverage.row_axis} x {coverage.column_axis}", str(coverage.query)),
                FactsBlock([("found", said)]),
            )
        )
        if self.verdicts:
            cells = [
                [cell or "-" for cell in _verdict_cells(verdict, self.index)] for verdict in _in_order(self.verdicts)
            ]
            yield TableBlock(_VERDICT_COLUMNS, cells, right=(1,), shrinking=(2, 3, 4), fold="expectation")
        if coverage.rows and self.verdicts is None:
            totals = ["total", *self._cells(coverage.total, GAP, ABSENT)[1:]]
            heads = [f"*{name}" if name in self.marks else name for name in self._names]
            cells = [self._cells(row, GAP, ABSENT) for row in coverage.rows]
            yield MatrixBlock(heads, cells, totals=[totals], fold=coverage.row_axis)

    @property
    def _names(self) -> list[str]:
        return [self.coverage.row_axis, "specs", *(column.name for column in self.coverage.columns)]

    def _cells(self, row: CoverageRow, gap: str, absent: str) -> list[str]:
        columns = zip(row.counts, self.coverage.columns, strict=True)
        return [
            row.name,
            str(row.specs),
            *(absent if column.absent else str(count or gap) for count, column in columns),
        ]


def verdict(found: Coverage, compared: str | None = None) -> str:
    """Return the number of gaps as text. If the table compares columns, return the number of shown rows.

    `compared` is None if the table shows all columns. It is empty if the table shows all rows in which the
    columns differ. It is the name of a column if the table shows only the rows that no other column has.
    """
    rows, names = plural(len(found.rows), found.row_axis), [column.name for column in found.columns]
    if compared:
        return f"{rows} only in {compared}, not in {' or '.join(name for name in names if name != compared)}"
    if compared is not None:
        only = {f"only in {name}": len(found.only_in(name).rows) for name in names}
        others = "in both, but in different numbers" if len(names) == 2 else "in several"
        only[others] = len(found.rows) - sum(only.values())
        numbers = ", ".join(f"{number:,} {text}" for text, number in only.items() if number)
        return ": ".join(filter(None, (plural(len(found.rows), "difference"), numbers)))
    lacking = plural(sum(row.gaps > 0 for row in found.rows), found.row_axis)
    return f"{plural(found.gaps, 'gap')} in {lacking}" if found.gaps else "no gap"


def _in_order(verdicts: Sequence[Judgement]) -> list[Judgement]:
    """Return the verdicts in the order of `VERDICTS`."""
    return sorted(verdicts, key=lambda verdict: VERDICTS.index(verdict.kind))


def _verdict_cells(verdict: Judgement, index: Index) -> Sequence[str]:
    """Return the table cells of a verdict. Each stack is followed by the number of its specs that match."""
    stacks = " ".join(f"{stack}:{specs}" for stack, specs in verdict.stacks.items() if specs)
    return verdict.kind, str(verdict.specs), Code(verdict.expectation.text), stacks, _remark(verdict, index)


def _remark(verdict: Judgement, index: Index) -> str:
    """Return text with the nearest build. If the expected spec is invalid, return the error. The text may be empty."""
    if verdict.nearest is None:
        return verdict.expectation.fault
    return f"nearest: {nearest_text(index, verdict.nearest)}"
