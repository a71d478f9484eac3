"""What has changed on the disk since an index was made of it, found by sizes and times alone.

Nothing is read here but folders that are not as they were. Where in doubt a file counts as changed.
Input: what an index knows, and the folder that it was made of.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

from cachetui.sources.pages.folders import add_closed_folder, add_listing, list_folder
from cachetui.sources.source import Difference, Known, Stamp
from cachetui.store.segment import RACY, Encoder
from cachetui.store.stamps import NO_TIME, TIMES, times_of
from cachetui.workers import Cancelled, Interrupted, never


def compare(root: str, known: Known, paths: Iterable[str] | None, cancelled: Cancelled = never) -> Difference | None:
    """Files and folders (all that the index knows, where `paths` is None) against the disk; None for no difference.

    A file is the same if its size and time are, a folder holds the same names if its time is the same; a folder
    that is not the same is listed again. Raises Interrupted once `cancelled` says so.
    """
    comparison = _Comparison(root, known, cancelled)
    return comparison.of(known.stamps() if paths is None else [(path, known.stamp(path)) for path in paths])


class _Comparison:
    """The work of `compare`."""

    def __init__(self, root: str, known: Known, cancelled: Cancelled) -> None:
        self._root = root
        self._known = known
        self._cancelled = cancelled
        self._folders = Encoder()
        self._dropped: set[str] = set()
        self._unread: set[str] = set()
        self._changed: set[str] = set()

    def of(self, stamps: Iterable[tuple[str, Stamp | None]]) -> Difference | None:
        """The difference in these files and folders, each with its known stamp."""
        root, stat_of = self._root, os.stat
        for count, (path, known) in enumerate(stamps):
            if count % 1000 == 0 and self._cancelled():
                raise Interrupted
            try:
                status = stat_of(f"{root}/{path}")
            except OSError as error:
                if isinstance(error, FileNotFoundError | NotADirectoryError) and not os.path.lexists(f"{root}/{path}"):
                    self._note(path, known, None)
                elif known != UNREAD_STAMP:
                    self._read_again(path)
                continue
            if known == UNREAD_STAMP and not _is_readable(f"{root}/{path}"):
                continue
            size = 0 if path[-1:] in _FOLDER_ENDS else status.st_size
            if known != (size, times_of(status.st_mtime_ns, status.st_ctime_ns)):
                self._note(path, known, status)
        if not self._dropped:
            return None
        self._dropped |= self._unread
        return Difference(
            dropped=frozenset(self._dropped),
            unread=tuple(sorted(self._unread)),
            listed=self._folders.segment(),
            changed=frozenset(self._changed),
        )

    def _note(self, path: str, known: Stamp | None, status: os.stat_result | None) -> None:
        """Adds a path that is not as it was; `status` is None where it is gone."""
        self._dropped.add(path)
        if path[-1:] in _FOLDER_ENDS:
            if status is not None:
                self._list_again(path)
            return
        now = status and (status.st_size, times_of(status.st_mtime_ns, status.st_ctime_ns))
        if known is None or (known[0] & ~RACY, known[1]) != now:
            self._changed.add(path)
        if path.endswith(".json"):
            self._read_pages_of(path[: path.rfind("/") + 1])
        elif status:
            self._unread.add(path)

    def _read_again(self, path: str) -> None:
        """Adds a path that may be unchanged but has no status: reading it gives the problem to report."""
        self._dropped.add(path)
        if path[-1:] in _FOLDER_ENDS:
            self._list_again(path)
        elif not path.endswith(".json"):
            self._unread.add(path)

    def _list_again(self, folder: str) -> None:
        now = time.time_ns()
        try:
            listing = list_folder(self._root, folder)
        except OSError as error:
            add_closed_folder(self._folders, folder, error)
            return
        add_listing(self._folders, listing, now)
        for path in (*listing.pages, *listing.folders):
            if self._known.stamp(path) is None:
                self._unread.add(path)
        if any(self._known.stamp(path) is None for path in listing.sidecars):
            self._unread.update(listing.pages)

    def _read_pages_of(self, folder: str) -> None:
        with suppress(OSError):
            self._unread.update(list_folder(self._root, folder).pages)


UNREAD_STAMP = (0, NO_TIME % TIMES)
"""What the index has for a file or folder that could not be read."""


def _is_readable(path: str) -> bool:
    """Whether it is worth trying to read the file or folder again."""
    return os.access(path, os.R_OK | os.X_OK if path.endswith("/") else os.R_OK)


_FOLDER_ENDS = ("", "/")
"""The last letter of the path of a folder; the content folder has none."""
