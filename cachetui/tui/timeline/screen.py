"""The screen of one package over all tags: since when and until when there is something, and what a tag changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from cachetui.analysis.timeline import Moment, Sighting, Timeline, timeline
from cachetui.query.parts.names import NamePart
from cachetui.report.formats import Document
from cachetui.report.paste import command
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import plural, visible
from cachetui.tui.bindings import bindings
from cachetui.tui.frame import ALL_TAGS, ScreenAsked, StateScreen
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, FixedRows, Line, Text
from cachetui.tui.timeline.chart import chart
from cachetui.tui.timeline.state import Question, TimelineState, names_of
from cachetui.tui.view.view import View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.list_pane import TextPane
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

FOOTER: Footer = (
    *(("table.choose", "specs"), ("timeline.rows", "rows"), ("browse.filter", "filter")),
    *(("browse.lookup", "hash"), ("browse.coverage", "coverage"), ("browse.diff", "diff")),
    *(("browse.help", "help"), ("screen.back", "back")),
)


class TimelineScreen(StateScreen[TimelineState]):
    """A chart of the tags, the rows below it, and what is under the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("timeline")

    def __init__(self, view: View) -> None:
        super().__init__(TimelineState.of(view))
        self.chart = TextPane(heads=False, title="Specs", id="chart")
        self.table = Table(title="Tags", id="moments")
        self.detail = DetailPane(title="Detail", brief=True, id="detail")
        self.chart.can_focus = self.detail.can_focus = False

    def compose_body(self) -> ComposeResult:
        yield self.chart
        yield self.table
        yield self.detail

    def state_of(self, view: View) -> TimelineState:
        return TimelineState.of(view)

    def focus_home(self) -> None:
        self.table.focus()

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
        query = f" · {visible(state.query.line)}" if state.query.line else ""
        seen = state.found.sighting if state.found and not self.status.progress else None
        right = f"in {len(seen.tags):,} of {plural(len(state.view.index.tags), 'tag')}" if seen else ""
        return [Cell(visible(state.package) or "no package", "bold"), f" · {ALL_TAGS}{query}"], [right]

    def filter_of(self, state: TimelineState) -> tuple[Text, Text]:
        left, _ = super().filter_of(state)
        if self.status.progress or state.found is None:
            return left, [f"{self.status.progress} "]
        seen = state.found.sighting
        said = f"first in {visible(seen.first_seen)}, last in {visible(seen.last_seen)}" if seen else "in no tag"
        return left, [f"{said} "]

    @property
    def footer(self) -> Footer:
        return FOOTER

    # Keys

    @on(Table.Moved)
    def follow_cursor(self, event: Table.Moved) -> None:
        self.do(lambda state: state.move(event.key, event.row))

    @on(Table.Chosen)
    def open_tag(self) -> None:
        """Open the specs of the tag on top."""
        view = self.state.opened()
        if view is not None:
            self.post_message(ScreenAsked("browse", view))
        else:
            self.say("this tag does not have the package")

    def here(self) -> View | None:
        return self.state.opened() or self.state.view

    def copies(self) -> Sequence[tuple[str, str]]:
        state = self.state
        query = state.query.with_part(NamePart(state.package))
        words = ["--cols=tag"] if state.kind == "tag" else [f"--rows={state.kind}", "--cols=tag"]
        return (("specs by tag", command("coverage", self.status.words, words, state.view.index.exact(query))),)

    def document(self) -> Document | None:
        return None if self.state.found is None else TimelineReport(self.state.found)
