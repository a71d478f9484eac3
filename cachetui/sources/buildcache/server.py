"""The build caches at a URL, brought into the local copy: one cache, or those that a server lists.

The list is `cache_spack_io_index.json`, as the public server writes it every day: for each tag its stacks, each with
the URL of an index. The URLs are those of a bucket: what counts is the path after it; an entry that leads elsewhere
than below its tag is left out. Of a list the tag that is looked at first is brought, others when they are asked for. A
listed cache that is not there costs itself alone.
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

from cachetui.model.spec import tag_order
from cachetui.safe_text import plural
from cachetui.sources.buildcache.fetched_index import V2_INDEX, V3_INDEX, Outcome, bring_index, view_index
from cachetui.sources.source import Stale
from cachetui.sources.transport.address import LISTING, PUBLIC, shown
from cachetui.sources.transport.cache import Copy
from cachetui.sources.transport.errors import FetchError, MissingError, UntrustedError, WrongContentError
from cachetui.sources.transport.servers import Servers
from cachetui.sources.transport.transfer import TransferProgress
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    pass
import re

import msgspec
from msgspec import Struct

MAX_LIST = 16 * 1024 * 1024
"""Bytes that a list may have."""

_INDEX = re.compile(r"[a-z0-9]+://[^/]+/(?P<path>.+?)/(?:(?P<v2>build_cache/index\.json)|(?:v3|blobs)/.*)", re.DOTALL)

_PATH = re.compile(r"(?:(?!\.+/)[A-Za-z0-9_.+=@-]{1,200}/){1,8}")


class _Entry(Struct):
    url: str


class ListedCache(Struct, frozen=True):
    """A build cache of a server."""

    folder: str
    """Its path on the server, with `/` at its end."""
    layout: str
    """Which index it has."""


def read_listing(data: bytes) -> Mapping[str, Sequence[ListedCache]]:
    """Return for each tag its build caches, at least one; raises WrongContentError."""
    found: dict[str, list[ListedCache]] = {}
    try:
        listed = msgspec.json.decode(data, type=dict[str, list[_Entry]])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise WrongContentError(f"it is no list of build caches: {error}") from None
    for tag, entries in listed.items():
        for entry in entries:
            match = _INDEX.fullmatch(entry.url)
            folder = f"{match['path']}/" if match else ""
            if match and folder.startswith(f"{tag}/") and _PATH.fullmatch(folder):
                found.setdefault(tag, []).append(ListedCache(folder, V2_INDEX if match["v2"] else V3_INDEX))
    if not found:
        raise WrongContentError("it lists no build cache")
    return found


AT_A_TIME = 8
"""Build caches whose indexes are asked for side by side."""

LEAST = 1.0
"""Seconds that a server has in any case, however long others have taken."""


class Transfers:
    """How far all that is on its way has come."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._moved: dict[str, TransferProgress] = {}
        self._started = time.monotonic()

    def start(self) -> None:
        """Forget what came before."""
        with self._lock:
            self._moved, self._started = {}, time.monotonic()

    def progressed(self, path: str, moved: TransferProgress) -> None:
        """Take up how far a file is."""
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


