"""The app in the terminal: its start, fast typing, signals, a closed terminal, Ctrl+C, Ctrl+Z, and errors.

The browser always restores the terminal before it ends, even after an error. The exit status is 130 for Ctrl+C outside
of a text field, 128 + n for signal n (SIGHUP if the terminal was closed), and 2 for an unexpected error.
"""

import asyncio
import gc
import os
import re
import select
import signal
import sys
import termios
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, ClassVar, Self

import textual
from textual import events, on
from textual.app import App, ReturnType
from textual.screen import Screen
from textual.widgets import Input

from cachetui import __version__
from cachetui.settings.folders import own_folder
from cachetui.settings.settings import Settings
from cachetui.tui.keymap import Actions, Keyed
from cachetui.tui.lines import STYLES, plain
from cachetui.tui.painter.painter import BackgroundAnswered, PaintedApp, is_idle, is_to_be_laid_out
from cachetui.tui.terminal.preflight import FAMILIES, has_no_color, is_ascii
from cachetui.tui.theme import DARK, THEME, THEMES, TRUE_TINT, Color, theme_on

EXIT_STATUS = {
    number: 128 + number
    for number in (
        *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1, signal.SIGUSR2),
        *(signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU),
    )
}
"""The exit statuses for the signals that end the browser.

Without a handler, these signals would leave the terminal in raw mode. Signals of a crash are not included, because no
Python code runs after them.
"""

OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""Number of new objects between two garbage collections."""

EXIT_SECONDS = 1.0
"""Maximum number of seconds for an orderly exit. Without a limit, blocked output could delay the exit forever."""

GRACE_SECONDS = 0.1
"""Maximum number of seconds that the program waits for cancelled threads before it ends."""

MAX_MESSAGE_CHARACTERS = 300
"""Maximum length of a printed error message, in characters. The log contains the whole message."""

LOG = "error.log"
"""The name of the file with the last traceback, in the cache folder."""

RESTORE = b"\x1b[?2004l\x1b[?7h\x1b[?1006l\x1b[?1003l\x1b[?1000l\x1b[?1004l\x1b[?1049l\x1b[?25h\x1b[m"
"""The control sequences that reset the terminal modes that Textual sets."""

MAX_CHECKS = 50
"""Maximum number of checks whether a screen has its first results. Then the next key is delivered in any case."""

CHECK_SECONDS = 0.01
"""Seconds between two checks whether a screen has its first results."""

MAX_TURNS = 5000
"""Maximum number of iterations of the event loop that a key waits for the app to become idle."""

UNPAINTED_SECONDS = 0.05
"""Seconds after which the screen is painted even if the app is still handling a key."""

QUIET_SECONDS = 0.05
"""Seconds from the last key to the call of `rest`."""

Typed = events.Key | events.Paste


class TerminalApp(Keyed, PaintedApp[ReturnType], keys="app"):
    """An app with themes, typeahead, and the keys Ctrl+C, Ctrl+Z and Ctrl+L. Run it with `run_in_terminal`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"style--{style}" for style in STYLES}
    """A style class for each style in `lines.STYLES`. All widgets use these classes."""

    def __init__(self, settings: Settings) -> None:
        # With `ansi_color=False`, NO_COLOR would turn colours into greys before the theme is set.
        super().__init__(ansi_color=True)
        self.settings = settings
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEME.name
        self.set_class(is_ascii(settings.environ), "-ascii")
        # On the Linux console, dim text is hard to read (contrast 2.8:1).
        self.set_class(settings.environ.get("TERM") == "linux", "-no-dim")
        self.follows_background = True
        """Whether the theme depends on the terminal's background. False if the user chose a theme."""
        self._read_with: Mapping[str, str] | None = None
        """The CSS variables that were set when Textual last read the style sheets."""
        self.typeahead = TypeAhead(self)

    def get_css_variables(self) -> dict[str, str]:
        """Return the CSS variables of the theme. With true colour, the cursor of the dark theme has another tint."""
        is_fine = self.current_theme is DARK and self.console.color_system == "truecolor"
        return super().get_css_variables() | ({"cursor": TRUE_TINT} if is_fine else {})

    def on_load(self) -> None:
        """Set the colours of the current theme before Textual reads the style sheets."""
        self._read_with = self.get_css_variables()
        self.stylesheet.set_variables(dict(self._read_with))

    def refresh_css(self, animate: bool = True) -> None:
        """Apply the colours of the current theme. Do nothing if the style sheets already use them."""
        colors = self.get_css_variables()
        if colors != self._read_with:
            self._read_with = colors
            super().refresh_css(animate)

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, Typed) or event.is_forwarded:
            await super().on_event(event)
        elif isinstance(event, events.Key) and event.key == "ctrl+c":
            await self.take_key(event)  # Ctrl+C takes effect before all waiting keys
        elif isinstance(event, events.Key) and event.key == "ctrl+j":
            # Enter arrives as Ctrl+J if the user pressed it before the terminal was in raw mode.
            self.typeahead.take(events.Key("enter", "\r"))
        else:
            self.typeahead.take(event)

    def has_first_answer(self) -> bool:
        """Return whether the top screen has its first results. Until then, typed keys wait."""
        return True

    def rest(self) -> None:
        """Collect garbage while the user is not typing. `TypeAhead` calls this `QUIET_SECONDS` after the last key."""
        gc.collect(2 if gc.get_count()[2] > gc.get_threshold()[2] else 1)

    async def take_key(self, event: Typed) -> None:
        """Handle a key or a paste immediately. `TypeAhead` calls this when all earlier keys have been handled."""
        await super().on_event(event)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.repaint())
        if self.follows_background:
            self.send_to_terminal(question(self.settings.environ))

    @on(BackgroundAnswered)
    def follow_background(self, event: BackgroundAnswered) -> None:
        """Choose a theme for the background that the terminal reported."""
        self.show_on(answered_color(event.answer))

    def show_on(self, background: Color | None) -> None:
        """Choose a theme for this background (None if unknown).

        Do nothing if the user has chosen a theme or set `NO_COLOR`.
        """
        if self.follows_background and not has_no_color(self.settings.environ):
            self.theme = theme_on(background, has_256=self.console.color_system in ("256", "truecolor")).name

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "app.interrupt": self.interrupt,
            "app.suspend": self.action_suspend_process,
            "app.repaint": self.repaint,
        }

    async def interrupt(self) -> None:
        """End the browser. If a text field has the focus, leave the text field instead, like Esc."""
        if isinstance(self.focused, Input):
            await self.take_key(events.Key("escape", None))
        else:
            self.exit(return_code=EXIT_STATUS[signal.SIGINT])

    def repaint(self) -> None:
        """Paint the whole screen again, because other programs may have written over it."""
        self.forget_screen()
        self.refresh(layout=True)

    def action_suspend_process(self) -> None:
        """Suspend the process. If no shell can resume it, ring the bell instead."""
        if os.getsid(0) == os.getpid():
            self.bell()
        else:
            super().action_suspend_process()


