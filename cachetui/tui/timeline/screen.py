"""The screen of one package over all tags: since when and until when there is something, and what a tag changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from cachetui.analysis.timeline import Moment, Sighting, Timeline, timeline
from cachetui.query.parts.names import NamePart
from cachetui.report.formats import Document
from cachetui.report.paste import command
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import plural, visible
from cachetui.tui.bindings import bindings
from cachetui.tui.frame import ALL_TAGS, StateScreen, query_text
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, FixedRows, Line, Text
from cachetui.tui.timeline.chart import chart
from cachetui.tui.timeline.state import Question, TimelineState, names_of
from cachetui.tui.view.view import View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.list_pane import TextPane
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled


class TimelineScreen(StateScreen[TimelineState]):
    """A chart of the tags, the rows below it, and what is under the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("timeline")

    FOOTER: ClassVar[Footer] = (
        *(("table.choose", "specs"), ("timeline.rows", "rows"), ("browse.filter", "filter")),
        *(("browse.lookup", "hash"), ("browse.coverage", "coverage"), ("browse.diff", "diff")),
        *(("browse.help", "help"), ("screen.back", "back")),
    )

    state_of = TimelineState.of

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.chart = TextPane(heads=False, title="Specs", id="chart")
        self.home = self.table = Table(title="Tags", id="moments")
        self.detail = DetailPane(title="Detail", brief=True, id="detail")
        self.chart.can_focus = self.detail.can_focus = False
        self.body = self.chart, self.table, self.detail

    def work(self, question: Question, cancelled: Cancelled) -> Timeline:
        return timeline(*question)

    # What is shown

    def show(self, state: TimelineState, before: TimelineState | None) -> None:
        """Show the rows; until they are worked out anew those of before stay."""
        self.show_heading()
        found = None if self.status.progress else state.found
        if found is None and before is not None:
            return
        rows, here = (state.rows, state.here) if found else (FixedRows(()), None)
        self.table.entitle(f"{state.kind.capitalize()}s {len(rows) if found else ''}".rstrip())
        self.table.explain(f"No {state.kind} is called {visible(state.word)}." if state.word else "")
        self.table.show(rows, state.columns, state.cursor.on(rows))
        self.chart.show(FixedRows(self._chart_of(found, here) if found else ()))
        self.detail.show_fields(state.fields if here else ())
        self.detail.entitle(visible(names_of(here)[0]) if here else "Detail")

    def _chart_of(self, found: Timeline, here: Moment | Sighting | None) -> Iterable[Line]:
        at = found.moments.index(here) if isinstance(here, Moment) else None
        seen = here.tags if isinstance(here, Sighting) else None
        return chart(found.moments, at, seen, self.app.size.width - 2)

    def heading_of(self, state: TimelineState) -> tuple[Text, Text]:
        seen = state.found.sighting if state.found and not self.status.progress else None
        right = f"in {len(seen.tags):,} of {plural(len(state.view.index.tags), 'tag')}" if seen else ""
        package = Cell(visible(state.package) or "no package", "bold")
        return [package, f" · {ALL_TAGS}{query_text(state.query)}"], [right]

    def filter_of(self, state: TimelineState) -> tuple[Text, Text]:
        left, _ = super().filter_of(state)
        if self.status.progress or state.found is None:
            return left, [f"{self.status.progress} "]
        seen = state.found.sighting
        said = f"first in {visible(seen.first_seen)}, last in {visible(seen.last_seen)}" if seen else "in no tag"
        return left, [f"{said} "]

    # Keys

    @on(Table.Chosen)
    def open_tag(self) -> None:
        """Open the specs of the tag on top."""
        self.ask("browse", self.state.opened(), "this tag does not have the package")

    def here(self) -> View | None:
        return self.state.opened() or self.state.view

    def copies(self) -> Sequence[tuple[str, str]]:
        state = self.state
        query = state.query.with_part(NamePart(state.package))
        words = ["--cols=tag"] if state.kind == "tag" else [f"--rows={state.kind}", "--cols=tag"]
        return (("specs by tag", command("coverage", self.status.words, words, state.view.index.exact(query))),)

    def document(self) -> Document | None:
        return None if self.state.found is None else TimelineReport(self.state.found)
