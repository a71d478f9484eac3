"""The base classes of all screens: a header, a line for typing (opened with `/`), a body, and the keys.

A screen shows a frozen state, and each key replaces the state with the next one. A thread computes slow results after
the whole content is read, and the screen stores them in the state. Screens do not import each other: a screen asks the
app to open another screen by name.
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
from textual.app import ComposeResult
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.worker import get_current_worker

from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.report.find import spec_name
from cachetui.report.formats import Document
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.sources.buildcache.presence import BinaryFiles
from cachetui.sources.buildcache.sizes import Sizes
from cachetui.tui.glyphs import CHOICE, CUT
from cachetui.tui.keymap import Action, Actions, Footer, Keyed, KeyId, KeyLabel, labelled, sign_of
from cachetui.tui.lines import Cell, EmptyRows, FixedRows, Line, Rows, Text, cut, fit, measure, text_of
from cachetui.tui.terminal.typeahead import TypeAhead
from cachetui.tui.view.saved import VIEW, command_of
from cachetui.tui.view.view import ListState, ScreenName, ShownState, Step, View
from cachetui.tui.widgets.detail_pane import DetailPane
from cachetui.tui.widgets.line_widget import Bar, KeyAsked
from cachetui.tui.widgets.list_pane import EDGE_CELLS, ListPane
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

ALL_TAGS = "all tags"

MESSAGE_LINES = 3
"""Maximum number of lines of a message."""

MIN_MESSAGE_CELLS = 20
"""Minimum width of a line of a message, in cells."""

NOTHING = "there is nothing under the cursor"

MIN_CONTENT_CELLS = 9
"""Minimum number of cells that the header leaves for the name of the content."""


S = TypeVar("S", bound=ShownState)
L = TypeVar("L", bound=ListState[Any])


class Status(Struct, frozen=True):
    """The status of the content, for the header of every screen."""

    content: str
    """The name of the content, as typed by the user."""
    state: Text = ()
    """The first of these that applies: `! copy of 21:50`, `reading 40 %`, `! 3 errors`."""
    progress: str = ""
    """The progress of the first reading; empty afterwards. Until then, screens must not report missing specs."""


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
    """The keys that the config file has changed, by the id of the binding."""
    typeahead: TypeAhead

    @property
    def status(self) -> Status:
        """The status of the content."""

    @property
    def unread_tags(self) -> Sequence[str]:
        """The tags that have not been read yet: those that a server lists, and the snapshots."""

    def sizes_of(self, index: Index, cancelled: Cancelled) -> Sizes:
        """Return a source of the sizes of binaries."""

    def files(self, cancelled: Cancelled) -> BinaryFiles:
        """Return a new reader of the files of build caches."""

    def name_of(self, screen: "StateScreen[Any]") -> ScreenName:
        """Return the name of a screen."""

    def reload(self) -> None:
        """Read changed files again."""

    def toggle_snapshots(self) -> None:
        """Show the snapshots as tags, or hide them again."""

    def send_to_terminal(self, text: str) -> None:
        """Write to the terminal directly, not to the screen."""


@dataclass
class ScreenAsked(Message):
    """Requests that the app opens a screen on a view."""

    name: ScreenName
    view: View
    words: Sequence[str] = ()
    """The options of a saved view."""


@dataclass
class DialogAsked(Message):
    """Requests that the app opens a dialog over a screen."""

    name: DialogName
    screen: "StateScreen[Any]"


@dataclass
class TagAsked(Message):
    """Requests that the app reads tags or snapshots, shows the first of them, and opens a screen."""

    tags: Sequence[str]
    opens: ScreenName | None = None


@dataclass
class AllChanged(Message):
    """Tells every open screen that something shared changed, such as the marks or the index."""

    step: Step


@dataclass
class CauseRemoved(Message):
    """Requests that a screen shows the rows that a cause hides, such as `only gaps`."""

    cause: str


def cancelled_here() -> Cancelled:
    """Return a function, for any thread, that tells whether the worker of this thread was cancelled."""
    worker = get_current_worker()
    return lambda: worker.is_cancelled


Answer: TypeAlias = "Step | Message | str | None"
"""The result of a dialog: a step of the view, a message to the app, a line for the user, or nothing."""


class KeysScreen(Keyed, Screen[ScreenResultType]):
    """A screen whose last line shows the keys, or a message instead."""

    FOOTER: ClassVar[Footer] = ()
    """The keys in the last line, if they are the same for all panes."""

    @dataclass
    class Worked(Message):
        """Sent when a thread has answered a question, or has failed."""

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
        """The question that a thread is working on."""
        self._answer: KeysScreen.Worked | None = None
        """The last answer."""

    @on(events.Resize)
    def pass_over_old_size(self, event: events.Resize) -> None:
        """Ignore every size but the newest.

        Textual lays a screen out for each new size, and then reports that size to the screen again. If two sizes
        arrive in quick succession, for example from a window manager, the reports would never end.
        """
        size = self.app.size
        if event.size != size:
            event.prevent_default()  # Textual's own handler lays out
            self.post_message(events.Resize(size, size))

    @on(events.ScreenResume)
    def keep_fresh_styles(self, event: events.ScreenResume) -> None:
        """Do not style a new screen a second time: all its widgets have just been styled."""
        if self._is_new:
            event.refresh_styles = self._is_new = False

    def on_idle(self, event: events.Idle) -> None:
        """Do not paint until all effects of a key are complete."""
        if self.browser.typeahead.holds_frame_of(self):
            event.prevent_default()  # Textual's own handler paints

    def follow(self, step: Step) -> None:
        """Apply a step that all open screens apply; the base class does nothing."""

    def rest(self) -> None:
        """Prepare for the next key, shortly after the last one; the base class does nothing."""

    # Slow answers

    @property
    def question(self) -> Hashable:
        """The question that a thread has to answer. None if everything is known."""
        return None

    def ask_question(self) -> None:
        """Start a thread that answers the question, unless a thread is already working on it."""
        question = self.question
        if question is not None and question != self._asked:
            self._asked = question
            self.run_worker(partial(self._work, question), thread=True, exclusive=True)

    def work(self, question: Any) -> Iterable[Any]:
        """Answer the question, in a thread. A later answer may add results that take longer.

        The screen shows an OSError or ValueError to the user.
        """
        return ()

    def _work(self, question: Hashable) -> None:
        try:
            for answer in self.work(question):
                self.post_message(self.Worked(question, answer))
        except (OSError, ValueError) as error:
            self.post_message(self.Worked(question, None, visible(str(error))))

    @property
    def has_figures(self) -> bool:
        """Whether the first answer has arrived. Keys that the user types ahead wait for it."""
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
        """Show an answer."""

    @property
    def browser(self) -> Browser:
        """The app, as screens and dialogs know it."""
        return cast(Browser, self.app)

    @property
    def status(self) -> Status:
        """The status of the content."""
        return self.browser.status

    def say(self, message: str) -> None:
        """Show a message of up to three lines in place of the keys, until the next key.

        While the user types a line, the message is above the keys, because one of the keys closes the line.
        """
        self._message = message
        width = max(MIN_MESSAGE_CELLS, self.app.size.width - 1)
        lines = wrap(visible(message), width, max_lines=MESSAGE_LINES, placeholder=CUT, break_on_hyphens=False)
        keys = [footer_text(TYPING, self.browser.changed_keys, self.app.size.width)] * (self.footer == TYPING)
        shown: list[Text] = [*([Cell(f" {line}", "bold")] for line in lines), *keys]
        self.keys.show(shown[-1], above=shown[:-1])

    def forget_message(self) -> None:
        """Show the keys again; the app calls this method before each key."""
        if self._message:
            self._message = ""
            self.show_keys()

    @property
    def footer(self) -> Footer:
        """The keys of the pane that has the focus."""
        return self.FOOTER

    def show_keys(self) -> None:
        """Show the keys of the pane that has the focus, unless a message is in their place."""
        if not self._message:
            self.keys.show(footer_text(self.footer, self.browser.changed_keys, self.app.size.width))

    @on(KeyAsked)
    async def do_key(self, event: KeyAsked) -> None:
        """Run the action of a key of the screen or of the focused widget."""
        for each in (self, *(self.focused.ancestors_with_self if self.focused else ())):
            if isinstance(each, Keyed) and event.id in each.actions():
                await each.action_press(event.id)
                return

    def empty(self, lines: Iterable[str | KeyLabel], part: float = 1) -> EmptyRows:
        """Return the rows of an empty list: reasons, then keys. `part` is the list's share of the screen's width."""
        width = max(MIN_MESSAGE_CELLS, int(self.app.size.width * part) - 6)
        shown: dict[Hashable, Line] = {}
        for line in lines:
            if isinstance(line, str):
                shown |= {len(shown) + k: Line((each,)) for k, each in enumerate(wrap(visible(line), width))}
            else:
                shown[line[0]] = Line((Cell(f"{self.sign(line[0]):<5} {line[1]}", "", [(0, 5, "bold")]),))
        return EmptyRows(shown)

    def sign(self, id: KeyId) -> str:
        """Return the key of a binding in the spelling of the help, such as `Ctrl+P`."""
        return sign_of(id, self.browser.changed_keys)


class StateScreen(KeysScreen[None], Generic[S], keys="screen"):
    """A screen that shows a frozen state and turns keys into steps from one state to the next."""

    AUTO_FOCUS = ""  # else Textual focuses the hidden line

    PLACEHOLDER: ClassVar[str] = "type to filter"
    """The text in line 2 as long as nothing is typed."""

    state_of: Callable[[View], S]
    """Returns the first state of the screen for a view."""
    body: Sequence[Widget]
    """The widgets between line 2 and the keys."""
    home: Widget
    """The widget that has the focus when the screen opens."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.heading, self.filter = Bar(id="heading"), Bar(id="filter")
        self.prompt = Prompt(" / ", self.PLACEHOLDER)
        self.state = self.state_of(view)
        self._shown: S | None = None
        """The state that was last drawn; older than `state` while other screens are on top."""
        self._word_before = ""
        """The search word from before the line was opened; Esc restores this word."""

    def compose(self) -> ComposeResult:
        yield from (self.heading, self.filter, self.prompt, *self.body, self.keys)

    # Steps, states and drawing

    def do(self, step: Callable[[S], S]) -> None:
        """Apply a step to the state, and show the new state if the step changed it."""
        state = step(self.state)
        if state is not self.state:
            self.state = state
            self.show_state()

    def show_state(self) -> None:
        """Show the state and start a thread for its question, as soon as the screen is on top."""
        if not (self.is_mounted and self.is_current):
            return
        if self.state is not self._shown:
            before, self._shown = self._shown, self.state
            self.show_heading()
            self.show(self.state, before)
            if self.focused is None:
                self.focus_home()
            self.show_keys()
        self.ask_question()

    @abstractmethod
    def show(self, state: S, before: S | None) -> None:
        """Show a state. `before` is the state on screen; None if everything must be drawn again."""

    def show_anew(self) -> None:
        """Draw everything again, for example after a change of size."""
        self._shown = None
        self.show_state()

    def open(self, view: View) -> None:
        """Show another view on this closed screen. Keep the answer if the question is the same."""
        answer = self._answer
        self.state, self._shown, self._asked, self._message = self.state_of(view), None, None, ""
        if answer is not None:
            self.state = self.state.answered(answer.question, answer.answer)

    def follow(self, step: Step) -> None:
        """Apply a step to the view of the state."""
        self.do(lambda state: state.follow(step))

    @on(events.ScreenResume)
    def show_newest(self) -> None:
        self.show_state()
        self.show_heading()

    @on(events.Resize)
    def show_in_size(self, event: events.Resize) -> None:
        if event.size == self.app.size:
            self.show_anew()

    # Slow answers

    @property
    def question(self) -> Hashable:
        """The question that a thread has to answer. None if everything is known, and during the first reading."""
        return None if self.status.progress else self.state.question

    def show_answer(self, answer: KeysScreen.Worked) -> None:
        self.do(lambda state: state.answered(answer.question, answer.answer))

    # Header, line 2, last line

    def show_heading(self) -> None:
        """Show the header and line 2."""
        status = self.status
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
        """Return two parts of the header: the text after the content, and the text at the right edge."""
        view = state.view
        return [tag_text(view), query_text(view.query.without_key("tag"))], ""

    def filter_of(self, state: S) -> Text:
        """Return the left part of line 2: the typed text."""
        text = Cell(visible(state.word)) if state.word else Cell(self.PLACEHOLDER, "muted")
        return [Cell(" / ", "", (), "browse.filter"), text._replace(id="browse.filter")]

    def state_text(self, state: S) -> Text:
        """Return the right part of line 2: the status of the content, else the causes of hidden rows, else the host."""
        hides = [visible(each) for each in state.causes if each != state.word]
        return self.status.state or ([Cell(", ".join(hides), "", (), "browse.why")] if hides else self.host_text(state))

    def host_text(self, state: S) -> Text:
        """Return the host for line 2, with the number of specs that run on the host or that the host filter shows."""
        name, (run, may, total) = visible(state.view.host.name), self.host_counts(state)
        if state.view.query.fits is None:
            text = f"host {name} · {run:,} of {total:,} run" if total else f"host {name}"
        else:
            text = f"only {name} · {run:,}{f' run + {may:,} may' if may else ''} of {total:,}"
        return [Cell(text, "muted", (), "browse.host")]

    def host_counts(self, state: S) -> tuple[int, int, int]:
        """Return the number of specs that run on the host, that may run on it, and of all specs of the screen."""
        fits = state.view.results.fits_by[state.view.host]
        return (0, 0, 0) if fits is None else (fits.counts[0][1], fits.shown - fits.counts[0][1], fits.total)

    @property
    def footer(self) -> Footer:
        return TYPING if self.prompt.has_class("-open") else self.pane_footer

    @property
    def pane_footer(self) -> Footer:
        """The keys in the last line while the line for typing is closed."""
        return self.FOOTER

    # Keys

    def actions(self) -> Actions:
        no_tag = "there is no tag on that side"
        return {
            **super().actions(),
            "browse.undo": self.step(View.undo, "there is no step to undo"),
            "browse.redo": self.step(View.redo, "there is no step to redo"),
            "browse.fits": self.step(View.turn_host),
            "browse.filter": self.open_line,
            "browse.lookup": partial(self.open_dialog, "lookup"),
            "browse.tag": partial(self.open_dialog, "tags"),
            "browse.tag_before": self.step(lambda view: view.step_tag(-1), no_tag),
            "browse.tag_after": self.step(lambda view: view.step_tag(1), no_tag),
            "browse.clear": self.own_step(lambda state: state.cleared(), "the query has no filter"),
            "browse.unmark": self.unmark,
            "browse.why": partial(self.open_dialog, "without_each_filter"),
            "browse.coverage": partial(self.ask_here, "coverage"),
            "browse.diff": partial(self.ask_here, "diff"),
            "browse.days": self.browser.toggle_snapshots,
            "browse.timeline": partial(self.ask_here, "timeline"),
            "browse.needs": partial(self.ask_here, "deps"),
            "browse.install": partial(self.ask_here, "check"),
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
        """Check whether a key has an action on this screen, so that help and palette list it."""
        return id == "table.choose" or (
            id in self.actions() and (id != "browse.days" or bool(self.browser.catalogue.snapshots))
        )

    def step(self, step: Step, hint: str = "") -> Action:
        """Return an action that applies a step to the view, or shows the hint if the view stays the same."""
        return self.own_step(lambda state: state.follow(step), hint)

    def own_step(self, step: Callable[[S], S], hint: str = "") -> Action:
        """Return an action that applies a step to the state, or shows the hint if the state stays the same."""

        def act() -> None:
            before = self.state
            self.do(step)
            if self.state is before and hint:
                self.say(hint)

        return act

    def take(self, answer: Answer) -> None:
        """Apply the answer of a dialog: show it, post it or follow it."""
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
        """Return the texts of this screen that the key `y` can copy, each after its name."""
        return ()

    def texts(self) -> Mapping[str, str]:
        """Return all texts that the key `y` can copy: the texts of the screen, then an equivalent command."""
        saved, view = self.state.saved, self.state.view
        own = {} if saved is None else {VIEW: command_of(saved, self.browser.catalogue.content_words, view.index)}
        return dict(self.copies()) | own

    def document(self) -> Document | None:
        """Return the document that the key `e` exports. None if the screen has no such document."""
        return None

    def environment(self) -> Iterable[str] | None:
        """Return the lines of a spack.yaml for the key `e`, or None on a screen for other things than specs."""
        return None

    def here(self) -> View | None:
        """Return a view with the cursor on the current item of this screen, or None if the screen is empty."""
        return self.state.opened()

    def ask_here(self, name: ScreenName) -> None:
        """Open a screen for the item under the cursor."""
        self.ask(name, self.here())

    def ask(self, name: ScreenName, view: View | None, hint: str = NOTHING) -> None:
        """Open a screen on a view, or show the hint if `view` is None."""
        if view is None:
            self.say(hint)
        else:
            self.post_message(ScreenAsked(name, view))

    def unmark(self) -> None:
        """Remove all marks, on all open screens."""
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
            self.say(f"this is the first screen: {self.sign('browse.quit')} quits")

    def close_level(self) -> None:
        """Go back by one screen; on the first screen, end the program."""
        if self.is_nested:
            self.back()
        else:
            self.app.exit()

    @property
    def is_nested(self) -> bool:
        """Whether another screen is below this screen."""
        return bool(self.app.screen_stack[1:])

    # The line that is typed

    def open_line(self) -> None:
        """Open the line, to type a search word that filters the rows."""
        self._word_before = self.state.word
        self.open_prompt(self._word_before)

    def open_prompt(self, text: str) -> None:
        """Open the line with a text in it."""
        self.add_class("-typing")
        self.prompt.open(text)
        self.show_keys()

    def close_prompt(self) -> None:
        """Close the line; the focus goes back to the list."""
        self.remove_class("-typing")
        self.prompt.close()
        self.focus_home()
        self.show_heading()
        self.show_keys()

    def focus_home(self) -> None:
        """Focus the widget that had the focus when the screen opened."""
        self.set_focus(self.home)

    @on(Prompt.Stepped)
    def _step_in_list(self, event: Prompt.Stepped) -> None:
        self.list_here.move(event.delta)

    @property
    def list_here(self) -> ListPane:
        """The list whose cursor Up and Down move while the user types a line."""
        return cast(ListPane, self.home)

    @on(Table.Moved)
    def follow_cursor(self, event: Table.Moved) -> None:
        """Update the cursor of the state from the cursor on screen."""
        self.do(lambda state: state.move(event.key, event.row))

    @on(Prompt.Edited)
    def follow_line(self) -> None:
        """Filter the rows by the typed text."""
        if self.prompt.has_class("-open"):
            self.do(lambda state: state.find(self.prompt.text, self.prompt.cursor))

    @on(Prompt.Left)
    def end_line(self, event: Prompt.Left) -> None:
        """Keep the typed text, or restore the text from before."""
        word = self.prompt.text if event.kept else self._word_before
        self.do(lambda state: state.find(word))
        self.close_prompt()


class ListScreen(StateScreen[L]):
    """A screen with a list, and below it the details of the row under the cursor."""

    TITLE: ClassVar[str]
    """The title of the list."""

    IS_WHOLE: ClassVar[bool] = False
    """Whether the rows contain all details, so that the Details pane appears only if a text is cut."""

    NO_SPECS: ClassVar[str] = NOTHING
    """The message if the row under the cursor has no specs to open."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.home = self.table = Table(title=self.TITLE, id="list")
        self.detail = DetailPane(title="Details", id="detail")
        self.body = self.table, self.detail

    def show(self, state: L, before: L | None) -> None:
        """Show the rows; the rows of the previous answer stay until a new answer arrives."""
        state = replace(state, width=self.app.size.width - self.table.GUTTER - EDGE_CELLS)
        rows: Rows = state.rows or FixedRows({})
        waits_for = self.status.progress or ("looking" if state.question is not None else "")
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
        self.open_row()  # Textual would call the handlers of all base classes

    def open_row(self) -> None:
        """Open the specs of the row under the cursor."""
        self.ask("browse", self.state.opened(), self.NO_SPECS)

    def title_of(self, state: L) -> str:
        """Return the title of the list."""
        return self.TITLE

    @abstractmethod
    def nothing(self, state: L) -> Sequence[str | KeyLabel]:
        """Return the reasons for an empty list, then keys with their labels."""


BACK: Footer = (("screen.back", "back"),)
"""The last key in most footers; `footer_text` adds the key that quits."""


TYPING = labelled("prompt.done", "prompt.leave")


def without_word(word: str) -> Sequence[str | KeyLabel]:
    """Return the reason for an empty list if a word is typed, and the key that removes the word."""
    return [f"Nothing here has {word} in its name.", ("browse.clear", "clear")] if word else []


def spec_title(view: View, row: int) -> str:
    """Return the name and hash of a spec for a title, with the number of specs of its package if there are several."""
    spec = view.index.spec(row)
    number, name = view.index.package_number(spec.package), f"{spec_name(spec)} /{spec.hash or '':.7}"
    specs = 1 if number is None else view.whole.specs_of(number)
    return visible(f"{name} · 1 of {specs:,} specs" if specs > 1 else name)


def tag_text(view: View) -> Cell:
    """Return the shown tag or tags, with the symbol of a choice."""
    return Cell(f"{visible(view.shown_tag or view.scope.line or ALL_TAGS)} {CHOICE}", "", (), "browse.tag")


def query_text(query: Query) -> str:
    """Return a query for the header, after a dot. Return an empty text for the empty query."""
    return f" · {visible(query.line)}" if query.line else ""


def footer_text(footer: Footer, changed: Mapping[str, str], width: int) -> Text:
    """Return the keys with their labels. If the line is narrow, omit keys, except the last two (help and back)."""
    texts = [(id, sign_of(id, changed), label) for id, label in footer]
    if footer[-1:] == BACK:
        texts[-1] = ("screen.back", f"{texts[-1][1]} {sign_of('browse.quit', changed)}", texts[-1][2])
    while len(texts) > 3 and sum(measure(f"{sign} {label}") + 2 for _, sign, label in texts) - 1 > width:
        del texts[-3]
    cells: list[Cell | str] = []
    for id, sign, label in texts:
        cells += ["  " if cells else " ", Cell(sign, "bold", (), id), Cell(f" {label}", "muted", (), id)]
    return cells
