"""Run work in a thread, and check now and then whether it has ended."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled


class Background:
    """Work in a thread. The creator of this object waits for the end of the work.

    The end of the work is reported through a queue, and the thread is not joined. `concurrent.futures` and `Thread`
    wait with locks. A Ctrl+C at the wrong moment leaves such a lock locked forever, so that the program never ends.
    """

    def __init__(self, work: Callable[[Cancelled], None], cancelled: Cancelled) -> None:
        """Start the work with a new `Cancelled`, which returns true after `end` or if `cancelled` returns true."""
        from _thread import start_new_thread  # late, like the queue: threads are rarely needed
        from queue import SimpleQueue

        self._is_told_to_end = self._has_ended = False
        self._error: BaseException | None = None
        self._wakes: SimpleQueue[None] = SimpleQueue()

        def run() -> None:
            try:
                work(lambda: self._is_told_to_end or cancelled())
            except BaseException as error:  # `is_done` raises the error in the thread of the owner
                self._error = error
            self._has_ended = True
            self._wakes.put(None)

        start_new_thread(run, ())

    def is_done(self, seconds: float) -> bool:
        """Wait up to this number of seconds for the work, and return whether it is done. Raises the exception of the
        work.
        """
        from queue import Empty

        if not self._has_ended:
            with suppress(Empty):
                self._wakes.get(timeout=seconds)
        if self._has_ended and self._error is not None:
            raise self._error
        return self._has_ended

    def end(self) -> None:
        """Cancel the work, and wait for its end."""
        self._is_told_to_end = True
        with suppress(Exception):
            while not self.is_done(CHECK_SECONDS):
                pass


def in_background(work: Callable[[Cancelled], None], cancelled: Cancelled, seconds: float) -> Iterator[None]:
    """Run work in a thread, and yield after each period of this number of seconds. Raises the exception of the work.

    If the caller stops waiting, for example by Ctrl+C, the work is cancelled.
    """
    background = Background(work, cancelled)
    try:
        while not background.is_done(seconds):
            yield
    finally:
        background.end()
