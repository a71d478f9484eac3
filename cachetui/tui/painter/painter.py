"""The app and the driver that paint by writing only changed cells. The driver also tolerates invalid input.

This module uses private parts of Textual and asyncio:

- `App`: `_display`, `_driver`, and the methods that print errors and set the mouse pointer
- `Screen`: `_layout_required`, and the updates and strips of `_compositor`
- `MessagePump`: `_message_queue`
- `LinuxDriver`: `_file`, `_writer_thread`, and the method that returns the size of the terminal
- the input parser, `XTermParser`
- `asyncio.Event`: `_waiters`

If a version of Textual has other kinds of updates or another writer thread, this module leaves the output to Textual.
"""

import os
import selectors
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from tty import OFLAG
from typing import IO, Any, cast

from rich.color import ColorSystem
from rich.console import RenderableType
from rich.style import Style
from textual import events
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App, ReturnType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input
from textual.worker import WorkerFailed

from cachetui.tui.painter.cells import NOWHERE, PLAIN, Canvas, Frame, Look, look_of
from cachetui.tui.painter.input_sanitizer import InputSanitizer
from cachetui.tui.painter.output_queue import Output

LARGEST = Size(2000, 1000)
"""Maximum size of the screen, in columns and rows. The layout of a larger screen would take minutes."""

PIECE_BYTES = 4096
"""Maximum number of bytes to read at once."""

PAUSE_SECONDS = 0.1
"""Seconds without input after which an escape character means Esc, and an incomplete UTF-8 character means Latin-1."""


def pass_line_feeds(terminal: int) -> bool:
    """Turn off the conversion of line feeds (OPOST) in a terminal, so that a line feed only moves the cursor down.

    Return whether the conversion is now off in the terminal to which the driver writes (standard error).
    """
    try:
        attributes = termios.tcgetattr(terminal)
        attributes[OFLAG] &= ~termios.OPOST
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
        return not termios.tcgetattr(sys.__stderr__.fileno() if sys.__stderr__ else 2)[OFLAG] & termios.OPOST
    except (OSError, termios.error):
        return False


@dataclass
class BackgroundAnswered(Message):
    """Sent when the terminal has reported its background colour."""

    answer: str
    """The unchecked text of the report, normally like `rgb:1c1c/1c1c/1c1c`."""


