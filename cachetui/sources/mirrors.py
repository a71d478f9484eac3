"""A Spack `mirrors.yaml` as content: each binary mirror, a folder or a URL, is a stack of one tag.

Input: a file that a user names, and the folders and URLs that it names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Generator, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.problem import UNREAD_CACHE, Problem
from cachetui.safe_text import visible
from cachetui.sources.buildcache.server import Server
from cachetui.sources.cache_folders import PREFIX
from cachetui.sources.folder import watched
from cachetui.sources.pages.parallel_stat import parallel
from cachetui.sources.source import (
    REMEDY,
    Asking,
    ContentComparison,
    ContentError,
    Difference,
    Known,
    Progress,
    Source,
)
from cachetui.sources.transport.address import AddressError, resolve
from cachetui.sources.transport.cache import Servers
from cachetui.sources.transport.credentials import access
from cachetui.sources.transport.errors import FetchError
from cachetui.sources.yaml_data import read_yaml
from cachetui.store.builder import Segment, SegmentBuilder
from cachetui.store.mtimes import UNREAD_MTIMES, mtimes_at, mtimes_of, no_mtimes
from cachetui.workers.cancelling import Cancelled, never

TAG = "mirrors"

GRAPH_PATH = f"{PREFIX}#"

MAX_SIZE = 2**20
"""Most bytes of such a file."""


class Mirror(Struct, frozen=True):
    """A binary mirror."""

    name: str
    folder: str = ""
    """Its folder, or its local copy where it is on a server; empty where there is no copy."""
    url: str = ""
    """Empty for a folder of this machine."""
    view: str = ""
    """The view of its index that is read; empty for the whole cache."""
    entry: Mapping[str, Any] = {}
    """Its entry in the file, which may name a token or a password."""


def is_mirrors_file(path: str) -> bool:
    """Return whether a file is a `mirrors.yaml`, by what is inside."""
    try:
        return os.path.isfile(path) and os.path.getsize(path) <= MAX_SIZE and bool(_mappings(path))
    except (OSError, ValueError):
        return False


def read_mirrors(path: str) -> list[Mirror]:
    """Return the mirrors in a file that hold binaries; raises OSError and ValueError."""
    home = os.path.dirname(os.path.abspath(path))
    return [
        found for name, written in _mappings(path).items() if (found := _mirror(str(name), written, home)) is not None
    ]


def _mappings(path: str) -> Mapping[str, Any]:
    """Return the map under the key `mirrors`; empty for any other file."""
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
    """Return the mirror of an entry; None where it holds no binaries, or has no URL. Raises ValueError."""
    entry = written if isinstance(written, dict) else {"url": written}
    fetch = entry.get("fetch")
    if fetch:
        entry = entry | (fetch if isinstance(fetch, dict) else {"url": fetch})
    url, view = entry.get("url"), entry.get("view")
    if entry.get("binary") is False or not isinstance(url, str) or not url:
        return None
    found = Mirror(name.removesuffix(":"), view=view if isinstance(view, str) else "", entry=entry)
    if "://" in url and not url.startswith("file://"):
        return replace(found, url=url)
    path = unquote(urlsplit(url).path) if "://" in url else os.path.expandvars(os.path.expanduser(url))
    if "\0" in path:
        raise ValueError(f"the path of the mirror {name} has a zero byte in it")
    return replace(found, folder=os.path.normpath(os.path.join(home, path)))


class MirrorsSource(Source):
    """The binary mirrors of a `mirrors.yaml`."""

    def __init__(self, content: str, environ: Mapping[str, str], asking: Asking) -> None:
        self.content = content
        self._environ = environ
        self._asking = asking
        self.may_be_empty = asking.found
        self._servers = Servers(environ, replace(asking, offline=True) if asking.found else asking)
        self._mirrors: list[Mirror] = []
        """The mirrors as of the last `_bring`, each with its folder."""
        self._refused: dict[str, str] = {}
        """For each mirror that its server does not give, by name, the reason."""
        self.identity = os.path.realpath(content)
        self._file = f"{PREFIX}{os.path.basename(content)}"
        self._last_read = no_mtimes(self._file), 0
        """Size and times of the `mirrors.yaml` when it was last read, and when that was, in nanoseconds."""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read every mirror; see `Source`."""
        for transfer in self._bring(cancelled):
            yield None, Progress(0, 1, transfer)
        yield self._read(cancelled), Progress(1, 1)

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> ContentComparison:
        """Compare every file that was read; servers are not asked again for single `pages`; see `Source`."""
        if pages is None or not self._mirrors:
            for _ in self._bring(cancelled):
                pass
        return ContentComparison(self._compared(known, cancelled), whole=True)

    def _compared(self, known: Known, cancelled: Cancelled) -> Difference | None:
        files = list(known.files())
        is_new = any(
            mirror.url and mirror.name not in self._refused and not any(known.below(f"{PREFIX}{mirror.name}/"))
            for mirror in self._mirrors
        )
        found = parallel(mtimes_at, [self._real_path(path) for path, _ in files], cancelled)
        current = [UNREAD_MTIMES if isinstance(each, OSError) else each for each in found]
        if not is_new and current == [mtimes for _, mtimes in files]:
            return None
        return Difference(
            dropped=frozenset({GRAPH_PATH, *known.pages(), *known.refused, *(path for path, _ in files)}),
            unread=(GRAPH_PATH,),
        )

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read every mirror, as the comparison before has brought it; see `Source`."""
        return [self._read(cancelled)] if paths else []

    def ask_servers(self) -> None:
        """See `Source`."""
        self._servers = Servers(self._environ, self._asking)

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield each time that something in a mirror has changed; see `Source`."""
        folders = [mirror.folder for mirror in self._named() if os.path.isdir(mirror.folder)]
        return watched(self.content, [self.content, *folders], cancelled)

    def _bring(self, cancelled: Cancelled) -> Iterator[str]:
        """Update the local copies of mirrors on servers, and set the folder of each mirror; yield the progress."""
        self.notes, self.stale = (), ()
        self._refused.clear()
        mirrors = []
        for mirror in self._named():
            if mirror.url:
                mirrors.append((yield from self._brought(mirror, cancelled)))
            else:
                mirrors.append(mirror)
        self._mirrors = mirrors

    def _named(self) -> list[Mirror]:
        """Read the `mirrors.yaml`, and record its size and times; raises ContentError."""
        try:
            status = os.stat(self.content)
            self._last_read = mtimes_of(self._file, status.st_size, status), time.time_ns()
            return read_mirrors(self.content)
        except (OSError, ValueError) as error:
            raise ContentError(f"{visible(self.content)} cannot be read ({visible(str(error))}): {REMEDY}") from None

    def _brought(self, mirror: Mirror, cancelled: Cancelled) -> Generator[str, None, Mirror]:
        header, unset = access(mirror.entry, self._environ)
        self.notes += tuple(f"{mirror.name}: {visible(variable)} is not set" for variable in unset)
        try:
            url = resolve(mirror.url, insecure=self._asking.insecure)
            if header is not None:
                self.headers = {**self.headers, url: header}
            server = Server(self._servers, url, mirror.view, header)
            yield from server.bring(cancelled)
        except (AddressError, FetchError) as error:
            self._refused[mirror.name] = str(error)
            return mirror
        self.notes += tuple(server.notes)
        self.stale += tuple(server.stale)
        return replace(mirror, folder=str(server.copy.files), url=server.copy.url)

    def _real_path(self, path: str) -> str:
        if path == self._file:
            return self.content
        for mirror in self._mirrors:
            prefix = f"{PREFIX}{mirror.name}/"
            if mirror.folder and path.startswith(prefix):
                return f"{mirror.folder}/{path[len(prefix) :]}"
        return os.devnull  # the mirror is not named any more: this differs from whatever was known

    def _read(self, cancelled: Cancelled) -> Segment:
        from cachetui.sources.buildcache.reader import Cache, read_caches

        caches = [
            Cache(mirror.folder, f"{PREFIX}{mirror.name}/", mirror.name, mirror.view, mirror.url)
            for mirror in self._mirrors
            if mirror.folder
        ]
        builder = SegmentBuilder()
        builder.files.append(self._last_read)
        builder.problems.extend(
            Problem(
                path=f"{PREFIX}{name}/",
                kind=UNREAD_CACHE,
                level="note",
                message=f"the mirror {name} cannot be read: {why}",
            )
            for name, why in self._refused.items()
        )
        return read_caches(PREFIX, TAG, caches, cancelled, builder=builder)
