"""Compare a folder of pages and build caches with an index of it, by sizes and times of files.

No file is read; only folders that changed are listed again. In doubt a file counts as changed. A file counts as gone
only if its folder, listed again, does not have it.
Input: the state in an index, and the folder (or the single page) that it was made from.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice

from cachetui.sources.pages.listing import Listing, add_listing, listed
from cachetui.sources.paths import ContentPath
from cachetui.sources.source import Difference, Known
from cachetui.store.builder import SegmentBuilder
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes, mtimes_at
from cachetui.workers.cancelling import Cancelled
from cachetui.workers.parallel import parallel

ROOT = ContentPath()
"""The path of the content folder itself."""

AT_A_TIME = 8192
"""Files that are compared at a time, to save memory."""


def compare(root: str, known: Known, paths: Iterable[str] | None, cancelled: Cancelled) -> Difference:
    """Compare files and folders with the disk: these paths, or with None all that the index knows.

    A file is unchanged if its size and times are, a folder if its times are. `Difference.unread` has new and changed
    pages and folders, and for each tag of build caches in which a file changed the path of its graph. Raises OSError
    where the content folder itself cannot be listed, and Interrupted once `cancelled` says so.
    """
    work = _FileComparison(root, known, cancelled)
    if paths is not None:
        files: Iterator[tuple[str, Mtimes | None]] = ((path, known.mtimes(path)) for path in paths)
    else:
        files = iter(known.files())
        if known.mtimes(ROOT) is None:
            work.take(ROOT, None, mtimes_at(f"{root}/"))
    while some := list(islice(files, AT_A_TIME)):
        work.compare(some)
    return work.outcome()


class _FileComparison:
    """The work of `compare`."""

    def __init__(self, root: str, known: Known, cancelled: Cancelled) -> None:
        self._root, self._known, self._cancelled = root, known, cancelled
        self._dropped, self._gone, self._unread = set[str](), set[str](), set[str]()
        self._unsure: set[str] = set()
        """Folders that are to be listed again."""
        self._tags = {graph: graph.tag for graph in map(ContentPath, known.graph_paths)}

    def compare(self, files: Sequence[tuple[str, Mtimes | None]]) -> None:
        """Compare these files and folders with the disk; each comes with the mtimes that the index has."""
        found = list(parallel(mtimes_at, [f"{self._root}/{path}" for path, _ in files], self._cancelled))
        if found != [known for _, known in files]:
            for (path, known), now in zip(files, found, strict=True):
                if now != known:
                    self.take(ContentPath(path), known, now)

    def take(self, path: ContentPath, known: Mtimes | None, now: Mtimes | OSError) -> None:
        """Handle a file or folder that differs from the index."""
        is_gone = isinstance(now, OSError) and _is_gone(f"{self._root}/{path}", now)
        if known == UNREAD_MTIMES and not is_gone and (isinstance(now, OSError) or not self._is_readable(path)):
            return  # it could not be read then, and cannot be read now
        if path.is_of_cache:
            self._unread.update([graph for graph, tag in self._tags.items() if path.startswith(tag)][:1])
            return
        self._dropped.add(path)
        if is_gone or path.endswith(".json"):  # a sidecar is read again with the pages next to it
            self._take_gone(path)
        else:
            (self._unsure if path.is_folder else self._unread).add(path)

    def _take_gone(self, path: ContentPath) -> None:
        """Handle a file or folder that seems to be gone; listing its folder again will confirm that."""
        self._gone.add(path)
        self._dropped.add(path)
        self._unsure.add(path.folder)

    def _is_readable(self, path: ContentPath) -> bool:
        return os.access(f"{self._root}/{path}", os.R_OK | os.X_OK if path.is_folder else os.R_OK)

    def outcome(self) -> Difference:
        """List again the folders that changed, and return the difference."""
        listings = self._listings()
        beside = {ContentPath(path).folder for path in self._gone if path.endswith(".json")}
        builder = SegmentBuilder()
        for folder, found in listings.items():
            is_new = isinstance(found, OSError) or self._take_new(found, all_pages=folder in beside)
            if is_new or folder in self._dropped:
                self._dropped.add(folder)
                add_listing(builder, folder, found)
        # not all files in a folder need have been compared
        folders = filter(lambda path: path and ContentPath(path).is_folder, self._gone | self._unread)
        below = chain.from_iterable(map(self._known.below, folders))
        dropped = frozenset(chain(self._dropped, self._unread, below))
        return Difference(dropped, tuple(sorted(self._unread)), (builder.segment(),))

    def _listings(self) -> dict[str, Listing | OSError]:
        """List the unsure folders, and those above folders that are gone."""
        found: dict[str, Listing | OSError] = {}
        while folders := sorted(map(str, self._unsure.difference(found, self._gone - {ROOT}))):
            listings = parallel(partial(listed, self._root), folders, self._cancelled)
            for folder, listing in zip(folders, listings, strict=True):
                if isinstance(listing, OSError) and folder == ROOT:
                    raise listing
                if isinstance(listing, OSError) and _is_gone(f"{self._root}/{folder}", listing):
                    self._take_gone(ContentPath(folder))
                else:
                    found[folder] = listing
        return found

    def _take_new(self, listing: Listing, *, all_pages: bool) -> bool:
        """Mark as unread each new file of a folder, or one that exists after all; return whether there is any.

        Where a sidecar is new all pages of the folder are read again; `all_pages` asks for the same.
        """
        new = [path for path in (*listing.pages, *listing.folders) if path in self._gone or self._is_new(path)]
        if all_pages or any(map(self._is_new, listing.sidecars)):
            new += listing.pages
        self._unread.update(new)
        return bool(new)

    def _is_new(self, path: str) -> bool:
        return self._known.mtimes(path) is None


def _is_gone(path: str, error: OSError) -> bool:
    """Return whether this path is free, even of a broken link."""
    return isinstance(error, FileNotFoundError | NotADirectoryError) and not os.path.lexists(path)
