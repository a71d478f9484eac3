"""The base classes of all screens. A screen has a header, a text field (opened with `/`), a body, and the keys.

A screen shows an immutable state, and each key replaces this state with a new one. A function that returns the next
state is a step. After the content has been read, a thread computes slow results, and the screen adds them to the
state. Screens do not import each other: they ask the app to open another screen by its name.
"""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace
from textual import events, on
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import get_current_worker

from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.report.formats import Document
from cachetui.report.specs import spec_name
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.sources.buildcache.remote_binaries import Sizes
from cachetui.tui.keymap import Action, Actions, Footer, Keyed, KeyId, KeyLabel, first_key_text, labelled
from cachetui.tui.lines import CHOICE, CUT, Cell, EmptyRows, FixedRows, Line, Rows, Text, cut, fit, measure, text_of
from cachetui.tui.terminal.lifecycle import TypeAhead
from cachetui.tui.view.saved import VIEW, command_of
from cachetui.tui.view.view import ListState, ScreenName, ShownState, Step, View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.line_widget import Bar, KeyAsked
from cachetui.tui.widgets.list_pane import EDGE_CELLS, ListPane, Table
from cachetui.tui.widgets.prompt import Prompt
from cachetui.workers.cancelling import Cancelled

ALL_TAGS = "all tags"

MESSAGE_LINES = 3
"""Maximum number of lines of a message."""

MIN_MESSAGE_CELLS = 20
"""Minimum width of a message, in cells."""

NOTHING = "there is nothing under the cursor"

MIN_CONTENT_CELLS = 9
"""Minimum width of the content's name in the header, in cells."""


S = TypeVar("S", bound=ShownState)
L = TypeVar("L", bound=ListState[Any])

AnyScreen: TypeAlias = "StateScreen[Any]"
"""A screen with any kind of state."""


class Status(Struct, frozen=True):
    """The status of the content, for the header of every screen."""

    content: str
    """The name of the content that the user typed."""
    state: Text = ()
    """One text: local copies (`! copy of 21:50`), or progress (`reading 40 %`), or errors (`! 3 errors`)."""
    progress: str = ""
    """The progress of the first reading; empty afterwards. During this reading, no screen reports missing specs."""


DialogName = Literal[
    "lookup",
    "tags",
    "hosts",
    "axes",
    "without_each_filter",
    "saved_views",
    "copy",
    "export",
    "problems",
    "help",
    "palette",
    "reference",
]
"""The names of the dialogs."""


class Browser(Protocol):
    """The attributes of the app that screens and dialogs use."""

    catalogue: Catalogue
    picks: bool
    """Whether Enter on a spec ends the browser."""
    changed_keys: Mapping[str, str]
    """The keys from the config file, by the id of the action. They replace the default keys."""
    typeahead: TypeAhead

    @property
    def status(self) -> Status:
        """The status of the content."""

    @property
    def unread_tags(self) -> Sequence[str]:
        """The existing tags and snapshots that the browser has not read yet."""

    def sizes_of(self, index: Index, cancelled: Cancelled) -> Sizes:
        """Return an object that finds the sizes of binaries."""

    def name_of(self, screen: AnyScreen) -> ScreenName:
        """Return the name of a screen."""

    def reload(self) -> None:
        """Read changed files again."""

    def toggle_snapshots(self) -> None:
        """Show the snapshots as tags, or hide them if they are shown."""

    def send_to_terminal(self, text: str) -> None:
        """Write a control sequence directly to the terminal."""


@dataclass
class ScreenAsked(Message):
    """Asks the app to open a screen with a view."""

    name: ScreenName
    view: View
    words: Sequence[str] = ()
    """The options of a saved view, in the form of command-line arguments."""


@dataclass
class DialogAsked(Message):
    """Asks the app to open a dialog over a screen."""

    name: DialogName
    screen: AnyScreen


@dataclass
class TagAsked(Message):
    """Asks the app to read tags or snapshots, to show the first of them, and to open a screen."""

    tags: Sequence[str]
    opens: ScreenName | None = None


