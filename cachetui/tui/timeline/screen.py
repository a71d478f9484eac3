"""One package over all tags: its number of specs in each tag, new and removed ones."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on

from cachetui.analysis.timeline import Timeline, timeline
from cachetui.report.formats import Document
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import plural, visible
from cachetui.tui.frame import ALL_TAGS, ListScreen, TagAsked, query_text, without_word
from cachetui.tui.keymap import Footer, KeyLabel, labelled
from cachetui.tui.lines import Cell, Text
from cachetui.tui.timeline.state import TimelineQuestion, TimelineState
from cachetui.tui.view.view import ScreenName, View
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled


class TimelineScreen(ListScreen[TimelineState]):
    """A row for each tag, the newest first."""

    FOOTER: ClassVar[Footer] = (
        ("table.choose", "specs"),
        *labelled("browse.filter", "browse.lookup", "browse.coverage", "browse.diff", "browse.copy"),
        *labelled("browse.help", "screen.back"),
    )

    TITLE = "Tags"

    state_of = TimelineState.of

    def work(self, question: TimelineQuestion, cancelled: Cancelled) -> Iterator[Timeline]:
        index, package, query = question
        yield timeline(self.browser.catalogue.over_days(index, package=package), package, query)

    def title_of(self, state: TimelineState) -> str:
        return f"Tags {len(state.rows):,}" if state.found else self.TITLE

    def nothing(self, state: TimelineState) -> Sequence[str | KeyLabel]:
        return without_word(state.word) or ["No tag has this package."]

    def heading_of(self, state: TimelineState) -> tuple[Text, str]:
        package = Cell(visible(state.package) or "no package", "bold")
        moments = () if state.found is None else state.found.tags
        held = sum(bool(moment.specs) for moment in moments)
        right = f"in {held:,} of {plural(len(moments), 'tag')}" if moments else ""
        return [package, f" · {ALL_TAGS}{query_text(state.query)}"], right

    # Keys

    @on(Table.Chosen)
    def open_tag(self) -> None:
        """Open the specs of the package in the tag."""
        self.ask_here("browse")

    def ask_here(self, name: ScreenName) -> None:
        """Open a screen of the tag under the cursor; a snapshot and the one before are read first."""
        if any(tag not in self.state.view.index.tags for tag in self.state.compared):
            self.post_message(TagAsked(self.state.compared, name))
        elif name == "browse":
            self.ask(name, self.state.opened(), "this tag does not have the package")
        else:
            super().ask_here(name)

    def here(self) -> View | None:
        return self.state.opened() or self.state.view.choose_tag(next(iter(self.state.compared), None))

    def document(self) -> Document | None:
        return None if self.state.found is None else TimelineReport(self.state.found)