class Server:
    """What is at one URL."""

    def __init__(self, servers: Servers, url: str, view: str = "", header: str | None = None, given: str = "") -> None:
        """Of a cache only the `view` is brought, where one is named.

        `header` is the `Authorization` that is wanted, where that is known; `given` is another URL at which the build
        cache is looked for, if it is not at the first.
        """
        self.url = url
        self.transfers = Transfers()
        self.stale: list[Stale] = []
        """Why the copy may not be what the server has, since the last time that it was asked."""
        self._cache_folder = servers.cache_folder
        self._client = servers.client
        self._asking = servers.asking
        if self._client is not None and header is not None:
            self._client.allow(url, header)
        self._asked_for: set[str] = set()
        """Tags that somebody wants to look at by now."""
        self._layouts = (view_index(view),) if view else (V3_INDEX, V2_INDEX)
        # which build caches a tag of the public server has, the server tells
        above, _, last = url.rpartition("/")
        self._tag = last if above == PUBLIC and not view else ""
        self._view = view
        self._copy = self._copy_of(above if self._tag else url, self._name(url))
        self._other = self._copy_of(given, self._name(given)) if given and not self._tag else None
        """The copy of what is at the other URL, where the build cache is looked for next."""
        if self._other and any(self._other.asked(layout) is not None for layout in self._layouts):
            self._turn_to_other()

    def _turn_to_other(self) -> None:
        assert self._other is not None
        self._copy, self._other = self._other, self._copy
        self.url = self._copy.url

    def _name(self, url: str) -> str:
        return f"{url}#{self._view}" if self._view else url

    def _copy_of(self, url: str, name: str) -> Copy:
        return Copy(url, self._cache_folder, self._client, name=name, progressed=self.transfers.progressed)

    @property
    def files(self) -> Path:
        """The folder that the copy is in: a build cache, or a folder of them as the server has them."""
        return self._copy.files

    @property
    def copied(self) -> str:
        """The URL that this folder is a copy of."""
        return self._copy.url

    @property
    def transfer(self) -> str:
        """How far it is with what is on its way."""
        return self.transfers.text

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags of the list that are not among those that were read, in their order; none without a list."""
        if self._tag:
            return []
        return [tag for tag in tag_order(self._list_there() or ()) if tag not in read]

    def ask_for(self, tag: str) -> None:
        """From the next time on this tag is brought too."""
        self._asked_for.add(tag)

    def bring(self, cancelled: Cancelled = never) -> list[str]:
        """Bring what is new into the copy; return what the user should be told.

        Where that fails the copy stays as it was, and is `stale`. Raises FetchError where there is none, and where the
        server says that nothing is there; Interrupted, then what came is gone on with the next time.
        """
        self.stale = []
        self.transfers.start()
        try:
            outcomes, notes = self._bring(cancelled)
        except FetchError as error:
            if self._client is not None:
                self._copy.remove_if_empty()
            if isinstance(error, MissingError) and self._copy.root.exists():
                raise MissingError(f"{error}; --offline reads the local copy") from None
            raise
        if self._asking.offline:
            asked = min(outcome.asked for outcome in outcomes)
            self.stale = [Stale(shown(self.url), asked, "not asked, --offline", True)]
            return notes
        failed = {str(outcome.why): outcome for outcome in outcomes if outcome.why}
        for why, outcome in failed.items():
            more = "; --offline reads the local copy" if isinstance(outcome.why, UntrustedError) else ""
            self.stale.append(Stale(shown(self.url), outcome.asked, f"{why}{more}", False))
        return notes

    def _begin(self, cancelled: Cancelled) -> None:
        """From now on the server is asked again."""
        self._copy.begin()
        self._copy.cancelled = cancelled
        self._copy.until = max(self._asking.until, time.monotonic() + LEAST)

    def _bring(self, cancelled: Cancelled) -> tuple[list[Outcome], list[str]]:
        """Return what asking for each build cache gave, and notes."""
        self._begin(cancelled)
        if self._tag or self.url == PUBLIC or self._list_there() is not None:
            found = self._bring_list()
            if found is not None:
                return found
            # not in the list, such as one that is too old for it
            self._tag, self._copy = "", self._copy_of(self.url, self.url)
            self._begin(cancelled)
        try:
            return [bring_index(self._copy, "", self._layouts)], []
        except MissingError as error:
            outcome = self._bring_other()
            if outcome is not None:
                return [outcome], []
            try:
                found = self._bring_list()
            except MissingError:
                raise error from None
            if found is None:
                raise
            return found

    def _bring_other(self) -> Outcome | None:
        """Return what asking at the other URL gave; None where no build cache is there either."""
        if self._other is None:
            return None
        self._turn_to_other()
        self._begin(self._other.cancelled)
        try:
            return bring_index(self._copy, "", self._layouts)
        except MissingError:
            self._turn_to_other()
            return None
        finally:
            self._other.remove_if_empty()

    def _list_there(self) -> Mapping[str, Sequence[ListedCache]] | None:
        """Return for each tag its build caches, as the copy has the list; None where it has none."""
        with suppress(OSError, FetchError):
            return read_listing(self._copy.place(LISTING).read_bytes())
        return None

    def _bring_list(self) -> tuple[list[Outcome], list[str]] | None:
        """Bring the list and the caches that are looked at; the new list counts once one of these has come.

        None where the tag that is looked at is not in it.
        """
        before, answer = self._list_there(), None
        try:
            answer = self._copy.latest(LISTING, MAX_LIST, patient=before is None)
            listed = self._read(answer.file)
            found = self._bring_listed(listed)
        except FetchError as error:
            if answer is not None:
                answer.drop()
            if before is None or isinstance(error, MissingError):
                raise
            found = self._bring_listed(before)
            if found is None:
                return None
            outcomes, notes = found
            return [*outcomes, Outcome(min(outcome.asked for outcome in outcomes), error)], notes
        answer.keep()
        for folder in self.files.iterdir():
            if folder.is_dir() and folder.name not in listed:
                shutil.rmtree(folder, ignore_errors=True)
        return found

    def _read(self, file: Path) -> Mapping[str, Sequence[ListedCache]]:
        try:
            return read_listing(file.read_bytes())
        except WrongContentError as error:
            raise WrongContentError(f"{shown(f'{self._copy.url}/{LISTING}')}: {error}") from None

    def _bring_listed(self, listed: Mapping[str, Sequence[ListedCache]]) -> tuple[list[Outcome], list[str]] | None:
        tags = [self._tag] if self._tag else self._wanted_tags(list(listed))
        if self._tag and self._tag not in listed:
            return None
        caches = [cache for tag in tags for cache in listed[tag]]
        outcomes, notes, errors = [], [], []
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for cache, outcome in zip(caches, pool.map(self._bring_one, caches), strict=True):
                if isinstance(outcome, FetchError):
                    errors.append(outcome)
                    notes.append(f"{cache.folder.rstrip('/')} is listed and cannot be read: {outcome}")
                else:
                    outcomes.append(outcome)
        if not outcomes:
            raise errors[0]
        if len(tags) < len(listed) and not self._tag:
            others = plural(len(listed) - len(tags), "other tag")
            notes.append(f"{', '.join(tags)} of {shown(self.url)}; {others}: --tag names one, --all-tags brings all")
        return outcomes, notes

    def _bring_one(self, cache: ListedCache) -> Outcome | FetchError:
        is_new = not (self.files / cache.folder.partition("/")[0]).exists()
        try:
            return bring_index(self._copy, cache.folder, [cache.layout], patient=is_new)
        except FetchError as error:
            return error

    def _wanted_tags(self, tags: Sequence[str]) -> list[str]:
        """Return the tags that are looked at: those that are asked for, else the first."""
        in_order = tag_order(tags)
        if self._asking.all_tags:
            return in_order
        first = [tag for tag in in_order if tag in self._asking.tags] or in_order[:1]
        return [tag for tag in in_order if tag in first or tag in self._asked_for]
