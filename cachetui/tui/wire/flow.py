"""What is written to a terminal, and when: no more than it takes, and the newest frame alone.

A terminal is asked where its cursor is; the answer tells how far it has come. One that never answers is written to
as fast as it lets.
Input: frames of an app, and the texts that go through between them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from threading import Event
from time import monotonic
from typing import IO

from cachetui.tui.wire.cells import Frame
from cachetui.tui.wire.pen import beginning, difference

PAINT = ""
"""Written among the texts for the terminal where a frame is due; it is made when its turn comes."""

ASK = "\x1b[6n"
"""Asks where the cursor is. The answer tells that the terminal has taken all that was written before."""

IN_FLIGHT = 1536
"""Bytes that may be on their way to the terminal before a frame is held back: what a line of 8 KB/s and 150 ms (there
and back) holds, and a little more."""

PATIENCE = 5.0
"""Seconds without an answer after which a terminal is never asked again."""

LAST_ANSWERS = 0.5
"""Seconds to wait at the end for answers that the shell would take for something typed."""

AT_ONCE = 512
"""Bytes up to which a frame needs no sign that it belongs together."""

STRETCH = 512
"""Bytes after which a long text asks, without waiting, for an answer of its own."""

REST = 0.08
"""Seconds for which the rest of a frame waits behind what comes first, where both are more than the line takes at once:
longer than a key that is held down takes to come again."""


class Output:
    """Where the driver's thread writes: text goes through, a frame is made when its turn has come.

    The app shows frames, the thread writes, a third thread reads the answers; they share single values alone.
    """

    def __init__(self, file: IO[str], queue: Callable[[str], None]) -> None:
        self._file = file
        self._queue = queue
        self._wanted: Frame | None = None
        self._shown: Frame | None = None
        self._rest: tuple[Frame, Frame, str] | None = None
        """The beginning of a frame, all of it, and what leads from the one to the other."""
        self._waits = False
        """Whether the beginning of a frame is shown, and the rest waits until the terminal is ready for it."""
        self._changed = 0.0
        """When the wanted frame became another one."""
        self._forgotten = False
        self._queued = False
        """Whether a frame is due already: it will be the newest there is then."""
        self._held = False
        """Whether a frame waits for an answer."""
        self._asks = True
        """Whether to ask with the next frame: once, and for good if there is an answer."""
        self._answers = False
        self._unanswered: deque[tuple[float, int]] = deque()
        """When, and behind how many bytes, each question was asked that has no answer yet."""
        self._all_answered = Event()
        self.synchronized = False
        """Whether the terminal shows what belongs together at once."""

    # For the app

    def show(self, frame: Frame) -> None:
        """Shows a frame as soon as the terminal takes it, unless another one comes before that."""
        self._wanted = frame
        self._changed = monotonic()
        self._request()

    def show_rest(self) -> None:
        """Nothing else was to be shown for a while: shows what did not come first."""
        if self._waits:
            self._request()

    def forget(self) -> None:
        """Writes all of the next frame."""
        self._forgotten = True

    def drop(self) -> None:
        """Shows no frame any more, not even one that is due."""
        self._wanted = None

    def restart(self) -> None:
        """There is another thread now, and a screen that may show anything."""
        self._queued = self._held = self._waits = False
        self._unanswered.clear()
        self.forget()

    @property
    def in_flight(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._unanswered)

    def give_up_waiting(self) -> None:
        """Asks no more if the last answer is overdue."""
        try:
            asked, _ = self._unanswered[0]
        except IndexError:
            return
        if monotonic() - asked >= PATIENCE:
            self._asks = self._answers = False
            self._unanswered.clear()
            self._request()

    def wait_for_answers(self) -> None:
        """Waits a moment for the answers to come in."""
        self._all_answered.clear()
        if self._answers and self._unanswered:
            self._all_answered.wait(LAST_ANSWERS)

    # For the thread that reads

    def answered(self) -> None:
        """The terminal has taken what was written before the oldest question."""
        if not self._unanswered:
            return
        self._asks = self._answers = True
        self._unanswered.popleft()
        if not self._unanswered:
            self._all_answered.set()
        if self._held or (self._waits and not self._unanswered):
            self._held = False
            self._request()

    def _request(self) -> None:
        if not self._queued:
            self._queued = True
            self._queue(PAINT)

    # For the thread that writes

    def write(self, text: str) -> None:
        """Writes a text, or the frame that is due."""
        self._file.write(self._made_frame() if text == PAINT else text)

    def flush(self) -> None:
        self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()

    def _made_frame(self) -> str:
        self._queued = False
        if self._is_full():
            self._held = True
            if self._is_full():  # or else the answer came in between
                return ""
        if self._forgotten:
            self._forgotten, self._shown = False, None
        wanted = self._wanted
        if wanted is None:
            return ""
        self._waits = True  # before it is known, lest an answer comes in between
        text, self._shown = self._next(self._shown, wanted)
        self._waits = self._shown is not wanted
        if not text:
            return ""
        if self.synchronized and len(text) > AT_ONCE:
            text = f"\x1b[?2026h{text}\x1b[?2026l"
        if not self._asks:
            return text
        self._asks = self._answers
        pieces = list(_stretches(text)) if self._answers else [text]
        for piece in pieces:
            self._unanswered.append((monotonic(), len(piece.encode()) + len(ASK)))
        return ASK.join((*pieces, ""))

    def _next(self, shown: Frame | None, wanted: Frame) -> tuple[str, Frame]:
        """What to write now, and how the terminal will look once it has taken it: as wanted, or in what comes first."""
        if shown is None or not wanted.first or not self._answers:
            return difference(shown, wanted), wanted
        rests = monotonic() - self._changed >= REST
        under_way = self._under_way()
        if self._rest is not None and self._rest[0] is shown and self._rest[1] is wanted:
            return (self._rest[2], wanted) if rests or not under_way else ("", shown)
        start = beginning(shown, wanted)
        text, rest = difference(shown, start), difference(start, wanted)
        free = IN_FLIGHT - under_way if under_way or text else len(rest)
        if rests or len(text) + len(rest) <= free:
            return text + rest, wanted
        self._rest = (start, wanted, rest)
        return text, start

    def _under_way(self) -> int:
        """Bytes of which the terminal has not said yet that it took them."""
        return sum(size for _, size in tuple(self._unanswered))

    def _is_full(self) -> bool:
        return self._answers and self._under_way() > IN_FLIGHT


def _stretches(text: str) -> Iterator[str]:
    """A text in pieces that do not cut what belongs together."""
    while (cut := text.find("\x1b", STRETCH)) >= 0:
        yield text[:cut]
        text = text[cut:]
    yield text