@dataclass
class AllChanged(Message):
    """Asks the app to change the views of all open screens, because something shared has changed, such as the marks.

    The function `step` returns the next view of a screen.
    """

    step: Step


@dataclass
class CauseRemoved(Message):
    """Asks a screen to undo a setting that hides rows. `cause` is the name of this setting, such as `only gaps`."""

    cause: str


def cancelled_here() -> Cancelled:
    """Return a function that tells whether the worker of the current thread was cancelled. Any thread may call it."""
    worker = get_current_worker()
    return lambda: worker.is_cancelled


Answer: TypeAlias = "Step | Message | str | None"
"""The result of a dialog: a function that changes the view, a message for the app, a text for the user, or None."""


class KeysScreen(Keyed, Screen[ScreenResultType]):
    """A screen whose last line shows the keys or a message."""

    FOOTER: ClassVar[Footer] = ()
    """The keys in the last line, for screens with the same keys in all panes."""

    @dataclass
    class Worked(Message):
        """Sent when the screen's slow computation has a result, or has failed.

        `question` is the input of the computation.
        """

        question: Hashable
        answer: Any
        error: str = ""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    _is_new = True
    """Whether the screen has not been shown yet."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = Bar(id="keys")
        self._message = ""
        self._asked: Hashable | None = None
        """The input of the slow computation that a thread runs for the screen. None if the thread has ended."""
        self._answer: KeysScreen.Worked | None = None
        """The message with the last result of the screen's slow computation."""

    @on(events.Resize)
    def ignore_old_size(self, event: events.Resize) -> None:
        """Ignore a reported size if the terminal now has another size.

        Textual lays out the screen for each size, and then reports this size again. If a window manager changes the
        size twice in quick succession, Textual would report the two sizes in turn forever.
        """
        size = self.app.size
        if event.size != size:
            event.prevent_default()  # Textual's own handler would lay out the screen
            self.post_message(events.Resize(size, size))

    @on(events.ScreenResume)
    def keep_fresh_styles(self, event: events.ScreenResume) -> None:
        """Skip the styling of a new screen, because Textual has just styled all its widgets."""
        if self._is_new:
            event.refresh_styles = self._is_new = False

    def on_idle(self, event: events.Idle) -> None:
        """Postpone painting until all work for a key is complete."""
        if self.browser.typeahead.holds_frame_of(self):
            event.prevent_default()  # Textual's own handler would paint the screen

    def follow(self, step: Step) -> None:
        """Change the view with the function `step`, which the app sends to all open screens.

        The base class does nothing.
        """

    def rest(self) -> None:
        """Do work in advance for the next key. The app calls this when the user stops typing.

        The base class does nothing.
        """

    # Slow computations

    @property
    def question(self) -> Hashable:
        """The input of the screen's slow computation, which a thread must run. None if all results are available."""
        return None

    def ask_question(self) -> None:
        """Start the screen's slow computation in a thread.

        Do nothing if the result is available, or if a thread is already computing it.
        """
        question = self.question
        if question is not None and question != self._asked:
            self._asked = question
            self.run_worker(partial(self._work, question), thread=True, exclusive=True)

    def work(self, question: Any) -> Iterable[Any]:
        """Run the screen's slow computation for the input `question`.

        Yield results: each result replaces the previous one.

        A thread calls this. If it raises OSError or ValueError, the screen shows the error to the user.
        """
        return ()

    def _work(self, question: Hashable) -> None:
        try:
            for answer in self.work(question):
                self.post_message(self.Worked(question, answer))
        except (OSError, ValueError) as error:
            self.post_message(self.Worked(question, None, visible(str(error))))

    @property
    def has_first_answer(self) -> bool:
        """False while the screen's slow computation runs and has no result yet.

        While this is false, the app stores the keys that the user types, and handles them later.
        """
        return self._asked is None

    @on(Worked)
    def take_answer(self, event: Worked) -> None:
        if event.question == self._asked:
            self._asked = None
        if event.error:
            self.say(event.error)
        else:
            self._answer = event
            self.show_answer(event)

    @abstractmethod
    def show_answer(self, answer: Worked) -> None:
        """Show a result of the screen's slow computation."""

    @property
    def browser(self) -> Browser:
        """The app, limited to the attributes for screens and dialogs."""
        return cast(Browser, self.app)

    def say(self, message: str) -> None:
        """Show a message of up to three lines. It replaces the keys in the last line until the user presses a key.

        While the text field is open, show the message above the keys, because the user needs them to close the field.
        """
        self._message = message
        width = max(MIN_MESSAGE_CELLS, self.app.size.width - 1)
        lines = wrap(visible(message), width, max_lines=MESSAGE_LINES, placeholder=CUT, break_on_hyphens=False)
        keys = [footer_text(TYPING, self.browser.changed_keys, self.app.size.width)] * (self.footer == TYPING)
        shown: list[Text] = [*([Cell(f" {line}", "bold")] for line in lines), *keys]
        self.keys.show(shown[-1], above=shown[:-1])

    def forget_message(self) -> None:
        """Remove the message, and show the keys again. The app calls this method before it handles a key."""
        if self._message:
            self._message = ""
            self.show_keys()

    @property
    def footer(self) -> Footer:
        """The keys to show in the last line."""
        return self.FOOTER

    def show_keys(self) -> None:
        """Show the keys in the last line. If this line shows a message, do nothing."""
        if not self._message:
            self.keys.show(footer_text(self.footer, self.browser.changed_keys, self.app.size.width))

    @on(KeyAsked)
    async def do_key(self, event: KeyAsked) -> None:
        """Run the requested action, which the screen or the focused widget provides."""
        for each in (self, *(self.focused.ancestors_with_self if self.focused else ())):
            if isinstance(each, Keyed) and event.id in each.actions():
                await each.action_press(event.id)
                return

    def empty(self, lines: Iterable[str | KeyLabel], part: float = 1) -> EmptyRows:
        """Return the rows to show if a list is empty: the reasons, then keys that may help.

        `part` is the width of the list, as a fraction of the screen's width.
        """
        width = max(MIN_MESSAGE_CELLS, int(self.app.size.width * part) - 6)
        shown: dict[Hashable, Line] = {}
        for line in lines:
            if isinstance(line, str):
                shown |= {len(shown) + k: Line((each,)) for k, each in enumerate(wrap(visible(line), width))}
            else:
                shown[line[0]] = Line((Cell(f"{self.key_text_of(line[0]):<5} {line[1]}", "", [(0, 5, "bold")]),))
        return EmptyRows(shown)

    def key_text_of(self, id: KeyId) -> str:
        """Return the first key of an action as text for the user, such as `Ctrl+P`."""
        return first_key_text(id, self.browser.changed_keys)