class TypeAhead:
    """A queue that delivers each key to the app only after the app has handled the previous key.

    Textual sends each key to the widget that has the focus when the key arrives. If `/zlib` arrives at once (over a
    slow connection), Textual would send all five keys to the list with the focus, although `/` opens a text field. This
    queue delays a key until all work for the previous key is done. If a key opens a screen, the next key waits for the
    first results of the screen. The app paints the screen only after this work, so that each key causes only one frame.
    If the work is slow, or if the screen waits for results, the app also paints the screen earlier.
    """

    def __init__(self, app: "TerminalApp[Any]") -> None:
        self._app = app
        self._waiting: deque[Typed] = deque()
        self.task: asyncio.Task[None] | None = None
        """The task that delivers keys; None if all keys are delivered."""
        self._holds_frames = False
        """Whether painting must wait, because the app is handling a key."""
        self._held: set[Screen[Any]] = set()
        """The screens that wait to be painted."""
        self._resting: asyncio.TimerHandle | None = None

    def take(self, event: Typed) -> None:
        """Add a key to the queue."""
        self._waiting.append(event)
        if self._resting is not None:
            self._resting.cancel()
        if self.task is None:
            self.task = asyncio.create_task(self._deliver_all())

    def holds_frame_of(self, screen: Screen[Any]) -> bool:
        """Return whether a screen must not be painted yet. The queue later calls `check_idle` of such a screen."""
        if self._holds_frames:
            self._held.add(screen)
        return self._holds_frames

    async def _deliver_all(self) -> None:
        release = asyncio.get_running_loop().call_later(UNPAINTED_SECONDS, self._let_paint)
        self._holds_frames = waits = True
        while self._waiting:
            self._app.call_later(self._app.take_key, self._waiting.popleft())
            await _until(self._is_idle, MAX_TURNS)
            if waits and not self._app.has_first_answer():
                # The user expects that the next key applies to the coming results. After one timeout, later keys do
                # not wait.
                self._let_paint()
                waits = await _until(self._app.has_first_answer, MAX_CHECKS, CHECK_SECONDS)
                await _until(self._is_idle, MAX_TURNS)
            if self._waiting and is_to_be_laid_out(self._app.screen):
                # The next key may be for a widget that the layout must show first.
                self._let_paint()
                await _until(lambda: not is_to_be_laid_out(self._app.screen), MAX_TURNS)
        release.cancel()
        self._let_paint()
        self.task = None
        self._resting = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._app.call_later, self._app.rest)

    def _is_idle(self) -> bool:
        return is_idle(self._app) and all(map(is_idle, self._app.screen.walk_children(with_self=True)))

    def _let_paint(self) -> None:
        self._holds_frames = False
        # Paint only the screens that wait. Painting any other screen would paint the screen above it a second time.
        while self._held:
            self._held.pop().check_idle()


