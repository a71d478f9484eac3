"""Download the indexes of the build caches at a URL: one build cache, a list of build caches, or a registry.

The list is the file `cache_spack_io_index.json`, which the public server writes every day. For each tag, the list
contains the URLs of the indexes of all stacks, in a bucket. Only the paths in these URLs are used. An entry is skipped
if its path is not in the folder of its tag. By default, only the build caches of the default tag are downloaded. If one
of them is missing, the others are still read, and the user gets a note.

`fetched_index` downloads a single index. For a registry without an index, `tag_list` makes an index from image tags.
Input: the URL, and the cache folder of the user.
"""

import math
import re
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from cachetui.model.tags import tag_order
from cachetui.safe_text import plural
from cachetui.sources.buildcache.fetched_index import OldCopy, bring_index
from cachetui.sources.buildcache.index_document import IndexStream
from cachetui.sources.buildcache.layouts import INDEX_MANIFEST, INDEX_MANIFESTS, V2_INDEX, V3_INDEX
from cachetui.sources.buildcache.tag_list import index_of, list_tags
from cachetui.sources.source import Asking, ByTags, Stale
from cachetui.sources.transport.address import LISTING, PUBLIC, is_repository, shown
from cachetui.sources.transport.cache import Copy, Servers, Transfers
from cachetui.sources.transport.errors import (
    FetchError,
    MissingError,
    NoRepositoryError,
    UntrustedError,
    WrongContentError,
)
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.threads import in_background

MAX_LIST_BYTES = 16 * 2**20

MIN_WAIT_SECONDS = 1.0
"""Minimum seconds to wait for a server, even if the deadline for all servers is earlier."""

INNER_FOLDERS = ("v3", "build_cache")
"""The names of folders inside a build cache. Users may open the URL of such a folder by mistake.

But such a URL may also be correct, if a build cache has this name.
"""

_INDEX = re.compile(r"[a-z0-9]+://[^/]+/(?P<path>.+?)/(?:(?P<v2>build_cache/index\.json)|(?:v3|blobs)/.*)", re.DOTALL)

CacheList: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
"""The build caches of each tag. Each tag has at least one build cache.

A build cache is a pair: its folder on the server, with `/` at its end, and the path of its index in this folder.
"""


class _ListedCache(msgspec.Struct):
    url: str


def read_listing(data: bytes) -> CacheList:
    """Read a list of build caches. Skip tags with `/`. Raises WrongContentError."""
    found: dict[str, list[tuple[str, str]]] = {}
    try:
        listed = msgspec.json.decode(data, type=dict[str, list[_ListedCache]])
    except (ValueError, RecursionError) as error:
        raise WrongContentError(f"the file is not a list of build caches: {error}") from None
    for tag, entries in listed.items():
        for match in filter(None, (_INDEX.fullmatch(entry.url) for entry in entries)):
            folder = f"{match['path']}/"
            is_path = re.fullmatch(r"(?:(?!\.+/)[A-Za-z0-9_.+=@-]{1,200}/){1,8}", folder)
            if "/" not in tag and folder.startswith(f"{tag}/") and is_path:
                found.setdefault(tag, []).append((folder, V2_INDEX if match["v2"] else V3_INDEX))
    if not found:
        raise WrongContentError("the server's list contains no build cache")
    return found


def list_in(copy: Copy) -> CacheList:
    """Return the list of build caches in a local copy, or an empty mapping if the copy has no list."""
    with suppress(OSError):
        return read_listing(copy.place(LISTING).read_bytes())
    return {}


