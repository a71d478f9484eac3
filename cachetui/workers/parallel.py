"""Make a file system call for many items, in threads if the file system is slow, for example over a network.

On a local disk, one thread is fastest.

Input: a call that never raises, such as `mtimes_at`, and its items.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

from cachetui.workers.background import Background
from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled, Interrupted

PROBE_CALLS, SLOW_SECONDS = 8, 0.0003
"""The number of calls that are timed at the start, and a duration in seconds.

Threads make the remaining calls if most of the timed calls had to wait, and if they took longer than this on average.
"""

THREADS = 32

ROUND_CALLS = 4096
"""Maximum number of calls before results are yielded, because threads compete with the consumer for the interpreter."""

Item = TypeVar("Item")
Found = TypeVar("Found")


def parallel(call: Callable[[Item], Found], items: Sequence[Item], cancelled: Cancelled) -> Iterator[Found]:
    """Yield the result of the call for each item, in order. Raises Interrupted soon after `cancelled` returns true.

    Without threads, `cancelled` is called before each call, because reading a page may last half a second.
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
        # Threads are useless for calls that keep the processor busy, for example to list a large folder.
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
    """Make the calls in threads. The threads are not joined, because a cancelled thread may still be in a long call."""
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
