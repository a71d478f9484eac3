"""The expectations screen: what there is of the names in a file, or of the specs of a `spack.yaml`.

Three things are done here: see what is missing, see what the nearest build has instead, go on to the coverage with
the missing packages first. Input: an index, the query of the browse screen, and a file of the user's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType

from cachetui.analysis.coverage import Coverage, Verdict, VerdictKind, coverage, verdicts
from cachetui.environments.expected import Expectations, read
from cachetui.environments.files import FileError
from cachetui.query.query import Query
from cachetui.report.coverage import CoverageReport
from cachetui.report.detail import Field, Means
from cachetui.report.paste import command, spec_text
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, measure
from cachetui.tui.rows.specs import spec_key
from cachetui.tui.screens.asking import AskingScreen
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.screens.export import Writer
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import DetailScreen, HelpSection
from cachetui.tui.screens.paths import path_completions
from cachetui.tui.screens.survey_base import COMMON_HELP, COMPLETE, COPY, EXPORT
from cachetui.tui.state.coverage_view import CellChosen, CoverageView
from cachetui.tui.state.view import View
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

EXPECTED, LONG_EXPECTED = 16, 60
"""The least and the most cells for what is expected."""


def _columns(longest: int = 0) -> Sequence[Column]:
    """The columns, where the longest of what is expected takes so many cells."""
    return (
        Column("", 12),
        Column("expected", EXPECTED, share=2, most=min(max(EXPECTED, longest), LONG_EXPECTED)),
        Column("specs", 5, right=True),
        Column("last seen, nearest", 18, share=3, drop=1),
    )


HINTS = (
    Hint("table.choose", "Enter", "go to it"),
    Hint("expect.open", "Space", "in full"),
    Hint("expect.coverage", "c", "coverage"),
    Hint("expect.file", "/", "another file"),
    COPY,
    EXPORT,
)

PLACEHOLDER = "a file: names one a line, or a spack.yaml"

ORDER: tuple[VerdictKind, ...] = ("missing", "differs", "unreadable", "covered")

NAMES: dict[VerdictKind, str] = {
    "missing": "missing",
    "differs": "other",
    "unreadable": "cannot read",
    "covered": "covered",
}

MEANS: dict[VerdictKind, Means] = {
    "missing": "missing",
    "differs": "changed",
    "unreadable": "unknown",
    "covered": "runs",
}


@dataclass(frozen=True)
class Judgement:
    """What there is of everything that is expected; only an error where the file cannot be read."""

    path: str
    verdicts: Sequence[Verdict] = ()
    notes: Sequence[str] = ()
    coverage: Coverage | None = None
    error: str = ""


class ExpectScreen(AskingScreen[Judgement]):
    """Asks for a file; then a verdict on each of its specs, what is missing first."""

    TYPING = (Hint("prompt.done", "Enter", "compare"), COMPLETE)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "open", "In full", id="expect.open", tooltip="The verdict in full"),
        Binding("slash", "ask_what", "File", id="expect.file", tooltip="Another file"),
        Binding("c", "coverage", "Coverage", id="expect.coverage", tooltip="The coverage, missing packages first"),
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = (
        (
            "Expectations",
            (
                ("/", "type the name of a file: names one a line, or a spack.yaml"),
                ("Enter", "go to the specs that meet it, else to the nearest build"),
                ("Space", "the verdict in full: its stacks, where it was last seen, the nearest build"),
                ("c", "the coverage, packages that are missing altogether first"),
            ),
        ),
        ("Everywhere", COMMON_HELP),
    )

    def __init__(self, index: Index, query: Query, content: str | None) -> None:
        placeholder = "Type the name of a file above: names or specs one a line, or a spack.yaml."
        prompt = Prompt(":", PLACEHOLDER, id="expect-file", completer=path_completions)
        super().__init__(index, content, Table(_columns(), placeholder=placeholder), HINTS, prompt)
        self._query = query
        self._path = ""
        """The file; empty until one is named."""

    def on_mount(self) -> None:
        self._heading.show([Cell("Expectations", "title")])
        self.action_ask_what()

    def take(self, text: str) -> None:
        self._path = os.path.expanduser(text.strip())

    def question(self) -> Callable[[Index], Judgement] | None:
        path, query = self._path, self._query
        return (lambda index: _judged(index, query, path)) if path else None

    def follow_view(self, view: View) -> None:
        self._query = view.query
        super().follow_view(view)

    def show_answer(self, found: Judgement) -> None:
        if found.error:
            self._path = "" if self._answer is None else self._answer.path
            self.show_error(found.error, [found.path])
            return
        self._answer = found
        counts = [sum(verdict.kind == kind for verdict in found.verdicts) for kind in ORDER]
        said = ", ".join(f"{count:,} {NAMES[kind]}" for kind, count in zip(ORDER, counts, strict=True) if count)
        within = f" {signs_of(self).dot} {visible(str(self._query))}" if self._query else ""
        self._heading.show([Cell("Expectations", "title"), f"  {visible(found.path)}{within}"])
        notes = "; ".join(found.notes)
        fits = measure(f"{said} {visible(notes)}") < self.app.size.width
        self._status.show([said], [visible(notes)] if fits else [])
        if not fits:
            self.hint(notes)
        longest = max((measure(visible(verdict.expectation.text)) for verdict in found.verdicts), default=0)
        self._table.show(FixedRows([self._line(verdict) for verdict in found.verdicts]), _columns(longest))

    def _line(self, verdict: Verdict) -> Line:
        name = Cell(NAMES[verdict.kind], MEANS[verdict.kind])
        return Line((name, visible(verdict.expectation.text), f"{verdict.specs or ''}", visible(_remark(verdict))))

    def choose(self, event: Table.Chosen) -> None:
        """Goes to the specs that meet what is expected, else to the build that comes nearest."""
        verdict = self._verdict
        if verdict is None:
            return
        if verdict.specs and verdict.expectation.query is not None:
            self.dismiss(verdict.expectation.query)
        elif verdict.nearest is not None:
            self.dismiss(spec_key(self._index, verdict.nearest.row))
        else:
            self.action_open()

    @property
    def _verdict(self) -> Verdict | None:
        """The verdict under the cursor."""
        at = self._table.cursor_row
        return None if self._answer is None or at is None else self._answer.verdicts[at]

    def action_open(self) -> None:
        """Shows the verdict under the cursor in full."""
        verdict = self._verdict
        if verdict is not None:
            text = visible(verdict.expectation.text)
            self.app.push_screen(DetailScreen(text, _verdict_fields(self._index, verdict)))

    def action_coverage(self) -> None:
        found = self._answer
        if found is None or found.coverage is None:
            self.hint("name a file first")
            return
        names = frozenset(row.name for row in found.coverage.rows if row.expected)
        counted = found.coverage if self._index is self._newest else None
        view = CoverageView(expected=names, expected_by=found.path, counted=counted)
        self.app.push_screen(CoverageScreen(self._newest, self._query, self._content, view), self._go_to_cell)

    def _go_to_cell(self, chosen: object) -> None:
        if isinstance(chosen, CellChosen):
            self.dismiss(chosen)

    # What leaves the screen

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self._answer
        if found is None:
            return ()
        missing = (each.expectation.text for each in found.verdicts if each.kind in ("missing", "differs"))
        return (
            (
                "this view",
                command("coverage", self._content, [f"--expect={found.path}"], self._index.exact(self._query)),
            ),
            ("not covered", "\n".join(map(visible, missing))),
        )

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        found, index = self._answer, self._index
        if found is None or found.coverage is None:
            return super().exports()
        counted = found.coverage
        writers = self.writers(lambda: CoverageReport(counted, index, found.verdicts, matrix=False))
        return "expectations", "what is expected, and its coverage", writers


def _judged(index: Index, query: Query, path: str) -> Judgement:
    try:
        expected: Expectations = read(path)
    except FileError as error:
        return Judgement(path, error=str(error))
    found = sorted(verdicts(index, query, expected), key=lambda verdict: ORDER.index(verdict.kind))
    notes = expected.answerable(has_graph=bool(index.graph)).notes
    return Judgement(path, found, notes, coverage(index, query, expected=expected.packages))


def _verdict_fields(index: Index, verdict: Verdict) -> list[Field]:
    """A verdict in full."""
    stacks = tuple(visible(f"{stack} ({specs:,})") for stack, specs in verdict.stacks.items() if specs)
    required = verdict.expectation.required
    fields = [
        Field("expected", (visible(verdict.expectation.text),)),
        *([Field("required", tuple(map(visible, required)))] if required else []),
        Field("verdict", (f"{NAMES[verdict.kind]}, {plural(verdict.specs, 'spec')}",), means=MEANS[verdict.kind]),
        *([Field("stacks", stacks, is_list=True)] if stacks else []),
        *([Field("why", (visible(remark),))] if (remark := _remark(verdict)) else []),
    ]
    if verdict.nearest is not None:
        fields.append(Field("nearest", (spec_text(index.spec(verdict.nearest.row)),), True))
    return fields


def _remark(verdict: Verdict) -> str:
    """Where it was last seen and what the nearest build has instead, or why the spec cannot be read."""
    seen = f"last seen in {verdict.last_seen}" if verdict.last_seen else ""
    differences = [each.phrase for each in verdict.nearest.differences] if verdict.nearest else []
    return "; ".join(filter(None, (seen, verdict.expectation.fault, *differences)))
