"""Compare a folder with what an index knows of it, by sizes and times alone.

Nothing is read but folders that are not as they were. Where in doubt a file counts as changed. A path that is gone is
believed only where the folder that held it, listed again, does not have it.
Input: what an index knows, and the folder (or page) that it was made of.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from cachetui.sources.cache_folders import PREFIX
from cachetui.sources.pages.listing import Listing, add_listing, listed
from cachetui.sources.pages.parallel_stat import parallel
from cachetui.sources.source import Difference, Known
from cachetui.store.builder import SegmentBuilder
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes, mtimes_at
from cachetui.workers.cancelling import Cancelled

ROOT = ""
"""The path of the content folder itself."""

AT_A_TIME = 8192
"""Stamps that are compared at a time, so that not all of them are in memory."""


def compare(root: str, known: Known, paths: Iterable[str] | None, cancelled: Cancelled) -> Difference:
    """Compare files and folders (all that the index knows, where `paths` is None) with the disk.

    A file is the same if its size and time are, a folder holds the same names if its time is the same. A folder that is
    not the same is listed again. Unread are also the tags of build caches in which a file is another one, by the paths
    of their graphs. Raises OSError where the content folder itself cannot be listed, Interrupted once `cancelled` says
    so.
    """
    work = _Comparison(root, known, cancelled)
    if paths is not None:
        files: Iterator[tuple[str, Mtimes | None]] = ((path, known.mtimes(path)) for path in paths)
    else:
        files = iter(known.files())
        if known.mtimes(ROOT) is None:
            work.take(ROOT, None, mtimes_at(f"{root}/"))
    while some := list(islice(files, AT_A_TIME)):
        work.compare(some)
    return work.outcome()


def compare_page(root: str, page: str, known: Known) -> Difference | None:
    """Compare the only page of the content, and the sidecars that were read for it, with the disk."""
    files = [*known.files()]
    current = [mtimes_at(f"{root}/{path}") for path, _ in files]
    if files and current == [mtimes for _, mtimes in files]:
        return None
    return Difference(
        dropped=frozenset([page, *(path for path, _ in files)]),
        unread=(page,),
    )


class _Comparison:
    """The work of `compare`."""

    def __init__(self, root: str, known: Known, cancelled: Cancelled) -> None:
        self._root = root
        self._known = known
        self._cancelled = cancelled
        self._dropped: set[str] = set()
        self._gone: set[str] = set()
        self._unread: set[str] = set()
        self._unsure: set[str] = set()
        """Folders to list again."""
        self._graph_paths = [path for path in known.graph_paths if path.startswith(PREFIX)]

    def compare(self, files: Sequence[tuple[str, Mtimes | None]]) -> None:
        """Compare these files and folders, each with its known mtimes."""
        found = list(parallel(mtimes_at, [f"{self._root}/{path}" for path, _ in files], self._cancelled))
        if found != [known for _, known in files]:
            for (path, known), now in zip(files, found, strict=True):
                if now != known:
                    self.take(path, known, now)

    def take(self, path: str, known: Mtimes | None, now: Mtimes | OSError) -> None:
        """Take up a file or folder whose mtimes is another one now."""
        is_gone = isinstance(now, OSError) and _is_gone(f"{self._root}/{path}", now)
        if known == UNREAD_MTIMES and not is_gone and (isinstance(now, OSError) or not self._is_readable(path)):
            return
        if path.startswith(PREFIX):
            self._unread.update([each for each in self._graph_paths if path.startswith(each[:-1])][:1])
            return
        self._dropped.add(path)
        if is_gone or path.endswith(".json"):  # a sidecar is read again with the pages beside it
            self._take_gone(path)
        elif path[-1:] in ("", "/"):
            self._unsure.add(path)
        else:
            self._unread.add(path)

    def _take_gone(self, path: str) -> None:
        """Take up a file or folder that is gone; the folder that held it has to confirm that."""
        self._gone.add(path)
        self._dropped.add(path)
        self._unsure.add(_folder_of(path))

    def _is_readable(self, path: str) -> bool:
        return os.access(f"{self._root}/{path}", os.R_OK | os.X_OK if path.endswith("/") else os.R_OK)

    def outcome(self) -> Difference:
        """List the folders again that differ, and return what was found."""
        listings = self._listings()
        beside = {_folder_of(path) for path in self._gone if path.endswith(".json")}
        builder = SegmentBuilder()
        for folder, (now, found) in listings.items():
            is_new = isinstance(found, OSError) or self._take_new(found, all_pages=folder in beside)
            if is_new or folder in self._dropped:
                self._dropped.add(folder)
                add_listing(builder, folder, found, now)
        dropped = self._dropped | self._unread
        for folder in self._gone | self._unread:
            if folder.endswith("/"):  # only some of what it holds may have been compared
                dropped.update(self._known.below(folder))
        return Difference(dropped=frozenset(dropped), unread=tuple(sorted(self._unread)), listed=(builder.segment(),))

    def _listings(self) -> dict[str, tuple[int, Listing | OSError]]:
        """List the unsure folders, and those above folders that are gone; each with the time before, in nanoseconds."""
        found: dict[str, tuple[int, Listing | OSError]] = {}
        while folders := sorted(self._unsure.difference(found, self._gone - {ROOT})):
            now = time.time_ns()
            for folder, listing in zip(
                folders, parallel(partial(listed, self._root), folders, self._cancelled), strict=True
            ):
                if isinstance(listing, OSError):
                    if folder == ROOT:
                        raise listing
                    if _is_gone(f"{self._root}/{folder}", listing):
                        self._take_gone(folder)
                        continue
                found[folder] = now, listing
        return found

    def _take_new(self, listing: Listing, *, all_pages: bool) -> bool:
        """Have read what the index does not know in a folder, and what is not gone after all; False for nothing."""
        new = [path for path in (*listing.pages, *listing.folders) if path in self._gone or self._is_new(path)]
        if all_pages or any(map(self._is_new, listing.sidecars)):
            new += listing.pages
        self._unread.update(new)
        return bool(new)

    def _is_new(self, path: str) -> bool:
        return self._known.mtimes(path) is None


def _folder_of(path: str) -> str:
    """Return the folder that holds a file or folder."""
    return path[: path.rstrip("/").rfind("/") + 1]


def _is_gone(path: str, error: OSError) -> bool:
    """Return whether there is nothing at this path; a link that leads nowhere is something."""
    return isinstance(error, FileNotFoundError | NotADirectoryError) and not os.path.lexists(path)
