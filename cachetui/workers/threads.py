"""Run work in a thread, and call a function for each item of a list. The function reads from files or folders.

On a slow file system, such as a network file system, `parallel` uses several threads. On a local disk, it uses only
one, because this is faster there. The input of `parallel` is a function that never raises, such as `mtimes_at`, and a
list of items.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TypeVar

from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled, Interrupted


class Background:
    """Work that runs in a thread. The creator of this object must wait for the end of the work.

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
    """Run work in a thread. While the work runs, yield every `seconds` seconds.

    If the work raises an exception, raise the same exception. If the caller stops waiting, for example after Ctrl+C,
    cancel the work.
    """
    background = Background(work, cancelled)
    try:
        while not background.is_done(seconds):
            yield
    finally:
        background.end()


# Many calls

PROBE_CALLS, SLOW_SECONDS = 8, 0.0003
"""The number of calls at the start whose time is measured, and the mean time in seconds above which threads are used.

Threads are used only if most of these calls also had to wait for the file system.
"""

THREADS = 32

ROUND_CALLS = 4096
"""Maximum number of calls before results are yielded, because threads slow down the code that uses the results."""

Item = TypeVar("Item")
Found = TypeVar("Found")


def parallel(call: Callable[[Item], Found], items: Sequence[Item], cancelled: Cancelled) -> Iterator[Found]:
    """Call a function for each item, and yield the results in order. Raises Interrupted if cancelled.

    Without threads, cancellation is checked before each item, because one call may take half a second.
    """

    def next_call(item: Item) -> Found:
        if cancelled():
            raise Interrupted
        return call(item)

    if len(items) > PROBE_CALLS:
        import resource  # late: rarely needed, because most commands read few files

        own = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
        started, pauses = time.perf_counter(), resource.getrusage(own).ru_nvcsw
        found = list(map(next_call, items[:PROBE_CALLS]))
        # Threads do not help if the calls keep the processor busy, for example when a large folder is listed.
        is_waiting = resource.getrusage(own).ru_nvcsw - pauses >= PROBE_CALLS // 2
        waited = (time.perf_counter() - started) * is_waiting
        yield from found
        items = items[PROBE_CALLS:]
        if waited > SLOW_SECONDS * PROBE_CALLS:
            for at in range(0, len(items), ROUND_CALLS):
                yield from _in_threads(call, items[at : at + ROUND_CALLS], cancelled)
            return
    yield from map(next_call, items)


def _in_threads(call: Callable[[Item], Found], items: Sequence[Item], cancelled: Cancelled) -> Iterator[Found]:
    """Call a function for each item, in several threads. Return the results in order.

    The threads are not joined, because a cancelled thread may be in a long call.
    """
    found: dict[int, list[Found]] = {}
    size = -(-len(items) // THREADS)
    starts = range(0, len(items), size)

    def work(start: int, is_told_to_end: Cancelled) -> None:
        found[start] = [call(item) for item in items[start : start + size] if not is_told_to_end()]

    for thread in [Background(partial(work, start), cancelled) for start in starts]:
        while not thread.is_done(CHECK_SECONDS):
            if cancelled():
                raise Interrupted
    if cancelled():
        raise Interrupted
    return chain.from_iterable(map(found.__getitem__, starts))
