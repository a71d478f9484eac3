"""The dependencies and dependents of a spec, as trees; Enter opens the spec of a line."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from cachetui.analysis.deps import dependencies
from cachetui.report.deps import DependencyReport
from cachetui.report.find import spec_name
from cachetui.report.formats import Document
from cachetui.safe_text import visible
from cachetui.tui.frame import ListScreen, tag_text
from cachetui.tui.keymap import Actions, Footer, bindings
from cachetui.tui.lines import Text
from cachetui.tui.spec.state import DepsState, Needs, NeedsQuestion, answer
from cachetui.tui.view.view import View
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled


class DepsScreen(ListScreen[DepsState]):
    """The two trees of a spec."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("deps")

    FOOTER: ClassVar[Footer] = (
        *(("table.choose", "go to it"), ("deps.fold", "fold"), ("browse.filter", "filter")),
        *(("browse.install", "install"), ("browse.copy", "copy"), ("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "a part of a name, on any level"

    TITLE = "Dependencies"

    state_of = DepsState.of

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.body = (self.table,)

    def work(self, question: NeedsQuestion, cancelled: Cancelled) -> Iterator[Needs]:
        yield answer(question)

    def title_of(self, state: DepsState) -> str:
        return self.TITLE if state.row is None else visible(spec_name(state.view.index.spec(state.row)))

    def nothing(self, state: DepsState) -> Sequence[str]:
        return ["No spec here." if state.row is None else "No dependencies are recorded of this spec."]

    def heading_of(self, state: DepsState) -> tuple[Text, str]:
        return [tag_text(state.view)], ""

    # Keys

    def actions(self) -> Actions:
        return {**super().actions(), "deps.fold": self.own_step(DepsState.fold)}

    def here(self) -> View | None:
        row = self.state.row_here
        return None if row is None else self.state.view.of_row(row).go_to_pane("detail")

    @on(Table.Chosen)
    def open_spec(self) -> None:
        """Open the spec of a line; on a heading fold the tree or unfold it."""
        branch = self.state.branch
        if branch is None or not branch.path[1:]:
            self.do(DepsState.fold)
        else:
            view = self.here()
            self.ask("browse", view and view.go_to_pane("specs"), "this content has no binary of this spec")

    def copies(self) -> Sequence[tuple[str, str]]:
        branch = self.state.branch
        return [] if branch is None else [("hash", visible(self.state.view.index.graph.hash(branch.number)))]

    def document(self) -> Document | None:
        """Return the tree that the cursor is in."""
        if self.state.rows is None or self.state.key is None:
            return None
        found = dependencies(self.state.view.index, self.state.key[2], dependents=self.state.shows_dependents)
        return DependencyReport(found)