async def _until(is_so: Callable[[], bool], checks: int, seconds: float = 0) -> bool:
    """Check a condition every `seconds` seconds, up to `checks` times. Return whether the condition became true."""
    for _ in range(checks):
        if is_so():
            return True
        await asyncio.sleep(seconds)
    return False


def run_in_terminal(app: TerminalApp[ReturnType], *, mouse: bool = False) -> int:
    """Run the app in the main thread, and return the exit status."""
    if app.has_class("-ascii") and isinstance(sys.__stderr__, TextIOWrapper):
        # Replace other characters with `?`, because an escape sequence would make lines longer.
        sys.__stderr__.reconfigure(encoding="ascii", errors="replace")
    app.show_on(background_of(app.settings.environ))
    # Keep garbage collections short and rare, so that they do not delay keys: skip all imported modules.
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    runner = asyncio.Runner()
    runner.get_loop().set_default_executor(Threads())
    with Lifeline(app, runner.get_loop()) as lifeline, runner:
        try:
            runner.run(app.run_async(mouse=mouse))
        except Exception as error:
            app.error = app.error or error
    if lifeline.status is not None:
        return lifeline.status
    if app.error is not None:
        report_error(app.error, app.settings.cache_folder)
        return 2
    return app.return_code or 0


class Threads(ThreadPoolExecutor):
    """An executor that starts a thread for each job. The program can end while jobs are still running."""

    def __init__(self) -> None:
        super().__init__()
        self._started: list[Thread] = []

    def submit(self, job: Callable[..., Any], /, *words: Any, **options: Any) -> Future[Any]:
        future = Future[Any]()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job(*words, **options))
                except BaseException as error:  # `Future.result` raises the error in the calling thread
                    future.set_exception(error)

        thread = Thread(target=run, daemon=True)
        self._started = [*filter(Thread.is_alive, self._started), thread]
        thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        until = monotonic() + GRACE_SECONDS
        for thread in self._started:
            thread.join(max(0.0, until - monotonic()))


