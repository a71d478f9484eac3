"""The build caches at a URL, brought into the local copy: one cache, or those that a server lists.

Of a list the tag that is looked at first is brought, others when they are asked for. A listed cache that is not there
costs itself alone.
Input: the URL, and the user's cache folder.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from cachetui.model.spec import tag_order
from cachetui.safe_text import ago, plural
from cachetui.sources.buildcache.fetch import listing
from cachetui.sources.buildcache.fetch.address import LISTING, PUBLIC, shown
from cachetui.sources.buildcache.fetch.cache_index import V2_INDEX, V3_INDEX, bring_index, view_index
from cachetui.sources.buildcache.fetch.copies import Copy
from cachetui.sources.buildcache.fetch.errors import FetchError, MissingError
from cachetui.sources.buildcache.fetch.listing import ListedCache
from cachetui.sources.buildcache.fetch.stored import keep_within
from cachetui.sources.buildcache.fetch.transfer import TransferProgress
from cachetui.sources.source import Asking
from cachetui.store.files import snapshot_folder
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.buildcache.fetch.client import Client

AT_A_TIME = 8
"""Build caches whose indexes are asked for side by side."""


class Transfers:
    """How far all that is on its way has come."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._moved: dict[str, TransferProgress] = {}
        self._started = time.monotonic()

    def start(self) -> None:
        """Forgets what came before."""
        with self._lock:
            self._moved, self._started = {}, time.monotonic()

    def progressed(self, path: str, moved: TransferProgress) -> None:
        """Takes up how far a file is."""
        with self._lock:
            self._moved[path] = moved

    @property
    def largest(self) -> tuple[str, TransferProgress] | None:
        """The file of which most has come, by its path in the copy."""
        with self._lock:
            return max(self._moved.items(), key=lambda each: each[1].decoded, default=None)

    @property
    def text(self) -> str:
        """So many bytes and the rate, such as `12.3 of 96.0 MB, 9.8 MB/s`; empty where nothing came yet."""
        with self._lock:
            moved, took = list(self._moved.values()), time.monotonic() - self._started
        done = sum(each.done for each in moved)
        if not done:
            return ""
        totals = [each.total for each in moved]
        whole = None if None in totals else sum(total or 0 for total in totals)
        unit, name = (1e6, "MB") if max(done, whole or 0) >= 1e6 else (1e3, "kB")
        of_whole = "" if whole is None else f" of {whole / unit:.1f}"
        return f"{done / unit:.1f}{of_whole} {name}, {done / unit / max(took, 0.001):.1f} {name}/s"


class Servers:
    """Opens what is at URLs, with connections that all of them share."""

    def __init__(self, environ: Mapping[str, str], asking: Asking) -> None:
        self._environ = environ
        self._asking = asking
        self._cache_folder = Path(snapshot_folder(environ))
        self._client: Client | None = None
        keep_within(self._cache_folder)

    def at(self, url: str, view: str = "", header: str | None = None) -> Server:
        """What is at a URL, of a build cache only one view where one is named; raises FetchError for no copy of it.

        `header` is the `Authorization` that it wants, where that is known.
        """
        if self._client is None and not self._asking.offline:
            from cachetui.sources.buildcache.fetch.client import Client  # late: it brings the HTTP library

            self._client = Client(self._environ, insecure=self._asking.insecure)
        if self._client is not None and header is not None:
            self._client.allow(url, header)
        return Server(url, self._cache_folder, self._client, self._asking, view)


