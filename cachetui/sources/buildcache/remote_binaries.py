"""Find the sizes and signatures of binaries in folders and on servers, and the sizes of installed specs.

In layout v3, the manifest of a binary is downloaded and kept in a second local copy, next to the copy of the indexes.
In layout v2, a HEAD request returns the size of the tarball. The size of an installed spec comes from the manifest that
Spack writes into the prefix.
Input: an index, the folders and URLs of its build caches, and the prefixes of installations.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import msgspec
from msgspec.structs import replace

from cachetui.model.dependency import State
from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.binaries import Binaries, file_name, is_url, path_v2, spec_manifest
from cachetui.sources.buildcache.layouts import V2_INDEX, V3_INDEX
from cachetui.sources.buildcache.manifests import (
    MAX_FILE_BYTES,
    MAX_MANIFEST_BYTES,
    SPEC_TYPE,
    read_manifest,
    read_spec_file,
)
from cachetui.sources.files import load
from cachetui.sources.source import Asking
from cachetui.sources.transport.address import BINARIES_SUFFIX, is_counted, is_repository
from cachetui.sources.transport.cache import Copy, Servers, length_in
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, MissingError, UntrustedError
from cachetui.sources.transport.registry import request_of, tag_of
from cachetui.store.graph import Graph, closure
from cachetui.workers.cancelling import Cancelled, Interrupted, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Reply

SIZE_SECONDS = 3.0
"""Maximum seconds to wait for a response from which only a size is shown to the user."""

ASK_SECONDS = 15.0
"""Maximum seconds to wait for a response that decides whether a binary is available."""

MAX_REQUESTS = 8
"""Maximum number of binaries to request from servers in parallel."""

MAX_PREFIX_BYTES = 2**45
"""The maximum size of a prefix, in bytes. A manifest with a greater size is damaged."""

# The HTTP client is imported late, because few contents are on servers.


class RemoteBinaries:
    """The binaries on servers. All threads of the program use the same object."""

    def __init__(
        self,
        settings: Settings,
        asking: Asking,
        credentials: Mapping[str, Any] | None = None,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        """`changed` is called, in any thread, after a server has sent data. For `credentials`, see `Servers`."""
        self._servers = Servers(settings, asking, credentials)
        self._changed = changed
        self._lengths: dict[tuple[str, str], int | None] = {}
        """The size of tarballs of layout v2 in bytes, keyed by the URL of the build cache and the hash."""

    def size(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        """Return the download size, in bytes, of a spec in the build cache at this URL, or None if unknown.

        Raises Interrupted. Raises FetchError if all further requests would fail, too.
        """
        if is_counted(cache):
            return self.brought(cache).size(spec)
        layouts = [self._in_v3] if is_repository(cache) else [self._in_v3, self._in_v2]
        has_v2 = any(url == cache for url, _ in list(self._lengths))
        for size_in in reversed(layouts) if has_v2 else layouts:
            try:
                return size_in(cache, spec, cancelled)
            except (AwayError, DiskError, UntrustedError):
                raise
            except (OSError, ValueError):
                continue
        return None

    def confirmed(self, cache: str) -> float | None:
        """Return when the server last confirmed the index of a build cache, in epoch seconds, or None if unknown."""
        copy = self._servers.copy(cache)
        return copy.confirmed(V3_INDEX) or copy.confirmed(V2_INDEX)

    def load(self, cache: str, path: str, most: int, cancelled: Cancelled) -> bytes:
        """Return the content of a file of at most `most` bytes, and keep the file in the local copy.

        Raises FetchError and OSError.
        """
        copy = self._copy(cache, cancelled)
        try:
            return copy.bring(path, most, lambda _: None, until=time.monotonic() + ASK_SECONDS).read_bytes()
        except MissingError:
            copy.remove(path)
            raise

    def length(self, cache: str, path: str, cancelled: Cancelled) -> int | None:
        """Return the size of a file in bytes, as reported by its server, or None if unknown. Raises FetchError."""
        with self._reply("HEAD", cache, path, cancelled, time.monotonic() + ASK_SECONDS) as reply:
            return length_in(reply.headers.get("Content-Length", ""))

    def sha256(self, cache: str, path: str, cancelled: Cancelled) -> str:
        """Download a file, and return its checksum without saving the file. Raises FetchError."""
        digest = hashlib.sha256()

        def receive() -> None:
            for piece in reply.pieces():
                digest.update(piece)

        with self._reply("GET", cache, path, cancelled, math.inf) as reply:
            reply.wait(receive)
        return digest.hexdigest()

    @contextmanager
    def _reply(self, method: str, cache: str, path: str, cancelled: Cancelled, until: float) -> "Iterator[Reply]":
        if self._servers.client is None:
            raise AwayError("with --offline, cachetui sends no requests")
        url, headers = request_of(cache, path)
        sent = {"Accept-Encoding": "identity", **headers}
        with closing(self._servers.client.ask(url, sent, cancelled, until, method)) as reply:
            yield reply

    def brought(self, cache: str) -> Binaries:
        """Return the binaries in the local copy of a build cache. Only a binary with a downloaded manifest is known."""
        return Binaries(str(self._copy(cache).files))

    def _copy(self, cache: str, cancelled: Cancelled = never) -> Copy:
        """Return the local copy that contains the manifests of binaries.

        Usually, the index is in another local copy. For a registry without an index, both are in the same copy.
        """
        own = self._servers.copy(cache, cancelled=cancelled)
        is_by_tags = is_repository(cache) and own.place(V2_INDEX).is_file()
        return own if is_by_tags else self._servers.copy(cache, f"{cache}{BINARIES_SUFFIX}", cancelled)

    def _in_v3(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        copy = self._copy(cache, cancelled)
        path, until = spec_manifest(spec), time.monotonic() + SIZE_SECONDS

        def bring_details(file: Path) -> None:
            """Download the spec file of a binary in a registry, because an image tag contains little data on a spec."""
            config = read_manifest(file.read_bytes()).of_type(SPEC_TYPE)
            if config and config.path and config.content_length <= MAX_FILE_BYTES and copy.place(V2_INDEX).is_file():
                copy.bring(
                    config.path,
                    config.content_length,
                    lambda spec_file: read_spec_file(spec_file.read_bytes()),
                    checksum=config.checksum,
                    until=until,
                )

        if not copy.place(path).is_file():
            copy.bring(path, MAX_MANIFEST_BYTES, bring_details, until=until)
            if copy.place(V2_INDEX).is_file():
                self._changed()
        return self.brought(cache).size(spec)

    def _in_v2(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        key = cache, spec.hash or ""
        if key not in self._lengths:
            self._lengths[key] = self.length(cache, path_v2(spec), cancelled)
        return self._lengths[key]


def binaries_of(cache: str, graph: Graph, settings: Settings) -> Binaries:
    """Return the binaries of a build cache, which is a folder or a URL with a local copy.

    The result is cached in `graph.open_readers`.
    """
    if is_url(cache) and cache not in graph.open_readers:
        graph.open_readers[cache] = RemoteBinaries(settings, Asking(offline=True)).brought(cache)
    return binaries_in(cache, graph)


def binaries_in(folder: str, graph: Graph) -> Binaries:
    """Return the binaries of the build cache in a folder. The result is cached in `graph.open_readers`."""
    found: Binaries = graph.open_readers.setdefault(folder, Binaries(folder))
    return found


# The signatures and images of specs. These functions send no requests. For servers, they read the local copy.


def with_signature(spec: Spec, graph: Graph, settings: Settings) -> Spec:
    """Return a copy of a spec that also states whether its binary is signed."""
    return replace(spec, signed=is_signed(spec, graph.mirror(spec.tag, spec.stacks), graph, settings))


def is_signed(spec: Spec, cache: str | None, graph: Graph, settings: Settings) -> bool | None:
    """Return whether a binary is signed, or None if unknown. `cache` is the folder or URL of its build cache.

    Binaries in registries are never signed.
    """
    if cache is None:
        return None
    return False if is_repository(cache) else binaries_of(cache, graph, settings).is_signed(spec)


def seems_signed(graph: Graph, settings: Settings) -> Callable[[Spec, str | None], bool | None]:
    """Return a function that returns whether a binary is signed, or None if unknown.

    If this is unknown for a binary, the function examines the first binary in the same build cache instead.
    """

    def seems(spec: Spec, cache: str | None) -> bool | None:
        own = is_signed(spec, cache, graph, settings)
        return binaries_of(cache, graph, settings).has_signed if own is None and cache is not None else own

    return seems


def pull_command(spec: Spec, graph: Graph, settings: Settings) -> str:
    """Return the command with which users pull the image of a spec from a registry.

    Return an empty string if the layers of the image are unknown, or do not include a base image.
    """
    cache, number = graph.mirror(spec.tag, spec.stacks), graph.number(spec.hash or "")
    if cache is None or number is None or not is_repository(cache):
        return ""
    own = [needed for needed in closure(graph, [number]) if graph.state(needed) != State.EXTERNAL]
    if binaries_of(cache, graph, settings).layers(spec) <= len(own):
        return ""
    tag = tag_of(file_name(f"{spec.package}-{spec.version}-{spec.hash}"))
    return f"docker pull {cache.partition('://')[2]}:{tag}"


# Sizes


class Specs(Protocol):
    """The part of an index's interface that `Sizes` uses."""

    @property
    def graph(self) -> Graph:
        """The dependency graph, which includes the folders and URLs of the build caches."""

    def rows_of(self, node_hash: str) -> Iterable[int]:
        """Return the numbers of the rows with a hash."""

    def spec(self, row: int) -> Spec:
        """Return the spec in the row with this number."""


