"""Read a folder of pages into segments (parts of an index), in several processes.

Folders are listed from the top down, until there are enough paths to keep all processes busy. The user waits for the
tag that the browser shows first. Therefore the folder of this tag is listed first, and some of its pages are read
immediately. A small folder is read in this process only, a large folder in one process per core. On a slow file system,
each process uses threads (see `workers.threads`).
Input: any folder; `page_forms` reads each file.
"""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from cachetui.mappings import grouped
from cachetui.model.tags import first_of_tags, tag_order
from cachetui.sources.pages.listing import Listing, add_listing, listed
from cachetui.sources.pages.page_forms import Reading, read
from cachetui.sources.source import Progress
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.processes import Processes, cores
from cachetui.workers.threads import parallel

FIRST_PAGES = 64
"""Number of pages to read first. The number is small, because the pages of `develop` are long."""

MAX_PIECE_FILES, MIN_PIECE_FILES = 1024, 256
"""Maximum and minimum number of files or folders in one piece of work. A piece takes at most about 40 ms.

The last pieces are small, so that all processes end at about the same time.
"""

PIECES_PER_PROCESS = 2
"""The size of a piece is the number of remaining files, divided by the number of processes and by this number."""

MAX_ONE_PROCESS_FILES = 1536
"""Up to this number of files, one process is faster than several."""


def segments(
    root: str, only: str | None = None, cancelled: Cancelled = never
) -> Iterator[tuple[Segment | None, Progress]]:
    """Read the content folder, with `develop` before all other tags, and yield segments (parts of an index).

    `only` is the name of the only file to read, or None. The first segment is yielded before all folders are listed.
    The intervals between the later segments grow. Raises OSError if the content folder itself is unreadable, and
    Interrupted soon after `cancelled` returns True.
    """
    if only is not None:
        yield read_piece(root, [only]), Progress(1, 1)
        return
    with Processes(__name__) as processes:
        listings = _Listings(root, processes, cancelled)
        is_first_read = False
        while level := listings.next_level():
            tag = None if is_first_read else _first_tag(level)
            if tag is not None:
                listings.add([tag])
                if first := listings.take_first(tag):
                    is_first_read = True
                    yield read_piece(root, first, cancelled), Progress(0, 1)
            listings.add([folder for folder in level if folder != tag])
        pieces, read_on = _read(root, listings.take_rest(), cancelled, processes)
        total = 1 + max(1, pieces)
        yield listings.builder.segment(), Progress(1, total)
        done = 1
        for more, segment in read_on:
            done = min(total, done + more)  # if a process dies, its pieces are counted twice
            yield segment, Progress(done, total)