class Server:
    """What is at one URL."""

    def __init__(self, url: str, cache_folder: Path, client: Client | None, asking: Asking, view: str = "") -> None:
        """Without a client nothing is asked; of a cache only the `view` is brought, where one is named.

        Raises FetchError where no copy can be made.
        """
        self.url = url
        self.transfers = Transfers()
        self._cache_folder = cache_folder
        self._client = client
        self._asking = asking
        self._asked_for: set[str] = set()
        """Tags that somebody wants to look at by now."""
        self._layouts = (view_index(view),) if view else (V3_INDEX, V2_INDEX)
        # which build caches a tag of the public server has, the server tells
        above, _, last = url.rpartition("/")
        self._tag = last if above == PUBLIC and not view else ""
        self._copy = self._copy_of(above if self._tag else url, f"{url}#{view}" if view else url)

    def _copy_of(self, url: str, name: str) -> Copy:
        return Copy(url, self._cache_folder, self._client, name=name, progressed=self.transfers.progressed)

    @property
    def files(self) -> Path:
        """The folder that the copy is in: a build cache, or a folder of them as the server has them."""
        return self._copy.local.files

    @property
    def copied(self) -> str:
        """The URL that this folder is a copy of."""
        return self._copy.url

    @property
    def transfer(self) -> str:
        """How far it is with what is on its way."""
        return self.transfers.text

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """The tags of the list that are not among those that were read, in their order; none without a list."""
        if self._tag or self._copy.local.fetched(LISTING) is None:
            return []
        with suppress(OSError, FetchError, msgspec.MsgspecError, RecursionError):
            listed = listing.read_listing(self._copy.local.place(LISTING).read_bytes())
            return [tag for tag in tag_order(listed) if tag not in read]
        return []

    def ask_for(self, tag: str) -> None:
        """From the next time on this tag is brought too."""
        self._asked_for.add(tag)

    def bring(self, cancelled: Cancelled = never) -> list[str]:
        """Brings what is new into the copy; returns what the user should be told.

        Raises FetchError, then the copy is as it was; Interrupted, then what came is gone on with the next time.
        """
        self._copy.cancelled = cancelled
        self._copy.away = None
        self._copy.local.make()
        self.transfers.start()
        try:
            asked, notes = self._bring()
        except FetchError:
            self._copy.local.remove_if_empty()
            raise
        except OSError as error:
            raise FetchError(f"the local copy of {shown(self.url)} cannot be written: {error.strerror}") from None
        if self._asking.offline:
            notes.append(f"not asked, --offline: this is what {shown(self.url)} had {ago(time.time() - asked)}")
        elif self._copy.away:
            notes.append(f"{self._copy.away}: this is what it had {ago(time.time() - asked)}")
        return notes

    def _bring(self) -> tuple[float, list[str]]:
        """When the server last said that the copy is the newest, and notes."""
        if self._tag or self.url == PUBLIC or self._copy.local.fetched(LISTING):
            listed = self._listed()
            if not self._tag:
                return self._bring_listed(listed)
            if self._tag in listed:
                return self._bring_listed({self._tag: listed[self._tag]})
            # not in the list, such as one that is too old for it
            cancelled = self._copy.cancelled
            self._tag, self._copy = "", self._copy_of(self.url, self.url)
            self._copy.cancelled = cancelled
        try:
            return bring_index(self._copy, "", self._layouts).asked, []
        except MissingError as error:
            if error.may_be_there:
                raise
            try:
                listed = self._listed()
            except MissingError:
                raise error from None
            return self._bring_listed(listed)

    def _listed(self) -> Mapping[str, Sequence[ListedCache]]:
        """For each tag its build caches."""
        answer = self._copy.latest(LISTING, listing.MOST)
        try:
            found = listing.read_listing(answer.file.read_bytes())
        except (msgspec.MsgspecError, RecursionError) as error:
            answer.drop()
            raise FetchError(f"{shown(f'{self._copy.url}/{LISTING}')} is no list of build caches: {error}") from None
        answer.keep()
        self._remove_gone(found)
        return found

    def _remove_gone(self, listed: Mapping[str, Sequence[ListedCache]]) -> None:
        """Removes the tags from the copy that the server has no more."""
        for folder in self.files.iterdir():
            if folder.is_dir() and listed and folder.name not in listed:
                shutil.rmtree(folder, ignore_errors=True)

    def _bring_listed(self, listed: Mapping[str, Sequence[ListedCache]]) -> tuple[float, list[str]]:
        if not listed:
            raise FetchError(f"{shown(self.url)} lists no build cache")
        tags = self._wanted_tags(list(listed))
        caches = [cache for tag in tags for cache in listed[tag]]
        asked, notes, errors = time.time(), [], []
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for cache, outcome in zip(caches, pool.map(self._bring_one, caches), strict=True):
                if isinstance(outcome, FetchError):
                    errors.append(outcome)
                    notes.append(f"{cache.folder.rstrip('/')} is listed and cannot be read: {outcome}")
                else:
                    asked = min(asked, outcome)
        if len(errors) == len(caches):
            raise errors[0]
        if len(tags) < len(listed):
            others = plural(len(listed) - len(tags), "other tag")
            notes.append(f"{', '.join(tags)} of {shown(self.url)}; {others}: --tag names one, --all-tags brings all")
        return asked, notes

    def _bring_one(self, cache: ListedCache) -> float | FetchError:
        try:
            return bring_index(self._copy, cache.folder, [cache.layout]).asked
        except FetchError as error:
            return error

    def _wanted_tags(self, tags: Sequence[str]) -> list[str]:
        """The tags that are looked at: those that are asked for, else the first."""
        in_order = tag_order(tags)
        if self._asking.all_tags:
            return in_order
        first = [tag for tag in in_order if tag in self._asking.tags] or in_order[:1]
        return [tag for tag in in_order if tag in first or tag in self._asked_for]
