"""Run a file system call over many paths, in threads where each call waits long, as on a network file system.

On a local disk one thread is fastest. Input: a call that does not raise, such as `stat_at`, and paths.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from cachetui.workers.cancelling import PATIENCE, Cancelled, Interrupted

PROBES, SLOW = 8, 0.0003
"""The first so many calls are timed; where they wait longer than this, in seconds, threads make the others."""

THREADS = 32

BATCH = 16
"""Most calls that a thread makes at a time, and calls between two questions whether anybody still wants the results."""

Found = TypeVar("Found")


def parallel(call: Callable[[str], Found], paths: Sequence[str], cancelled: Cancelled) -> Iterator[Found]:
    """Yield the result of the call for each path, in order; raises Interrupted soon after `cancelled` says so."""
    pool = None
    if len(paths) > PROBES:
        found, seconds = _timed(call, paths[:PROBES])
        yield from found
        paths = paths[PROBES:]
        pool = _Threads(call) if seconds > SLOW else None
    size = BATCH * THREADS if pool else BATCH
    try:
        for at in range(0, len(paths), size):
            if cancelled():
                raise Interrupted
            some = paths[at : at + size]
            yield from pool.results(some, cancelled) if pool else map(call, some)
    finally:
        if pool:
            pool.end()


def _timed(call: Callable[[str], Found], paths: Sequence[str]) -> tuple[list[Found], float]:
    """Return the results, and how many seconds longer a call waits than it works: a quarter of them did so.

    Threads gain nothing where calls keep the processor busy, as listing a large folder does. Calls during which the
    system ran something else are not counted.
    """
    import resource  # late: most commands look at few files

    own = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
    found: list[Found] = []
    waits = [0.0]
    for path in paths:
        interruptions = resource.getrusage(own).ru_nivcsw
        started, worked = time.perf_counter(), time.thread_time()
        found.append(call(path))
        worked = time.thread_time() - worked
        waited = time.perf_counter() - started - worked
        if resource.getrusage(own).ru_nivcsw == interruptions:
            waits.append(waited - worked)
    return found, sorted(waits)[len(waits) * 3 // 4]


class _Threads(Generic[Found]):
    """Threads that make calls in rounds: all calls of a round are made before a result is given.

    Work on the results would otherwise compete with the threads for the interpreter. The threads are not joined: one
    of them may be in a call that takes long.
    """

    def __init__(self, call: Callable[[str], Found]) -> None:
        from _thread import start_new_thread  # late: mostly nothing is slow
        from queue import SimpleQueue

        self._call = call
        self._batches: SimpleQueue[tuple[int, Sequence[str]] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[int, list[Found] | BaseException]] = SimpleQueue()
        for _ in range(THREADS):
            start_new_thread(self._work, ())

    def _work(self) -> None:
        while batch := self._batches.get():
            start, paths = batch
            try:
                self._done.put((start, list(map(self._call, paths))))
            except BaseException as error:  # raised where the results are awaited
                self._done.put((start, error))

    def results(self, paths: Sequence[str], cancelled: Cancelled) -> Iterator[Found]:
        """Yield the results of one round."""
        from queue import Empty

        size = -(-len(paths) // THREADS)
        starts = range(0, len(paths), size)
        for start in starts:
            self._batches.put((start, paths[start : start + size]))
        found: dict[int, list[Found]] = {}
        while len(found) < len(starts):
            if cancelled():
                raise Interrupted
            with suppress(Empty):
                start, some = self._done.get(timeout=PATIENCE)
                if isinstance(some, BaseException):
                    raise some
                found[start] = some
        for start in starts:
            yield from found[start]

    def end(self) -> None:
        """Let the threads end after the calls that they are in."""
        for _ in range(THREADS):
            self._batches.put(None)
