"""The base of the screens that look at a catalogue as a whole: coverage, drift, timeline, expectations.

What they show is worked out in a thread, and a new question takes the place of one that is still being answered.
Each can be copied as a command and exported. Input: an index, and each newer one of the same catalogue.
Invariant: what is shown is of `_index`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.worker import Worker, WorkerState

from cachetui.query.query import Query
from cachetui.report.formats import Document as ReportFinding
from cachetui.report.formats import exported
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.settings.views import ScreenLook
from cachetui.tui.screens.copies import CopyScreen
from cachetui.tui.screens.export import ExportScreen, Writer, context
from cachetui.tui.screens.filter_steps import FilterStep, TakenOut
from cachetui.tui.screens.hints import EARLIER, Hint, fitting, hint_cells
from cachetui.tui.screens.list_screens import ListScreen
from cachetui.tui.state.view import View
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table

Found = TypeVar("Found")

LAST_HINTS = (Hint("screen.help", "?", "help"), Hint("screen.close", "Esc", "back"))

FILTER_KEYS: list[BindingType] = [
    Binding("x", "step_filters('clear')", "Clear", id="survey.clear", tooltip="Clear all filters"),
    Binding("u,backspace", "step_filters('undo')", "Undo", id="survey.undo", tooltip="Take back the last filter step"),
    Binding("U", "step_filters('redo')", "Redo", id="survey.redo", tooltip="Do it again"),
]
"""The keys of the lists that change the filters, for a screen that follows them."""

COPY = Hint("survey.copy", "y", "copy")
EXPORT = Hint("survey.export", "e", "export")
CLEAR = Hint("survey.clear", "x", "clear")

COMPLETE = Hint("prompt.complete", "Tab", "complete")

LEAVE = (EARLIER, Hint("prompt.leave", "Esc", "leave"))
"""What is always said while something is typed."""

FILTERS_HELP = (
    ("x", "clear all filters, also those of the lists"),
    ("u Backspace, U", "take back the last filter step, do it again"),
)
"""What these keys do."""

COMMON_HELP = (
    ("y", "copy this view as a command, and more"),
    ("e", "export this view: CSV, JSON, Markdown"),
    ("q, Esc", "back"),
)


class SurveyScreen(ListScreen, Generic[Found]):
    """A title, a line about what is under the cursor, a list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="survey.copy", tooltip="Copy this view as a command, and more"),
        Binding("e", "export", "Export", id="survey.export", tooltip="Write this view to a file"),
    ]

    @dataclass
    class StepAsked(Message):
        """The user wants a step of the filters, which this screen follows and of which it says what it changed."""

        step: FilterStep | TakenOut
        screen: SurveyScreen[Any]

    SAVED_AS: ClassVar[str] = ""
    """What a saved view calls the screen; empty where none can open it again."""

    _query: Query
    """What the figures are of."""

    @property
    def look(self) -> ScreenLook:
        """How it is looked at, to be saved with the view."""
        return ScreenLook()

    TYPING: ClassVar[Sequence[Hint]] = (Hint("prompt.done", "Enter", "done"),)
    """What else the keys do while something is typed."""

    def __init__(self, index: Index, content: str | None, table: Table, hints: Sequence[Hint]) -> None:
        """`content` as it stands in commands; `hints`: the keys that matter, the most wanted first."""
        super().__init__("", table, ())
        self._table = table
        self._index = index
        self._newest = index
        """What the next answer is of."""
        self._worker: Worker[tuple[Index, Found]] | None = None
        self._is_answered = False
        self._content = content
        self._status = Bar(id="status")
        self._wanted_hints = hints
        self._message = ""
        self._is_above_keys = False
        """Whether the keys stay in the last line, and the message stands above them."""

    def body(self) -> ComposeResult:
        yield self._status
        yield from super().body()

    def on_resize(self) -> None:
        self._show_hints()

    def open_prompt(self, prompt: Prompt, text: str = "") -> None:
        """Opens a line to type in, with this text; the last line says then what its keys do."""
        self.add_class("-typing")
        prompt.open(text)
        self._show_hints()

    def leave_prompt(self) -> None:
        """Goes back to the list."""
        self.remove_class("-typing")
        self._table.focus()
        self._show_hints()

    def show_completions(self, prompt: Prompt) -> None:
        """Says in the last line what Enter does and what Tab puts into the line, the one that stands there first, where
        it has a choice."""
        if prompt.has_taken and len(prompt.offers) > 1:
            enter, tab = self.TYPING[0].text(self.signs_of_keys), COMPLETE.key_text(self.signs_of_keys)
            self.hint(f"{enter}  {tab} {'  '.join(offer.text for offer in prompt.offers)}")

    # Questions

    @abstractmethod
    def question(self) -> Callable[[Index], Found] | None:
        """What there is to work out, as the screen is looked at now; None for nothing yet."""

    def ask(self, said: str = "counting") -> None:
        """Works out an answer in a thread and then shows it; until then what was there stays on screen."""
        self._status.show([said])
        self._work()

    @property
    def first_answer(self) -> Worker[tuple[Index, Found]] | None:
        works = self._worker is not None and not self._worker.is_finished
        return self._worker if works and not self._is_answered else None

    def follow_view(self, view: View) -> None:
        """Works all out again in a newer index; one that comes meanwhile waits for the answer."""
        self._newest = view.index
        if self._worker is None or self._worker.is_finished:
            self._work()

    @property
    def progress(self) -> str:
        """How far the content is read, as long as it is not read whole."""
        return cast(TerminalApp[Any], self.app).progress

    def _work(self) -> None:
        if self.progress:  # of content that is not read whole nothing is said
            self._status.show([self.progress])
            return
        index, question = self._newest, self.question()
        if question is None:
            self._index = index
        else:
            self._worker = self.run_worker(lambda: (index, question(index)), thread=True, exclusive=True)

    @on(Worker.StateChanged)
    def take_answer(self, event: Worker.StateChanged) -> None:
        event.stop()
        if event.worker is self._worker and event.state is WorkerState.SUCCESS and self._worker.result is not None:
            self._index, found = self._worker.result
            self._is_answered = True
            self.show_answer(found)
            if self._index is not self._newest:
                self._work()

    @abstractmethod
    def show_answer(self, found: Found) -> None:
        """Shows what was worked out."""

    # The last line

    def hint(self, text: str, *, above_keys: bool = False) -> None:
        """Says something in the last line, in the last two if it needs them, until the next key.

        `above_keys`: in the line above it, as nobody has asked for it and the keys may not be known yet.
        """
        self._message, self._is_above_keys = visible(text), above_keys
        self._show_hints()

    def forget_message(self) -> None:
        """The user has pressed a key, so the message was seen."""
        if self._message:
            self.hint("")

    def _show_hints(self) -> None:
        if self._message and not self._is_above_keys:
            self._hints.show_message(self._message, self.app.size.width)
            return
        typing = self.has_class("-typing")
        hints, last = (self.TYPING, LEAVE) if typing else (self._wanted_hints, LAST_HINTS)
        shown = fitting(hints, last, self.size.width, self.signs_of_keys)
        keys = hint_cells(shown, self.signs_of_keys)
        if self._message:
            self._hints.show([self._message], below=keys)
        else:
            self._hints.show(keys)

    # Other screens

    def action_step_filters(self, step: FilterStep) -> None:
        self.post_message(self.StepAsked(step, self))

    def action_copy(self) -> None:
        texts = [(label, text) for label, text in self.copies() if text]
        if texts:
            self.app.push_screen(CopyScreen(texts), self.say_done)
        else:
            self.hint("there is nothing to copy yet")

    def copies(self) -> Sequence[tuple[str, str]]:
        """What can be copied: a label and a text each."""
        return ()

    def action_export(self) -> None:
        name, what, writers = self.exports()
        if writers:
            self.app.push_screen(ExportScreen(name, what, writers), self.say_done)
        else:
            self.hint("there is nothing to export yet")

    def writers(self, finding: Callable[[], ReportFinding]) -> Mapping[str, Writer]:
        """For each ending how a finding of this screen is written, with what it is of."""
        return exported(finding, context(self._content, self._query, self.made_by, *self.shows))

    @property
    def shows(self) -> Sequence[str]:
        """Which rows there are of what the query takes, where not all; and what the command gives beside them."""
        return ()

    @property
    def made_by(self) -> str:
        """The command that gives the same; the first that can be copied, as a rule."""
        return next((text for _, text in self.copies()), "")

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        """The name of the file, what it holds, and for each ending how it is written."""
        return "", "", {}

    def say_done(self, message: object) -> None:
        if isinstance(message, str):
            self.hint(message)
