"""What is written to a terminal, and when: no more than its line holds, and of the frames the newest alone.

A terminal is asked where its cursor is; the answer says that it has taken all that was written before the question.
It is asked once; one that answers is asked again with each frame, one that never does is written to as fast as it lets.

Three threads meet here: the app shows frames, the driver's thread writes, another one reads the terminal's answers.
Every change happens under one lock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep
from typing import IO

from cachetui.tui.painter.cells import Frame
from cachetui.tui.painter.diff import difference

PAINT = ""
"""Put into the queue of texts for the terminal where a frame is due; the frame is made when its turn comes."""

ASK = "\x1b[6n"
"""Asks where the cursor is (DSR 6)."""

IN_FLIGHT = 1536
"""Bytes that may be on their way before a frame is held back: what a line of 8 KB/s holds in the 150 ms that it takes
there and back, and a little more."""

PATIENCE = 5.0
"""Seconds without an answer after which the next frame is written all the same."""

LAST_ANSWERS = 0.5
"""Seconds after the last question in which its answer is waited for at the end: the shell would take it for typed."""


class Output:
    """Where the driver's thread writes: text goes through, a frame is made when its turn has come."""

    def __init__(self, file: IO[str], queue: Callable[[str], None]) -> None:
        """`queue` hands a text to the driver's thread, which gives it to `write`."""
        self._file = file
        self._queue = queue
        self._lock = Lock()
        self._is_queued = False
        """Whether a frame is in the queue; the newest one is written then."""
        self._wanted: Frame | None = None
        self._shown: Frame | None = None
        """The screen once the terminal has taken all that was written; None where it may show anything."""
        self._answers = False
        """Whether the terminal is known to answer."""
        self._open: deque[tuple[float, int]] = deque()
        """When each question without an answer was asked, oldest first, and the bytes since the one before it."""

    # For the app

    def show(self, frame: Frame) -> None:
        """Show a frame as soon as the terminal takes it, unless another one comes before that."""
        with self._lock:
            self._wanted = frame
        self._put_into_queue()

    def forget(self) -> None:
        """Show no frame but those to come, and write all of the next one: the screen may show anything."""
        with self._lock:
            self._shown = self._wanted = None

    def restart(self) -> None:
        """Begin anew with an empty queue; another program has had the terminal and what it answered."""
        self.forget()
        with self._lock:
            self._is_queued = False
            self._open.clear()

    def wait_for_answers(self) -> None:
        """Wait a moment for the answers to come in."""
        while any(monotonic() < asked + LAST_ANSWERS for asked, _ in tuple(self._open)):
            sleep(0.01)

    # For the thread that reads

    def answered(self) -> None:
        """Take the answer to the oldest question: the terminal has taken what was written before it."""
        with self._lock:
            if not self._open:
                return
            self._open.popleft()
            self._answers = True
        self._put_into_queue()

    # For the thread that writes

    def write(self, text: str) -> None:
        """Write a text, or the frame whose turn it is."""
        self._file.write(self._next_text() if text == PAINT else text)

    def flush(self) -> None:
        self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()

    def _put_into_queue(self) -> None:
        """Queue the newest frame unless one is queued or it is on the screen."""
        with self._lock:
            if self._is_queued or self._wanted is self._shown:
                return
            self._is_queued = True
        self._queue(PAINT)  # not under the lock: a full queue waits for the thread that writes

    def _next_text(self) -> str:
        """What to write now that it is the frame's turn; nothing where the line is full, until the next answer."""
        with self._lock:
            self._is_queued = False
            if self._open and monotonic() - self._open[0][0] > PATIENCE:
                self._open.clear()
                self._answers = False
            is_full = self._answers and sum(size for _, size in self._open) > IN_FLIGHT
            if is_full or self._wanted is None:
                return ""
            text = difference(self._shown, self._wanted)
            self._shown = self._wanted
            if text and (self._answers or not self._open):
                self._open.append((monotonic(), len(text.encode()) + len(ASK)))
                text += ASK
            return text
