"""What is written to a terminal, and when: no more than its line holds, and of the frames the newest alone.

Three threads meet here: the app shows frames, the driver's thread writes, another one reads the terminal's answers.
Every change happens under one lock. Input: frames of an app, and the texts that go through between them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from threading import Event, Lock
from time import monotonic
from typing import IO

from cachetui.tui.painter.cells import Frame
from cachetui.tui.painter.diff import beginning, difference
from cachetui.tui.painter.flow_control import IN_FLIGHT, Questions

PAINT = ""
"""Put into the queue of texts for the terminal where a frame is due; the frame is made when its turn comes."""

AT_ONCE = 512
"""Bytes up to which a frame needs no sign that it belongs together."""

REST = 0.08
"""Seconds for which the rest of a frame waits after what comes first, where both are more than the line holds:
longer than a key that is held down takes to come again."""


FIRST = 0.05
"""Seconds that the app waits at most until its first frame is written."""


class Stage(Enum):
    """What the newest frame waits for."""

    DONE = auto()
    """For nothing: all of it was written, or there is none yet."""
    QUEUED = auto()
    """For its turn in the queue. It is written as it is then, however often it changes before."""
    HELD = auto()
    """For an answer of the terminal, whose line is full."""
    BEGUN = auto()
    """What comes first was written; the rest waits until all is answered, or until nothing has changed for a while."""


class Output:
    """Where the driver's thread writes: text goes through, a frame is made when its turn has come.

    A frame is QUEUED by `show`. In its turn it is HELD, BEGUN or DONE. An answer, or giving up to wait for one, queues
    one that is HELD or BEGUN again, and so does `show_rest` one that is BEGUN.
    """

    def __init__(self, file: IO[str], queue: Callable[[str], None]) -> None:
        """`queue` hands a text to the driver's thread, which gives it to `write`."""
        self._file = file
        self._queue = queue
        self._lock = Lock()
        self._stage = Stage.DONE
        self._questions = Questions()
        self._wanted: Frame | None = None
        self._wanted_since = 0.0
        self._shown: Frame | None = None
        """The screen once the terminal has taken all that was written; None where it may show anything."""
        self._rest: str | None = None
        """While BEGUN, what leads from the screen to the wanted one."""
        self._is_written = Event()
        """Set once the first frame was written, or nobody waits for that any more."""
        self.synchronized = False
        """Whether the terminal can be told which bytes belong together."""

    # For the app

    def show(self, frame: Frame) -> None:
        """Shows a frame as soon as the terminal takes it, unless another one comes before that."""
        with self._lock:
            self._wanted, self._wanted_since, self._rest = frame, monotonic(), None
        self._put_into_queue(Stage.DONE, Stage.HELD, Stage.BEGUN)

    def wait_for_first(self) -> None:
        """Waits a moment until the first frame is written, and never again.

        The app goes on with so much at its start that the thread that writes would wait for its turn several times.
        """
        self._is_written.wait(FIRST)
        self._is_written.set()

    def show_rest(self) -> None:
        """Nothing else was to be shown for a while: shows what did not come first."""
        self._put_into_queue(Stage.BEGUN)

    def forget(self) -> None:
        """The screen may show anything: writes all of the next frame."""
        with self._lock:
            self._shown = self._rest = None

    def drop(self) -> None:
        """Shows no frame any more, not even one that is queued."""
        with self._lock:
            self._wanted = None

    def restart(self) -> None:
        """The queue is another one now, and the screen may show anything."""
        self.forget()
        with self._lock:
            self._stage = Stage.DONE
            self._questions.start_again()

    @property
    def in_flight(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._questions)

    def give_up_waiting(self) -> None:
        """Asks no more if the last answer is overdue."""
        with self._lock:
            gave_up = self._questions.give_up()
        if gave_up:
            self._put_into_queue(Stage.HELD, Stage.BEGUN)

    def wait_for_answers(self) -> None:
        """Waits a moment for the answers to come in."""
        self._questions.wait_for_answers()

    # For the thread that reads

    def answered(self) -> None:
        """The terminal has taken what was written before the oldest question."""
        with self._lock:
            was_asked, all_taken = self._questions.answered(), not self._questions
        if was_asked:
            self._put_into_queue(*([Stage.HELD, Stage.BEGUN] if all_taken else [Stage.HELD]))

    # For the thread that writes

    def write(self, text: str) -> None:
        """Writes a text, or the frame whose turn it is."""
        self._file.write(self._next_text() if text == PAINT else text)

    def flush(self) -> None:
        self._file.flush()
        if self._shown is not None:
            self._is_written.set()

    def fileno(self) -> int:
        return self._file.fileno()

    def _put_into_queue(self, *waiting: Stage) -> None:
        """Queues the frame if it is in one of these stages."""
        with self._lock:
            if self._stage not in waiting:
                return
            self._stage = Stage.QUEUED
        self._queue(PAINT)  # not under the lock: a full queue waits for the thread that writes

    def _next_text(self) -> str:
        """What to write now that it is the frame's turn."""
        with self._lock:
            if self._questions.line_is_full:
                self._stage = Stage.HELD
                return ""
            self._stage = Stage.DONE
            if self._wanted is None:
                return ""
            text = self._advance(self._wanted)
            if not text:
                return ""
            if self.synchronized and len(text) > AT_ONCE:
                text = f"\x1b[?2026h{text}\x1b[?2026l"
            return self._questions.put_into(text)

    def _advance(self, wanted: Frame) -> str:
        """The next text on the way to the wanted frame: all that is left, or where that is too much, what comes first.

        Sets what is shown then, and the stage.
        """
        shown, rest = self._shown, self._rest
        self._shown, self._rest = wanted, None
        if shown is None or not wanted.first or not self._questions.are_answered:
            return difference(shown, wanted)
        first = ""
        if rest is None:
            start = beginning(shown, wanted)
            first, rest, shown = difference(shown, start), difference(start, wanted), start
        under_way = self._questions.bytes_under_way
        has_room = len(first) + len(rest) <= IN_FLIGHT - under_way or not (first or under_way)
        if has_room or monotonic() - self._wanted_since >= REST:
            return first + rest
        self._shown, self._rest, self._stage = shown, rest, Stage.BEGUN
        return first
