"""A folder as content: pages, build caches, or both, by what is inside.

Each kind is read and compared by its own reader; the paths of build caches are told by their prefix.
Input: a folder that a user names.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec

from cachetui.sources.buildcache.tree import PREFIX, CacheTree
from cachetui.sources.pages.folders import caches_below
from cachetui.sources.pages.source import PagesSource
from cachetui.sources.source import ContentComparison, Difference, Known, Progress
from cachetui.store.segment import Encoder, Segment
from cachetui.store.stamps import Stamp
from cachetui.workers.cancelling import Cancelled, never


class _OfPages(Known):
    """What an index knows of the pages alone."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self.revision = known.revision

    def __len__(self) -> int:
        return sum(1 for _ in self.stamps())

    def stamps(self) -> Iterator[tuple[str, Stamp]]:
        return (each for each in self._known.stamps() if not each[0].startswith(PREFIX))

    def stamp(self, path: str) -> Stamp | None:
        return self._known.stamp(path)

    def below(self, folder: str) -> Iterator[str]:
        return (path for path in self._known.below(folder) if not path.startswith(PREFIX))

    def pages(self) -> Iterator[str]:
        return (path for path in self._known.pages() if not path.startswith(PREFIX))

    @property
    def upper_folders(self) -> Sequence[str]:
        return [path for path in self._known.upper_folders if not path.startswith(PREFIX)]

    @property
    def refused(self) -> Sequence[str]:
        return [path for path in self._known.refused if not path.startswith(PREFIX)]


class FolderSource:
    """A folder of pages and build caches."""

    remedy = "give a build cache, a folder of them, or of pages"
    more = None
    empty = ()
    stale = ()

    def __init__(self, content: str, name: str = "") -> None:
        """`name` is the tag of a build cache at the folder itself, where that is not the folder's own name.

        Raises ContentError if there is nothing at that path.
        """
        self._pages = PagesSource(content)
        self._root = content
        self.content = content
        self.is_one_page = self._pages.is_one_page
        self.identity = self._pages.identity
        self._tree = CacheTree(content, name or os.path.basename(self.identity.rstrip("/")) or "cache")
        self.notes: list[str] = []

    def is_copy_of(self, url: str) -> None:
        """Says that the folder has a copy of what is at a URL, the indexes of build caches alone."""
        self._tree.url = url

    def read_beginning(self, cache: str, data: bytes) -> Segment | None:
        """See `CacheTree.read_beginning`."""
        return self._tree.read_beginning(cache, data)

    def read_ahead(self, file: str) -> None:
        """See `CacheTree.read_ahead`."""
        self._tree.read_ahead(file)

    def revision(self) -> str:
        """See `PagesSource.revision`."""
        return self._pages.revision()

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Reads every page, then every tag of build caches; see `Source`."""
        caches: set[str] = set()
        progress = Progress(0, 1)
        for segment, progress in self._pages.read(cancelled):
            if segment is not None:
                caches.update(segment.caches)
            yield segment, progress
        if not self.is_one_page and not caches and self._tree.is_cache:
            caches.add("")
        for done, segment in enumerate(self._tree.read(caches, cancelled), progress.total + 1):
            yield segment, Progress(done, done)

    def changes(self, known: Known, cancelled: Cancelled = never, *, thorough: bool = False) -> Difference | None:
        """Compares every page and every file of a cache that was read; see `Source`."""
        has_caches = bool(known.graph_paths)
        changed = self._tree.changed(known, cancelled) if has_caches else set()
        compared = self._pages.changes(_OfPages(known) if has_caches else known, cancelled, thorough=thorough)
        if thorough and not self.is_one_page:
            changed |= self._tags_of_new(known, compared.caches or ([""] if self._tree.is_cache else []))
        return self._with_caches(known, compared.difference, changed)

    def cheap_changes(self, known: Known) -> ContentComparison:
        """Compares what is cheap among the pages, and every file of a cache; see `Source`."""
        if not known.graph_paths:
            compared = self._pages.cheap_changes(known)
            return ContentComparison(self._with_caches(known, compared.difference, set()), compared.whole)
        compared = self._pages.cheap_changes(_OfPages(known))
        difference = self._with_caches(known, compared.difference, self._tree.changed(known))
        return ContentComparison(difference, compared.whole)

    def changes_of(self, known: Known, pages: Collection[str]) -> Difference | None:
        """Compares the files of these pages, and the caches where one is of a cache."""
        own = [path for path in pages if not path.startswith(PREFIX)]
        changed = self._tree.changed(known) if len(own) < len(pages) else set()
        return self._with_caches(known, self._pages.changes_of(_OfPages(known), own), changed)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Reads these files, pages and folders, and the tags of build caches among them; see `Source`."""
        pages = [path for path in paths if not path.startswith(PREFIX)]
        graph_paths = [path for path in paths if path.startswith(PREFIX) and path.endswith("#")]
        read = self._pages.read_again(pages, cancelled) if pages else []
        caches = {cache for path in graph_paths for cache in self._caches_below(path[len(PREFIX) : -1])}
        return [*read, *self._tree.read(caches, cancelled)]

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yields each time that something in the folder has changed; see `Source`."""
        return self._pages.watch(cancelled)

    def _with_caches(self, known: Known, pages: Difference | None, tags: set[str]) -> Difference | None:
        """The difference in the pages, with these tags of build caches, and those of caches that are new."""
        if pages is not None:
            tags = tags | self._tags_of_new(known, self._caches_in(pages))
        if not tags:
            return pages
        if not self.is_one_page:
            self._pages.check_emptied(known)
        gone = set(tags)
        for path in (*(path for path, _ in known.stamps()), *known.pages(), *known.refused):
            if any(path.startswith(tag[:-1]) for tag in tags):
                gone.add(path)
        found = pages or Difference(frozenset(), (), Encoder().segment(), frozenset())
        return msgspec.structs.replace(
            found,
            dropped=found.dropped | gone,
            unread=(*found.unread, *sorted(tags)),
            changed=found.changed | {path for path in gone if "#" in path},
        )

    def _caches_in(self, pages: Difference) -> Iterator[str]:
        """The caches in folders that are new, or that are not as they were."""
        yield from pages.listed.caches
        for path in pages.unread:
            if path.endswith("/"):
                yield from self._caches_below(path)

    def _caches_below(self, folder: str) -> Iterator[str]:
        """The caches that `read` finds below a folder; the folder itself counts as one by its spec files alone."""
        found = False
        with suppress(OSError):
            for cache in caches_below(self._root, folder):
                found = True
                yield cache
        if not folder and not found and self._tree.is_cache:
            yield ""

    def _tags_of_new(self, known: Known, caches: Iterable[str]) -> set[str]:
        """The graph paths of the tags of those of these caches that an index does not know."""
        return {self._tree.graph_path_of(cache) for cache in caches if known.stamp(PREFIX + cache) is None}
