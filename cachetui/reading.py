"""A content folder becomes segments: which files there are, read in pieces by several processes.

What the file system costs decides how: a small folder is read here and now, a large one by a process for each
core, and where opening a file takes long (a network file system) by threads within each.
Input: any folder; each file goes through `pages.read`.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial

from cachetui.columns import RACY, Encoder, Segment
from cachetui.pages import SUFFIXES, FileStamp, read
from cachetui.spec import Problem

PIECE = 256
"""Folders or files that one process reads at a time: about 50 ms of work."""

FEW = 3 * PIECE
"""So many are read faster here than by processes that first have to start."""

SLOW_OPEN = 0.0003
"""Seconds; where opening a folder takes longer, threads read side by side."""

THREADS = 16

RACY_TIME = 2_000_000_000
"""Nanoseconds: a file that was changed so shortly before it was read may change again and show the same time."""


SIDECAR = re.compile(r"spec-[0-9]+\.json")


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int
    """Pieces of work, all of about the same size."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What one folder holds; paths are relative to the content folder, those of folders end in `/`."""

    stamp: FileStamp
    pages: tuple[str, ...]
    """Files that may be pages."""
    sidecars: tuple[str, ...]
    folders: tuple[str, ...]


def never() -> bool:
    """For a reading that nobody interrupts."""
    return False


class Interrupted(Exception):
    """Reading was given up because nobody wants the result any more."""


def list_folder(root: str, folder: str) -> Listing:
    """One folder of the content (`""` is the content folder itself), sorted; raises OSError."""
    path = os.path.join(root, folder)
    status = os.stat(path)
    pages, sidecars, folders = [], [], []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != ".git" and not (entry.is_symlink() and _leads_back(root, entry.path)):
                    folders.append(f"{folder}{entry.name}/")
            elif entry.name.lower().endswith(SUFFIXES) and _is_file(entry):
                pages.append(folder + entry.name)
            elif SIDECAR.fullmatch(entry.name):
                sidecars.append(folder + entry.name)
    stamp = FileStamp(folder, 0, status.st_mtime_ns)
    return Listing(stamp, tuple(sorted(pages)), tuple(sorted(sidecars)), tuple(sorted(folders)))


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _leads_back(root: str, link: str) -> bool:
    """Whether a linked folder is reached by another way too (it lies in the content) or holds itself."""
    target = os.path.realpath(link)
    homes = (os.path.realpath(root), os.path.realpath(os.path.dirname(link)))
    return f"{target}/".startswith(f"{homes[0]}/") or any(f"{home}/".startswith(f"{target}/") for home in homes)


def segments(
    root: str, only: str | None = None, cancelled: Callable[[], bool] = never
) -> Iterator[tuple[Segment, Progress]]:
    """Reads the content folder (or `only` one file of it), piece by piece, `develop` before all other tags.

    Raises OSError if the folder itself cannot be read, and Interrupted soon after `cancelled` says so.
    """
    if only is not None:
        yield read_piece(root, [only]), Progress(1, 1)
        return
    first, rest, seconds = _plan(root)
    pieces = [rest[at : at + PIECE] for at in range(0, len(rest), PIECE)]
    total = len(pieces) + 1
    yield first, Progress(1, total)
    threads = THREADS if seconds > SLOW_OPEN else 1
    work = partial(read_piece, root, threads=threads)
    done = _in_processes(work, pieces, cancelled) if len(rest) > FEW else map(work, pieces)
    for count, segment in enumerate(done, 2):
        if cancelled():
            raise Interrupted
        yield segment, Progress(count, total)


def _plan(root: str) -> tuple[Segment, list[str], float]:
    """Lists folders from the top until there are enough to share out.

    Returns a segment with the stamps of the folders that were listed, the files and folders that are left to read,
    and the seconds that listing a folder took.
    """
    encoder = Encoder()
    files: list[str] = []
    level = [""]
    listed, started = 0, time.perf_counter()
    while level and len(level) < 2 * PIECE:
        below: list[str] = []
        for folder in level:
            listing = _listing(root, folder, encoder)
            if listing is not None:
                files += listing.pages
                below += listing.folders
        listed += len(level)
        level = below
    seconds = (time.perf_counter() - started) / max(listed, 1)
    rest = sorted(files + level, key=lambda path: "/develop/" not in f"/{path}")
    return encoder.segment(), rest, seconds


def _listing(root: str, folder: str, encoder: Encoder) -> Listing | None:
    try:
        listing = list_folder(root, folder)
    except FileNotFoundError:
        if folder:
            return None
        raise
    except OSError as error:
        if not folder:
            raise
        message = f"cannot be read: {error.strerror or error}"
        encoder.add_problem(Problem(path=folder, kind="unreadable", message=message))
        return None
    encoder.add_file(stamped(listing.stamp, time.time_ns()))
    return listing


def read_piece(root: str, paths: Sequence[str], threads: int = 1) -> Segment:
    """Reads these files, and all that lies in these folders."""
    encoder = Encoder()
    started = time.time_ns()
    files: list[str] = []
    pending = list(reversed(paths))
    while pending:
        path = pending.pop()
        if path.endswith("/"):
            listing = _listing(root, path, encoder)
            if listing is not None:
                files += listing.pages
                pending += reversed(listing.folders)
        else:
            files.append(path)
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            for reading in pool.map(partial(read, root), files):
                encoder.add(reading, partial(stamped, now=started))
    else:
        for path in files:
            encoder.add(read(root, path), partial(stamped, now=started))
    return encoder.segment()


def stamped(stamp: FileStamp, now: int) -> FileStamp:
    """The stamp, marked as not to be relied on if the file changed just before `now`."""
    if stamp.mtime_ns > now - RACY_TIME:
        return FileStamp(stamp.path, stamp.size | RACY, stamp.mtime_ns)
    return stamp


def _in_processes(
    work: Callable[[Sequence[str]], Segment], pieces: Sequence[Sequence[str]], cancelled: Callable[[], bool]
) -> Iterator[Segment]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = ProcessPoolExecutor(min(cores, 16), multiprocessing.get_context("spawn"), initializer=_start_worker)
    try:
        waiting: set[Future[Segment]] = {pool.submit(work, piece) for piece in pieces[: 2 * cores]}
        left = iter(pieces[2 * cores :])
        while waiting:
            done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            if cancelled():
                raise Interrupted
            for future in done:
                piece = next(left, None)
                if piece is not None:
                    waiting.add(pool.submit(work, piece))
                yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _start_worker() -> None:
    # Ctrl+C is for the parent, which then lets its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
