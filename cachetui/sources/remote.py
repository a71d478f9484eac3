"""The source for build caches on a server. The indexes are downloaded to a local copy, which is read like any folder.

Each comparison requests changes from the server. If the server does not respond, or with `--offline`, the local copy is
used as it is, and a note states the age of the copy.
Input: a URL, and the cache folder of the user.
"""

import math
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from urllib.parse import unquote

from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.index_document import IndexStream, has_repeats
from cachetui.sources.buildcache.server import Server
from cachetui.sources.folder import FolderSource
from cachetui.sources.source import (
    Asking,
    ContentError,
    Difference,
    Known,
    Progress,
    Source,
)
from cachetui.sources.transport.address import is_counted, is_repository, shown
from cachetui.sources.transport.cache import Servers
from cachetui.sources.transport.errors import FetchError
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.workers.cancelling import Cancelled, Interrupted, never, pause

GROWTH_FACTOR = 8
"""During the download of an index, a new preview is shown when the downloaded part has grown by this factor."""

WATCH_SECONDS = 60.0
"""Seconds between two requests for new content."""


class RemoteSource(Source):
    """The build caches at a URL."""

    def __init__(self, content: str, url: str, settings: Settings, asking: Asking) -> None:
        """With `--offline`, raise ContentError if the local copy is missing. `url` is from `address.resolve`."""
        self.content = shown(content)
        self.identity = url
        self._next_preview = 1.0 if asking.previews else math.inf
        """The next preview is shown when this number of bytes of the index has been downloaded."""
        self._server = Server(Servers(settings, asking), url)
        if asking.offline:
            list(self._bring(never))  # raises at once if the copy is missing

    @property
    def _inner(self) -> FolderSource:
        """The source for the local copy. Each use creates a new source, because a request may change the URL."""
        return FolderSource(str(self._server.copy.files), self._name, self._server.copy.url, self._server.stream)

    @property
    def _name(self) -> str:
        """The tag for a single build cache, derived from the URL."""
        return unquote(self._server.copy.url.rpartition("/")[2])

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags that the server lists, without the tags in `read`. See `Source`."""
        return self._server.unread_tags(read)

    def ask_for(self, tag: str) -> None:
        """Include this tag in all later calls of `read` and `compare`. See `Source`."""
        self._server.asked_for.add(tag)

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Update the local copy, then read the whole copy. See `Source`."""
        for transfer in self._bring(cancelled):
            preview = self._preview()
            yield preview, Progress(0, 1, transfer, is_preview=preview is not None)
        yield from self._inner.read(cancelled)
        self._server.stream = IndexStream()  # free the memory of the merged index

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> Difference:
        """Update the local copy, then compare the copy with an index. See `Source`.

        With `pages`, do not update the copy.
        """
        if pages is None:
            list(self._bring(cancelled))
        return self._inner.compare(known, cancelled, pages=pages)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these pages, folders and tags of the local copy again. See `Source`."""
        return self._inner.read_again(paths, cancelled)

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield every minute, because a server sends no events. Never yield for a server that limits requests."""
        with suppress(Interrupted):
            while True:
                pause(math.inf if is_counted(self.identity) else WATCH_SECONDS, cancelled)
                yield

    def _preview(self) -> Segment | None:
        """Parse the new part of the largest current download, and return a preview of the index in it.

        Return None if the download is not an index, or if the index has not grown enough since the last preview.
        """
        from cachetui.sources.buildcache.reader import by_tag
        from cachetui.sources.buildcache.tag_builder import TagBuilder

        found = self._server.transfers.largest
        cache = found and re.match(r"((?:.*/)?)(?:blobs|build_cache)/", found[0])
        if not (found and cache):  # or the download is the list of build caches
            return None
        self._server.stream.advance(str(found[1].file))
        if self._server.stream.end < self._next_preview:
            return None
        self._next_preview = GROWTH_FACTOR * self._server.stream.end
        nodes = [some for content in self._server.stream.results() for some in content.nodes]
        if has_repeats(nodes):
            return None
        (tag,) = by_tag(self._name, [cache[1]])
        builder = TagBuilder(tag.path, tag.tag)
        builder.add(nodes, tag.stacks[cache[1]])
        pages, graph = builder.finished({})
        return SegmentBuilder().segment(graph, pages)

    def _bring(self, cancelled: Cancelled) -> Iterator[str]:
        try:
            yield from self._server.bring(cancelled)
        except FetchError as error:
            is_named = not is_repository(self.identity) or self.content in str(error)
            raise ContentError(str(error) if is_named else f"{self.content}: {error}") from None
        finally:
            self.notes, self.stale = tuple(self._server.notes), tuple(self._server.stale)