class PaintingDriver(LinuxDriver):
    """A variant of Textual's Unix driver that writes only changed cells and tolerates invalid input."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.output: Output | None = Output(cast(IO[str], sys.__stderr__), self.write)
        self._file = cast(Any, self.output)  # Textual expects a file, but uses only `write` and `flush`

    def _get_terminal_size(self) -> tuple[int, int]:
        # Textual would ask standard output, which is a pipe if a shell captures the result of `--pick`.
        try:
            width, height = os.get_terminal_size(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        except OSError:
            width, height = super()._get_terminal_size()
        return min(width, LARGEST.width), min(height, LARGEST.height)

    def start_application_mode(self) -> None:
        if self.output is not None:
            self.output.restart()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual lacks annotations here
        # the writer thread is private, so another version of Textual may lack it
        is_known = getattr(self._writer_thread, "_file", None) is self.output
        if not is_known or not pass_line_feeds(self.fileno):
            self.output = None

    def _sigcont_application(self, *_: object) -> None:
        # SIGCONT also arrives after SIGSTOP, or when a terminal hangs up. Then Textual would start application mode a
        # second time, and two threads would read the keys.
        if self._must_signal_resume:
            super()._sigcont_application()
        else:
            self.send_message(self.SignalResume())

    def run_input_thread(self) -> None:
        """Read input until the app ends. An error in this thread ends the app."""
        try:
            self._read_messages()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def _read_messages(self) -> None:
        parser, incoming = XTermParser(self._debug), InputSanitizer()
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                has_more = selector.select(PAUSE_SECONDS)
                text = incoming.take(os.read(self.fileno, PIECE_BYTES)) if has_more else incoming.pause()
                if incoming.background:
                    self.process_message(BackgroundAnswered(incoming.background))
                    incoming.background = ""
                try:
                    # For the parser, an empty string means the end of the input.
                    for message in chain(parser.feed(text) if text else (), parser.tick()):
                        if isinstance(message, events.Resize):
                            parser.mouse_pixels = False  # ignore this unrequested report, which may contain zeros
                        else:
                            self.process_message(message)
                except (ArithmeticError, LookupError, ValueError):  # other reports may contain invalid numbers
                    parser = XTermParser(self._debug)

    def disable_input(self) -> None:
        if self.output is not None and not self.exit_event.is_set():
            self.output.wait_for_answers()
        super().disable_input()

    def process_message(self, message: Message) -> None:
        if self.output is not None and isinstance(message, events.CursorPosition):
            self.output.answered()
        else:
            super().process_message(message)


class PaintedApp(App[ReturnType]):
    """An app that writes only changed cells, if the driver and the version of Textual allow this."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.full_repaint = False
        """Whether Textual's own output is used instead of this module. Set this before the app runs."""
        self.error: BaseException | None = None
        """The error that ended the app, if any."""
        self._canvas: Canvas | None = None

    def get_driver_class(self) -> type[Driver]:
        """Return `PaintingDriver` if the app runs in a terminal, otherwise Textual's driver."""
        found = super().get_driver_class()
        return PaintingDriver if found is LinuxDriver else found

    def on_resize(self, event: events.Resize) -> None:
        """Paint the next frame in full, because a terminal may move or cut its content when it is resized."""
        self.forget_screen()
        if self._canvas is not None and event.size == self.size:
            self.refresh(layout=True)  # for an unchanged size, Textual would not refresh

    def forget_screen(self) -> None:
        """Paint the next frame in full, because the content of the terminal is unknown."""
        output = self._painting_output()
        if output is not None:
            output.forget()

    def send_to_terminal(self, sequence: str) -> None:
        """Write a control sequence, which must leave the cursor and the cells unchanged."""
        if self._driver is not None:
            self._driver.write(sequence)

    def _painting_output(self) -> Output | None:
        """Return the queue for frames, or None if Textual's own output is used."""
        driver = self._driver
        return driver.output if isinstance(driver, PaintingDriver) and not self.full_repaint else None

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        output = self._painting_output()
        paints = self._running and not self._closed and not self._batch_count
        if output is None or renderable is None or not paints:
            super()._display(screen, renderable)
            return
        try:
            output.show(self._drawn(renderable))
        except Exception as error:  # a version of Textual that this module does not support
            self.full_repaint = True
            output.forget()
            self.log.warning(f"after an error, the browser uses Textual's own, slower output: {error!r}")
            super()._display(screen, renderable)
            self.call_later(self.refresh, layout=True)
            return
        self.post_display_hook()

    def _drawn(self, update: RenderableType) -> Frame:
        """Draw an update from Textual's compositor on the canvas, and return the whole frame."""
        if isinstance(update, LayoutUpdate):
            width, height = update.region.bottom_right
            if self._canvas is None or (self._canvas.width, self._canvas.height) != (width, height):
                self._canvas = Canvas(width, height)
        canvas = self._canvas
        assert canvas is not None
        color_system = self.console._color_system or ColorSystem.TRUECOLOR
        for x, y, strip in _strips(update):
            canvas.draw(x, y, [(text, look_of_style(style, color_system)) for text, style, _ in strip])
        cursor = NOWHERE
        if isinstance(self.focused, Input):  # the cursor belongs in the text field, for the user and for input methods
            x, y = self.screen.outer_size.clamp_offset(self.cursor_position)
            cursor = (min(x, canvas.width - 1), min(y, canvas.height - 1))
        return canvas.frame(cursor)

    def _handle_exception(self, error: Exception) -> None:
        """Store the first error in the attribute `error`."""
        super()._handle_exception(error)
        if self.error is None:
            self.error = error.error if isinstance(error, WorkerFailed) else error

    def _print_error_renderables(self) -> None:
        """Do not print a traceback, because Textual's tracebacks show the values of variables."""
        self._exit_renderables.clear()

    def _set_pointer_shape(self, shape: str) -> None:
        """Do not change the mouse pointer, because older Linux consoles would print the control sequence."""


@lru_cache(1024)
def look_of_style(style: Style | None, color_system: ColorSystem) -> Look:
    """Return the SGR codes of a style for a terminal with this colour system."""
    return look_of(Strip.render_ansi(style, color_system)) if style else PLAIN


def _strips(update: RenderableType) -> Iterator[tuple[int, int, Strip]]:
    """Yield each strip in an update of Textual's compositor, with its position (x, y)."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for whole in line:
                yield x, y, whole
                x += whole.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, left, right in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if strip is not None and x < right and end > left:
                    yield x, y, strip
    else:
        raise TypeError(f"an update of an unknown kind: {type(update).__name__}")


def lines_of(screen: Screen[Any]) -> list[Strip]:
    """Return the lines of a screen as they were last rendered."""
    return screen._compositor.render_strips(screen.size)


def is_idle(pump: MessagePump) -> bool:
    """Return whether a message pump is waiting for a message."""
    has_message: Any = pump._message_queue.ready_event
    return not has_message.is_set() and bool(has_message._waiters)


def is_to_be_laid_out(screen: Screen[Any]) -> bool:
    """Return whether a screen must lay out its widgets before it is painted again."""
    return screen._layout_required
