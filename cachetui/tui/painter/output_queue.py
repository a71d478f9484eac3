"""Decide when a frame is written to the terminal: on a slow line, only the newest frame is, once the last has arrived.

After a frame the terminal is asked for the position of its cursor; its answer shows that it has received all text
before the question. The first frame asks. A terminal that answers gets the question with each further frame; a silent
one gets every frame at once.

Three threads use this: the app shows frames, a thread of the driver writes, another reads the answers. One lock guards
all state.
"""

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep
from typing import IO

from cachetui.tui.painter.cells import Frame
from cachetui.tui.painter.changed_cells import difference

PAINT = ""
"""Placeholder for a frame in the driver's queue; the text of the frame is made when its turn comes."""

ASK = "\x1b[6n"
"""Asks for the position of the cursor (DSR 6)."""

IN_FLIGHT_BYTES = 1536
"""Bytes without an answer from which on frames wait: a little more than a line of 8 KB/s with a round trip of 150 ms
holds."""

ANSWER_SECONDS = 5.0
"""Seconds without an answer after which frames are written at once."""

LAST_ANSWER_SECONDS = 0.5
"""Seconds to wait for the last answer at the end: the shell would take it for typed text."""


class Output:
    """The file that the driver's thread writes to: texts are passed on, and frames are turned into texts."""

    def __init__(self, file: IO[str], queue: Callable[[str], None]) -> None:
        """`queue` adds a text to the driver's queue, from which its thread calls `write`."""
        self._file = file
        self._queue = queue
        self._lock = Lock()
        self._is_queued = False
        """Whether a placeholder is in the queue."""
        self._wanted: Frame | None = None
        self._shown: Frame | None = None
        """The screen that the terminal shows after all that was written; None for an unknown one."""
        self._answers = False
        """Whether the terminal is known to answer."""
        self._open: deque[tuple[float, int]] = deque()
        """The open questions, oldest first: the time of each, and the bytes written for its frame."""

    # For the app

    def show(self, frame: Frame) -> None:
        """Show a frame as soon as the line is free, unless a newer one comes before that."""
        with self._lock:
            self._wanted = frame
        self._put_into_queue()

    def forget(self) -> None:
        """Drop the waiting frame, and write the next one in full: the content of the screen is unknown."""
        with self._lock:
            self._shown = self._wanted = None

    def restart(self) -> None:
        """Start again with an empty queue, after another program used the terminal."""
        self.forget()
        with self._lock:
            self._is_queued = False
            self._open.clear()

    def wait_for_answers(self) -> None:
        """Wait a moment for answers that are still to come."""
        while any(monotonic() < asked + LAST_ANSWER_SECONDS for asked, _ in tuple(self._open)):
            sleep(0.01)

    # For the thread that reads

    def answered(self) -> None:
        """Handle the answer to the oldest question."""
        with self._lock:
            if not self._open:
                return
            self._open.popleft()
            self._answers = True
        self._put_into_queue()

    # For the thread that writes

    def write(self, text: str) -> None:
        """Write a text; for a placeholder that of the newest frame."""
        self._file.write(self._next_text() if text == PAINT else text)

    def flush(self) -> None:
        self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()

    def _put_into_queue(self) -> None:
        """Queue a placeholder, unless one is queued or the newest frame is on the screen."""
        with self._lock:
            if self._is_queued or self._wanted is self._shown:
                return
            self._is_queued = True
        self._queue(PAINT)  # not under the lock: a full queue waits for the thread that writes

    def _next_text(self) -> str:
        """Return the text of the newest frame; empty if the line is full, until the next answer."""
        with self._lock:
            self._is_queued = False
            if self._open and monotonic() - self._open[0][0] > ANSWER_SECONDS:
                self._open.clear()
                self._answers = False
            is_full = self._answers and sum(size for _, size in self._open) > IN_FLIGHT_BYTES
            if is_full or self._wanted is None:
                return ""
            text = difference(self._shown, self._wanted)
            self._shown = self._wanted
            if text and (self._answers or not self._open):
                self._open.append((monotonic(), len(text.encode()) + len(ASK)))
                text += ASK
            return text
