"""Work of a thread here, of which its owner tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from cachetui.workers.cancelling import PATIENCE, Cancelled


class Background:
    """Work that a thread does while its owner tells how far it is.

    Its end is handed over by a queue and the thread is not joined: what `concurrent.futures` and `Thread` wait with are
    locks that a Ctrl+C at the wrong moment leaves closed for good, and then nothing ends any more.
    """

    def __init__(self, work: Callable[[Cancelled], None], cancelled: Cancelled) -> None:
        """Begins with the work, which is told to end by `cancelled` and by `end`."""
        from _thread import start_new_thread  # late, as is the queue: only content on servers needs them
        from queue import SimpleQueue

        self._is_told_to_end = self._has_ended = False
        self._error: BaseException | None = None
        self._wakes: SimpleQueue[None] = SimpleQueue()

        def run() -> None:
            try:
                work(lambda: self._is_told_to_end or cancelled())
            except BaseException as error:  # the owner raises it
                self._error = error
            self._has_ended = True
            self._wakes.put(None)

        start_new_thread(run, ())

    def is_done(self, seconds: float) -> bool:
        """Waits so long for the work to be done, and raises what it raised."""
        from queue import Empty

        if not self._has_ended:
            with suppress(Empty):
                self._wakes.get(timeout=seconds)
        if self._has_ended and self._error is not None:
            raise self._error
        return self._has_ended

    def end(self) -> None:
        """Tells the work to end, and waits until it has."""
        self._is_told_to_end = True
        with suppress(Exception):
            while not self.is_done(PATIENCE):
                pass


def in_background(work: Callable[[Cancelled], None], cancelled: Cancelled, seconds: float) -> Iterator[None]:
    """Do work in a thread, and yield each time that so many seconds have passed; raises what the work raises.

    Whoever stops waiting, as by Ctrl+C, tells the work to end.
    """
    background = Background(work, cancelled)
    try:
        while not background.is_done(seconds):
            yield
    finally:
        background.end()
