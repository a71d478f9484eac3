"""What binaries take: as their pages say, else as the build cache has them, on this machine or on a server.

Input: an index, and the folders and URLs of its build caches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binary_file import Binaries
from cachetui.store.graph import Graph
from cachetui.workers.cancelling import Cancelled, Interrupted, never

if TYPE_CHECKING:
    from cachetui.sources.buildcache.remote_binaries import RemoteBinaries

AT_A_TIME = 8
"""Binaries on servers that are asked for side by side."""


class Specs(Protocol):
    """What is asked of an index."""

    @property
    def graph(self) -> Graph:
        """The dependency graph, which knows the folders of the caches."""

    def rows_of(self, node_hash: str) -> Iterable[int]:
        """Return the rows with this hash."""

    def spec(self, row: int) -> Spec:
        """Return everything known of a row."""


class Sizes:
    """The bytes to download for a hash; each cache is asked for what it holds only when it has to be."""

    def __init__(self, index: Specs, remote: RemoteBinaries | None = None, cancelled: Cancelled = never) -> None:
        """Without `remote` no server is asked."""
        self._index = index
        self._caches: dict[str, Binaries] = {}
        self._remote = remote.asked(cancelled) if remote else None
        self._cancelled = cancelled

    def __call__(self, spec_hash: str) -> int | None:
        """Bytes; None where nothing tells. Raises Interrupted where a server is asked and it is cancelled."""
        for spec, cache in self._places(spec_hash):
            size = self._size(spec, cache)
            if size is not None:
                return size
        return None

    def each(self, hashes: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        """Yield each hash with its bytes, in any order: those on servers are asked for side by side.

        Ends early once it is cancelled.
        """
        far = []
        for spec_hash in hashes:
            if self._cancelled():
                return
            if self._remote and any(_is_url(cache) for _, cache in self._places(spec_hash)):
                far.append(spec_hash)
            else:
                yield spec_hash, self(spec_hash)
        if far:
            yield from self._each_far(far)

    def _each_far(self, hashes: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        from concurrent.futures import ThreadPoolExecutor, as_completed  # late: content without servers needs none

        with ThreadPoolExecutor(AT_A_TIME) as pool:
            asked = {pool.submit(self, spec_hash): spec_hash for spec_hash in hashes}
            try:
                for future in as_completed(asked):
                    yield asked[future], future.result()
            except Interrupted:
                return
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _places(self, spec_hash: str) -> Iterator[tuple[Spec, str | None]]:
        """Yield the specs with this hash, each with the folder or URL of its build cache."""
        for row in self._index.rows_of(spec_hash):
            spec = self._index.spec(row)
            yield spec, self._index.graph.mirror(spec.tag, spec.stacks)

    def _size(self, spec: Spec, cache: str | None) -> int | None:
        if isinstance(spec.size, int):
            return spec.size
        if cache is None:
            return None
        if _is_url(cache):
            return self._remote.size(cache, spec) if self._remote else None
        binary = self._caches.setdefault(cache, Binaries(cache)).find(spec.package, spec.version or "", spec.hash or "")
        return binary.size if binary is not None else None


def has_urls(graph: Graph) -> bool:
    """Return whether a build cache of these is on a server."""
    return any(_is_url(cache) for caches in graph.mirrors for cache in caches.values())


def _is_url(cache: str | None) -> bool:
    return cache is not None and "://" in cache
