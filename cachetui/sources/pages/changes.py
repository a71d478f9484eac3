"""What has changed on the disk since an index was made of it, found by sizes and times alone.

Nothing is read here but folders that are not as they were. Where in doubt a file counts as changed. A path that is
gone is believed only where the folder that held it, listed again, does not have it.
Input: what an index knows, and the folder (or page) that it was made of.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from errno import EAGAIN
from functools import partial
from itertools import chain, compress, islice, pairwise

from msgspec import Struct

from cachetui.sources.pages.folders import Listing, add_closed_folder, add_listing, list_folder
from cachetui.sources.pages.looks import looks, short_looks, threads_for
from cachetui.sources.source import Difference, Known
from cachetui.store.segment import RACY, Encoder
from cachetui.store.stamps import UNREAD_STAMP, Stamp, stamp_at
from cachetui.workers.cancelling import Cancelled, never

ROOT = ""
"""The path of the content folder itself."""

AT_A_TIME = 4096
"""Stamps that are compared at a time, so that not all of them are in memory."""

MANY_LISTED = 1000
"""Up to so many listed pages and folders are looked up one by one in what the index knows."""

MOST_ROUNDS = 100
"""After listing folders this often, because more and more of them came and went, a comparison gives up."""


class ComparedPages(Struct, frozen=True):
    """What comparing pages gave."""

    difference: Difference | None
    """None for no difference."""
    caches: frozenset[str] = frozenset()
    """The listed folders that hold parts of a build cache; a thorough comparison lists all that the index knows."""


def compare(
    root: str, known: Known, paths: Sequence[str] | None = None, *, thorough: bool = False, cancelled: Cancelled = never
) -> ComparedPages:
    """Files and folders (all that the index knows, where `paths` is None) against the disk.

    A file is the same if its size and time are, a folder holds the same names if its time is the same; a folder
    that is not the same is listed again, and where `thorough` asks for it every folder. Raises OSError where the
    content folder itself cannot be listed, Interrupted once `cancelled` says so.
    """
    stamps: Iterator[tuple[str, Stamp | None]]
    if paths is not None:
        stamps = ((path, known.stamp(path)) for path in paths)
    elif known.stamp(ROOT) is None:
        stamps = chain(known.stamps(), [(ROOT, None)])
    else:
        stamps = iter(known.stamps())
    comparison = _PageComparison(root, known, cancelled)
    comparison.compare(stamps, thorough=thorough)
    return comparison.outcome()


def compare_page(root: str, page: str, known: Known, *, thorough: bool = False) -> ComparedPages:
    """The only page of the content, and the sidecars that were read for it, against the disk; see `compare`.

    Sidecars that are new are found only where `thorough` asks for it.
    """
    stamps = [*known.stamps()]
    current = [stamp_at(f"{root}/{path}") for path, _ in stamps]
    if stamps and current == [stamp for _, stamp in stamps] and not thorough:
        return ComparedPages(None)
    changed = any(_without_doubt(then) != now for (_, then), now in zip(stamps, current, strict=True))
    return ComparedPages(
        Difference(
            dropped=frozenset([page, *(path for path, _ in stamps)]),
            unread=(page,),
            listed=Encoder().segment(),
            changed=frozenset([page] if changed else ()),
        )
    )


class _PageComparison:
    """The work of `compare`."""

    def __init__(self, root: str, known: Known, cancelled: Cancelled) -> None:
        self._root = root
        self._known = known
        self._cancelled = cancelled
        self._threads: int | None = None
        """How many look at files; None before the first are."""
        self._dropped: set[str] = set()
        self._gone: set[str] = set()
        self._unread: set[str] = set()
        self._changed: set[str] = set()
        self._listings: dict[str, tuple[int, Listing | OSError]] = {}
        """Of each folder that was listed again the last outcome, and the time before it in nanoseconds."""

    def compare(self, stamps: Iterator[tuple[str, Stamp | None]], *, thorough: bool) -> None:
        """Compares these files and folders, each with its known stamp."""
        unsure: set[str] = set()
        while some := list(islice(stamps, AT_A_TIME)):
            unsure |= self._unsure_of(some, thorough=thorough)
        self._list_again(unsure)

    def _unsure_of(self, stamps: Sequence[tuple[str, Stamp | None]], *, thorough: bool) -> set[str]:
        """Compares some of them, and returns the folders that have to be listed again."""
        root = self._root
        unsure: set[str] = set()
        paths = [f"{root}/{path}" for path, _ in stamps]
        if self._threads is None:
            self._threads = threads_for(stamp_at, paths)
        found = short_looks(stamp_at, paths, self._cancelled, self._threads)
        if thorough:
            unsure = self._folders_to_list(
                [path for (path, known), now in zip(stamps, found, strict=True) if now == known]
            )
        if found == [known for _, known in stamps]:
            return unsure
        for (path, known), now in zip(stamps, found, strict=True):
            if now == known:
                continue
            if isinstance(now, OSError):
                if _is_gone(f"{root}/{path}", now):
                    unsure.add(self._take_gone(path))
                elif known != UNREAD_STAMP:
                    self._dropped.add(path)
                    if path[-1:] in _FOLDER_ENDS:
                        unsure.add(path)
                    elif not path.endswith(".json"):
                        self._unread.add(path)
            elif known != UNREAD_STAMP or _is_readable(f"{root}/{path}"):
                self._dropped.add(path)
                if path[-1:] in _FOLDER_ENDS:
                    unsure.add(path)
                else:
                    self._take_different(path, known, now)
        return unsure

    def _folders_to_list(self, paths: Sequence[str]) -> set[str]:
        """The folders among these sorted paths, without those that hold one known file and nothing else."""
        folders = {path for path in paths if path[-1:] in _FOLDER_ENDS}
        lone = [
            path
            for folder, path in pairwise(paths)
            if folder[-1:] == "/" and path[-1:] != "/" and path.rfind("/") == len(folder) - 1
        ]
        are_alone = looks(partial(_is_alone, self._root), lone, self._cancelled, short=True)
        return folders - {path[: path.rfind("/") + 1] for path in compress(lone, are_alone)}

    def _take_gone(self, path: str) -> str:
        """Adds a file or folder that is gone; returns the folder that has to confirm it."""
        self._dropped.add(path)
        self._gone.add(path)
        self._listings.pop(path, None)
        if path[-1:] not in _FOLDER_ENDS:
            self._changed.add(path)
            self._read_pages_beside(path)
        return path[: path.rstrip("/").rfind("/") + 1]

    def _take_different(self, path: str, known: Stamp | None, now: Stamp) -> None:
        if known is None or _without_doubt(known) != now:
            self._changed.add(path)
        if not self._read_pages_beside(path):
            self._unread.add(path)

    def _read_pages_beside(self, sidecar: str) -> bool:
        """Has the pages read again that may have been read with this sidecar; False for a path that is none."""
        if not sidecar.endswith(".json"):
            return False
        with suppress(OSError):  # the folder is compared itself
            self._unread.update(list_folder(self._root, sidecar[: sidecar.rfind("/") + 1]).pages)
        return True

    def _list_again(self, folders: set[str]) -> None:
        """Lists these folders, and further ones until all that was found out agrees with itself."""
        for _ in range(MOST_ROUNDS):
            if not folders:
                return
            now, listed, folders = time.time_ns(), sorted(folders), set()
            for folder, listing in zip(listed, looks(self._listing, listed, self._cancelled), strict=True):
                if isinstance(listing, Listing):
                    back = self._gone.intersection((*listing.pages, *listing.folders))
                    self._gone -= back
                    self._unread.update(path for path in back if not path.endswith("/"))
                    folders.update(path for path in back if path.endswith("/"))
                elif folder == ROOT:
                    raise listing
                elif _is_gone(f"{self._root}/{folder}", listing):
                    folders.add(self._take_gone(folder))
                    continue
                self._listings[folder] = now, listing
        raise OSError(EAGAIN, "it changes all the time")

    def _listing(self, folder: str) -> Listing | OSError:
        try:
            return list_folder(self._root, folder)
        except OSError as error:
            return error

    def outcome(self) -> ComparedPages:
        """What was found."""
        caches = frozenset(each.stamp.path for each in self._readable_listings() if each.holds_cache)
        return ComparedPages(self._difference(), caches)

    def _difference(self) -> Difference | None:
        encoder, is_known = Encoder(), self._is_known()
        for folder, (now, listing) in self._listings.items():
            if isinstance(listing, Listing):
                if self._take_new(listing, is_known) or folder in self._dropped:
                    self._dropped.add(folder)
                    add_listing(encoder, listing, now)
            else:
                self._dropped.add(folder)
                add_closed_folder(encoder, folder, listing)
        dropped = self._dropped | self._unread
        if not dropped:
            return None
        for folder in self._gone | self._unread:
            if folder.endswith("/"):  # only some of what it holds may have been compared
                dropped.update(self._known.below(folder))
        return Difference(
            dropped=frozenset(dropped),
            unread=tuple(sorted(self._unread)),
            listed=encoder.segment(),
            changed=frozenset(self._changed),
        )

    def _is_known(self) -> Callable[[str], bool]:
        """What says whether the index knows a path; where it is asked for most of them, a set is quicker."""
        known = self._known
        if sum(len(each.pages) + len(each.folders) for each in self._readable_listings()) > MANY_LISTED:
            return {path for path, _ in known.stamps()}.__contains__
        return lambda path: known.stamp(path) is not None

    def _readable_listings(self) -> Iterator[Listing]:
        return (each for _, each in self._listings.values() if isinstance(each, Listing))

    def _take_new(self, listing: Listing, is_known: Callable[[str], bool]) -> bool:
        """Whether a folder holds anything that the index does not know, which is to be read then."""
        new = [path for path in (*listing.pages, *listing.folders) if not is_known(path)]
        self._unread.update(new)
        if not all(map(is_known, listing.sidecars)):
            self._unread.update(listing.pages)
            return True
        return bool(new)


def _is_alone(root: str, path: str) -> bool:
    """Whether a folder holds nothing but this."""
    folder, _, name = path.rpartition("/")
    try:
        return os.listdir(f"{root}/{folder}") == [name]
    except OSError:
        return False


def _without_doubt(stamp: Stamp) -> Stamp:
    """The stamp of a file, whether or not its time can be relied on."""
    return stamp[0] & ~RACY, stamp[1]


def _is_gone(path: str, error: OSError) -> bool:
    """Whether there is nothing at this path; a link that leads nowhere is something."""
    return isinstance(error, FileNotFoundError | NotADirectoryError) and not os.path.lexists(path)


def _is_readable(path: str) -> bool:
    """Whether it is worth trying to read the file or folder again."""
    return os.access(path, os.R_OK | os.X_OK if path.endswith("/") else os.R_OK)


_FOLDER_ENDS = ("", "/")
"""The last letter of the path of a folder; the content folder has none."""
