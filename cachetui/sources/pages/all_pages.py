"""A content folder becomes segments: which files there are, read in pieces by several processes.

A small folder is read by this process, a large one by a process for each core, and where opening a file takes long
(a network file system) by threads within each.
Input: any folder; each file goes through `piece_reader`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise

from cachetui.sources.pages.looks import PROBES, SLOW, THREADS, timed
from cachetui.sources.pages.plan import FIRST, Plan
from cachetui.sources.source import Progress
from cachetui.store.segment import Segment
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.processes import Processes, cores

# What reads a page is imported where there is one: a build cache has none.

PIECE_READER = "cachetui.sources.pages.piece_reader"
"""The module that the work of the processes is in."""

PIECE = 1024
"""Most folders or files that one process reads at a time: about 40 ms of work. Smaller pieces take longer to put
together."""

LAST_PIECE = 256
"""Fewest that one process reads at a time: the last pieces are as short, so that no process waits for another."""

SHARE = 2
"""In between, a piece is one of so many parts of what is left for each process."""

SLOW_PIECE, SLOW_SHARE = 512, 4
"""Fewest, and how many parts, where each look takes long. There is no most then: pieces are long at first, since at the
end of each most threads wait for the last look."""

BUSY = 0.00006
"""Seconds of work that a thread has between two looks. Only one thread of a process works at a time, so more of them
than have their turn during one look would wait for each other."""

FEW = 1536
"""Below this many files one process is faster than starting workers."""


def segments(
    root: str, only: str | None = None, cancelled: Cancelled = never
) -> Iterator[tuple[Segment | None, Progress]]:
    """Reads the content folder (or `only` one file of it), piece by piece, `develop` before all other tags.

    A segment comes soon, before all folders are listed, and then after ever more pieces. Raises OSError if the folder
    itself cannot be read, and Interrupted soon after `cancelled` says so.
    """
    if only is not None:
        from cachetui.sources.pages.piece_reader import read_piece

        yield read_piece(root, [only]), Progress(1, 1)
        return
    with Processes(PIECE_READER) as processes:
        threads = 0  # not known yet
        begun: list[Sequence[str]] = []

        def begin() -> None:
            """The processes start, and begin with the rest of the first tag while other tags are listed."""
            processes.start()
            if threads == 1 and (paths := plan.more_of_first()):
                from cachetui.sources.pages.piece_reader import PagesReader

                begun.extend(_pieces(paths, threads))
                processes.begin(partial(PagesReader, root, threads), begun)

        plan = Plan(root, FEW, begin, cancelled)
        if first := plan.first():
            from cachetui.sources.pages.piece_reader import read_piece

            threads = _threads(root, first)
            yield read_piece(root, first, threads, cancelled), Progress(0, 1)
        pieces, read_on = _read(root, plan.rest(), cancelled, processes)
        total = 1 + max(1, len(begun) + pieces)
        yield plan.listed(), Progress(1, total)
        done = 1
        for more, segment in read_on:
            # The pieces of a process that died are counted twice: they are read again.
            done = min(total, done + more)
            yield segment, Progress(done, total)


def read_all(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> list[Segment]:
    """Reads these files, and all that lies in these folders, as fast as this machine can; see `segments`."""
    with Processes(PIECE_READER) as processes:
        _, read_on = _read(root, paths, cancelled, processes)
        return [segment for _, segment in read_on if segment is not None]


def _read(
    root: str, paths: Sequence[str], cancelled: Cancelled, processes: Processes
) -> tuple[int, Iterator[tuple[int, Segment | None]]]:
    """How many pieces there are; then how many more of them are read, and now and then a segment."""
    if not (paths or processes.have_begun):
        return 0, iter(())
    if len(paths) > FEW:
        processes.start()
    from cachetui.sources.pages.piece_reader import PagesReader

    threads = _threads(root, paths)
    pieces = _pieces(paths, threads)
    return len(pieces), processes.results(partial(PagesReader, root, threads), pieces, cancelled)


def _pieces(paths: Sequence[str], threads: int) -> list[Sequence[str]]:
    """The paths in pieces of work for so many threads in each process: a small one, then ever shorter ones."""
    least, most, share = (LAST_PIECE, PIECE, SHARE) if threads == 1 else (SLOW_PIECE, len(paths), SLOW_SHARE)
    starts = [0] if paths else []
    at = FIRST
    while at < len(paths):
        starts.append(at)
        at += min(most, max(least, (len(paths) - at) // (share * cores())))
    return [paths[start:end] for start, end in pairwise([*starts, len(paths)])]


def _threads(root: str, paths: Sequence[str]) -> int:
    """How many threads of each process read: more than one where opening takes so long that they wait together."""
    if len(paths) <= PROBES:
        return 1

    def open_one(path: str) -> None:
        with suppress(OSError):
            os.close(os.open(f"{root}/{path}", os.O_RDONLY | os.O_NONBLOCK))

    _, seconds = timed(open_one, paths[:: len(paths) // PROBES])
    return min(-(-THREADS // cores()), round(seconds / BUSY)) if seconds > SLOW else 1
