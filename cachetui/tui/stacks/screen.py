"""The stacks, worst first, for a wall; Enter opens the specs of one."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual import on

from cachetui.analysis.stacks import stack_sizes
from cachetui.report.formats import Document
from cachetui.report.places import Places
from cachetui.report.stacks import StacksReport
from cachetui.safe_text import plural, visible
from cachetui.tui.frame import ListScreen, tag_text, without_word
from cachetui.tui.keymap import Footer, KeyLabel, labelled
from cachetui.tui.lines import Text
from cachetui.tui.stacks.state import Stacks, StacksQuestion, StacksState
from cachetui.tui.view.view import View
from cachetui.tui.widgets.list_pane import AFTER
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled


class StacksScreen(ListScreen[StacksState]):
    """A row for each stack; the pane below names the removed and the new packages."""

    FOOTER: ClassVar[Footer] = (
        ("table.choose", "specs"),
        *labelled("browse.diff", "browse.tag_before", "browse.tag_after", "browse.filter", "browse.copy"),
        *labelled("browse.export", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "a part of a stack's name"

    TITLE = "Stacks"

    state_of = StacksState.of

    def work(self, question: StacksQuestion, cancelled: Cancelled) -> Iterator[Stacks]:
        index, tags = question
        yield Stacks(stack_sizes(index, tags, self.browser.catalogue))

    def show(self, state: StacksState, before: StacksState | None) -> None:
        state = replace(state, width=self.app.size.width - Table.GUTTER - AFTER)
        super().show(state, before)
        here = state.here
        self.detail.entitle(visible(here.stack or here.tag) if here else self.TITLE)

    def title_of(self, state: StacksState) -> str:
        return f"{self.TITLE} {len(state.rows):,}" if state.rows else self.TITLE

    def nothing(self, state: StacksState) -> Sequence[str | KeyLabel]:
        return without_word(state.word) or ["No stack is recorded here."]

    def heading_of(self, state: StacksState) -> tuple[Text, str]:
        found = state.found.found if state.found else ()
        return [tag_text(state.view)], plural(len(found), "stack") if found else ""

    # Keys

    @on(Table.Chosen)
    def open_stack(self) -> None:
        """Open the specs of the stack."""
        self.ask_here("browse")

    def here(self) -> View | None:
        return self.state.opened()

    def document(self) -> Document | None:
        found = self.state.found
        return None if found is None else StacksReport(found.found, places=Places(self.status.contents))
