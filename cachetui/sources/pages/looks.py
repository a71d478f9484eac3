"""Many looks at the file system: one after the other, or at the same time where each of them takes long.

On a disk of this machine one thread is fastest. On a network file system a look takes a millisecond of waiting, and
threads wait together.
Input: what to do with a path, such as `os.stat`, and paths.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from cachetui.workers.cancelling import PATIENCE, Cancelled, Interrupted

PROBES, SLOW = 20, 0.0003
"""This many looks are made first, one after the other. Where they wait longer than this, in seconds, threads make all
others."""

THREADS = 64
"""Threads of all processes together."""

BATCH = 16
"""Looks that a thread makes at a time: handing over a single one costs as much as a fast look."""

SHORT = 128
"""Short looks that are made between two questions whether anybody still wants them."""

Found = TypeVar("Found")


def looks(
    look: Callable[[str], Found],
    paths: Sequence[str],
    cancelled: Cancelled,
    threads: int | None = None,
    short: bool = False,
) -> Iterator[Found]:
    """What `look` gives for each path, in their order; `look` must not raise.

    Without a number of threads the first looks are timed. Raises Interrupted soon after `cancelled` says so, which is
    asked before each look unless they are all `short`.
    """
    if threads is None and len(paths) <= PROBES:
        threads = 1
    if threads is None:
        probes, seconds = timed(look, paths[:PROBES])
        yield from probes
        threads = THREADS if seconds > SLOW else 1
        paths = paths[PROBES:]
    if threads > 1 and len(paths) > 1:
        yield from _side_by_side(look, paths, cancelled, threads)
        return
    for k, path in enumerate(paths):
        if not (short and k % SHORT) and cancelled():
            raise Interrupted
        yield look(path)


def short_looks(look: Callable[[str], Found], paths: Sequence[str], cancelled: Cancelled, threads: int) -> list[Found]:
    """What `looks` gives for short looks, as a list: without a step for each of hundreds of thousands."""
    if threads > 1:
        return list(looks(look, paths, cancelled, threads, short=True))
    found: list[Found] = []
    for at in range(0, len(paths), SHORT):
        if cancelled():
            raise Interrupted
        found += map(look, paths[at : at + SHORT])
    return found


def threads_for(look: Callable[[str], object], paths: Sequence[str]) -> int:
    """How many threads are to look at paths like these; a few of many are looked at to tell."""
    if len(paths) <= PROBES:
        return 1
    _, seconds = timed(look, paths[:PROBES])
    return THREADS if seconds > SLOW else 1


def timed(look: Callable[[str], Found], paths: Sequence[str]) -> tuple[list[Found], float]:
    """What `look` gives for each path, and by how many seconds it waits longer than it works: a quarter of them did.

    Threads gain nothing where looks keep the processor busy, as listing a large folder does. Looks during which
    something else was given the processor are not counted.
    """
    # Late, as most commands look at few files. Not every system counts what happens to a thread alone.
    import resource

    own = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
    found: list[Found] = []
    waits = [0.0]
    for path in paths:
        interruptions = resource.getrusage(own).ru_nivcsw
        started, worked = time.perf_counter(), time.thread_time()
        found.append(look(path))
        worked = time.thread_time() - worked
        waited = time.perf_counter() - started - worked
        if resource.getrusage(own).ru_nivcsw == interruptions:
            waits.append(waited - worked)
    return found, sorted(waits)[len(waits) * 3 // 4]


def _side_by_side(
    look: Callable[[str], Found], paths: Sequence[str], cancelled: Cancelled, threads: int
) -> Iterator[Found]:
    """The looks in rounds: all of one are made before any result is given.

    What is done with the results would otherwise keep the threads from going on, and they would keep it: only one of
    them can run at a time. The threads are not joined: one may be at a look that takes long, and nobody waits for it.
    """
    # Late: mostly nothing is slow. The threads of `concurrent.futures` take five times as long to import.
    from _thread import start_new_thread
    from queue import Empty, SimpleQueue

    batches: SimpleQueue[tuple[int, Sequence[str]] | None] = SimpleQueue()
    done: SimpleQueue[tuple[int, list[Found], BaseException | None]] = SimpleQueue()
    is_over = False

    def work() -> None:
        while batch := batches.get():
            found: list[Found] = []
            error = None
            try:
                found += [look(path) for path in batch[1] if not is_over]
            except BaseException as raised:  # whoever wants the results raises it
                error = raised
            done.put((batch[0], found, error))

    for _ in range(threads):
        start_new_thread(work, ())
    try:
        for at in range(0, len(paths), threads * BATCH):
            some = paths[at : at + threads * BATCH]
            size = -(-len(some) // threads)
            starts = range(0, len(some), size)
            for start in starts:
                batches.put((start, some[start : start + size]))
            found_at: dict[int, list[Found]] = {}
            while len(found_at) < len(starts):
                if cancelled():
                    raise Interrupted
                with suppress(Empty):
                    start, found, error = done.get(timeout=PATIENCE)
                    if error is not None:
                        raise error
                    found_at[start] = found
            for start in starts:
                yield from found_at[start]
    finally:
        is_over = True
        for _ in range(threads):
            batches.put(None)
