"""The driver between Textual and the terminal: it writes frames, and survives any input.

Private parts of Textual used here: the input parser; of `LinuxDriver` the terminal size, and `_file` with the thread
that writes to it. If a version of Textual has another such thread, Textual paints by itself.
"""

import os
import selectors
import sys
import termios
from itertools import chain
from tty import OFLAG
from typing import IO, Any, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from cachetui.tui.painter.input_sanitizer import InputSanitizer
from cachetui.tui.painter.output_queue import Output

LARGEST = Size(2000, 1000)
"""Maximum number of columns and rows that are used; a larger size would take minutes to lay out."""

PIECE_BYTES = 4096
"""Maximum number of bytes that are read at a time."""

PAUSE_SECONDS = 0.1
"""Seconds without input after which a lone escape character is the key Escape, and half a UTF-8 character Latin-1."""


def pass_line_feeds(terminal: int) -> bool:
    """Have line feeds reach a terminal as they are (no OPOST), so that they only move down.

    Return whether those on standard error do, which may be another terminal.
    """
    try:
        attributes = termios.tcgetattr(terminal)
        attributes[OFLAG] &= ~termios.OPOST
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
        return not termios.tcgetattr(sys.__stderr__.fileno() if sys.__stderr__ else 2)[OFLAG] & termios.OPOST
    except (OSError, termios.error):
        return False


class BackgroundAnswered(Message):
    """The terminal has told its background colour."""

    def __init__(self, answer: str) -> None:
        super().__init__()
        self.answer = answer
        """Any text; should be like `rgb:1c1c/1c1c/1c1c`."""


class PaintingDriver(LinuxDriver):
    """Textual's driver for Unix, between the app and its terminal."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.output: Output | None = Output(cast(IO[str], sys.__stderr__), self.write)
        self._file = cast(Any, self.output)  # Textual wants a file, and only writes to it

    def _get_terminal_size(self) -> tuple[int, int]:
        # Textual asks standard output, which is a pipe where a shell captures what `--pick` prints.
        try:
            width, height = os.get_terminal_size(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        except OSError:
            width, height = super()._get_terminal_size()
        return min(width, LARGEST.width), min(height, LARGEST.height)

    def start_application_mode(self) -> None:
        if self.output is not None:
            self.output.restart()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual annotates none of it
        # the thread that writes is a private part of Textual, which another version may not have
        is_known = getattr(self._writer_thread, "_file", None) is self.output
        if not is_known or not pass_line_feeds(self.fileno):
            self.output = None

    def _sigcont_application(self, *_: object) -> None:
        # SIGCONT also comes after SIGSTOP, or when a terminal hangs up. Textual would start application mode a second
        # time then, with two threads that read the keys.
        if self._must_signal_resume:
            super()._sigcont_application()
        else:
            self.send_message(self.SignalResume())

    def run_input_thread(self) -> None:
        """Read input until the app ends; an error ends the app."""
        try:
            self._read_messages()
        except Exception as error:
            self._app.call_later(_fail, error)

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
                    # The parser would take an empty text for the end of input.
                    for message in chain(parser.feed(text) if text else (), parser.tick()):
                        if isinstance(message, events.Resize):
                            parser.mouse_pixels = False  # the report was not asked for, and may have zeros in it
                        else:
                            self.process_message(message)
                except (ArithmeticError, LookupError, ValueError):  # invalid numbers in other reports
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


def _fail(error: Exception) -> None:
    raise error
