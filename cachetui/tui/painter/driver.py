"""The driver between Textual and the terminal. It writes frames, and accepts any input.

This module uses private parts of Textual: the input parser, and from `LinuxDriver` the method for the terminal size and
`_file` with its writer thread. With a version of Textual that has another writer thread, Textual paints by itself.
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
"""Maximum size of the screen, in columns and rows. The layout of a larger screen would take minutes."""

PIECE_BYTES = 4096
"""Maximum number of bytes to read at once."""

PAUSE_SECONDS = 0.1
"""Seconds without input after which an escape character means Esc, and an incomplete UTF-8 character means Latin-1."""


def pass_line_feeds(terminal: int) -> bool:
    """Turn off the conversion of line feeds (OPOST) in a terminal, so that a line feed only moves the cursor down.

    Return whether the conversion is now off for standard error, which may be a different terminal.
    """
    try:
        attributes = termios.tcgetattr(terminal)
        attributes[OFLAG] &= ~termios.OPOST
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
        return not termios.tcgetattr(sys.__stderr__.fileno() if sys.__stderr__ else 2)[OFLAG] & termios.OPOST
    except (OSError, termios.error):
        return False


class BackgroundAnswered(Message):
    """Sent when the terminal has reported its background colour."""

    def __init__(self, answer: str) -> None:
        super().__init__()
        self.answer = answer
        """The unchecked text of the report, normally like `rgb:1c1c/1c1c/1c1c`."""


class PaintingDriver(LinuxDriver):
    """Textual's driver for Unix, changed to write only changed cells, and to accept any input."""

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
                    # The parser would take an empty string for the end of the input.
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


def _fail(error: Exception) -> None:
    raise error
