"""The frame of every screen: what is looked at, what `/` types, the body, the keys.

A screen shows a frozen state; a key is a step from one state to the next. What takes long is a question, answered in a
thread once all is read, and its answer a part of the state. Screens know no other screen: they ask the app for one by
its name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.worker import get_current_worker

from cachetui.query.query import Query
from cachetui.report.formats import Document
from cachetui.safe_text import visible
from cachetui.tui.glyphs import CHOICE
from cachetui.tui.keymap import Footer, bindings, sign_of
from cachetui.tui.lines import Cell, FixedRows, Text, fit, measure, text_of
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.view.rows import SpecKey
from cachetui.tui.view.view import ListState, Step, View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.line_widget import Bar
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

ALL_TAGS = "all tags"

LEAST_CONTENT = 9
"""Cells that the name of the content has in the header, whatever else stands there."""


S = TypeVar("S", bound="View | ListState[Any]")
L = TypeVar("L", bound=ListState[Any])


class Status(Struct, frozen=True):
    """What the app knows of the content, for the header of every screen."""

    content: str
    """As the user named it."""
    signs: tuple[str, ...] = ()
    """What is so for as long as it stands there: `reading 40 %`, `copy of 21:50`, `offline`, `3 problems`."""
    progress: str = ""
    """How far the first reading is; until its end nothing may be judged to be missing."""
    words: str = "CONTENT"
    """The content as a command line names it, quoted for a shell."""


@dataclass
class ScreenAsked(Message):
    """Asks the app for a screen on top: `name` is one of `app.SCREENS`, made of a view."""

    name: str
    view: View


@dataclass
class DialogAsked(Message):
    """Asks the app for a dialog over a screen: `name` is one of `app.DIALOGS`."""

    name: str
    screen: StateScreen[Any]


@dataclass
class TagAsked(Message):
    """Asks the app to read a tag of the server, and to look at it then."""

    tag: str


@dataclass
class ActionAsked(Message):
    """Asks a screen to do what one of its keys does."""

    action: str


@dataclass
class AllChanged(Message):
    """A step that every open screen takes: other marks, a newer index."""

    step: Step


Answer: TypeAlias = "Step | Message | str | None"
"""What a dialog ends with: a step of the view, a message, a line to show."""


class KeysScreen(Screen[ScreenResultType]):
    """A screen with the keys, or a message in their place, in its last line."""

    FOOTER: ClassVar[Footer] = ()
    """The keys, where they are the same in all panes."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    _is_new = True
    """Whether it has not been on top yet."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = Bar(id="keys")
        self._message = ""

    @on(events.Resize)
    def pass_over_old_size(self, event: events.Resize) -> None:
        """Pass over every size but the newest.

        Textual lays a screen out for each size it hears of and tells the screen so again. Of two sizes that come close
        together, as when a window manager places a new terminal, each then sets off the other one, without end.
        """
        size = self.app.size
        if event.size != size:
            event.prevent_default()
            self.post_message(events.Resize(size, size))

    @on(events.ScreenResume)
    def keep_fresh_styles(self, event: events.ScreenResume) -> None:
        """Leave the styles of a new screen alone: each of its widgets has just been given its own."""
        if self._is_new:
            event.refresh_styles = self._is_new = False

    def on_idle(self, event: events.Idle) -> None:
        """Wait with painting where more comes of a key."""
        if cast(TerminalApp[Any], self.app).typeahead.holds_frame_of(self):
            event.prevent_default()

    def follow(self, step: Step) -> None:
        """Take a step that every open screen takes; a dialog shows what the screen below it has by then."""

    @property
    def status(self) -> Status:
        """What the app knows of the content."""
        return cast(Status, getattr(self.app, "status", Status("")))

    def say(self, message: str) -> None:
        """Show a message in place of the keys, until the next key: what went wrong, or what left the program."""
        self._message = message
        self.keys.show([Cell(f" {visible(message)}", "warn")])

    def forget_message(self) -> None:
        """Show the keys again; the app calls it before each key."""
        if self._message:
            self._message = ""
            self.show_keys()

    @property
    def footer(self) -> Footer:
        """The keys of the pane that has the focus."""
        return self.FOOTER

    def show_keys(self) -> None:
        """Show the keys of the pane that has the focus, unless a message stands in their place."""
        if not self._message:
            self.keys.show(footer_text(self.footer, self.changed_keys, self.app.size.width))

    def sign(self, id: str) -> str:
        """The key of a binding, as people write it."""
        return sign_of(id, self.changed_keys)

    @property
    def changed_keys(self) -> dict[str, str]:
        """The keys of bindings by id, where the config file has others."""
        return cast(dict[str, str], getattr(self.app, "changed_keys", {}))


class StateScreen(KeysScreen[None], Generic[S]):
    """A screen that shows a frozen state, and turns keys into steps from one state to the next.

    Line 1 says what is looked at, line 2 what `/` types, the last line has the keys.
    """

    AUTO_FOCUS = ""  # else Textual focuses the line that is hidden

    BINDINGS: ClassVar[list[BindingType]] = bindings("screen")

    PLACEHOLDER: ClassVar[str] = "type to filter"
    """What `/` asks for."""

    NOTHING_DONE: ClassVar[Mapping[str, str]] = {
        "undo": "there is no step to take back",
        "redo": "there is no step to do again",
        "clear": "the query has no filter",
        "step_tag": "there is no tag on that side",
        "compare": "mark two columns or more to compare them",
        "step": "there is no other tag to compare in this series",
    }
    """Why a step did nothing."""

    state_of: Callable[[View], S]
    """Makes the state that the screen begins with for a view."""
    body: Sequence[Widget]
    """The widgets between line 2 and the keys."""
    home: Widget
    """The one in which keys move through what is listed."""

    @dataclass
    class Worked(Message):
        """A question was answered in a thread."""

        question: Hashable
        answer: Any
        error: str = ""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.heading, self.filter = Bar(id="heading"), Bar(id="filter")
        self.prompt = Prompt(" / ", self.PLACEHOLDER)
        self.state = self.state_of(view)
        self._shown: S | None = None
        """What is on screen; behind others it may be older than the state."""
        self._asked: Hashable | None = None
        """What is being worked out."""
        self._word_before = ""
        """What the line had when it was opened, which Esc takes back."""

    def compose(self) -> ComposeResult:
        yield from (self.heading, self.filter, self.prompt, *self.body, self.keys)

    # One direction: a step makes a state, the state is shown

    def do(self, step: Callable[[S], S]) -> None:
        """Take a step and show where it leads; nothing is done where it leads nowhere."""
        state = step(self.state)
        if state is not self.state:
            self.state = state
            self.show_state()

    def show_state(self) -> None:
        """Show the state, on top of the stack alone; the others show it when they come up."""
        if not (self.is_mounted and self.is_current):
            return
        question = None if self.status.progress else getattr(self.state, "question", None)
        if question is not None and question != self._asked:
            self._asked = question
            self.run_worker(partial(self._work, question), thread=True, exclusive=True)
        if self.state is not self._shown:
            before, self._shown = self._shown, self.state
            self.show_heading()
            self.show(self.state, before)
            if self.focused is None:
                self.focus_home()
            self.show_keys()

    @abstractmethod
    def show(self, state: S, before: S | None) -> None:
        """Show a state; `before` is what is on screen, None where all has to be shown anew."""

    def show_anew(self) -> None:
        """Show all of the state again, as in another size."""
        self._shown = None
        self.show_state()

    def open(self, view: View) -> None:
        """Show another view from the beginning: a screen that was popped is pushed again."""
        answer = getattr(self.state, "answer", None)
        self.state, self._shown, self._asked, self._message = self.state_of(view), None, None, ""
        if answer is not None:
            self.state = cast(Any, self.state).answered(*answer)

    def follow(self, step: Step) -> None:
        """Take a step of the view, such as to a newer index."""
        self.do(lambda state: state if (view := step(state.view)) is state.view else cast(S, state.on_view(view)))

    @on(events.ScreenResume)
    def show_newest(self) -> None:
        self.show_state()
        self.show_heading()

    @on(events.Resize)
    def show_in_size(self, event: events.Resize) -> None:
        if event.size == self.app.size:
            self.show_anew()

    # Slow answers

    def work(self, question: Any, cancelled: Cancelled) -> Iterable[Any]:
        """Answer a question of the state, in a thread; what takes longer is in a second answer."""
        return ()

    def _work(self, question: Hashable) -> None:
        worker = get_current_worker()
        try:
            for answer in self.work(question, lambda: worker.is_cancelled):
                self.post_message(self.Worked(question, answer))
        except (OSError, ValueError) as error:
            self.post_message(self.Worked(question, None, visible(str(error))))

    @property
    def has_figures(self) -> bool:
        """Whether the first figures are there, for which keys wait."""
        return self._asked is None

    @on(Worked)
    def take_answer(self, event: Worked) -> None:
        if event.question == self._asked:
            self._asked = None
        if event.error:
            self.say(event.error)
        else:
            self.do(lambda state: cast(Any, state).answered(event.question, event.answer))

    # The frame

    def show_heading(self) -> None:
        """Show line 1 and line 2."""
        status = self.status
        left, figures = self.heading_of(self.state)
        right = " · ".join(filter(None, (*map(visible, status.signs), figures)))
        title: Text = [" ", Cell("cachetui", "bold"), "  "]
        others = "".join(map(text_of, (*title, " · ", *left, f" {right} ")))
        room = max(LEAST_CONTENT, self.app.size.width - measure(visible(others)))
        content = fit(visible(status.content), room, middle=True)
        self.heading.show([*title, f"{content} · ", *left], [f"{right} "])
        self.filter.show(*self.filter_of(self.state))

    def heading_of(self, state: S) -> tuple[Text, str]:
        """What is looked at, behind the content; and how much of it."""
        view = state.view
        return [f"{tag_text(view)}{query_text(view.query)}"], ""

    def filter_of(self, state: S) -> tuple[Text, Text]:
        """Line 2: what was typed after `/`, and the host."""
        word = getattr(state, "word", "")
        host = Cell(f"runs on {state.view.host.name} ", "muted")
        return [" / ", visible(word) or Cell(self.PLACEHOLDER, "muted")], [host]

    @property
    def footer(self) -> Footer:
        return TYPING if self.prompt.has_class("-open") else self.pane_footer

    @property
    def pane_footer(self) -> Footer:
        """The same where nothing is typed."""
        return self.FOOTER

    # Keys

    def action_step(self, name: str, *arguments: Any) -> None:
        """Take a step that the state has, or else its view; say why where it did nothing."""
        before = self.state
        if hasattr(before, name):
            self.do(lambda state: getattr(state, name)(*arguments))
        else:
            self.follow(lambda view: getattr(view, name)(*arguments))
        if self.state is before and name in self.NOTHING_DONE:
            self.say(self.NOTHING_DONE[name])

    @on(ActionAsked)
    async def do_action(self, event: ActionAsked) -> None:
        await self.run_action(event.action)

    def take(self, answer: Answer) -> None:
        """Take what a dialog ended with: a step of the view, a message to the app, or a line to show."""
        if isinstance(answer, str):
            self.say(answer)
        elif isinstance(answer, Message):
            self.post_message(answer)
        elif answer is not None:
            self.follow(answer)

    def copies(self) -> Sequence[tuple[str, str]]:
        """What `y` copies here, each text with its name."""
        return ()

    def document(self) -> Document | None:
        """What `e` exports here, as the command of this screen hands it over."""
        return None

    def environment(self) -> Iterable[str] | None:
        """The lines of a spack.yaml that `e` can write here; None where there are no specs."""
        return None

    def here(self) -> View | None:
        """A view in which what is under the cursor is under the cursor; None where nothing is."""
        return self.state.view

    def action_ask(self, name: str) -> None:
        """Ask for a screen of what is under the cursor."""
        self.ask(name, self.here())

    def ask(self, name: str, view: View | None, nothing: str = "there is nothing under the cursor") -> None:
        """Ask for a screen of a view; say why not where there is none."""
        if view is None:
            self.say(nothing)
        else:
            self.post_message(ScreenAsked(name, view))

    def ask_comparison(self, specs: frozenset[SpecKey]) -> None:
        """Ask for two specs side by side."""
        view, marked = self.state.view, len(self.state.view.marks)
        nothing = f"two marked specs are compared, not {marked}"
        self.ask("comparison", view.with_marks(specs) if len(specs) == 2 else None, nothing)

    def action_dialog(self, name: str) -> None:
        """Ask for a dialog over this screen."""
        self.post_message(DialogAsked(name, self))

    def action_back(self) -> None:
        """Go up one level, here to the screen below."""
        if self.app.screen_stack[1:]:
            self.app.pop_screen()
        else:
            self.say(f"this is the first screen: {self.sign('browse.quit')} quits")

    def action_close(self) -> None:
        """Close the screen; the last one ends the program."""
        if self.app.screen_stack[1:]:
            self.app.pop_screen()
        else:
            self.app.exit()

    # The line: a word that filters what is listed

    def action_open_line(self) -> None:
        """Type the word that rows must have."""
        self._word_before = cast(Any, self.state).word
        self.open_prompt(self._word_before)

    def open_prompt(self, text: str) -> None:
        """Show the line with a text and type into it."""
        self.add_class("-typing")
        self.prompt.open(text)
        self.show_keys()

    def close_prompt(self) -> None:
        """Hide the line; the focus goes back to the list."""
        self.remove_class("-typing")
        self.prompt.close()
        self.focus_home()
        self.show_heading()
        self.show_keys()

    def focus_home(self) -> None:
        """Put the focus where keys move through what is listed."""
        self.home.focus()

    @on(Table.Moved)
    def follow_cursor(self, event: Table.Moved) -> None:
        self.do(lambda state: cast(Any, state).move(event.key, event.row))

    @on(Prompt.Edited)
    def follow_line(self, event: Prompt.Edited) -> None:
        if self.prompt.has_class("-open"):
            self.do(lambda state: cast(Any, state).find(event.text.strip()))

    @on(Prompt.Left)
    def end_line(self, event: Prompt.Left) -> None:
        word = event.text.strip() if event.kept else self._word_before
        self.do(lambda state: cast(Any, state).find(word))
        self.close_prompt()


class ListScreen(StateScreen[L]):
    """A list, and below it what is under the cursor in full."""

    TITLE: ClassVar[str]
    """Stands in the title rule of the list."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.home = self.table = Table(title=self.TITLE, id="list")
        self.detail = DetailPane(title="In full", brief=True, id="detail")
        self.body = self.table, self.detail

    def show(self, state: L, before: L | None) -> None:
        """Show the rows; while something is asked those of before stay."""
        rows = state.rows or FixedRows({})
        waits_for = self.status.progress or ("looking" if state.question is not None else "")
        self.table.entitle(self.title_of(state), waits_for or visible(state.verdict))
        if waits_for and not rows and before is not None:
            return
        self.table.explain(*(() if waits_for else self.nothing(state)))
        self.table.show(rows, state.columns, state.cursor.on(rows))
        self.detail.show_fields(state.fields)

    def title_of(self, state: L) -> str:
        """What stands in the title rule of the list."""
        return self.TITLE

    @abstractmethod
    def nothing(self, state: L) -> Sequence[Text | str]:
        """What is shown where nothing is listed: a sentence, then what can be done."""


TYPING: Footer = (("prompt.done", "keep"), ("prompt.leave", "take back"))


def tag_text(view: View) -> str:
    """The tag that is looked at, with the sign that it can be chosen."""
    parts = view.query.parts_of("tag")
    tag = view.shown_tag or (" ".join(map(str, parts)) if parts else ALL_TAGS)
    return f"{visible(tag)} {CHOICE}"


def query_text(query: Query) -> str:
    """A query as it stands behind what is looked at; empty where it has no text."""
    return f" · {visible(query.line)}" if query.line else ""


def footer_text(footer: Footer, changed: dict[str, str], width: int) -> Text:
    """Keys with what they do; where the width does not do those in the middle go, so that help and the way out stay."""
    texts = [(sign_of(id, changed), label) for id, label in footer]

    def extent() -> int:
        return sum(measure(f"{sign} {label}") for sign, label in texts) + 2 * len(texts) - 1

    while len(texts) > 3 and extent() > width:
        del texts[-3]
    cells: list[Cell | str] = []
    for sign, label in texts:
        cells += ["  " if cells else " ", Cell(sign, "bold"), Cell(f" {label}", "muted")]
    return cells