class Sizes:
    """Finds the size for a hash: the download size of its binary, otherwise the size of the installed spec."""

    def __init__(self, index: Specs, remote: RemoteBinaries | None = None, cancelled: Cancelled = never) -> None:
        """With `remote`, also request sizes from servers."""
        self._index, self._remote, self._cancelled = index, remote, cancelled
        self._away: set[str] = set()
        """The build caches to which no more requests are sent, because a request failed."""

    def __call__(self, spec_hash: str) -> int | None:
        """Return the size for a hash in bytes, or None if unknown. Raises Interrupted."""
        specs = map(self._index.spec, self._index.rows_of(spec_hash))
        caches_first = sorted(specs, key=lambda spec: spec.state is not None)
        return next((size for size in map(self._size, caches_first) if size is not None), None)

    def each(self, hashes: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        """Yield each hash with its size in bytes, or None if unknown, in any order. End early if cancelled.

        Several requests are sent to servers at the same time.
        """
        if self._remote is None:
            for spec_hash in hashes:
                if self._cancelled():
                    return
                yield spec_hash, self(spec_hash)
            return
        from concurrent.futures import ThreadPoolExecutor, as_completed

        with ThreadPoolExecutor(MAX_REQUESTS) as pool:
            asked = {pool.submit(self, spec_hash): spec_hash for spec_hash in hashes}
            try:
                for future in as_completed(asked):
                    yield asked[future], future.result()
            except Interrupted:
                return
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _size(self, spec: Spec) -> int | None:
        if spec.bytes is not None:
            return spec.bytes
        cache = self._index.graph.mirror(spec.tag, spec.stacks)
        if cache is None:
            return installed_size(spec)
        if not is_url(cache):
            return binaries_in(cache, self._index.graph).size(spec)
        if self._remote is None or cache in self._away:
            return None
        try:
            return self._remote.size(cache, spec, self._cancelled)
        except FetchError:
            self._away.add(cache)
            return None


class _File(msgspec.Struct):
    """The entry for a path in the manifest of a prefix. Folders and links have no size."""

    size: Annotated[int, msgspec.Meta(ge=0, le=MAX_PREFIX_BYTES)] = 0


def installed_size(spec: Spec) -> int | None:
    """Return the size of an installed spec in bytes, from Spack's manifest of its prefix.

    Return 0 if the prefix was removed. Return None if the spec is external or the size is unknown.
    """
    if spec.state not in ("installed", "upstream") or spec.prefix is None:
        return 0 if spec.state == "gone" else None
    try:
        data = load(f"{spec.prefix}/.spack/install_manifest.json", MAX_FILE_BYTES)
        size = sum(file.size for file in msgspec.json.decode(data, type=dict[str, _File]).values())
    except (OSError, ValueError, RecursionError):
        return None
    return size if size <= MAX_PREFIX_BYTES else None


def has_urls(graph: Graph) -> bool:
    """Return whether any build cache of the graph is on a server."""
    return any(is_url(cache) for caches in graph.mirrors for cache in caches.values())
