"""Download the indexes of the build caches at a URL: of one cache, or of those that the server lists.

The list is `cache_spack_io_index.json`, which the public server writes every day: the stacks of each tag, with the URLs
of their indexes in a bucket, of which only the path is used. An entry that is not below the folder of its tag is left
out. Of a list, the tag that is shown first is downloaded, and others on request. A listed cache that is missing is a
note, and the others are read.
Input: the URL, and the user's cache folder.
"""

from __future__ import annotations

import math
import re
import stat
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import Struct

from cachetui.model.tags import tag_order
from cachetui.safe_text import plural
from cachetui.sources.buildcache.fetched_index import V2_INDEX, V3_INDEX, Old, bring_index, view_index
from cachetui.sources.buildcache.index_document import IndexStream
from cachetui.sources.buildcache.tag_list import index_of, list_tags
from cachetui.sources.source import ByTags, Stale
from cachetui.sources.transport.address import LISTING, PUBLIC, is_repository, shown
from cachetui.sources.transport.cache import Copy, Servers
from cachetui.sources.transport.errors import (
    FetchError,
    MissingError,
    NoRepositoryError,
    UntrustedError,
    WrongContentError,
)
from cachetui.sources.transport.transfer import Transfers
from cachetui.workers.background import in_background
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client

MAX_LIST = 16 * 1024 * 1024
"""Most bytes of a list."""

_INDEX = re.compile(r"[a-z0-9]+://[^/]+/(?P<path>.+?)/(?:(?P<v2>build_cache/index\.json)|(?:v3|blobs)/.*)", re.DOTALL)

_PATH = re.compile(r"(?:(?!\.+/)[A-Za-z0-9_.+=@-]{1,200}/){1,8}")


class _Entry(Struct):
    url: str


class ListedCache(Struct, frozen=True):
    """A build cache of a server."""

    folder: str
    """Its path on the server, with `/` at its end."""
    layout: str
    """The path of its index within it: that of layout v2 or v3."""


Listing: TypeAlias = Mapping[str, Sequence[ListedCache]]
"""The build caches of each tag, at least one."""


def read_listing(data: bytes) -> Listing:
    """Read the list; raises WrongContentError. A tag is a single folder: one with `/` in it is left out."""
    found: dict[str, list[ListedCache]] = {}
    try:
        listed = msgspec.json.decode(data, type=dict[str, list[_Entry]])
    except (ValueError, RecursionError) as error:
        raise WrongContentError(f"it is no list of build caches: {error}") from None
    for tag, entries in listed.items():
        for entry in entries:
            match = _INDEX.fullmatch(entry.url)
            folder = f"{match['path']}/" if match else ""
            if match and "/" not in tag and folder.startswith(f"{tag}/") and _PATH.fullmatch(folder):
                found.setdefault(tag, []).append(ListedCache(folder, V2_INDEX if match["v2"] else V3_INDEX))
    if not found:
        raise WrongContentError("it lists no build cache")
    return found


AT_A_TIME = 8
"""Build caches whose indexes are downloaded in parallel."""

LOOK = 0.1
"""Seconds between two reports of progress."""

INSIDE = ("v3", "build_cache")
"""Folders of a build cache whose URL people copy in place of that of the cache; a cache may have such a name, too."""

NO_INDEX = "without an index, which spack buildcache update-index writes, --list-tags lists what its tags name"

LEAST = 1.0
"""Seconds that each server is waited for at least, however long others have taken."""


