"""A content folder becomes segments: which files there are, read in pieces by several processes.

What the file system costs decides how: a small folder is read here and now, a large one by a process for each
core, and where opening a file takes long (a network file system) by threads within each.
Input: any folder; each file goes through `pages.read`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain

from cachetui.columns import Encoder, Segment
from cachetui.pages import SUFFIXES, FileStamp, read
from cachetui.rows import Memory
from cachetui.spec import Problem, tag_order
from cachetui.workers import Cancelled, Interrupted, gathered, in_processes, never

__all__ = [
    "Interrupted",
    "Listing",
    "Progress",
    "add_listing",
    "list_folder",
    "never",
    "read_all",
    "read_piece",
    "segments",
    "unreadable",
]

PIECE = 512
"""Folders or files that one process reads at a time: about 20 ms of work."""

FEW = 3 * PIECE
"""So many are read faster here than by processes that first have to start."""

PROBES, SLOW = 20, 0.0003
"""So many files or folders are opened first, to see; where one takes longer than this (in seconds), as on a network
file system, threads read side by side."""

THREADS = 16

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
    problems: tuple[Problem, ...]


def list_folder(root: str, folder: str) -> Listing:
    """One folder of the content (`""` is the content folder itself), sorted; raises OSError."""
    path = f"{root}/{folder}"
    status = os.stat(path)
    pages: list[str] = []
    sidecars: list[str] = []
    folders: list[str] = []
    links: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            if _is(entry.is_dir):
                if entry.name != ".git":
                    (links if entry.is_symlink() else folders).append(f"{folder}{entry.name}/")
            elif entry.name.lower().endswith(SUFFIXES) and _is(entry.is_file):
                pages.append(folder + entry.name)
            elif SIDECAR.fullmatch(entry.name):
                sidecars.append(folder + entry.name)
    followed, problems = _followed(root, folder, sorted(links)) if links else ([], [])
    stamp = FileStamp(folder, 0, status.st_mtime_ns)
    return Listing(
        stamp, tuple(sorted(pages)), tuple(sorted(sidecars)), tuple(sorted(folders + followed)), tuple(problems)
    )


def _is(kind: Callable[[], bool]) -> bool:
    """Whether an entry is of this kind; a link to itself is of none."""
    try:
        return kind()
    except OSError:
        return False


def _followed(root: str, folder: str, links: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """Which of the linked folders are content: those that no other way leads to, and that do not hold the content.

    Links within a linked folder are not followed, or folders that link each other would have no end.
    """
    home, here = os.path.realpath(root), os.path.realpath(f"{root}/{folder}")
    if here != os.path.normpath(f"{home}/{folder}"):
        names = ", ".join(link[len(folder) : -1] for link in links)
        message = f"links within a linked folder are not followed: {names}".encode(errors="backslashreplace").decode()
        return [], [Problem(path=folder, level="note", kind="link", message=message)]
    targets = {link: os.path.realpath(f"{root}/{link}") for link in links}
    return [
        link for link, target in targets.items() if not _is_within(target, home) and not _is_within(home, target)
    ], []


def _is_within(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def segments(
    root: str, only: str | None = None, cancelled: Cancelled = never
) -> Iterator[tuple[Segment | None, Progress]]:
    """Reads the content folder (or `only` one file of it), piece by piece, `develop` before all other tags.

    A segment comes soon, and then after ever more pieces. Raises OSError if the folder itself cannot be read, and
    Interrupted soon after `cancelled` says so.
    """
    if only is not None:
        yield read_piece(root, [only]), Progress(1, 1)
        return
    first, rest = _plan(root)
    total = 1 + max(1, -(-len(rest) // PIECE))
    yield first, Progress(1, total)
    done = 1
    for more, segment in _read(root, rest, cancelled):
        done += more
        yield segment, Progress(done, total)


def read_all(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> list[Segment]:
    """Reads these files, and all that lies in these folders, as fast as this machine can; see `segments`."""
    return [segment for _, segment in _read(root, paths, cancelled) if segment is not None]


def _read(root: str, paths: Sequence[str], cancelled: Cancelled) -> Iterator[tuple[int, Segment | None]]:
    """How many more pieces are read, and now and then a segment."""
    pieces = [paths[at : at + PIECE] for at in range(0, len(paths), PIECE)]
    make = partial(_Reader, root, THREADS if len(paths) > PROBES and _is_slow(root, paths) else 1)
    return in_processes(make, pieces, cancelled) if len(paths) > FEW else gathered(make(), pieces, cancelled)


def _plan(root: str) -> tuple[Segment, list[str]]:
    """Lists folders from the top until there are enough to share out.

    Returns a segment with the stamps of the folders that were listed, and the files and folders that are left.
    """
    encoder = Encoder()
    files: list[str] = []
    level = [""]
    while level and len(level) < FEW:
        below: list[str] = []
        for folder in level:
            listing = _listing(root, folder, encoder)
            if listing is not None:
                files += listing.pages
                below += listing.folders
        level = below
    return encoder.segment(), _reading_order(files + level)


def _reading_order(paths: Sequence[str]) -> list[str]:
    """Develop first, then what has the same name in all tags: the pages of one package have most in common.

    A tag is taken for a folder's name, which only the speed depends on.
    """
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        if "/develop/" not in f"/{path}":
            by_folder.setdefault(path[: path.rfind("/", 0, -1)], []).append(path)
    rank = {tag: k for k, tag in enumerate(tag_order(map(os.path.basename, by_folder)))}
    by_name: dict[str, list[str]] = {}
    for folder in sorted(by_folder, key=lambda folder: rank[os.path.basename(folder)]):
        for path in by_folder[folder]:
            by_name.setdefault(path[len(folder) :], []).append(path)
    return [*(path for path in paths if "/develop/" in f"/{path}"), *chain.from_iterable(by_name.values())]


def _is_slow(root: str, paths: Sequence[str]) -> bool:
    """Whether opening takes so long that several should be opened at once."""
    started = time.perf_counter()
    for path in paths[:: max(1, len(paths) // PROBES)]:
        with suppress(OSError):
            os.close(os.open(f"{root}/{path}", os.O_RDONLY | os.O_NONBLOCK))
    return time.perf_counter() - started > PROBES * SLOW


def _listing(root: str, folder: str, encoder: Encoder) -> Listing | None:
    now = time.time_ns()
    try:
        listing = list_folder(root, folder)
    except FileNotFoundError:
        if folder:
            return None
        raise
    except OSError as error:
        if not folder:
            raise
        encoder.add_problem(unreadable(folder, error))
        return None
    add_listing(encoder, listing, now)
    return listing


def add_listing(encoder: Encoder, listing: Listing, now: int) -> None:
    """Takes up a folder's stamp, and what is wrong in it; `now` in nanoseconds, from before it was listed."""
    encoder.add_file(listing.stamp, now)
    for problem in listing.problems:
        encoder.add_problem(problem)


