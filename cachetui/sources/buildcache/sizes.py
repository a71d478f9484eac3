"""What binaries take: as their pages say, else as the build cache on this machine has them.

Input: an index, and the folders of its build caches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binaries import Binaries
from cachetui.store.graph import Graph


class Specs(Protocol):
    """What is asked of an index."""

    @property
    def graph(self) -> Graph:
        """The dependency graph, which knows the folders of the caches."""

    def rows_of(self, node_hash: str) -> Iterable[int]:
        """The rows with this hash."""

    def spec(self, row: int) -> Spec:
        """Everything known of a row."""


class Sizes:
    """The bytes to download for a hash; each cache is asked for what it holds only when it has to be."""

    def __init__(self, index: Specs) -> None:
        self._index = index
        self._caches: dict[str, Binaries] = {}

    def __call__(self, spec_hash: str) -> int | None:
        """Bytes; None where nothing tells."""
        for row in self._index.rows_of(spec_hash):
            spec = self._index.spec(row)
            if isinstance(spec.size, int):
                return spec.size
            folder = self._index.graph.mirror(spec.tag, spec.stacks)
            if folder is not None:
                cache = self._caches.setdefault(folder, Binaries(folder))
                binary = cache.find(spec.package, spec.version or "", spec_hash)
                if binary is not None and binary.size is not None:
                    return binary.size
        return None