class Server:
    """The build caches at one URL."""

    def __init__(self, servers: Servers, url: str, view: str = "", credential: Any = None) -> None:
        """`view` is the only view of the cache that is wanted, if any; `credential` opens it, if any does."""
        self.url = url
        self.transfers = Transfers()
        self.stream = IndexStream()
        """What is read of an index while it is downloaded and checked; each time that the server is asked a new one."""
        self.notes: list[str] = []
        """Lines for the user about the last time that the server was asked."""
        self.stale: list[Stale] = []
        """Why the copy may be out of date, since the last time that the server was asked."""
        self._servers = servers
        self._asking = servers.asking
        self._cancelled: Cancelled = never
        if credential is not None and servers.client is not None:
            servers.client.allow(url, credential)
        self._until = math.inf
        """When to give up waiting where there is a copy, on the monotonic clock."""
        self._asked_for: set[str] = set()
        """Tags that were requested while the program runs."""
        self._has_listed = False
        """Whether the tags of a registry were listed while the program runs."""
        self._view = view
        self._layouts = (view_index(view),) if view else (V3_INDEX, V2_INDEX)
        if is_repository(url):
            self._layouts = (V3_INDEX,)  # its manifest stands there in the copy
        # a tag of the public server is read from the list of that server
        above, _, last = url.rpartition("/")
        self._tag = last if above == PUBLIC and not view else ""
        self.copy = self._new_copy()
        """The local copy of the build cache, or of the folder of several."""

    def _new_copy(self) -> Copy:
        """Return the copy, with which the server can be asked once."""
        name = f"{self.url}#{self._view}" if self._view else self.url
        return self._servers.copy(PUBLIC if self._tag else self.url, name, self._cancelled, self.transfers)

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags of the list that were not read, in their order; none without a list."""
        if self._tag:
            return []
        return [tag for tag in tag_order(self._list_there() or ()) if tag not in read]

    def ask_for(self, tag: str) -> None:
        """Download this tag too, from the next time on."""
        self._asked_for.add(tag)

    def bring(self, cancelled: Cancelled = never) -> Iterator[str]:
        """Update the copy in a thread, and yield the progress, as text, now and then.

        Where that fails the copy stays as it was, and is `stale`. Raises FetchError where there is no copy, or the
        server says that it has no build cache, and Interrupted.
        """
        self.notes, self.stale, self.transfers, self.stream = [], [], Transfers(), IndexStream()
        for _ in in_background(self._bring_all, cancelled, LOOK):
            yield self.transfers.text

    def _bring_all(self, cancelled: Cancelled) -> None:
        self._cancelled = self.stream.cancelled = cancelled
        self._until = max(self._asking.until, time.monotonic() + LEAST)
        offline = self._asking.offline
        try:
            old = self._bring()
        except MissingError as error:
            if not self.copy.is_empty():
                raise MissingError(f"{error}; --offline reads the local copy") from None
            raise
        except OSError as error:
            raise self.copy.disk_error(error) from None
        finally:
            if not offline:
                self.copy.remove_if_empty()
        confirmed: dict[str, float] = {}
        """The reasons why copies may be out of date, each with the earliest time of their last confirmation."""
        for each in old:
            more = "; --offline reads the local copy" if isinstance(each.why, UntrustedError) else ""
            why = "not asked, --offline" if offline else f"{each.why}{more}"
            confirmed[why] = min(each.confirmed, confirmed.get(why, math.inf))
        self.stale = [Stale(shown(self.url), since, why, offline) for why, since in confirmed.items()]
        if is_repository(self.url) and (listed := self.copy.confirmed(V2_INDEX)):
            self.stale.append(ByTags(shown(self.url), listed, "", offline))

    def _bring(self) -> list[Old]:
        """Update what is wanted; return why copies may be out of date."""
        self.copy = self._new_copy()
        if self._tag:
            with suppress(MissingError):
                return self._bring_list()
            self._tag = ""  # not listed, as an old tag may be: try it as a build cache
            self.copy = self._new_copy()
        if self.url == PUBLIC or self._list_there() is not None:
            return self._bring_list()
        if is_repository(self.url):
            return self._bring_repository()
        try:
            return bring_index(self.copy, "", self._layouts, self._until, self.stream.check)
        except FetchError as error:
            above, _, last = self.url.rpartition("/")
            if last in INSIDE and not self._view:
                self.copy.remove_if_empty()
                given, self.url = self.url, above
                try:
                    return self._bring()
                except type(error):  # what is said of both is said of the URL that was given
                    self.url = given
                    raise error from None
            if isinstance(error, MissingError):
                with suppress(MissingError):
                    return self._bring_list()
            raise

    def _bring_repository(self) -> list[Old]:
        """Update the index of a registry; where it has none, and the user wants so, list its tags once."""
        listed = self.copy.confirmed(V2_INDEX)
        try:
            found = bring_index(self.copy, "", self._layouts, self._until, self.stream.check)
            self.copy.remove(V2_INDEX)
            return found
        except MissingError as error:
            client = self._servers.client
            if isinstance(error, NoRepositoryError):
                raise
            if client is None or not self._asking.list_tags:
                raise MissingError(f"{error}; {NO_INDEX}") from None
            if listed is None or not self._has_listed:
                return self._list_tags(client, listed)
            return []
        except FetchError as error:
            if listed is None:
                raise
            return [Old(listed, error)]

    def _list_tags(self, client: Client, listed: float | None) -> list[Old]:
        """Write what the tags name as an index of the copy; `listed` is when that was done before."""
        until = math.inf if listed is None else self._until
        moved = partial(self.transfers.moved, "tags")
        try:
            tags = list_tags(client, self.copy, self._cancelled, until=until, moved=moved)
        except FetchError as error:
            if listed is None or isinstance(error, MissingError):
                raise
            return [Old(listed, error)]
        self._has_listed = True
        self.copy.write(V2_INDEX, index_of(tags))
        return []

    def _list_there(self) -> Listing | None:
        """Return the list in the copy; None where there is none."""
        with suppress(OSError, FetchError):
            return read_listing(self.copy.place(LISTING).read_bytes())
        return None

    def _bring_list(self) -> list[Old]:
        """Update the list, and the caches that are wanted; a new list is kept if any of them could be downloaded.

        Raises MissingError where the server has no list, or the wanted tag is not in it.
        """
        before = self._list_there()
        until = math.inf if before is None else self._until
        old: list[Old] | None = None

        def bring_caches(file: Path) -> None:
            nonlocal old
            try:
                listed = read_listing(file.read_bytes())
            except WrongContentError as error:
                raise WrongContentError(f"{shown(f'{self.copy.url}/{LISTING}')}: {error}") from None
            old = self._bring_listed(listed)
            with suppress(OSError), self.copy.folder("files") as files:
                for name in files.names():
                    if name not in listed and stat.S_ISDIR(files.status(name).st_mode):
                        files.clear(name)

        try:
            self.copy.bring(LISTING, MAX_LIST, bring_caches, until=until)
        except FetchError as error:
            confirmed = self.copy.confirmed(LISTING)
            if before is None or confirmed is None or isinstance(error, MissingError):
                raise
            return [*self._bring_listed(before), Old(confirmed, error)]
        # another process may have downloaded the list just now, but not its caches
        return self._bring_listed(self._list_there() or {}) if old is None else old

    def _bring_listed(self, listed: Listing) -> list[Old]:
        if self._tag and self._tag not in listed:
            raise MissingError(f"{shown(self.url)} is not in the list")
        tags = [self._tag] if self._tag else self._wanted_tags(list(listed))
        caches = [cache for tag in tags for cache in listed[tag]]
        self.notes, old, errors = [], [], []
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for cache, found in zip(caches, pool.map(self._bring_one, caches), strict=True):
                if isinstance(found, FetchError):
                    errors.append(found)
                    self.notes.append(f"{cache.folder.rstrip('/')} is listed and cannot be read: {found}")
                else:
                    old += found
        if len(errors) == len(caches):
            raise errors[0]
        if len(tags) < len(listed) and not self._tag:
            others = f"{plural(len(listed) - len(tags), 'other tag')}: --tag names one, --all-tags brings all"
            self.notes.append(f"{', '.join(tags)} of {shown(self.url)}; {others}")
        return old

    def _bring_one(self, cache: ListedCache) -> list[Old] | FetchError:
        try:
            return bring_index(self.copy, cache.folder, [cache.layout], self._until, self.stream.check)
        except FetchError as error:
            return error

    def _wanted_tags(self, tags: Sequence[str]) -> list[str]:
        """Return the tags to download: those that are asked for, else the one that is shown first."""
        in_order = tag_order(tags)
        if self._asking.all_tags:
            return in_order
        first = [tag for tag in in_order if tag in self._asking.tags] or in_order[:1]
        return [tag for tag in in_order if tag in first or tag in self._asked_for]
