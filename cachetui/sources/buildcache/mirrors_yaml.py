"""A Spack `mirrors.yaml` as content: each binary mirror, a folder or a URL, is a stack of one tag.

Input: a file that a user names, and the folders and URLs that it names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.problem import UNREAD_CACHE, Problem
from cachetui.safe_text import visible
from cachetui.sources.buildcache.server import Server, Servers
from cachetui.sources.cache_folders import PREFIX
from cachetui.sources.source import Asking, ContentComparison, ContentError, Difference, Known, Progress, Stale
from cachetui.sources.transport.address import AddressError, as_given, resolve
from cachetui.sources.transport.credentials import Access
from cachetui.sources.transport.errors import FetchError
from cachetui.sources.yaml_data import read_yaml
from cachetui.store.segment import Encoder, Segment
from cachetui.store.stamps import UNREAD_STAMP, FileStamp, Stamp, stamp_at, stamp_of
from cachetui.workers.background import Background
from cachetui.workers.cancelling import Cancelled, Interrupted, never

TAG = "mirrors"

GRAPH_PATH = f"{PREFIX}#"

LOOK = 0.1
"""Seconds between two reports of how far a transfer is."""

MAX_SIZE = 2**20
"""Bytes of a file that is read to see whether it is one."""


class Mirror(Struct, frozen=True):
    """A binary mirror."""

    name: str
    folder: str | None
    """For one on a server that of its local copy; None where that is not known."""
    url: str = ""
    """Empty where it is a folder of this machine."""
    view: str = ""
    """The view of its index that is to be read; empty for all of it."""
    entry: Mapping[str, Any] = {}
    """What is written of it, for what it says of access."""


def is_mirrors_file(path: str) -> bool:
    """Whether a file is a `mirrors.yaml`, by what is inside."""
    try:
        return os.path.isfile(path) and os.path.getsize(path) <= MAX_SIZE and bool(_mappings(path))
    except (OSError, ValueError):
        return False


def read_mirrors(path: str) -> list[Mirror]:
    """The binary mirrors that a file names; raises OSError and ValueError."""
    home = os.path.dirname(os.path.abspath(path))
    return [
        found for name, written in _mappings(path).items() if (found := _mirror(str(name), written, home)) is not None
    ]


def _mappings(path: str) -> Mapping[str, Any]:
    """What stands below `mirrors`; empty for any other file."""
    with open(path, "rb") as file:
        text = file.read(MAX_SIZE + 1)
    if b"mirrors" not in text or len(text) > MAX_SIZE:
        return {}
    document = read_yaml(text)
    if isinstance(document, dict):
        for key in ("mirrors", "mirrors:"):
            if isinstance(document.get(key), dict):
                found: Mapping[str, Any] = document[key]
                return found
    return {}


def _mirror(name: str, written: object, home: str) -> Mirror | None:
    """A mirror of this name; None where it has no binaries, or no URL."""
    view = ""
    entry: dict[str, Any] = {}
    if isinstance(written, dict):
        if written.get("binary") is False:
            return None
        fetch = written.get("fetch")
        of_fetch = fetch if isinstance(fetch, dict) else {"url": fetch}
        url = of_fetch.get("url") or written.get("url")
        chosen = of_fetch.get("view") or written.get("view")
        view = chosen if isinstance(chosen, str) else ""
        entry = written | of_fetch
    else:
        url = written
    if not isinstance(url, str) or not url:
        return None
    folder = _folder(url, home)
    return Mirror(name.removesuffix(":"), folder, url if folder is None else "", view, entry)


def _folder(url: str, home: str) -> str | None:
    """The folder that a URL names on this machine."""
    scheme = url.partition("://")[0] if "://" in url else ""
    if scheme not in ("", "file"):
        return None
    path = unquote(urlsplit(url).path) if scheme else os.path.expandvars(os.path.expanduser(url))
    return os.path.normpath(os.path.join(home, path))


class MirrorsSource:
    """The binary mirrors of a `mirrors.yaml`."""

    is_one_page = False
    remedy = "name mirrors in it that hold a build cache"
    more = None
    empty = ()

    def __init__(self, content: str, environ: Mapping[str, str], asking: Asking) -> None:
        self.content = content
        self._environ = environ
        self._servers = Servers(environ, asking)
        self._moving: Server | None = None
        """The server that something comes from now."""
        self._insecure = asking.insecure
        self._last: list[Mirror] = []
        """The mirrors as they were last brought."""
        self._refused: dict[str, str] = {}
        """By name the mirrors that could not be had from their servers, and why."""
        self.identity = os.path.realpath(content)
        self.notes: list[str] = []
        self.stale: list[Stale] = []
        self._file = f"{PREFIX}{os.path.basename(content)}"

    def revision(self) -> str:
        """Nothing tells that all mirrors were brought up to date."""
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Reads every mirror; see `Source`."""
        stamp = self._stamp()
        mirrors: list[Mirror] = []
        transfer = Background(lambda ended: mirrors.extend(self._brought(ended)), cancelled)
        try:
            while not transfer.is_done(LOOK):
                yield None, Progress(0, 1, self._moving.transfers.text if self._moving else "")
        finally:
            transfer.end()
        yield self._read(mirrors, stamp, cancelled), Progress(1, 1)

    def changes(self, known: Known, cancelled: Cancelled = never, *, thorough: bool = False) -> Difference | None:
        """Compares every file that was read; see `Source`."""
        return self._compared(known, self._brought(cancelled), cancelled)

    def _compared(self, known: Known, mirrors: Sequence[Mirror], cancelled: Cancelled = never) -> Difference | None:
        folders = {f"{PREFIX}{mirror.name}/": mirror.folder for mirror in mirrors if mirror.folder}
        stamps = list(known.stamps())
        is_new = any(
            mirror.url and mirror.name not in self._refused and not any(known.below(f"{PREFIX}{mirror.name}/"))
            for mirror in mirrors
        )
        for path, stamp in stamps:
            if cancelled():
                raise Interrupted
            if is_new or not _is_same(self._real_path(path, folders), stamp):
                pages = set(known.pages())
                return Difference(
                    dropped=frozenset({GRAPH_PATH, *pages, *known.refused, *(path for path, _ in stamps)}),
                    unread=(GRAPH_PATH,),
                    listed=Encoder().segment(),
                    changed=frozenset(pages),
                )
        return None

    def cheap_changes(self, known: Known) -> ContentComparison:
        """Compares every file that was read; see `Source`."""
        return ContentComparison(self.changes(known), whole=True)

    def changes_of(self, known: Known, pages: Collection[str]) -> Difference | None:
        """Compares every file that was read, and asks no server; see `Source`."""
        return self._compared(known, self._last or self._brought(never))

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Reads every mirror; see `Source`."""
        stamp = self._stamp()
        return [self._read(self._brought(cancelled), stamp, cancelled)] if paths else []

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yields each time that something in a mirror has changed; see `Source`."""
        from cachetui.sources.watching import watched

        folders = [
            mirror.folder for mirror in self._last or self._located() if mirror.folder and os.path.isdir(mirror.folder)
        ]
        return watched(self.content, [self.content, *folders], cancelled)

    def _mirrors(self) -> list[Mirror]:
        try:
            return read_mirrors(self.content)
        except (OSError, ValueError) as error:
            raise ContentError(f"{visible(self.content)} cannot be read ({error}): {self.remedy}") from None

    def _located(self, bring: Callable[[Server], None] = lambda _: None) -> list[Mirror]:
        """Every mirror, with a folder; those on servers with that of their local copy, once `bring` is done with it."""
        located, unset = [], []
        self._refused.clear()
        for mirror in self._mirrors():
            if mirror.folder is None:
                try:
                    access = Access(mirror.entry, self._environ)
                    unset += [f"{mirror.name}: {visible(variable)} is not set" for variable in access.unset]
                    url = resolve(mirror.url, insecure=self._insecure)
                    server = self._servers.at(url, mirror.view, access.header, as_given(mirror.url))
                    try:
                        bring(server)
                    finally:
                        mirror = replace(mirror, folder=str(server.files), url=server.copied)
                except (AddressError, FetchError) as error:
                    self._refused[mirror.name] = str(error)
            located.append(mirror)
        self.notes += (note for note in unset if note not in self.notes)
        return located

    def _brought(self, cancelled: Cancelled) -> list[Mirror]:
        """Every mirror, those on servers as they are now."""
        self.notes.clear()
        self.stale.clear()

        def bring(server: Server) -> None:
            self._moving = server
            self.notes += server.bring(cancelled)
            self.stale += server.stale

        try:
            self._last = self._located(bring)
            return self._last
        finally:
            self._moving = None

    def _real_path(self, path: str, folders: Mapping[str, str]) -> str:
        if path == self._file:
            return self.content
        for prefix, folder in folders.items():
            if path.startswith(prefix):
                return f"{folder}/{path[len(prefix) :]}"
        return os.devnull  # of a mirror that is no longer named

    def _stamp(self) -> tuple[FileStamp, int]:
        """The stamp of the file as it is now, and the time."""
        try:
            return stamp_of(self._file, (status := os.stat(self.content)).st_size, status), time.time_ns()
        except OSError as error:
            raise ContentError(f"{visible(self.content)} cannot be read ({error.strerror}): {self.remedy}") from None

    def _read(self, mirrors: Sequence[Mirror], stamp: tuple[FileStamp, int], cancelled: Cancelled) -> Segment:
        from cachetui.sources.buildcache.caches import read_caches
        from cachetui.sources.buildcache.reader import Cache

        caches = [
            Cache(mirror.folder, f"{PREFIX}{mirror.name}/", mirror.name, mirror.view, mirror.url)
            for mirror in mirrors
            if mirror.folder is not None and (mirror.name not in self._refused or os.path.isdir(mirror.folder))
        ]
        encoder = Encoder()
        encoder.add_file(*stamp)
        encoder.add_problems(
            Problem(
                path=f"{PREFIX}{name}/",
                kind=UNREAD_CACHE,
                level="note",
                message=f"the mirror {name} cannot be read: {why}",
            )
            for name, why in self._refused.items()
        )
        return read_caches(PREFIX, TAG, caches, cancelled, encoder=encoder)


def _is_same(path: str, stamp: Stamp) -> bool:
    """Return whether a file or folder (with `/` at its end) is as it was when it had this stamp."""
    current = stamp_at(path)
    if isinstance(current, OSError):
        return stamp == UNREAD_STAMP
    return stamp == current if stamp != UNREAD_STAMP else not os.access(path, os.R_OK)
