"""The changes between two tags; Enter opens the specs of a change."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Literal

from msgspec.structs import replace
from textual import on
from textual.binding import BindingType

from cachetui.analysis.diff import diff
from cachetui.report.diff import DiffReport
from cachetui.report.formats import Document
from cachetui.safe_text import visible
from cachetui.tui.dialogs.tags import TagDialog
from cachetui.tui.diff.state import Changes, DiffQuestion, DiffState
from cachetui.tui.frame import Answer, ListScreen, TagAsked, query_text, without_word
from cachetui.tui.glyphs import ARROW, CHOICE
from cachetui.tui.keymap import Actions, Footer, KeyLabel, bindings, labelled
from cachetui.tui.lines import Cell, Text
from cachetui.tui.view.view import View
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

DiffSide = Literal["old", "new"]


class DiffScreen(ListScreen[DiffState]):
    """The changes in sections, and the details of the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("diff")

    FOOTER: ClassVar[Footer] = (
        ("table.choose", "specs"),
        *labelled("diff.fold", "diff.step_before", "diff.step_after", "diff.new", "diff.old", "browse.filter"),
        *labelled("browse.lookup", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "a package, a stack or a kind of change"

    TITLE = "Changes"

    state_of = DiffState.of

    def work(self, question: DiffQuestion, cancelled: Cancelled) -> Iterator[Changes]:
        yield Changes(diff(*question))

    # Show the state

    def nothing(self, state: DiffState) -> Sequence[str | KeyLabel]:
        if state.old:
            return without_word(state.word) or [state.verdict, ("diff.old", "older tag")]
        if len(state.view.index.tags) < 2:
            return ["There is only one tag."]
        return ["This tag is the first of its series.", ("diff.old", "older tag")]

    def heading_of(self, state: DiffState) -> tuple[Text, str]:
        pair = f" {ARROW} ".join(visible(tag) for tag in (state.old, state.new) if tag)
        return [Cell(f"{pair} {CHOICE}", "", (), "diff.new"), query_text(state.query)], ""

    # Keys

    def actions(self) -> Actions:
        no_tag = "this series has no other tag to compare"
        return {
            **super().actions(),
            "diff.new": partial(self.choose_tag, "new"),
            "diff.old": partial(self.choose_tag, "old"),
            "diff.step_before": self.own_step(lambda state: state.step(-1), no_tag),
            "diff.step_after": self.own_step(lambda state: state.step(1), no_tag),
            "diff.fold": self.own_step(DiffState.fold),
        }

    def here(self) -> View | None:
        return self.state.opened()

    def choose_tag(self, side: DiffSide) -> None:
        """Choose the tag of a side."""
        title, tag = ("Older tag", self.state.old) if side == "old" else ("Newer tag", self.state.new)
        self.app.push_screen(TagDialog(self, title, tag), partial(self._compare, side))

    def _compare(self, side: DiffSide, tag: Answer) -> None:
        if isinstance(tag, str):
            self.do(lambda state: replace(state, old=tag) if side == "old" else replace(state, new=tag))
            if tag not in self.state.view.index.tags:
                self.post_message(TagAsked([tag]))

    @on(Table.Chosen)
    def open_specs(self) -> None:
        """Open the specs of a change; on a heading fold the section or unfold it."""
        view = self.state.opened()
        if view is None:
            self.do(DiffState.fold)
        else:
            self.ask("browse", view)

    def document(self) -> Document | None:
        found = self.state.difference
        return None if found is None else DiffReport(found, self.state.compared)
