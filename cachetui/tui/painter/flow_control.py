"""How much is on its way to the terminal, told by questions that it answers.

A terminal is asked where its cursor is; the answer says that it has taken all that was written before the question.
It is asked once; one that answers is asked again with each frame, one that never does is written to as fast as it lets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import Enum, auto
from threading import Event
from time import monotonic

ASK = "\x1b[6n"
"""Asks where the cursor is (DSR 6)."""

IN_FLIGHT = 1536
"""Bytes that may be on their way before a frame is held back: what a line of 8 KB/s holds in the 150 ms that it takes
there and back, and a little more."""

PATIENCE = 5.0
"""Seconds without an answer after which a terminal is never asked again."""

LAST_ANSWERS = 0.5
"""Seconds to wait at the end for answers that the shell would take for something typed."""

STRETCH = 512
"""Bytes after which a long text asks again, without waiting for the answer."""


class Habit(Enum):
    """Whether the terminal answers."""

    UNASKED = auto()
    ASKED = auto()
    """Once, and it has not answered yet."""
    ANSWERS = auto()
    SILENT = auto()
    """It left a question open for too long, and is asked no more."""


class Questions:
    """The questions without an answer; whoever uses it sees to it that one thread does at a time."""

    def __init__(self) -> None:
        self._habit = Habit.UNASKED
        self._open: deque[tuple[float, int]] = deque()
        """Oldest first: when each was asked, and the bytes written between it and the one before it."""
        self._all_answered = Event()
        self._all_answered.set()

    def __len__(self) -> int:
        return len(self._open)

    @property
    def are_answered(self) -> bool:
        """Whether this terminal is known to answer."""
        return self._habit is Habit.ANSWERS

    @property
    def bytes_under_way(self) -> int:
        """Bytes of which the terminal has not said yet that it took them."""
        return sum(size for _, size in self._open)

    @property
    def line_is_full(self) -> bool:
        """Whether nothing more should be written before the next answer."""
        return self.are_answered and self.bytes_under_way > IN_FLIGHT

    def put_into(self, text: str) -> str:
        """A text that is about to be written, with the questions that belong to it."""
        if self._habit is Habit.UNASKED:
            self._habit = Habit.ASKED
            pieces = [text]
        elif self._habit is Habit.ANSWERS:
            pieces = list(_stretches(text))
        else:
            return text
        self._open += [(monotonic(), len(piece.encode()) + len(ASK)) for piece in pieces]
        self._all_answered.clear()
        return ASK.join((*pieces, ""))

    def answered(self) -> bool:
        """Takes the answer to the oldest question; False where none is open."""
        if not self._open:
            return False
        self._open.popleft()
        self._habit = Habit.ANSWERS
        if not self._open:
            self._all_answered.set()
        return True

    def give_up(self) -> bool:
        """Asks no more if the oldest answer is overdue; whether it was."""
        if not self._open or monotonic() - self._open[0][0] < PATIENCE:
            return False
        self._habit = Habit.SILENT
        self._forget()
        return True

    def start_again(self) -> None:
        """What was asked will not be answered: another program has had the terminal."""
        if self._habit is Habit.ASKED:
            self._habit = Habit.UNASKED
        self._forget()

    def wait_for_answers(self) -> None:
        """Waits a moment until all are answered, from the question on if nobody knows whether this terminal answers.

        Any thread may call it.
        """
        for asked, _ in tuple(self._open)[:1]:
            passed = 0 if self.are_answered else monotonic() - asked
            self._all_answered.wait(max(0, LAST_ANSWERS - passed))

    def _forget(self) -> None:
        self._open.clear()
        self._all_answered.set()


def _stretches(text: str) -> Iterator[str]:
    """A text in pieces, each cut where a sequence begins."""
    while (cut := text.find("\x1b", STRETCH)) >= 0:
        yield text[:cut]
        text = text[cut:]
    yield text