class Lifeline:
    """A thread that ends the app after a signal, or if the terminal was closed.

    If the app does not end within `EXIT_SECONDS`, for example because output blocks the main thread, the thread ends
    the process.
    """

    def __init__(self, app: App[Any], loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop
        self._terminal = sys.__stdin__.fileno() if sys.__stdin__ else 0
        self._attributes = termios.tcgetattr(self._terminal)
        self._asked, self._ask = os.pipe()
        self._over = Event()
        self._thread = Thread(target=self._watch, name="lifeline", daemon=True)
        self._handlers: dict[int, Any] = {}
        """The signal handlers to restore at the end. None for a handler in C, such as that of faulthandler."""
        self.status: int | None = None
        """The exit status, if a signal or the closed terminal ended the app."""

    def __enter__(self) -> Self:
        # If a signal is already ignored (for example by nohup), continue to ignore it.
        watched = [number for number in EXIT_STATUS if signal.getsignal(number) != signal.SIG_IGN]
        self._handlers = {number: signal.signal(number, self._pass_on) for number in watched}
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._over.set()
        os.write(self._ask, bytes([0]))
        self._thread.join()
        os.close(self._ask)
        os.close(self._asked)
        with suppress(termios.error):
            termios.tcsetattr(self._terminal, termios.TCSANOW, self._attributes)

    def _pass_on(self, number: int, _frame: object) -> None:
        os.write(self._ask, bytes([EXIT_STATUS[signal.Signals(number)]]))

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(self._asked, select.POLLIN)
        poll.register(self._terminal, 0)  # no events, because poll always reports a hangup
        events = dict(poll.poll())
        if events.get(self._terminal, 0) & select.POLLNVAL:  # some systems cannot poll a terminal
            poll.unregister(self._terminal)
            events = dict(poll.poll())
        status = os.read(self._asked, 1)[0] if self._asked in events else EXIT_STATUS[signal.SIGHUP]
        if self._over.is_set():
            return
        self.status = status
        with suppress(RuntimeError):  # the loop may already be closed
            self._loop.call_soon_threadsafe(lambda: self._app.exit(return_code=status))
        if not self._over.wait(EXIT_SECONDS):
            self._end_by_force(status)

    def _end_by_force(self, status: int) -> None:
        with suppress(OSError, termios.error):
            termios.tcflush(self._terminal, termios.TCOFLUSH)
            termios.tcsetattr(self._terminal, termios.TCSANOW, self._attributes)
            os.set_blocking(2, False)
            os.write(2, RESTORE)
            os.set_blocking(2, True)
        os._exit(status)


def report_error(error: BaseException, folder: str) -> None:
    """Print the error as one line on standard error, and write the traceback to a private file in `folder`."""
    what = "".join(traceback.format_exception_only(error)).strip()
    try:
        where = f"please report it with {_write_log(error, folder)}"
    except OSError as reason:
        where = f"please report it (its details cannot be written: {reason})"
    with suppress(OSError):  # the terminal may be closed
        print(f"cachetui: unexpected error: {plain(what)[:MAX_MESSAGE_CHARACTERS]}; {plain(where)}", file=sys.stderr)


def _write_log(error: BaseException, folder: str) -> Path:
    place = Path(folder)
    with own_folder(place, make=True, created=re.compile(re.escape(LOG))) as own:
        own.remove(LOG)
        descriptor = own.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"cachetui {__version__}, Textual {textual.__version__}, Python {sys.version}\n")
        file.writelines(traceback.format_exception(error))
    return place / LOG


# The background colour of the terminal: query the terminal (OSC 11), or read the variable COLORFGBG. The browser does
# not wait for the answer. Until it arrives, the theme uses the terminal's own colours.

QUESTION = "\x1b]11;?\x07"

COLOR = re.compile(r"rgba?:([\da-f]{1,4})/([\da-f]{1,4})/([\da-f]{1,4})(?:/[\da-f]{1,4})?", re.IGNORECASE)

DARK_NUMBERS = {"0", "1", "2", "3", "4", "5", "6", "8"}
"""The numbers of the dark colours in a palette of 16 colours, as in vim."""

BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def question(environ: Mapping[str, str]) -> str:
    """Return the control sequence that asks the terminal for its background colour.

    In tmux and GNU screen, the sequence is wrapped so that the outer terminal receives it. Return an empty string if
    the terminal would ignore the sequence, or if the browser uses no colours.
    """
    if has_no_color(environ) or environ.get("TERM", "").partition("-")[0] not in FAMILIES:
        return ""
    if environ.get("TMUX"):
        inner = QUESTION.replace("\x1b", "\x1b\x1b")
        return f"{QUESTION}\x1bPtmux;{inner}\x1b\\"
    return f"\x1bP{QUESTION}\x1b\\" if environ.get("STY") else QUESTION


def answered_color(answer: str) -> Color | None:
    """Parse the terminal's answer, such as `rgb:1c1c/1c1c/1c1c`. Return None if the answer is invalid."""
    found = COLOR.fullmatch(answer)
    if found is None:
        return None
    red, green, blue = (int(digits, 16) / (16 ** len(digits) - 1) for digits in found.groups())
    return red, green, blue


def background_of(environ: Mapping[str, str]) -> Color | None:
    """Return the background colour (black or white) from the variable COLORFGBG, such as `15;0`.

    Return None if the variable is missing or invalid, or if the browser uses no colours.
    """
    number = environ.get("COLORFGBG", "").rpartition(";")[2]
    if has_no_color(environ) or not number.isdecimal() or int(number) > 15:
        return None
    return BLACK if number in DARK_NUMBERS else WHITE
