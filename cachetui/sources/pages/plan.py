"""What is read of a content folder, and in which order: folders are listed from the top until there are enough.

Somebody waits for the tag that is looked at first, so its folder is listed before those of other tags, and a few of
its pages can be read before these are listed. A folder is taken for the tag of its name; only speed depends on that.
Input: any folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain

from cachetui.model.spec import first_of_tags, tag_order
from cachetui.sources.pages.folders import Listing, add_closed_folder, add_listing, list_folder
from cachetui.sources.pages.looks import looks
from cachetui.store.segment import Encoder, Segment
from cachetui.workers.cancelling import Cancelled

FIRST = 64
"""Pages that are read first, as somebody waits for them: those of develop are long."""


class Plan:
    """The folders of a content that were listed so far, and what is left to be read."""

    def __init__(self, root: str, enough: int, is_large: Callable[[], None], cancelled: Cancelled) -> None:
        """`is_large` is called as soon as there are `enough` files and folders to share out."""
        self._root, self._enough, self._is_large, self._cancelled = root, enough, is_large, cancelled
        self._encoder = Encoder()
        self._files: dict[str, Sequence[str]] = {}
        self._folders: dict[str, Sequence[str]] = {"": [""]}
        """By the folder that they are in those that are not listed yet."""
        self._found = 0
        self._tag = ""
        """The folder of the tag that is looked at first, once some of it was given."""
        self._put_off: list[str] = []
        """Folders beside it."""

    def first(self) -> Sequence[str]:
        """A few files and folders of the tag that is looked at first, which are left out of the rest then.

        There are none where its folder holds few, as all is soon read then. Raises as `rest` does.
        """
        while self._folders and self._found < self._enough:
            level = self._next_level()
            tag = _first_tag(level)
            if tag is None:
                self._list(level)
                continue
            self._list([tag])
            self._put_off = [folder for folder in level if folder != tag]
            own = self._files.get(tag, ()), self._folders.get(tag, ())
            if len(own[0]) + len(own[1]) > FIRST:
                self._tag = tag
                self._files[tag], self._folders[tag] = own[0][FIRST:], own[1][max(0, FIRST - len(own[0])) :]
                return [*own[0], *own[1]][:FIRST]
            self._list_put_off()
        return ()

    def more_of_first(self) -> list[str]:
        """All else in the folder of that tag, which is left out of the rest then; nothing before some was given."""
        return [*self._files.pop(self._tag, ()), *self._folders.pop(self._tag, ())] if self._tag else []

    def rest(self) -> list[str]:
        """All other files and folders, in the order in which they are best read.

        Raises OSError where the content folder cannot be listed, Interrupted once nobody wants the result any more.
        """
        self._list_put_off()
        while self._folders and self._found < self._enough:
            self._list(self._next_level())
        groups = [*self._files.items(), *self._folders.items()]
        self._files, self._folders = {}, {}  # paths that were read need not stay in memory
        return _reading_order(groups)

    def listed(self) -> Segment:
        """The stamps of the folders that were listed, and what is wrong with them."""
        return self._encoder.segment()

    def _next_level(self) -> list[str]:
        level, self._folders = list(chain.from_iterable(self._folders.values())), {}
        self._found -= len(level)
        return level

    def _list_put_off(self) -> None:
        folders, self._put_off = self._put_off, []
        self._list(folders)

    def _list(self, folders: Sequence[str]) -> None:
        now = time.time_ns()
        for folder, listing in zip(folders, looks(partial(listed, self._root), folders, self._cancelled), strict=True):
            if isinstance(listing, OSError):
                if not folder:
                    raise listing
                add_closed_folder(self._encoder, folder, listing)
                continue
            add_listing(self._encoder, listing, now)
            self._files[folder], self._folders[folder] = listing.pages, listing.folders
            self._found += len(listing.pages) + len(listing.folders)
            if self._found > self._enough:
                self._is_large()


def listed(root: str, folder: str) -> Listing | OSError:
    """What one folder of the content holds, or why it cannot be listed."""
    try:
        return list_folder(root, folder)
    except OSError as error:
        return error


def _first_tag(folders: Sequence[str]) -> str | None:
    """The folder of the tag that is looked at first, where others lie beside it."""
    if len(folders) < 2:
        return None
    by_name = {os.path.basename(folder[:-1]): folder for folder in reversed(folders)}
    name = first_of_tags(tag_order(by_name))
    return None if name is None else by_name[name]


def _reading_order(groups: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Paths in `develop` first, then those of one name in all tags together: pages of one package have most in common.

    Given are folders, each with the paths in it.
    """
    first: list[str] = []
    others: list[tuple[str, str, Sequence[str]]] = []
    for folder, paths in groups:
        if "/develop/" in f"/{folder}":
            first += paths
        else:
            others.append((os.path.basename(folder[:-1]), folder, paths))
    rank = {tag: k for k, tag in enumerate(tag_order(tag for tag, _, _ in others))}
    by_name: dict[str, list[str]] = {}
    for _, folder, paths in sorted(others, key=lambda other: rank[other[0]]):
        for path in paths:
            by_name.setdefault(path[len(folder) :], []).append(path)
    return [*first, *chain.from_iterable(by_name[name] for name in sorted(by_name))]
