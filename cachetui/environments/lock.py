"""What a `spack.lock` says: its roots, and the dependency graph of all its specs."""

from __future__ import annotations

from msgspec import Struct

from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.store.graph import Graph

HASHES_OVER_BUILD = 4
"""From this version of locks on (Spack 0.18) a hash depends on build dependencies too."""


class LockedRoot(Struct, frozen=True):
    """One spec that the user asked for."""

    hash: str
    """As build caches have it."""
    asked: str
    """As the user wrote it."""


class Lock(Struct, frozen=True):
    version: int
    """Of the form of the file, 1 to 6."""
    roots: tuple[LockedRoot, ...]
    """In the order of the file."""
    graph: Graph

    @property
    def hashed_types(self) -> frozenset[str]:
        """The types of dependencies that a hash depends on."""
        return ALL_TYPES if self.version >= HASHES_OVER_BUILD else LINK_RUN
