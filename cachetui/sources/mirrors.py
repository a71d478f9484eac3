"""Read the build caches that a Spack `mirrors.yaml` names. Each mirror with binaries becomes a stack.

Input: a `mirrors.yaml`, and the folders and servers of its mirrors.
"""

import os
import time
from collections.abc import Collection, Generator, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.problem import UNREAD_CACHE, Problem
from cachetui.safe_text import listed, visible
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.server import Server
from cachetui.sources.files import load
from cachetui.sources.folder import watched
from cachetui.sources.paths import ContentPath
from cachetui.sources.scopes.scopes import ConfigText, Paths, Scopes, find_spack, is_true, merged, written
from cachetui.sources.source import (
    REMEDY,
    Asking,
    ContentError,
    Difference,
    Known,
    MirrorRules,
    Progress,
    Source,
    compared_as_whole,
)
from cachetui.sources.transport.address import is_repository, resolve
from cachetui.sources.transport.cache import Servers
from cachetui.sources.transport.credentials import Credential, access, named_by
from cachetui.sources.transport.errors import FetchError
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.store.mtimes import Mtimes, mtimes_at, stored_mtimes
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.threads import parallel

TAG = "mirrors"

GRAPH = ContentPath.of_cache().graph

MAX_MIRRORS_BYTES = 2**20
"""Maximum number of bytes of a `mirrors.yaml`."""


class Mirror(Struct, frozen=True):
    """A mirror with binaries."""

    name: str
    folder: str = ""
    """The folder of the mirror or of its local copy. Empty before the first download of a mirror on a server."""
    url: str = ""
    """The URL of a mirror on a server. Empty for a folder on this machine."""
    view: str = ""
    """The name of the only view to read. Empty to read the whole build cache."""
    entry: Mapping[str, Any] = {}
    """The mirror's entry in the `mirrors.yaml`, which may contain a token or a password."""

    @property
    def signed(self) -> bool:
        """Whether Spack requires signed binaries from the mirror. Always false for a registry."""
        return is_true(self.entry.get("signed"), default=True) and not is_repository(self.url)


def is_mirrors_file(path: str) -> bool:
    """Return whether a file is a `mirrors.yaml` by its content. The name of the file does not matter."""
    try:
        return bool(_entries(path))
    except (OSError, ValueError):
        return False


def mirrors_of(entries: Mapping[str, Any], paths: Paths) -> Iterator[Mirror]:
    """Yield the mirrors that have binaries. `entries` is a `mirrors` section of Spack's configuration.

    Raises ValueError and ContentError.
    """
    for name, given in entries.items():
        entry = given if isinstance(given, dict) else {"url": given}
        if {"url", "fetch", "push"}.isdisjoint(entry):
            raise ValueError(f"the mirror {name} has no url, fetch or push")
        fetch = entry.get("fetch")
        if fetch:
            entry = entry | (fetch if isinstance(fetch, dict) else {"url": fetch})
        url, view = entry.get("url"), entry.get("view")
        if not is_true(entry.get("binary"), default=True) or not isinstance(url, str) or not url:
            continue
        found = Mirror(name, view=view if isinstance(view, str) else "", entry=entry)
        if "://" in url and not url.startswith("file://"):
            yield replace(found, url=url)
            continue
        # variables are replaced in a path, but not in a URL
        path = unquote(urlsplit(url).path) if "://" in url else paths.expanded(url, getattr(url, "folder", ""))
        if "\0" in path:
            raise ValueError(f"the path of the mirror {name} must not contain a zero byte")
        yield replace(found, folder=os.path.normpath(path))


def _entries(path: str) -> Mapping[str, Any]:
    """Return the mapping under the key `mirrors` of a YAML file, or an empty mapping if the key is missing."""
    text = load(path, MAX_MIRRORS_BYTES)
    if b"mirrors" not in text:
        return {}
    found = merged(written(text, os.path.dirname(os.path.abspath(path)))).get("mirrors")
    return found if isinstance(found, dict) else {}


