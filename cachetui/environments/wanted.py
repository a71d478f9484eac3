"""What a user wants installed: hashes, roots of a `spack.lock`, specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.store.graph import Graph

if TYPE_CHECKING:
    from cachetui.environments.expected import Expectation

HASHES_OVER_BUILD = 4
"""The version of locks (Spack 0.18) from which on a hash depends on build dependencies too."""


class Lock(Struct, frozen=True):
    version: int
    """Of the format, 1 to 6."""
    roots: tuple[tuple[str, str], ...]
    """Of each root, in the order of the file, the hash that build caches know, and the spec as the user wrote it."""
    graph: Graph

    @property
    def hashed_types(self) -> frozenset[str]:
        """The types of dependencies that are part of a hash."""
        return ALL_TYPES if self.version >= HASHES_OVER_BUILD else LINK_RUN


class Asked(Struct, frozen=True):
    """One thing to install: either a hash, perhaps the root of a lock, or a spec."""

    text: str
    """As the user wrote it."""
    hash: str | None = None
    """The hash or the beginning of one."""
    lock: Lock | None = None
    """The lock that the hash is a root of."""
    expectation: Expectation | None = None
    """The spec to find a build for."""


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """In the order in which they were named."""
    notes: tuple[str, ...] = ()
    """What was not applied, for the user."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The locks among them, each once."""
        return tuple({id(each.lock): each.lock for each in self.asked if each.lock is not None}.values())
