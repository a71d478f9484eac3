"""The base of the screens that ask for something before they look at a catalogue: expectations, installations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult

from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.rows.layout import fit_path
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.survey_base import Found, SurveyScreen
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table


class AskingScreen(SurveyScreen[Found]):
    """A survey below a line to type in; leaving the line before there is an answer leaves the screen."""

    def __init__(self, index: Index, content: str | None, table: Table, hints: Sequence[Hint], prompt: Prompt) -> None:
        """For all but `prompt`, the line to type in, see `SurveyScreen`."""
        super().__init__(index, content, table, hints)
        self._prompt = prompt
        self._answer: Found | None = None
        """The one that is shown."""

    def body(self) -> ComposeResult:
        yield self._prompt
        yield from super().body()

    def action_ask_what(self) -> None:
        self.open_prompt(self._prompt)

    @abstractmethod
    def take(self, text: str) -> None:
        """Takes what was typed as the next question."""

    def show_error(self, error: str, paths: Sequence[str]) -> None:
        """Says why there is no answer, first the reason and then of which of the paths, and asks again."""
        width = self.app.size.width
        path = next((path for path in paths if error.startswith(path)), "")
        reason = visible(error.removeprefix(path).lstrip(": "))
        where = fit_path(visible(path), width, signs_of(self._status).cut)
        self._status.show_message(f"{reason}: {where}" if path else reason, width, "warn")
        self.action_ask_what()

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        self.show_completions(event.prompt)

    @on(Prompt.Left)
    def take_what(self, event: Prompt.Left) -> None:
        self.leave_prompt()
        if not event.chosen and self._answer is None:
            self.dismiss(None)
        elif event.chosen and event.text.strip():
            self.take(event.text)
            self.ask()