class StateScreen(KeysScreen[None], Generic[S], keys="screen"):
    """A screen that shows an immutable state. Most keys run a step: a function that returns the next state."""

    AUTO_FOCUS = ""  # otherwise Textual would focus the hidden text field

    PLACEHOLDER: ClassVar[str] = "type to filter"
    """The text in the second line of the screen if the user has typed nothing."""

    state_of: Callable[[View], S]
    """Returns the initial state of the screen for a view."""
    body: Sequence[Widget]
    """The widgets between the second line and the last line of the screen."""

    @property
    @abstractmethod
    def home(self) -> ListPane:
        """The list that has the focus while the text field is closed.

        While the text field is open, Up and Down move the cursor of this list.
        """

    def __init__(self, view: View) -> None:
        super().__init__()
        self.heading, self.filter = Bar(id="heading"), Bar(id="filter")
        self.prompt = Prompt(" / ", self.PLACEHOLDER)
        self.state = self.state_of(view)
        self._shown: S | None = None
        """The state that was last drawn. It may be older than `state` while another screen is on top."""
        self._word_before = ""
        """The search word before the user opened the text field. Esc restores this word."""

    def compose(self) -> Iterable[Widget]:
        yield from (self.heading, self.filter, self.prompt, *self.body, self.keys)

    # Steps, states and drawing

    def do(self, step: Callable[[S], S]) -> None:
        """Replace the state with the result of the function `step`. If the state changed, show the new state."""
        state = step(self.state)
        if state is not self.state:
            self.state = state
            self.show_state()

    def show_state(self) -> None:
        """Show the state, and start the screen's slow computation (if it is needed) in a thread.

        Do nothing while another screen is on top.
        """
        if not (self.is_mounted and self.is_current):
            return
        if self.state is not self._shown:
            before, self._shown = self._shown, self.state
            self.show_heading()
            self.show(self.state, before)
            if self.focused is None:
                self.set_focus(self.home)
            self.show_keys()
        self.ask_question()

    @abstractmethod
    def show(self, state: S, before: S | None) -> None:
        """Show a state. `before` is the state on screen, or None to draw everything again."""

    def redraw(self) -> None:
        """Draw everything again, for example after a resize."""
        self._shown = None
        self.show_state()

    def open(self, view: View) -> None:
        """Reuse this closed screen for another view.

        If the view needs the same slow computation again, keep its last result.
        """
        answer = self._answer
        self.state, self._shown, self._asked, self._message = self.state_of(view), None, None, ""
        if answer is not None:
            self.state = self.state.answered(answer.question, answer.answer)

    def follow(self, step: Step) -> None:
        """Apply the function `step` to the view in the state."""
        self.do(lambda state: state.follow(step))

    @on(events.ScreenResume)
    def show_newest(self) -> None:
        self.show_state()
        self.show_heading()

    @on(events.Resize)
    def show_in_size(self, event: events.Resize) -> None:
        if event.size == self.app.size:
            self.redraw()

    # Slow computations

    @property
    def question(self) -> Hashable:
        """The input of the screen's slow computation, which a thread must run.

        None if the result is available, or while the content is read for the first time.
        """
        return None if self.browser.status.progress else self.state.question

    def show_answer(self, answer: KeysScreen.Worked) -> None:
        self.do(lambda state: state.answered(answer.question, answer.answer))

    # Header, second line, last line

    def show_heading(self) -> None:
        """Show the first line (the header) and the second line (the typed text and the host) of the screen."""
        status = self.browser.status
        left, figures = self.heading_of(self.state)
        title: Text = [" ", Cell("cachetui", "bold"), "  "]
        others = "".join(map(text_of, (*title, " · ", *left, f" {figures} ")))
        room = max(MIN_CONTENT_CELLS, self.app.size.width - measure(visible(others)))
        content = fit(visible(status.content), room, middle=True)
        self.heading.show([*title, f"{content} · ", *left], [f"{figures} "])
        if self.has_class("-typing"):
            return
        typed = self.filter_of(self.state)
        room = self.app.size.width - bool(self.state.word) * sum(measure(text_of(cell)) for cell in typed) - 2
        self.filter.show(typed, [*cut(self.state_text(self.state), room), " "])

    def heading_of(self, state: S) -> tuple[Text, str]:
        """Return two texts for the header: one that follows the name of the content, and one for the right edge."""
        view = state.view
        return [tag_text(view), query_text(view.query.without_key("tag"))], ""

    def filter_of(self, state: S) -> Text:
        """Return the text on the left of the second line of the screen: the typed text or a hint."""
        text = Cell(visible(state.word)) if state.word else Cell(self.PLACEHOLDER, "muted")
        return [Cell(" / ", "", (), "browse.filter"), text._replace(id="browse.filter")]

    def state_text(self, state: S) -> Text:
        """Return the text on the right of the second line of the screen.

        This is the first text that exists: the status of the content, the settings that hide rows, or the host.
        """
        hides = ", ".join(visible(each) for each in state.causes if each != state.word)
        return self.browser.status.state or ([Cell(hides, "", (), "browse.why")] if hides else self.host_text(state))

    def host_text(self, state: S) -> Text:
        """Return the host for the second line of the screen, with the number of specs that run on it."""
        name, (run, may, total) = visible(state.view.host.name), self.host_counts(state)
        if state.view.query.fits is None:
            text = f"host {name} · {run:,} of {total:,} run" if total else f"host {name}"
        else:
            text = f"only {name} · {run:,} of {total:,} run{f', {may:,} may run' if may else ''}"
        return [Cell(text, "muted", (), "browse.host")]

    def host_counts(self, state: S) -> tuple[int, int, int]:
        """Return how many specs run on the host, how many may run on it, and how many specs there are."""
        fits = state.view.results.fits_by[state.view.host]
        return (0, 0, 0) if fits is None else (fits.counts[0][1], fits.shown - fits.counts[0][1], fits.total)

    @property
    def footer(self) -> Footer:
        return TYPING if self.prompt.has_class("-open") else self.pane_footer

    @property
    def pane_footer(self) -> Footer:
        """The keys to show in the last line while the text field is closed."""
        return self.FOOTER

    # Keys

    def actions(self) -> Actions:
        no_tag = "there is no further tag in this direction"
        return {
            **super().actions(),
            "browse.undo": self.step(View.undo, "there is nothing to undo"),
            "browse.redo": self.step(View.redo, "there is nothing to redo"),
            "browse.fits": self.step(View.turn_host),
            "browse.filter": self.open_line,
            "browse.lookup": partial(self.open_dialog, "lookup"),
            "browse.tag": partial(self.open_dialog, "tags"),
            "browse.tag_before": self.step(lambda view: view.step_tag(-1), no_tag),
            "browse.tag_after": self.step(lambda view: view.step_tag(1), no_tag),
            "browse.clear": self.own_step(lambda state: state.cleared(), "there are no filters to remove"),
            "browse.unmark": self.unmark,
            "browse.why": partial(self.open_dialog, "without_each_filter"),
            "browse.coverage": partial(self.open_for_current, "coverage"),
            "browse.diff": partial(self.open_for_current, "diff"),
            "browse.days": self.browser.toggle_snapshots,
            "browse.timeline": partial(self.open_for_current, "timeline"),
            "browse.needs": partial(self.open_for_current, "deps"),
            "browse.install": partial(self.open_for_current, "check"),
            "browse.copy": partial(self.open_dialog, "copy"),
            "browse.export": partial(self.open_dialog, "export"),
            "browse.views": partial(self.open_dialog, "saved_views"),
            "browse.problems": partial(self.open_dialog, "problems"),
            "browse.reload": self.browser.reload,
            "browse.help": partial(self.open_dialog, "help"),
            "browse.palette": partial(self.open_dialog, "palette"),
            "browse.reference": partial(self.open_dialog, "reference"),
            "browse.host": partial(self.open_dialog, "hosts"),
            "screen.back": self.back,
            "browse.quit": self.close_level,
        }

    def lists_key(self, id: KeyId) -> bool:
        """Return whether the help and the palette list an action on this screen."""
        return id == "table.choose" or (
            id in self.actions() and (id != "browse.days" or bool(self.browser.catalogue.snapshots))
        )

    def step(self, step: Step, hint: str = "") -> Action:
        """Return an action that changes the view with the function `step`.

        If the view stays the same, show the hint.
        """
        return self.own_step(lambda state: state.follow(step), hint)

    def own_step(self, step: Callable[[S], S], hint: str = "") -> Action:
        """Return an action that changes the state with the function `step`.

        If the state stays the same, show the hint.
        """

        def act() -> None:
            before = self.state
            self.do(step)
            if self.state is before and hint:
                self.say(hint)

        return act

    def apply_answer(self, answer: Answer) -> None:
        """Use the result of a dialog: show a string, post a message, or change the view with a function."""
        if isinstance(answer, str):
            self.say(answer)
        elif isinstance(answer, Message):
            self.post_message(answer)
        elif answer is not None:
            self.follow(answer)

    @on(CauseRemoved)
    def remove_cause(self, event: CauseRemoved) -> None:
        self.do(lambda state: state.causes[event.cause](state))

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return the name and the text of each string that the user can copy from this screen."""
        return ()

    def texts(self) -> Mapping[str, str]:
        """Return all texts that the user can copy, by name: the texts of the screen, then the equivalent command."""
        saved, view = self.state.saved, self.state.view
        own = {} if saved is None else {VIEW: command_of(saved, self.browser.catalogue.content_words, view.index)}
        return dict(self.copies()) | own

    def document(self) -> Document | None:
        """Return the document to export, or None if the screen is empty."""
        return None

    def environment(self) -> Iterable[str] | None:
        """Return the lines of a spack.yaml to export, or None if this kind of screen shows other things."""
        return None

    def current_view(self) -> View | None:
        """Return a view whose cursor is on the current item of this screen. None if the screen is empty."""
        return self.state.opened()

    def open_for_current(self, name: ScreenName) -> None:
        """Open another screen for the current item of this screen."""
        self.ask(name, self.current_view())

    def ask(self, name: ScreenName, view: View | None, hint: str = NOTHING) -> None:
        """Open a screen with this view. If `view` is None, show the hint instead."""
        if view is None:
            self.say(hint)
        else:
            self.post_message(ScreenAsked(name, view))

    def unmark(self) -> None:
        """Remove all marks on all open screens."""
        if self.state.view.marks:
            self.post_message(AllChanged(lambda view: view.with_marks(frozenset())))
        else:
            self.say("nothing is marked")

    def open_dialog(self, name: DialogName) -> None:
        """Open a dialog over this screen."""
        self.post_message(DialogAsked(name, self))

    def back(self) -> None:
        """Go back to the screen below."""
        if self.is_nested:
            self.app.pop_screen()
        else:
            self.say(f"this is the first screen: {self.key_text_of('browse.quit')} quits")

    def close_level(self) -> None:
        """Go back to the screen below. On the first screen, end the program."""
        if self.is_nested:
            self.back()
        else:
            self.app.exit()

    @property
    def is_nested(self) -> bool:
        """Whether another screen is below this screen."""
        return bool(self.app.screen_stack[1:])

    # The text field

    def open_line(self) -> None:
        """Open the text field for a search word that filters the rows."""
        self._word_before = self.state.word
        self.open_prompt(self._word_before)

    def open_prompt(self, text: str) -> None:
        """Open the text field with this text."""
        self.add_class("-typing")
        self.prompt.open(text)
        self.show_keys()

    def close_prompt(self) -> None:
        """Close the text field, and focus the list."""
        self.remove_class("-typing")
        self.prompt.remove_class("-open")
        self.set_focus(self.home)
        self.show_heading()
        self.show_keys()

    @on(Prompt.Stepped)
    def _step_in_list(self, event: Prompt.Stepped) -> None:
        self.home.move(event.delta)

    @on(Table.Moved)
    def follow_cursor(self, event: Table.Moved) -> None:
        """Store the cursor position in the state."""
        self.do(lambda state: state.move(event.key, event.row))

    @on(Input.Changed)
    def follow_line(self) -> None:
        """Filter the rows by the typed text."""
        if self.prompt.has_class("-open"):
            self.do(lambda state: state.find(self.prompt.text, self.prompt.cursor))

    @on(Prompt.Left)
    def end_line(self, event: Prompt.Left) -> None:
        """Close the text field. After Enter, keep the typed text. After Esc, restore the previous text."""
        word = self.prompt.text if event.kept else self._word_before
        self.do(lambda state: state.find(word))
        self.close_prompt()


class ListScreen(StateScreen[L]):
    """A screen with a list. A pane below the list shows the details of the row under the cursor."""

    TITLE: ClassVar[str]
    """The title of the list."""

    IS_WHOLE: ClassVar[bool] = False
    """Whether the rows contain all details. If so, the Details pane appears only when the list cuts off text."""

    NO_SPECS: ClassVar[str] = NOTHING
    """The message if the row under the cursor has no specs to open."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.table = Table(title=self.TITLE, id="list")
        self.detail = DetailPane(title="Details", id="detail")
        self.body = self.table, self.detail

    @property
    def home(self) -> ListPane:
        return self.table

    def show(self, state: L, before: L | None) -> None:
        """Show the rows. While the screen's slow computation has no result yet, keep the previous rows."""
        state = replace(state, width=self.app.size.width - self.table.GUTTER - EDGE_CELLS)
        rows: Rows = state.rows or FixedRows({})
        waits_for = self.browser.status.progress or ("looking" if state.question is not None else "")
        self.table.entitle(self.title_of(state), [waits_for] if waits_for else state.title_answer)
        if waits_for and not rows and before is not None:
            return
        if not len(rows) and not waits_for:
            rows = self.empty([*self.nothing(state), ("screen.back", "back")])
        self.table.show(rows, state.columns, state.cursor.on(rows))
        self.detail.set_class(self.IS_WHOLE and not self.table.cuts(self.app.size.width), "-away")
        self.detail.show_fields(state.fields)

    @on(Table.Chosen)
    def _open_row(self) -> None:
        self.open_row()  # subclasses override this method, because Textual would also call an overridden handler

    def open_row(self) -> None:
        """Open a screen with the specs of the row under the cursor."""
        self.ask("browse", self.state.opened(), self.NO_SPECS)

    def title_of(self, state: L) -> str:
        """Return the title of the list."""
        return self.TITLE

    @abstractmethod
    def nothing(self, state: L) -> Sequence[str | KeyLabel]:
        """Return the lines to show if the list is empty: the reasons, then keys that may help."""


