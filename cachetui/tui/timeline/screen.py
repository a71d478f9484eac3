"""The screen of one package over all tags: since when and until when there is something, and what a tag changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on

from cachetui.analysis.timeline import Timeline, timeline
from cachetui.query.parts.names import NamePart
from cachetui.report.formats import Document
from cachetui.report.paste import command
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import plural, visible
from cachetui.tui.frame import ALL_TAGS, StateScreen, query_text
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, FixedRows, Text
from cachetui.tui.timeline.chart import chart
from cachetui.tui.timeline.state import Question, TimelineState
from cachetui.tui.view.view import View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.list_pane import TextPane
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled


class TimelineScreen(StateScreen[TimelineState]):
    """A chart of the tags, the rows below it, and what is under the cursor in full."""

    FOOTER: ClassVar[Footer] = (
        *(("table.choose", "specs"), ("browse.filter", "filter"), ("browse.lookup", "hash")),
        *(("browse.coverage", "coverage"), ("browse.diff", "diff")),
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
        self.table.entitle(f"Tags {len(rows) if found else ''}".rstrip())
        self.table.explain(f"No tag, version or stack is called {visible(state.word)}." if state.word else "")
        self.table.show(rows, state.columns, state.cursor.on(rows))
        at = found.moments.index(here) if found and here else None
        self.chart.show(FixedRows(chart(found.moments, at, self.app.size.width - 2) if found else ()))
        self.detail.show_fields(state.fields if here else ())
        self.detail.entitle(visible(here.tag) if here else "Detail")

    def heading_of(self, state: TimelineState) -> tuple[Text, Text]:
        package = Cell(visible(state.package) or "no package", "bold")
        moments = () if self.status.progress or state.found is None else state.found.moments
        held = sum(bool(moment.specs) for moment in moments)
        right = f"in {held:,} of {plural(len(moments), 'tag')}" if moments else self.status.progress
        return [package, f" · {ALL_TAGS}{query_text(state.query)}"], [right]

    # Keys

    @on(Table.Chosen)
    def open_tag(self) -> None:
        """Open the specs of the tag on top."""
        self.ask("browse", self.state.opened(), "this tag does not have the package")

    def here(self) -> View | None:
        return self.state.opened() or self.state.view

    def copies(self) -> Sequence[tuple[str, str]]:
        state = self.state
        query = state.view.index.exact(state.query.with_part(NamePart(state.package)))
        return (("specs by tag", command("coverage", self.status.words, ["--cols=tag"], query)),)

    def document(self) -> Document | None:
        return None if self.state.found is None else TimelineReport(self.state.found)
