"""The build caches below one folder: read as segments, one for each tag, and compared with what an index knows.

A tag is the unit: whatever changes in one of its caches, all of them are read again, because a row of the tag is made
of all. Paths of files and pages begin with `PREFIX`, so that none is taken for a page's.
Input: a local folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cachetui.sources.cache_folders import PREFIX
from cachetui.store.segment import Encoder, Segment
from cachetui.store.stamps import UNREAD_STAMP, Stamp, stamp_at
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.buildcache.ahead import Ahead
    from cachetui.sources.buildcache.places import Place

# What reads caches is imported where it is needed: mostly a saved index has it all.


def is_same(path: str, stamp: Stamp) -> bool:
    """Whether a file or folder (with `/` at its end) is as it was when it had this stamp."""
    current = stamp_at(path)
    if isinstance(current, OSError):
        return stamp == UNREAD_STAMP
    return stamp == current if stamp != UNREAD_STAMP else not os.access(path, os.R_OK)


class CacheTree:
    """The build caches below a folder."""

    def __init__(self, root: str, name: str, url: str = "") -> None:
        """`name` is the tag of a cache that is at the folder itself."""
        self.url = url
        """What the folder is a copy of, with the indexes alone; empty for a folder of its own."""
        self._root = root
        self._name = name
        self._ahead: Ahead | None = None

    def read(self, paths: Iterable[str], cancelled: Cancelled = never) -> Iterator[Segment]:
        """Reads the caches at these paths, a segment for each tag; raises Interrupted."""
        from cachetui.sources.buildcache.places import places

        for place in places(self._name, paths):
            yield self._read_place(place, cancelled)

    def read_beginning(self, cache: str, data: bytes) -> Segment | None:
        """What can be read of the index of one cache while the rest of it is still to come; None for nothing."""
        from cachetui.sources.buildcache.database import DatabaseError, beginning, read_database
        from cachetui.sources.buildcache.flat import nodes_of
        from cachetui.sources.buildcache.joined import Joined
        from cachetui.sources.buildcache.places import places

        whole_entries = beginning(data)
        if whole_entries is None:
            return None
        try:
            database = read_database(whole_entries)
        except DatabaseError:
            return None
        encoder = Encoder()
        for place in places(self._name, [cache]):
            joined = Joined(PREFIX + place.path, place.tag)
            joined.add([nodes_of(database.entries)], place.stacks[cache])
            pages, part = joined.finished({})
            return encoder.segment(part, pages)
        return None

    def read_ahead(self, file: str) -> None:
        """Reads some more of an index that is still on its way; `read` makes use of it."""
        from cachetui.sources.buildcache.ahead import Ahead

        self._ahead = self._ahead or Ahead()
        self._ahead.advance(file)

    def graph_path_of(self, cache: str) -> str:
        """By what the graph of the tag is known that a cache at this path belongs to."""
        from cachetui.sources.buildcache.places import graph_path, place_path

        return graph_path(PREFIX + place_path(cache, within_cache=self.is_cache))

    @property
    def is_cache(self) -> bool:
        """Whether the folder itself is a cache."""
        from cachetui.sources.buildcache.layouts import layout_of

        return bool(layout_of(self._root))

    def _read_place(self, place: Place, cancelled: Cancelled) -> Segment:
        from cachetui.sources.buildcache.joined import read_caches
        from cachetui.sources.buildcache.reader import Cache

        return read_caches(
            PREFIX + place.path,
            place.tag,
            [
                Cache(f"{self._root}/{path}", PREFIX + path, stack, url=self.url and f"{self.url}/{path}".rstrip("/"))
                for path, stack in place.stacks.items()
            ],
            cancelled,
            ahead=self._ahead,
        )
