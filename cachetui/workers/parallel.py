"""Make a file system call for many items, in threads on a slow file system, such as one over the network.

On a local disk one thread is fastest. Input: a call that never raises, such as `mtimes_at`, and its items.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

from cachetui.workers.background import Background
from cachetui.workers.cancelling import PATIENCE, Cancelled, Interrupted

PROBES, SLOW = 8, 0.0003
"""How many calls are timed at first; threads make the others if these wait longer than so many seconds each."""

THREADS = 32

ROUND = 4096
"""Most calls that threads make before results are yielded, as they compete with the consumer for the interpreter."""

Item = TypeVar("Item")
Found = TypeVar("Found")


def parallel(call: Callable[[Item], Found], items: Sequence[Item], cancelled: Cancelled) -> Iterator[Found]:
    """Yield the result of the call for each item, in order; raises Interrupted soon after `cancelled` says so.

    Without threads `cancelled` is asked before each call, as to read a page may take half a second.
    """

    def next_call(item: Item) -> Found:
        if cancelled():
            raise Interrupted
        return call(item)

    is_slow = False
    if len(items) > PROBES:
        found, seconds = _timed(next_call, items[:PROBES])
        yield from found
        items = items[PROBES:]
        is_slow = seconds > SLOW
    if not is_slow:
        yield from map(next_call, items)
        return
    for at in range(0, len(items), ROUND):
        yield from _in_threads(call, items[at : at + ROUND], cancelled)


def _timed(call: Callable[[Item], Found], items: Sequence[Item]) -> tuple[list[Found], float]:
    """Return the results, and the upper quartile of how many seconds longer a call waits than it works.

    Threads gain nothing where calls keep the processor busy, as listing a large folder does. Calls that the system
    interrupted to run something else are not counted.
    """
    import resource  # late: most commands look at few files

    own = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
    found: list[Found] = []
    waits = [0.0]
    for item in items:
        interruptions = resource.getrusage(own).ru_nivcsw
        started, worked = time.perf_counter(), time.thread_time()
        found.append(call(item))
        worked = time.thread_time() - worked
        waited = time.perf_counter() - started - worked
        if resource.getrusage(own).ru_nivcsw == interruptions:
            waits.append(waited - worked)
    return found, sorted(waits)[len(waits) * 3 // 4]


def _in_threads(call: Callable[[Item], Found], items: Sequence[Item], cancelled: Cancelled) -> Iterator[Found]:
    """Make the calls in threads, which are not joined: where this is cancelled one may be in a long call."""
    found: dict[int, list[Found]] = {}
    size = -(-len(items) // THREADS)
    starts = range(0, len(items), size)

    def work(start: int, is_told_to_end: Cancelled) -> None:
        found[start] = [call(item) for item in items[start : start + size] if not is_told_to_end()]

    for thread in [Background(partial(work, start), cancelled) for start in starts]:
        while not thread.is_done(PATIENCE):
            if cancelled():
                raise Interrupted
    if cancelled():
        raise Interrupted
    return chain.from_iterable(map(found.__getitem__, starts))