class Server:
    """The build caches at one URL, and their local copies."""

    def __init__(self, servers: Servers, url: str, view: str = "", credential: Any = None) -> None:
        """`view` is the only view to read, or empty. `credential` gives access to the URL."""
        self.transfers = Transfers()
        self.stream = IndexStream()
        """The reader of an index during its download. Each update of the local copy uses a new reader."""
        self.notes: list[str] = []
        """Notes for the user about the last update of the local copy."""
        self.stale: list[Stale] = []
        """The reasons why the local copy may be out of date after the last update."""
        self._url, self._servers, self._view = url, servers, view
        self.asked_for: set[str] = set()
        """The tags that the user requested while the program is running. All following updates include them."""
        self._since = time.time()
        """The time when this object was created. An older list of a registry's image tags is out of date."""
        self._cancelled, self._until = never, math.inf
        """A function that returns whether to cancel the update, and the deadline on the monotonic clock.

        After the deadline, the old copy is used.
        """
        if credential is not None and servers.client is not None:
            servers.client.allow(url, credential)
        self.copy = self._copy(*next(self._kinds())[1:])
        """The local copy. It contains one build cache, or a list of build caches and some of these build caches."""

    def _copy(self, url: str, tag: str = "") -> Copy:
        """Return the local copy for a URL, or for one tag in the list of build caches at this URL."""
        name = self._url if tag else url
        return self._servers.copy(url, f"{name}#{self._view}" if self._view else name, self._cancelled, self.transfers)

    def _kinds(self) -> Iterator[tuple[Callable[[], list[OldCopy]], str, str]]:
        """Yield the possible interpretations of the URL, most likely first.

        An interpretation is a tuple: the method that downloads, the URL to download from, and a tag. If the tag is not
        empty, the URL is a list of build caches, and only the build caches of this tag are downloaded.
        """
        above, _, last = self._url.rpartition("/")
        if is_repository(self._url):
            yield self._bring_registry, self._url, ""
            return
        if above == PUBLIC and not self._view:  # the list of the public server has the stacks of the tag
            yield partial(self._bring_list, last), PUBLIC, last
        if self._url != PUBLIC and not list_in(self._copy(self._url)):
            yield self._bring_cache, self._url, ""
            for bring in (self._bring_cache, self._bring_list) if last in INNER_FOLDERS and not self._view else ():
                yield bring, above, ""
        yield self._bring_list, self._url, ""

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags in the server's list of build caches that are not in `read`.

        The result is empty if the server has no such list.
        """
        return [tag for tag in tag_order(list_in(self.copy)) if tag not in read and self.copy.url == self._url]

    def bring(self, cancelled: Cancelled = never) -> Iterator[str]:
        """Update the local copy in a thread. From time to time, yield the progress as a string.

        If the update fails, the copy stays unchanged, and `stale` contains the reason. Raises FetchError if the update
        fails and there is no copy, or if the server reports that it has no build cache. Also raises Interrupted.
        """
        self.notes, self.stale, self.transfers, self.stream = [], [], Transfers(), IndexStream()
        for _ in in_background(self._bring, cancelled, 0.1):
            yield self.transfers.text

    def _bring(self, cancelled: Cancelled) -> None:
        asking = self._servers.asking
        self.stream.cancelled = self._cancelled = cancelled
        self._until = max(asking.until, time.monotonic() + MIN_WAIT_SECONDS)
        try:
            old = self._brought()
        except MissingError as error:
            if not self.copy.is_empty():
                raise MissingError(f"{error}; to read the local copy, give --offline") from None
            raise
        except FetchError:
            raise
        except OSError as error:
            raise self.copy.disk_error(error) from None
        finally:
            if not asking.offline:
                self.copy.remove_if_empty()
        self.stale = _stale(old, shown(self._url), asking)
        if is_repository(self._url) and (listed := self.copy.confirmed(V2_INDEX)):
            self.stale.append(ByTags(shown(self._url), listed, "", asking.offline))

    def _brought(self) -> list[OldCopy]:
        """Update the local copy: try the interpretations of the URL (see `_kinds`) until one succeeds.

        If all fail, raise the error of the most likely interpretation.
        """
        first: FetchError | None = None
        given = self._url
        is_inside = given.rpartition("/")[2] in INNER_FOLDERS and not self._view
        for bring, url, tag in self._kinds():
            if url != self.copy.url:
                self.copy.remove_if_empty()
            self.copy = self._copy(url, tag)
            try:
                old = bring()
                self._url = given if tag else url
                return old
            except MissingError as error:
                first = first or (None if tag else error)
            except FetchError as error:
                if first is not None and not isinstance(error, type(first)):
                    raise
                first = first or error
                if not (is_inside and url == given):
                    break
        assert first is not None
        raise first

    def _bring_index(self, folder: str, layouts: Sequence[str]) -> list[OldCopy]:
        return bring_index(self.copy, folder, layouts, self._until, self.stream.check)

    def _bring_cache(self) -> list[OldCopy]:
        """Update the local copy of the index. Return the copies that may be out of date. Raises FetchError."""
        view = f"{INDEX_MANIFESTS}/{self._view}/{INDEX_MANIFEST}"
        return self._bring_index("", (view,) if self._view else (V3_INDEX, V2_INDEX))

    def _bring_registry(self) -> list[OldCopy]:
        """Update the index of a registry. Raises FetchError.

        If the registry has no index and the user allows it, make the index from the image tags.
        """
        copy, client, listed = self.copy, self._servers.client, self.copy.confirmed(V2_INDEX)
        try:
            try:
                old = self._bring_index("", (V3_INDEX,))
            except NoRepositoryError:
                raise
            except MissingError as error:
                if client is None or not self._servers.asking.list_tags:
                    how = "write an index with spack buildcache update-index, or list the specs by tag with --list-tags"
                    raise MissingError(f"{error}; {how}") from None
                if listed is None or listed < self._since:
                    until = math.inf if listed is None else self._until
                    moved = partial(copy.transfers.moved, "tags")
                    copy.write(
                        V2_INDEX, index_of(list_tags(client, copy.url, self._cancelled, until=until, moved=moved))
                    )
                return []
            copy.remove(V2_INDEX)
            return old
        except FetchError as error:
            if listed is None or isinstance(error, MissingError):
                raise
            return [OldCopy(listed, error)]

    def _bring_list(self, only: str = "") -> list[OldCopy]:
        """Update the server's list of build caches, and some of these build caches (see `_bring_listed`).

        Keep the new list if at least one build cache was downloaded. Raises MissingError if the server has no list, or
        if the tag `only` is not in the list. Also raises other FetchErrors.
        """
        copy, before, found = self.copy, list_in(self.copy), list[OldCopy]()
        is_new = False

        def bring_caches(file: Path) -> None:
            nonlocal found, is_new
            try:
                listed = read_listing(file.read_bytes())
            except WrongContentError as error:
                raise WrongContentError(f"{shown(f'{copy.url}/{LISTING}')}: {error}") from None
            found, is_new = self._bring_listed(listed, only), True
            with suppress(OSError), copy.folder("files") as files:
                for name in files.names():
                    if name not in listed and stat.S_ISDIR(files.status(name).st_mode):
                        files.clear(name)

        try:
            copy.bring(LISTING, MAX_LIST_BYTES, bring_caches, until=self._until if before else math.inf)
        except FetchError as error:
            confirmed = copy.confirmed(LISTING)
            if not before or confirmed is None or isinstance(error, MissingError):
                raise
            return [*self._bring_listed(before, only), OldCopy(confirmed, error)]
        # another process may have downloaded the list, but not yet the build caches
        return found if is_new else self._bring_listed(list_in(copy), only)

    def _bring_listed(self, listed: CacheList, only: str) -> list[OldCopy]:
        """Update the local copies of some build caches in the server's list `listed`.

        If `only` is not empty, update only the build caches of this tag. Otherwise, update the tags that the user
        selected (by default, the default tag), and the tags added by `ask_for`. Raises FetchError if none of these
        build caches can be read.
        """
        url, asking, every_tag = self.copy.url, self._servers.asking, tag_order(listed)
        if only and only not in listed:
            raise MissingError(f"{shown(f'{url}/{only}')} is not in the server's list of build caches")
        wanted = [tag for tag in every_tag if asking.all_tags or tag in asking.tags] or every_tag[:1]
        tags = [only] if only else [tag for tag in every_tag if tag in wanted or tag in self.asked_for]
        caches = [cache for tag in tags for cache in listed[tag]]

        def bring(cache: tuple[str, str]) -> list[OldCopy] | FetchError:
            try:
                return self._bring_index(cache[0], (cache[1],))
            except FetchError as error:
                return error

        with ThreadPoolExecutor(8) as pool:
            found = list(zip(caches, pool.map(bring, caches), strict=True))
        errors = {folder: error for (folder, _), error in found if isinstance(error, FetchError)}
        if len(errors) == len(caches):
            raise next(iter(errors.values()))
        self.notes = [
            f"{folder.rstrip('/')} is in the server's list, but cannot be read: {why}" for folder, why in errors.items()
        ]
        if len(tags) < len(listed) and not only:
            others = f"{plural(len(listed) - len(tags), 'other tag')}: select one with --tag, or all with --all-tags"
            self.notes.append(f"opened only {', '.join(tags)} of {shown(url)}; {others}")
        return [each for _, old in found if isinstance(old, list) for each in old]


def _stale(old: Sequence[OldCopy], url: str, asking: Asking) -> list[Stale]:
    """Return a note for each reason why local copies may be out of date.

    A note contains the time at which the server last confirmed the local copy. If several copies have the same reason,
    their note contains the earliest of these times.
    """
    confirmed: dict[str, float] = {}
    for each in old:
        more = "; to send no request, give --offline" if isinstance(each.why, UntrustedError) else ""
        why = "--offline allows no request" if asking.offline else f"{each.why}{more}"
        confirmed[why] = min(each.confirmed, confirmed.get(why, math.inf))
    return [Stale(url, since, why, asking.offline) for why, since in confirmed.items()]
