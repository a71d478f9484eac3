"""Many looks at the file system: one after the other, or at the same time where each of them takes long.

On a disk of this machine one thread is fastest. On a network file system a look takes a millisecond of waiting, and
threads wait together.
Input: what to do with a path, such as `os.stat`, and paths.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from cachetui.workers.cancelling import Cancelled, Interrupted

PROBES, SLOW = 20, 0.0003
"""This many looks are made first, one after the other. Where they take longer than this each, in seconds, threads make
all others."""

THREADS = 64
"""Threads of all processes together."""

BATCH = 16
"""Looks that a thread makes at a time: handing over a single one costs as much as a fast look."""

Found = TypeVar("Found")


def looks(
    look: Callable[[str], Found], paths: Sequence[str], cancelled: Cancelled, threads: int | None = None
) -> Iterator[Found]:
    """What `look` gives for each path, in their order; `look` must not raise.

    Without a number of threads the first looks are timed. Raises Interrupted soon after `cancelled` says so.
    """
    if threads is None:
        started = time.perf_counter()
        probes = list(map(look, paths[:PROBES]))
        yield from probes
        threads = THREADS if time.perf_counter() - started > PROBES * SLOW else 1
        paths = paths[PROBES:]
    if threads > 1 and len(paths) > 1:
        yield from _side_by_side(look, paths, cancelled, threads)
        return
    # one page can take a second, so this is asked before each
    for path in paths:
        if cancelled():
            raise Interrupted
        yield look(path)


def _side_by_side(
    look: Callable[[str], Found], paths: Sequence[str], cancelled: Cancelled, threads: int
) -> Iterator[Found]:
    from concurrent.futures import ThreadPoolExecutor  # late: a process starts sooner without it

    size = min(BATCH, -(-len(paths) // threads))
    batches = [paths[at : at + size] for at in range(0, len(paths), size)]
    pool = ThreadPoolExecutor(threads)
    try:
        for batch in pool.map(lambda batch: list(map(look, batch)), batches):
            if cancelled():
                raise Interrupted
            yield from batch
    finally:
        pool.shutdown(cancel_futures=True)
