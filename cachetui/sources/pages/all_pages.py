"""A content folder becomes segments: which files there are, read in pieces by several processes.

A small folder is read by this process, a large one by a process for each core, and where opening a file takes long
(a network file system) by threads within each.
Input: any folder; each file goes through `page_forms.read`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise

from cachetui.sources.pages.fast_rows import Memory
from cachetui.sources.pages.folders import Listing, add_closed_folder, add_listing
from cachetui.sources.pages.looks import PROBES, SLOW, THREADS, looks, timed
from cachetui.sources.pages.lost import Neighbours
from cachetui.sources.pages.page_forms import (
    Loaded,
    Reading,
    careful_reading,
    load,
    load_lone_page,
    sound_reading,
)
from cachetui.sources.pages.plan import FIRST, Plan, listed
from cachetui.sources.source import Progress
from cachetui.store.segment import Encoder, Segment
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.processes import Processes, cores

PIECE = 512
"""Folders or files that one process reads at a time: about 20 ms of work."""

SLOW_SHARE = 4
"""Where each look takes long a process is given one of so many parts of what is left for it. Pieces are long at first,
since at the end of each most threads wait for the last, and short in the end, so that no process waits for another."""

BUSY = 0.00006
"""Seconds of work that a thread has between two looks. Only one thread of a process works at a time, so more of them
than have their turn during one look would wait for each other."""

FEW = 3 * PIECE
"""Below this many files one process is faster than starting workers."""


def segments(
    root: str, only: str | None = None, cancelled: Cancelled = never
) -> Iterator[tuple[Segment | None, Progress]]:
    """Reads the content folder (or `only` one file of it), piece by piece, `develop` before all other tags.

    A segment comes soon, before all folders are listed, and then after ever more pieces. Raises OSError if the folder
    itself cannot be read, and Interrupted soon after `cancelled` says so.
    """
    if only is not None:
        yield read_piece(root, [only]), Progress(1, 1)
        return
    with Processes(__name__) as processes:
        plan = Plan(root, FEW, processes.start, cancelled)
        if first := plan.first():
            yield read_piece(root, first, _threads(root, first), cancelled), Progress(0, 1)
        pieces, read_on = _read(root, plan.rest(), cancelled, processes)
        total = 1 + max(1, pieces)
        yield plan.listed(), Progress(1, total)
        done = 1
        for more, segment in read_on:
            # The pieces of a process that died are counted twice: they are read again.
            done = min(total, done + more)
            yield segment, Progress(done, total)


def read_all(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> list[Segment]:
    """Reads these files, and all that lies in these folders, as fast as this machine can; see `segments`."""
    with Processes(__name__) as processes:
        _, read_on = _read(root, paths, cancelled, processes)
        return [segment for _, segment in read_on if segment is not None]


def _read(
    root: str, paths: Sequence[str], cancelled: Cancelled, processes: Processes
) -> tuple[int, Iterator[tuple[int, Segment | None]]]:
    """How many pieces there are; then how many more of them are read, and now and then a segment."""
    if len(paths) > FEW:
        processes.start()
    threads = _threads(root, paths)
    pieces = _pieces(paths, SLOW_SHARE * cores() if threads > 1 else len(paths))
    return len(pieces), processes.results(partial(_PagesReader, root, threads), pieces, cancelled)


def _pieces(paths: Sequence[str], parts: int) -> list[Sequence[str]]:
    """The paths in pieces of work: a small one, then each time one of so many parts of what is left, if that is more
    than usual."""
    starts = [0] if paths else []
    at = FIRST
    while at < len(paths):
        starts.append(at)
        at += max(PIECE, (len(paths) - at) // parts)
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


def read_piece(root: str, paths: Sequence[str], threads: int = 1, cancelled: Cancelled = never) -> Segment:
    """Reads these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
    reader = _PagesReader(root, threads)
    reader.add(paths, cancelled)
    return reader.result()


class _PagesReader:
    """Reads files and folders, and gathers what they hold into a segment."""

    def __init__(self, root: str, threads: int) -> None:
        self._root = root
        self._threads = threads
        self._memory = Memory()
        self._neighbours = Neighbours(root)
        self._encoder = Encoder()

    def result(self) -> Segment:
        segment, self._encoder = self._encoder.segment(), Encoder()
        return segment

    def add(self, piece: Sequence[str], cancelled: Cancelled) -> None:
        """Reads these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
        encoder = self._encoder
        pending = list(piece)
        while pending:
            now = time.time_ns()
            below: list[str] = []
            found = looks(self._look, pending, cancelled, self._threads)
            for path, what in zip(pending, found, strict=True):
                if isinstance(what, Loaded):
                    what = self._read(path, what)
                if isinstance(what, Reading):
                    _add_reading(encoder, what, now)
                elif isinstance(what, Listing):
                    add_listing(encoder, what, now)
                    below += [*what.pages, *what.folders]
                else:
                    add_closed_folder(encoder, path, what)
            pending = below

    def _look(self, path: str) -> Loaded | Reading | Listing | OSError:
        """Reads a file; lists a folder, and reads it where it holds one page and nothing else.

        Where there are several threads, each gives the bytes of what can wait, so that they wait for the disk alone.
        """
        is_folder = path.endswith("/")
        loaded = load_lone_page(self._root, path) if is_folder else load(self._root, path)
        if loaded is None:
            return listed(self._root, path)
        if isinstance(loaded, Loaded) and not (self._threads > 1 and loaded.can_wait):
            return self._read(path, loaded)
        return loaded

    def _read(self, path: str, loaded: Loaded) -> Reading | Listing | OSError:
        """What was loaded, worked out."""
        reading = sound_reading(loaded, self._memory)
        if reading is None and path.endswith("/"):
            return listed(self._root, path)
        return reading or careful_reading(self._root, loaded, self._neighbours)


def _add_reading(encoder: Encoder, reading: Reading, now: int) -> None:
    """Takes up a reading that was begun at this time, in nanoseconds."""
    for file in reading.files:
        encoder.add_file(file, now)
    encoder.add_problems(reading.problems)
    if reading.page is not None:
        encoder.add_page(reading.page)