TYPING = labelled("prompt.done", "prompt.leave")


def without_word(word: str) -> Sequence[str | KeyLabel]:
    """Return the lines to show if no row contains the search word: the reason, and the key that removes the word."""
    return [f"No name here contains {word}.", ("browse.clear", "clear")] if word else []


def spec_title(view: View, row: int) -> str:
    """Return a title with a spec and the number of specs of its package: `zlib@1.3 /abcdefg · 1 of 5 specs`."""
    spec = view.index.spec(row)
    number, name = view.index.package_number(spec.package), f"{spec_name(spec)} /{spec.hash or '':.7}"
    specs = 1 if number is None else view.whole.specs_of(number)
    return visible(f"{name} · 1 of {specs:,} specs" if specs > 1 else name)


def tag_text(view: View) -> Cell:
    """Return the shown tag or tags, followed by the symbol `CHOICE`. A click on this text opens the list of tags."""
    return Cell(f"{visible(view.shown_tag or view.scope.line or ALL_TAGS)} {CHOICE}", "", (), "browse.tag")


def query_text(query: Query) -> str:
    """Return a query for the header, such as ` · hdf5 +mpi`; empty for an empty query."""
    return f" · {visible(query.line)}" if query.line else ""


def footer_text(footer: Footer, changed: Mapping[str, str], width: int) -> Text:
    """Return the keys with their labels.

    If the line is too narrow, omit keys, but keep the first key and the last two keys.

    If the last key is the key for `back`, add the key for `quit` after it.
    """
    texts = [(id, first_key_text(id, changed), label) for id, label in footer]
    if footer[-1:] == labelled("screen.back"):
        texts[-1] = ("screen.back", f"{texts[-1][1]} {first_key_text('browse.quit', changed)}", texts[-1][2])
    while len(texts) > 3 and sum(measure(f"{key} {label}") + 2 for _, key, label in texts) - 1 > width:
        del texts[-3]
    cells: list[Cell | str] = []
    for id, key, label in texts:
        cells += ["  " if cells else " ", Cell(key, "bold", (), id), Cell(f" {label}", "muted", (), id)]
    return cells
