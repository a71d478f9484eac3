"""Read a folder of pages as segments, in pieces shared out to several processes.

Folders are listed from the top until there are enough to share out. The folder of the tag that is looked at first is
listed before those of other tags, and a few of its pages are read before these are listed, as somebody waits for them.
A small content is read by this process, a large one by a process for each core, and where opening a file takes long (a
network file system) by threads within each (see `parallel_stat`).
Input: any folder; each file goes through `page_forms`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from cachetui.model.tags import first_of_tags, tag_order
from cachetui.sources.pages.listing import Listing, add_listing, listed
from cachetui.sources.pages.page_forms import Reading, read
from cachetui.sources.pages.parallel_stat import parallel
from cachetui.sources.source import Progress
from cachetui.store.builder import Segment, SegmentBuilder
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.processes import Processes, cores

FIRST = 64
"""Pages that are read first: those of develop are long."""

PIECE, LAST_PIECE = 1024, 256
"""Most and fewest folders or files that one process reads at a time: about 40 ms of work at most. The last pieces are
short, so that no process waits for another."""

SHARE = 2
"""A piece is one of so many parts of what is left for each process."""

FEW = 1536
"""Below this many files one process is faster than starting workers."""


def segments(
    root: str, only: str | None = None, cancelled: Cancelled = never
) -> Iterator[tuple[Segment | None, Progress]]:
    """Read the content folder (or `only` one file of it), piece by piece, `develop` before all other tags.

    A segment comes soon, before all folders are listed, and then after ever more pieces. Raises OSError if the folder
    itself cannot be read, and Interrupted soon after `cancelled` says so.
    """
    if only is not None:
        yield read_piece(root, [only]), Progress(1, 1)
        return
    with Processes(__name__) as processes:
        listings = _Listings(root, processes, cancelled)
        is_first_read = False
        while level := listings.next_level():
            tag = None if is_first_read else _first_tag(level)
            listings.add(level if tag is None else [tag])
            if tag is not None:
                if first := listings.take_first(tag):
                    is_first_read = True
                    yield read_piece(root, first, cancelled), Progress(0, 1)
                listings.add([folder for folder in level if folder != tag])
        pieces, read_on = _read(root, listings.take_rest(), cancelled, processes)
        total = 1 + max(1, pieces)
        yield listings.builder.segment(), Progress(1, total)
        done = 1
        for more, segment in read_on:
            done = min(total, done + more)  # pieces of a process that died are counted twice
            yield segment, Progress(done, total)


def read_all(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> list[Segment]:
    """Read these files, and all that lies in these folders, as fast as this machine can; see `segments`."""
    with Processes(__name__) as processes:
        _, read_on = _read(root, paths, cancelled, processes)
        return [segment for _, segment in read_on if segment is not None]


def read_piece(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> Segment:
    """Read these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
    reader = PagesReader(root)
    reader.add(paths, cancelled)
    return reader.result()


class PagesReader:
    """Read files and folders, and gather what they hold into a segment; see `Gatherer` of `workers`."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._builder = SegmentBuilder()

    def result(self) -> Segment:
        """Return what was read since the last call."""
        segment, self._builder = self._builder.segment(), SegmentBuilder()
        return segment

    def add(self, piece: Sequence[str], cancelled: Cancelled) -> None:
        """Read these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
        pending = list(piece)
        while pending:
            now = time.time_ns()
            below: list[str] = []
            for path, found in zip(pending, parallel(self._read, pending, cancelled), strict=True):
                if isinstance(found, Reading):
                    for file in found.files:
                        self._builder.files.append((file, now))
                    self._builder.problems += found.problems
                    if found.page is not None:
                        self._builder.pages.append(found.page)
                    continue
                add_listing(self._builder, path, found, now)
                if isinstance(found, Listing):
                    below += [*found.pages, *found.folders]
            pending = below

    def _read(self, path: str) -> Reading | Listing | OSError:
        return listed(self._root, path) if path.endswith("/") else read(self._root, path)


