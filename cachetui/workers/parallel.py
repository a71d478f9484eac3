"""Call a function that accesses files for many items. On a slow file system, such as a network, use threads.

On a local disk, one thread is fastest.

Input: a function that never raises, such as `mtimes_at`, and its arguments.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

from cachetui.workers.background import Background
from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled, Interrupted

PROBE_CALLS, SLOW_SECONDS = 8, 0.0003
"""The number of calls that are timed at the start, and the average duration in seconds above which threads are used.

But no threads are used unless most of the timed calls had to wait.
"""

THREADS = 32

ROUND_CALLS = 4096
"""Maximum number of calls before results are yielded, because threads slow down the code that uses the results."""

Item = TypeVar("Item")
Found = TypeVar("Found")


def parallel(call: Callable[[Item], Found], items: Sequence[Item], cancelled: Cancelled) -> Iterator[Found]:
    """Call a function for each item, and yield the results in order. Raises Interrupted if cancelled.

    Without threads, `cancelled` is called before each item, because reading a page may take half a second.
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
    """Call a function in threads. The threads are not joined, because a cancelled thread may be in a long call."""
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