class MirrorsSource(Source):
    """The source for the build caches that a `mirrors.yaml` lists.

    For the command `here`, the source also reads the mirrors in all scopes of Spack's configuration. Then the opened
    `mirrors.yaml` is the strongest scope.
    """

    def __init__(self, content: str, settings: Settings, asking: Asking) -> None:
        self.content, self._settings, self._asking = content, settings, asking
        self.may_be_empty = asking.found
        self._servers = Servers(settings, replace(asking, offline=True) if asking.found else asking)
        self._mirrors: list[Mirror] = []
        """The mirrors with their folders, set by `_bring`."""
        self._refused: dict[str, str] = {}
        """The reason for each mirror that could not be downloaded, by the name of the mirror."""
        self.identity = os.path.realpath(content)
        self._files: dict[str, str] = {ContentPath.of_cache(os.path.basename(content)): content}
        """The configuration files that list mirrors: the path on the disk for each path in the index."""
        self._last_read: dict[str, Mtimes] = {}
        """The size and times of each of `_files` when the file was last read, by path in the index."""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read every mirror. See `Source`."""
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
    ) -> Difference:
        """Compare every file that was read. With `pages`, send no new request to a server. See `Source`."""
        if pages is None or not self._mirrors:
            list(self._bring(cancelled))
        if any(
            mirror.url and mirror.name not in self._refused and not any(known.below(_path_of(mirror.name)))
            for mirror in self._mirrors
        ):  # the content has a new mirror
            return compared_as_whole(known, {}, GRAPH) or Difference(frozenset({GRAPH}), (GRAPH,))
        paths = [path for path, _ in known.files()]
        now = parallel(mtimes_at, [self._real_path(path) for path in paths], cancelled)
        return compared_as_whole(known, dict(zip(paths, now, strict=True)), GRAPH)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read every mirror again, without new requests to servers. See `Source`."""
        return [self._read(cancelled)] if paths else []

    def ask_servers(self) -> None:
        """Allow requests to servers from now on. See `Source`."""
        self._servers = Servers(self._settings, self._asking)

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield None after each change in a folder of a mirror. See `Source`."""
        folders = [mirror.folder for mirror in self._named() if os.path.isdir(mirror.folder)]
        return watched(self.content, [self.content, *folders], cancelled)

    def _bring(self, cancelled: Cancelled) -> Iterator[str]:
        """Update the local copy of each mirror on a server, and set the folder of each mirror. Yield the progress."""
        self.notes, self.stale = (), ()
        self._refused.clear()
        mirrors = []
        for mirror in self._named():
            if mirror.url:
                mirrors.append((yield from self._brought(mirror, cancelled)))
            else:
                mirrors.append(mirror)
        self._mirrors = mirrors
        self.rules = {(TAG, each.name): MirrorRules(each.signed, each.view) for each in mirrors}

    def _named(self) -> list[Mirror]:
        """Return the mirrors in the configuration files, and record the sizes and times of these files.

        Raises ContentError.
        """
        root = find_spack(self._settings.environ)
        try:
            scopes = Scopes(root, self._settings) if self._asking.found else None
            self._files |= {
                ContentPath.of_cache(path): path for path in (scopes.files if scopes else ()) if path != self.content
            }
            self._last_read = {name: stored_mtimes(path, time.time_ns()) for name, path in self._files.items()}
            entries = merged(_entries(self.content), scopes.mirrors if scopes else None)
            return list(mirrors_of(entries, Paths(self._settings, root)))
        except (OSError, ValueError, ContentError) as error:
            raise ContentError(f"{visible(self.content)} cannot be read ({visible(str(error))}): {REMEDY}") from None

    def _brought(self, mirror: Mirror, cancelled: Cancelled) -> Generator[str, None, Mirror]:
        environ = self._settings.environ
        credential, without = self._access(mirror)
        self.notes += tuple(f"{mirror.name}: {why}" for why in without)
        try:
            endpoint, region = mirror.entry.get("endpoint_url"), environ.get("AWS_REGION", "")
            endpoint = endpoint if isinstance(endpoint, str) else environ.get("S3_ENDPOINT_URL", "")
            url = resolve(mirror.url, insecure=self._asking.insecure, endpoint=endpoint, region=region)
            if credential is not None:
                self.credentials = {**self.credentials, url: credential}
            server = Server(self._servers, url, mirror.view, credential)
            yield from server.bring(cancelled)
        except (ContentError, FetchError) as error:
            self._refused[mirror.name] = "; ".join((str(error), *without))
            return mirror
        self.notes += tuple(server.notes)
        self.stale += tuple(server.stale)
        return replace(mirror, folder=str(server.copy.files), url=server.copy.url)

    def _access(self, mirror: Mirror) -> tuple[Credential | None, list[str]]:
        """Return the credential for a mirror, and notes about environment variables that cannot be used.

        The author of a `mirrors.yaml` could send the value of any environment variable to any host. Therefore a
        variable is used only if Spack's own configuration files name the variable.
        """
        if (named := named_by(mirror.entry)) and not self._asking.allow_env:
            own = {
                os.path.realpath(scope.folder)
                for scope in Scopes(find_spack(self._settings.environ), self._settings).all
            }
            folders = {each.folder for each in _texts(mirror.entry) if isinstance(each, ConfigText)}
            if not own.issuperset(map(os.path.realpath, folders)):
                why = "Spack's own configuration does not name it; to use it, give --allow-env"
                return None, [f"{visible(listed(named))} is not used as a credential: {why}"]
        found, unset = access(mirror.entry, mirror.url, self._settings.environ)
        return found, [f"{visible(variable)} is not set" for variable in unset]

    def _real_path(self, path: str) -> str:
        if path in self._files:
            return self._files[path]
        above = ((mirror.folder, _path_of(mirror.name)) for mirror in self._mirrors if mirror.folder)
        found = (f"{folder}/{path.removeprefix(own)}" for folder, own in above if path.startswith(own))
        return next(found, os.devnull)  # /dev/null differs from each file of a removed mirror

    def _read(self, cancelled: Cancelled) -> Segment:
        from cachetui.sources.buildcache.reader import Cache, read_caches

        caches = [
            Cache(mirror.folder, _path_of(mirror.name), mirror.name, mirror.view, mirror.url)
            for mirror in self._mirrors
        ]
        builder = SegmentBuilder()
        builder.files |= self._last_read
        builder.problems.extend(
            Problem.of(str(_path_of(name)), UNREAD_CACHE, f"the mirror {name} cannot be read: {why}", "note")
            for name, why in self._refused.items()
        )
        return read_caches(ContentPath.of_cache(), TAG, caches, cancelled, builder=builder)


def _path_of(mirror: str) -> ContentPath:
    """Return the path that the index uses for the folder of the mirror with this name."""
    return ContentPath.of_cache(f"{mirror}/")


def _texts(entry: object) -> Iterator[object]:
    """Yield a configuration entry and, recursively, all values inside the entry."""
    for each in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from _texts(each)
    yield entry