class _Listings:
    """The folders that were listed so far, and what is left to be read."""

    def __init__(self, root: str, processes: Processes, cancelled: Cancelled) -> None:
        self.builder = SegmentBuilder()
        """The mtimes of the folders that were listed, and what is wrong with them."""
        self._root = root
        self._processes = processes
        self._cancelled = cancelled
        self._files: dict[str, Sequence[str]] = {}
        self._folders: dict[str, Sequence[str]] = {"": [""]}
        """By the folder that they are in those that are not listed yet."""

    def next_level(self) -> list[str]:
        """Take the folders to list next; none where there is enough to share out."""
        if sum(map(len, chain(self._files.values(), self._folders.values()))) >= FEW:
            return []
        level, self._folders = list(chain.from_iterable(self._folders.values())), {}
        return level

    def add(self, folders: Sequence[str]) -> None:
        """List these folders; raises OSError for the content folder, and Interrupted."""
        now, found = time.time_ns(), 0
        calls = parallel(partial(listed, self._root), folders, self._cancelled)
        for folder, listing in zip(folders, calls, strict=True):
            if isinstance(listing, Listing):
                self._files[folder], self._folders[folder] = listing.pages, listing.folders
                found += len(listing.pages) + len(listing.folders)
                if found > FEW:
                    self._processes.start()
            elif not folder:
                raise listing
            add_listing(self.builder, folder, listing, now)

    def take_first(self, tag: str) -> Sequence[str]:
        """Take a few files and folders of a tag; none where its folder holds few, as all is soon read then."""
        files, folders = self._files.get(tag, ()), self._folders.get(tag, ())
        if len(files) + len(folders) <= FIRST:
            return ()
        self._files[tag], self._folders[tag] = files[FIRST:], folders[max(0, FIRST - len(files)) :]
        return [*files, *folders][:FIRST]

    def take_rest(self) -> list[str]:
        """Take all other files and folders in the order in which they are best read.

        `develop` comes first, then those of one name in all tags: pages of one package have most in common. They stand
        as tags mostly do, the newest first: so they are merged in long runs.
        """
        by_name: dict[tuple[bool, str], list[str]] = {}
        for folder, paths in chain(reversed(self._files.items()), reversed(self._folders.items())):
            is_other = "/develop/" not in f"/{folder}"
            for path in paths:
                by_name.setdefault((is_other, path[len(folder) :]), []).append(path)
        self._files, self._folders = {}, {}
        return list(chain.from_iterable(by_name[name] for name in sorted(by_name)))


def _first_tag(folders: Sequence[str]) -> str | None:
    """Return the folder of the tag that is looked at first, where others lie beside it, by the names of folders."""
    if len(folders) < 2:
        return None
    by_name = {os.path.basename(folder[:-1]): folder for folder in reversed(folders)}
    name = first_of_tags(tag_order(by_name))
    return None if name is None else by_name[name]


def _read(
    root: str, paths: Sequence[str], cancelled: Cancelled, processes: Processes
) -> tuple[int, Iterator[tuple[int, Segment | None]]]:
    """Return how many pieces there are; then yield how many more of them are read, and now and then a segment."""
    if not paths:
        return 0, iter(())
    if len(paths) > FEW:
        processes.start()
    pieces = _pieces(paths)
    return len(pieces), processes.results(partial(PagesReader, root), pieces, cancelled)


def _pieces(paths: Sequence[str]) -> list[Sequence[str]]:
    """Return the paths in pieces of work: a small one, then ever shorter ones."""
    starts = [0]
    at = FIRST
    while at < len(paths):
        starts.append(at)
        at += min(PIECE, max(LAST_PIECE, (len(paths) - at) // (SHARE * cores())))
    return [paths[start:end] for start, end in pairwise([*starts, len(paths)])]