def read_all(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> list[Segment]:
    """Read these files, and all files inside these folders. For many paths, use several processes. See `segments`."""
    with Processes(__name__) as processes:
        _, read_on = _read(root, paths, cancelled, processes)
        return [segment for _, segment in read_on if segment is not None]


def read_piece(root: str, paths: Sequence[str], cancelled: Cancelled = never) -> Segment:
    """Read these files, and all files inside these folders, in this process. Raises Interrupted if cancelled."""
    reader = PagesReader(root)
    reader.add(paths, cancelled)
    return reader.result()


class PagesReader:
    """Reads files and folders into a segment (a part of an index), in any process (see `workers.processes`)."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._builder = SegmentBuilder()

    def result(self) -> Segment:
        """Return a segment with everything that was read since the last call."""
        segment, self._builder = self._builder.segment(), SegmentBuilder()
        return segment

    def add(self, piece: Sequence[str], cancelled: Cancelled) -> None:
        """Read these files, and all files inside these folders. Raises Interrupted if cancelled."""
        pending = list(piece)
        while pending:
            below: list[str] = []
            for path, found in zip(pending, parallel(self._read, pending, cancelled), strict=True):
                if isinstance(found, Reading):
                    self._builder.files |= found.files
                    self._builder.problems += found.problems
                    if found.page is not None:
                        self._builder.pages.append(found.page)
                    continue
                add_listing(self._builder, path, found)
                if isinstance(found, Listing):
                    below += [*found.pages, *found.folders]
            pending = below

    def _read(self, path: str) -> Reading | Listing | OSError:
        return listed(self._root, path) if path.endswith("/") else read(self._root, path)


class _Listings:
    """Lists folders, and keeps the paths that must still be read."""

    def __init__(self, root: str, processes: Processes, cancelled: Cancelled) -> None:
        self.builder = SegmentBuilder()
        """The mtimes and problems of the listed folders."""
        self._root, self._processes, self._cancelled = root, processes, cancelled
        self._files: dict[str, Sequence[str]] = {}
        self._folders: dict[str, Sequence[str]] = {"": [""]}
        """The folders that are not listed yet, grouped by parent folder."""

    def next_level(self) -> list[str]:
        """Return the folders to list next, and remove these folders from the folders that are not listed yet.

        If there are already enough paths to keep all processes busy, return an empty list and remove nothing.
        """
        if sum(map(len, chain(self._files.values(), self._folders.values()))) >= MAX_ONE_PROCESS_FILES:
            return []
        level, self._folders = list(chain.from_iterable(self._folders.values())), {}
        return level

    def add(self, folders: Sequence[str]) -> None:
        """List folders. Raises OSError if the content folder is unreadable, and Interrupted if cancelled."""
        found = 0
        calls = parallel(partial(listed, self._root), folders, self._cancelled)
        for folder, listing in zip(folders, calls, strict=True):
            if isinstance(listing, Listing):
                self._files[folder], self._folders[folder] = listing.pages, listing.folders
                found += len(listing.pages) + len(listing.folders)
                if found > MAX_ONE_PROCESS_FILES:
                    self._processes.start()
            elif not folder:
                raise listing
            add_listing(self.builder, folder, listing)

    def take_first(self, tag: str) -> Sequence[str]:
        """Remove and return the first files and folders of a tag. The result is empty if the tag has few files."""
        files, folders = self._files.get(tag, ()), self._folders.get(tag, ())
        if len(files) + len(folders) <= FIRST_PAGES:
            return ()
        self._files[tag], self._folders[tag] = files[FIRST_PAGES:], folders[max(0, FIRST_PAGES - len(files)) :]
        return [*files, *folders][:FIRST_PAGES]

    def take_rest(self) -> list[str]:
        """Remove and return the remaining files and folders, sorted so that reading is fast.

        The tag `develop` comes first. In the other tags, all pages of one package follow each other, because these
        pages are similar. Tags are in reverse order of their names, because the newest tag is then usually first.
        """
        by_name = grouped(
            (("/develop/" not in f"/{folder}", path[len(folder) :]), path)
            for folder, paths in chain(reversed(self._files.items()), reversed(self._folders.items()))
            for path in paths
        )
        self._files, self._folders = {}, {}
        return list(chain.from_iterable(by_name[name] for name in sorted(by_name)))


def _first_tag(folders: Sequence[str]) -> str | None:
    """Return the folder of the tag that the browser shows first. Each folder belongs to one tag.

    Return None if there are fewer than two folders, or if the browser first shows all tags together.
    """
    if len(folders) < 2:
        return None
    by_name = {os.path.basename(folder[:-1]): folder for folder in reversed(folders)}
    name = first_of_tags(tag_order(by_name))
    return None if name is None else by_name[name]


def _read(
    root: str, paths: Sequence[str], cancelled: Cancelled, processes: Processes
) -> tuple[int, Iterator[tuple[int, Segment | None]]]:
    """Divide the paths into pieces of work, and read the pieces.

    Return the number of pieces, and an iterator. The iterator yields how many more pieces were read, and a segment or
    None if no segment is complete yet.
    """
    if len(paths) > MAX_ONE_PROCESS_FILES:
        processes.start()
    pieces = _pieces(paths)
    return len(pieces), processes.results(partial(PagesReader, root), pieces, cancelled)


def _pieces(paths: Sequence[str]) -> list[Sequence[str]]:
    """Divide the paths into pieces of work: a small piece first, then large pieces of decreasing size."""
    starts, at = [0] * bool(paths), FIRST_PAGES
    while at < len(paths):
        starts.append(at)
        at += min(MAX_PIECE_FILES, max(MIN_PIECE_FILES, (len(paths) - at) // (PIECES_PER_PROCESS * cores())))
    return [paths[start:end] for start, end in pairwise([*starts, len(paths)])]
