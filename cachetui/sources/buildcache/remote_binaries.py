"""The binaries of build caches on servers: what their manifests say, and how long their tarballs are.

With layout v3 the manifest of a binary is downloaded, into a local copy beside that of the indexes, and kept; with
layout v2 the server is asked for the length of the tarball (HEAD).
Input: URLs of caches and specs of an index.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from cachetui.model.presence import ABSENT, UNREAD, Presence
from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.binaries import Binaries, binary_in, is_url, path_v2, spec_manifest
from cachetui.sources.buildcache.fetched_index import V2_INDEX, V3_INDEX
from cachetui.sources.buildcache.manifests import (
    MAX_FILE,
    MAX_MANIFEST,
    SPEC_TYPE,
    read_manifest,
    read_spec_file,
)
from cachetui.sources.cache_folders import SPEC_FILE_ENDS
from cachetui.sources.source import Asking
from cachetui.sources.transport.address import OF_BINARIES, is_counted, is_repository
from cachetui.sources.transport.cache import Copy
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, MissingError, UntrustedError
from cachetui.sources.transport.registry import request_of
from cachetui.store.graph import Graph
from cachetui.workers.cancelling import Cancelled, never

PATIENCE = 3.0
"""Seconds to wait for one response of a server."""

AT_A_TIME = 8
"""Binaries on servers that are asked for in parallel."""

# The HTTP client is imported late, as few contents are on servers.


class RemoteBinaries:
    """The binaries on servers; one for the whole program, used from any thread."""

    def __init__(
        self,
        settings: Settings,
        asking: Asking,
        credentials: Mapping[str, Any] | None = None,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        """`changed` is called, in any thread, when more is known of a spec; for `credentials` see `Servers`."""
        from cachetui.sources.transport.cache import Servers

        self._servers = Servers(settings, asking, credentials)
        self._changed = changed
        self._lengths: dict[tuple[str, str], int | None] = {}
        """The bytes of tarballs of layout v2, by URL of the cache and hash."""

    def size(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        """Return the bytes to download for a spec of the build cache at a URL; None where that is not known.

        Raises FetchError where the server should not be asked again, and Interrupted.
        """
        if is_counted(cache):
            return self.brought(cache).size(spec)
        ways = [self._in_v3] if is_repository(cache) else [self._in_v3, self._in_v2]
        has_v2 = any(url == cache for url, _ in list(self._lengths))
        for way in reversed(ways) if has_v2 else ways:
            try:
                return way(cache, spec, cancelled)
            except (AwayError, DiskError, UntrustedError):
                raise
            except (FetchError, OSError, ValueError):
                continue
        return None

    def confirmed(self, cache: str) -> float | None:
        """Return when the server last confirmed the index of a cache, in seconds since the epoch; None if unknown."""
        copy = self._servers.copy(cache)
        return copy.confirmed(V3_INDEX) or copy.confirmed(V2_INDEX)

    def presence(self, cache: str, spec: Spec, cancelled: Cancelled) -> Presence:
        """Ask the server for the manifest of a binary and the length of its tarball; raises Interrupted."""
        found = ABSENT
        for way in [self._asked_v3] if is_repository(cache) else [self._asked_v3, self._asked_v2]:
            try:
                return way(cache, spec, cancelled)
            except (MissingError, ValueError):
                continue
            except (FetchError, OSError):
                found = UNREAD
        return found

    def _asked_v3(self, cache: str, spec: Spec, cancelled: Cancelled) -> Presence:
        copy, path = self._copy(cache, cancelled), spec_manifest(spec)
        try:
            copy.bring(path, MAX_MANIFEST, lambda _: None, until=time.monotonic() + PATIENCE)
        except MissingError:
            copy.remove(path)
            raise
        blob, where, is_signed = binary_in(copy.place(path).read_bytes())
        size = self._length(*request_of(cache, where), cancelled)
        return Presence(size == blob.content_length, is_signed, bytes=size)

    def _asked_v2(self, cache: str, spec: Spec, cancelled: Cancelled) -> Presence:
        tarball = path_v2(spec)
        above, base = tarball.split("/")[0], tarball.rpartition("/")[2].removesuffix(".spack")
        for end in SPEC_FILE_ENDS[:2]:
            with suppress(MissingError):
                self._length(*request_of(cache, f"{above}/{base}{end}"), cancelled)
                return Presence(True, end.endswith(".sig"), bytes=self._length(*request_of(cache, tarball), cancelled))
        return ABSENT

    def _length(self, url: str, headers: Mapping[str, str], cancelled: Cancelled) -> int | None:
        """Return the length that a server states for a file; raises FetchError."""
        from cachetui.sources.transport.transfer import length_in

        client = self._servers.client
        if client is None:
            raise AwayError("--offline asks no server")
        sent = {"Accept-Encoding": "identity", **headers}
        with closing(client.ask(url, sent, cancelled, time.monotonic() + PATIENCE, "HEAD")) as reply:
            return length_in(reply.headers.get("Content-Length", ""))

    def brought(self, cache: str) -> Binaries:
        """Return the local copy of a cache, with the manifests that were downloaded so far."""
        return Binaries(str(self._copy(cache).files))

    def _copy(self, cache: str, cancelled: Cancelled = never) -> Copy:
        """Return the copy beside that of the indexes, or that one where tags stand in the place of an index."""
        own = self._servers.copy(cache, cancelled=cancelled)
        is_by_tags = is_repository(cache) and own.place(V2_INDEX).is_file()
        return own if is_by_tags else self._servers.copy(cache, f"{cache}{OF_BINARIES}", cancelled)

    def _in_v3(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        copy = self._copy(cache, cancelled)
        path, until = spec_manifest(spec), time.monotonic() + PATIENCE

        def bring_details(file: Path) -> None:
            """Where only the tag is known, bring the spec itself, too."""
            config = read_manifest(file.read_bytes()).of_type(SPEC_TYPE)
            if config and config.path and config.content_length <= MAX_FILE and copy.place(V2_INDEX).is_file():
                copy.bring(
                    config.path,
                    config.content_length,
                    lambda spec_file: read_spec_file(spec_file.read_bytes()),
                    checksum=config.checksum,
                    until=until,
                )

        if not copy.place(path).is_file():
            copy.bring(path, MAX_MANIFEST, bring_details, until=until)
            if copy.place(V2_INDEX).is_file():
                self._changed()
        return self.brought(cache).size(spec)

    def _in_v2(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        key = cache, spec.hash or ""
        if key not in self._lengths:
            self._lengths[key] = self._length(*request_of(cache, path_v2(spec)), cancelled)
        return self._lengths[key]


def binaries_of(cache: str, graph: Graph, settings: Settings) -> Binaries:
    """Return the binaries of the cache at a folder, or in the local copy of a URL; they are kept with the graph."""
    if is_url(cache) and cache not in graph.kept:
        graph.kept[cache] = RemoteBinaries(settings, Asking(offline=True)).brought(cache)
    return binaries_in(cache, graph)


def binaries_in(folder: str, graph: Graph) -> Binaries:
    """Return the binaries of the cache in a folder, which are kept with the graph."""
    if folder not in graph.kept:
        graph.kept[folder] = Binaries(folder)
    found: Binaries = graph.kept[folder]
    return found