def unreadable(path: str, error: OSError) -> Problem:
    """The problem of a file or folder that cannot be read."""
    return Problem(path=path, kind="unreadable", message=f"cannot be read: {error.strerror or error}")


def read_piece(root: str, paths: Sequence[str], threads: int = 1, cancelled: Cancelled = never) -> Segment:
    """Reads these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
    reader = _Reader(root, threads)
    reader.add(paths, cancelled)
    return reader.result()


class _Reader:
    """Reads files and folders, and gathers what they hold into a segment."""

    def __init__(self, root: str, threads: int) -> None:
        self._root = root
        self._threads = threads
        self._read = partial(read, root, memory=Memory())
        self._encoder = Encoder()

    def result(self) -> Segment:
        segment, self._encoder = self._encoder.segment(), Encoder()
        return segment

    def add(self, piece: Sequence[str], cancelled: Cancelled) -> None:
        """Reads these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
        encoder = self._encoder
        now = time.time_ns()
        files: list[str] = []
        pending = list(reversed(piece))
        while pending:
            path = pending.pop()
            if path.endswith("/"):
                listing = _listing(self._root, path, encoder)
                if listing is not None:
                    files += listing.pages
                    pending += reversed(listing.folders)
            else:
                files.append(path)
            if cancelled():
                raise Interrupted
        with ThreadPoolExecutor(self._threads) if self._threads > 1 else nullcontext() as pool:
            for reading in (pool.map if pool else map)(self._read, files):
                encoder.add(reading, now)
                if cancelled():
                    if pool:
                        pool.shutdown(wait=False, cancel_futures=True)
                    raise Interrupted
