"""Run work in a thread, and check regularly whether the work has ended."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled


class Background:
    """Work that runs in a thread. Whoever creates this object must wait for the end of the work.

    The thread reports the end of the work through a queue, and is not joined. `concurrent.futures` and `Thread` use
    locks to wait. A Ctrl+C at the wrong moment would leave such a lock locked, so that the program never ends.
    """

    def __init__(self, work: Callable[[Cancelled], None], cancelled: Cancelled) -> None:
        """Start the work. It is cancelled after a call of `end`, or if `cancelled` returns true."""
        from _thread import start_new_thread  # late, like the queue: threads are rarely needed
        from queue import SimpleQueue

        self._is_told_to_end = self._has_ended = False
        self._error: BaseException | None = None
        self._wakes: SimpleQueue[None] = SimpleQueue()

        def run() -> None:
            try:
                work(lambda: self._is_told_to_end or cancelled())
            except BaseException as error:  # `is_done` raises the error in the thread of its caller
                self._error = error
            self._has_ended = True
            self._wakes.put(None)

        start_new_thread(run, ())

    def is_done(self, seconds: float) -> bool:
        """Wait at most this number of seconds, and return whether the work has ended.

        If the work raised an exception, raise the same exception.
        """
        from queue import Empty

        if not self._has_ended:
            with suppress(Empty):
                self._wakes.get(timeout=seconds)
        if self._has_ended and self._error is not None:
            raise self._error
        return self._has_ended

    def end(self) -> None:
        """Cancel the work, and wait for it to finish."""
        self._is_told_to_end = True
        with suppress(Exception):
            while not self.is_done(CHECK_SECONDS):
                pass


def in_background(work: Callable[[Cancelled], None], cancelled: Cancelled, seconds: float) -> Iterator[None]:
    """Run work in a thread, and yield regularly, each time after this number of seconds.

    If the work raises an exception, raise the same exception. If the caller stops waiting, for example after Ctrl+C,
    cancel the work.
    """
    background = Background(work, cancelled)
    try:
        while not background.is_done(seconds):
            yield
    finally:
        background.end()
