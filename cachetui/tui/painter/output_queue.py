"""Decide when to write a frame to the terminal. Over a slow connection, skip frames that are no longer the newest.

To know how much output the terminal has received, the queue adds queries for the cursor position to frames. The first
frame ends with a query. If the terminal answers, there is a query after every `ASK_BYTES` bytes. If the terminal does
not answer, every frame is written immediately.

Three threads use this module: the app shows frames, one thread of the driver writes frames, and another thread reads
the answers. One lock guards all state.
"""

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep
from typing import IO

from cachetui.tui.painter.cells import Frame
from cachetui.tui.painter.changed_cells import difference

PAINT = ""
"""The placeholder for a frame in the driver's queue. The output is computed when the driver writes the placeholder."""

ASK = "\x1b[6n"
"""The control sequence that requests the position of the cursor (DSR 6)."""

IN_FLIGHT_BYTES = 1536
"""If more bytes than this may still be on their way to the terminal, frames wait.

A connection with 8 KB/s and a round trip of 150 ms has 1,200 bytes in flight.
"""

ASK_BYTES = 512
"""Number of bytes between two queries."""

ANSWER_SECONDS = 5.0
"""Seconds to wait for an answer. Afterwards, frames are written immediately."""

LAST_ANSWER_SECONDS = 0.5
"""Seconds to wait for the last answer when the app ends, because the shell would read a late answer as typed text."""


class Output:
    """A file-like object to which the driver's thread writes strings.

    The string `PAINT` is a placeholder. Instead of this string, the object writes the newest frame to the terminal.
    """

    def __init__(self, file: IO[str], queue: Callable[[str], None]) -> None:
        """`queue` adds a string to the driver's queue. The driver's thread later calls `write` with the string."""
        self._file = file
        self._queue = queue
        self._lock = Lock()
        self._is_queued = False
        """Whether the queue contains a placeholder."""
        self._newest: Frame | None = None
        self._shown: Frame | None = None
        """The screen that the terminal will show after all output; None if unknown."""
        self._answers = False
        """Whether the terminal answers queries: true after an answer, false after a query without an answer."""
        self._open: deque[tuple[float, int]] = deque()
        """The time of each unanswered query, with the number of bytes since the previous query; oldest first."""
        self._unasked = ASK_BYTES
        """The number of bytes since the last query."""

    # For the app

    def show(self, frame: Frame) -> None:
        """Write a frame as soon as the terminal is ready. Skip the frame if a newer frame arrives first."""
        with self._lock:
            self._newest = frame
        self._put_into_queue()

    def forget(self) -> None:
        """Discard the newest frame, and write the next frame in full.

        Call this method when the content of the terminal is unknown.
        """
        with self._lock:
            self._shown = self._newest = None

    def restart(self) -> None:
        """Start again with an empty queue, because another program may have used the terminal."""
        self.forget()
        with self._lock:
            self._is_queued = False
            self._open.clear()

    def wait_for_answers(self) -> None:
        """Wait until the terminal has answered all queries, but at most `LAST_ANSWER_SECONDS` after the last query."""
        while any(monotonic() < asked + LAST_ANSWER_SECONDS for asked, _ in tuple(self._open)):
            sleep(0.01)

    # For the thread that reads answers

    def answered(self) -> None:
        """Handle the terminal's answer to the oldest query."""
        with self._lock:
            if not self._open:
                return
            self._open.popleft()
            self._answers = True
        self._put_into_queue()

    # For the thread that writes frames

    def write(self, text: str) -> None:
        """Write a string to the terminal. For the placeholder `PAINT`, write the newest frame instead."""
        self._file.write(self._next_text() if text == PAINT else text)

    def flush(self) -> None:
        self._file.flush()

    def _put_into_queue(self) -> None:
        """Add the placeholder `PAINT` to the driver's queue.

        Do nothing if the queue already contains a placeholder, or if the terminal shows the newest frame.
        """
        with self._lock:
            if self._is_queued or self._newest is self._shown:
                return
            self._is_queued = True
        self._queue(PAINT)  # release the lock first, because a full queue waits for the writer thread

    def _next_text(self) -> str:
        """Return the output for the newest frame. Return an empty string if the terminal must first answer a query."""
        with self._lock:
            self._is_queued = False
            if self._open and monotonic() - self._open[0][0] > ANSWER_SECONDS:
                self._open.clear()
                self._answers = False
            if (self._answers and sum(size for _, size in self._open) > IN_FLIGHT_BYTES) or self._newest is None:
                return ""
            text = difference(self._shown, self._newest)
            self._shown = self._newest
            self._unasked += len(text.encode())
            if text and self._unasked >= ASK_BYTES and (self._answers or not self._open):
                self._open.append((monotonic(), self._unasked + len(ASK)))
                self._unasked = 0
                text += ASK
            return text
