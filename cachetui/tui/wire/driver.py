"""Textual's driver for a terminal, its output replaced by one that makes frames.

Private to Textual and used here: of `LinuxDriver` its size, and `_file` with the thread that writes to it. Where they
are not what is known here, the driver has no output of its own, and Textual paints by itself.
"""

from __future__ import annotations

import os
import sys
import termios
from tty import OFLAG
from typing import IO, Any, cast

from textual import events
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from cachetui.tui.wire.flow import Output


def _stop_translating(terminal: int) -> bool:
    """Has the terminal's line pass on a line feed as it is (no OPOST); False where standard error is another line."""
    try:
        attributes = termios.tcgetattr(terminal)
        attributes[OFLAG] &= ~termios.OPOST
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
        return not termios.tcgetattr(sys.__stderr__.fileno() if sys.__stderr__ else 2)[OFLAG] & termios.OPOST
    except (OSError, termios.error):
        return False


class PaintingDriver(LinuxDriver):
    """Textual's driver, its output replaced by one that makes frames."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.output: Output | None = None
        if hasattr(self, "_file"):
            self.output = Output(cast(IO[str], self._file), self.write)
            self._file = cast(Any, self.output)

    def _get_terminal_size(self) -> tuple[int, int]:
        # Textual asks standard output, which may be a pipe: a shell that takes what is picked.
        try:
            return os.get_terminal_size(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        except OSError:
            return super()._get_terminal_size()

    def start_application_mode(self) -> None:
        if self.output is not None:
            self.output.restart()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual annotates none of it
        known = getattr(self._writer_thread, "_file", None) is self.output
        paints = not getattr(self._app, "full_repaint", True)
        if not known or (paints and not _stop_translating(self.fileno)):
            self.output = None

    def disable_input(self) -> None:
        if self.output is not None and not self.exit_event.is_set():
            self.output.wait_for_answers()
        super().disable_input()

    def process_message(self, message: Message) -> None:
        if self.output is not None and isinstance(message, events.CursorPosition):
            self.output.answered()
        else:
            super().process_message(message)
