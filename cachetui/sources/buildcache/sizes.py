"""Find the sizes of binaries in build caches, and the sizes of installed specs.

The size of an installed spec comes from the manifest that Spack writes into the prefix.
Input: an index, the folders and URLs of its build caches, and the prefixes of installations.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Protocol

import msgspec

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binaries import is_url
from cachetui.sources.buildcache.manifests import MAX_FILE_BYTES
from cachetui.sources.buildcache.remote_binaries import MAX_REQUESTS, RemoteBinaries, binaries_in
from cachetui.sources.files import load
from cachetui.sources.transport.errors import FetchError
from cachetui.store.graph import Graph
from cachetui.workers.cancelling import Cancelled, Interrupted, never

MAX_PREFIX_BYTES = 2**45
"""The maximum size of a prefix, in bytes. A manifest with a greater size is damaged."""


class Specs(Protocol):
    """The interface of an index, as far as `Sizes` uses it."""

    @property
    def graph(self) -> Graph:
        """The dependency graph, which includes the folders and URLs of the build caches."""

    def rows_of(self, node_hash: str) -> Iterable[int]:
        """Return the rows with a hash."""

    def spec(self, row: int) -> Spec:
        """Return the spec in a row."""


class Sizes:
    """Finds the size for a hash: the download size of its binary, otherwise the size of the installed spec."""

    def __init__(self, index: Specs, remote: RemoteBinaries | None = None, cancelled: Cancelled = never) -> None:
        """With `remote`, also request sizes from servers."""
        self._index, self._remote, self._cancelled = index, remote, cancelled
        self._away: set[str] = set()
        """The build caches to which no more requests are sent, because a request failed."""

    def __call__(self, spec_hash: str) -> int | None:
        """Return the size for a hash in bytes, or None if unknown. Raises Interrupted."""
        caches_first = sorted(self._places(spec_hash), key=lambda place: place[0].state is not None)
        sizes = (self._size(spec, cache) for spec, cache in caches_first)
        return next((size for size in sizes if size is not None), None)

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

    def _places(self, spec_hash: str) -> Iterator[tuple[Spec, str | None]]:
        """Yield the specs with a hash, each with the folder or URL of its build cache."""
        for row in self._index.rows_of(spec_hash):
            spec = self._index.spec(row)
            yield spec, self._index.graph.mirror(spec.tag, spec.stacks)

    def _size(self, spec: Spec, cache: str | None) -> int | None:
        if spec.bytes is not None:
            return spec.bytes
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

    Return None if the spec is external or the size is unknown.
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
