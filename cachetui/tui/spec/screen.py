"""One spec in full, what it needs and what needs it, and its commands."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from textual.binding import BindingType

from cachetui.report.find import spec_list, spec_name
from cachetui.report.formats import Document
from cachetui.report.places import Places
from cachetui.safe_text import visible
from cachetui.tui.frame import AllChanged, StateScreen
from cachetui.tui.keymap import Actions, Footer, bindings
from cachetui.tui.spec.state import Needs, NeedsQuestion, SpecState, answers
from cachetui.tui.view.copies import copies_of, environment_of, shown_specs
from cachetui.tui.view.view import View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.workers.cancelling import Cancelled


class SpecScreen(StateScreen[SpecState]):
    """The details of a spec."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("spec")

    FOOTER: ClassVar[Footer] = (
        *(("browse.copy", "copy"), ("browse.needs", "needs"), ("browse.install", "install?"), ("spec.mark", "mark")),
        *(("spec.compare", "compare"), ("browse.filter", "filter"), ("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "a part of a label or a value"

    state_of = SpecState.of

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.home = self.detail = DetailPane(title="Spec", id="detail")
        self.body = (self.detail,)

    def work(self, question: NeedsQuestion, cancelled: Cancelled) -> Iterator[Needs]:
        return answers(question, self.browser.sizes_of, cancelled)

    def show(self, state: SpecState, before: SpecState | None) -> None:
        row, is_marked = state.row, state.key in state.view.marks
        name = "Spec" if row is None else visible(spec_name(state.view.index.spec(row)))
        self.detail.entitle(f"{'* ' if is_marked else ''}{name}", ["marked"] if is_marked else ())
        self.detail.explain("This spec is no longer here." if row is None else f"Nothing has {visible(state.word)}.")
        self.detail.show_fields(state.fields)

    # Keys

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "spec.mark": self.mark,
            "spec.compare": lambda: self.ask_comparison(self.state.key),
        }

    def here(self) -> View | None:
        row = self.state.row
        return None if row is None else self.state.view.of_row(row).go_to_pane("detail")

    @property
    def _alone(self) -> View:
        """The view with this spec alone marked, so that copy and export are of it."""
        return self.state.view.with_marks(frozenset() if self.state.key is None else frozenset({self.state.key}))

    def copies(self) -> Sequence[tuple[str, str]]:
        return copies_of(self._alone, self.status.words)

    def document(self) -> Document:
        return spec_list(shown_specs(self._alone), Places(self.status.contents))

    def environment(self) -> Iterable[str]:
        return environment_of(self._alone)

    def mark(self) -> None:
        """Mark or unmark the spec; all open screens share the marks."""
        if self.state.key is not None:
            marks = self.state.view.marks ^ {self.state.key}
            self.post_message(AllChanged(lambda view: view.with_marks(marks)))
