"""What a user asks for, whatever form he gave it: each thing with a hash, perhaps of a `spack.lock`, or as a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.store.graph import Graph

if TYPE_CHECKING:
    from cachetui.environments.expected import Expectation

HASHES_OVER_BUILD = 4
"""From this version of locks on (Spack 0.18) a hash depends on build dependencies too."""


class Lock(Struct, frozen=True):
    version: int
    """Of the form of the file, 1 to 6."""
    roots: tuple[tuple[str, str], ...]
    """In the order of the file the hash of each, as build caches have it, and what the user wrote."""
    graph: Graph

    @property
    def hashed_types(self) -> frozenset[str]:
        """The types of dependencies that a hash depends on."""
        return ALL_TYPES if self.version >= HASHES_OVER_BUILD else LINK_RUN


class Asked(Struct, frozen=True):
    """One thing that should install: just one of the fields beside `text` is given."""

    text: str
    """As the user wrote it."""
    hash: str | None = None
    """A hash or the beginning of one."""
    lock: Lock | None = None
    """The lock that has this hash as a root."""
    expectation: Expectation | None = None
    """A spec to choose a build for."""


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """In the order in which they were named."""
    notes: tuple[str, ...] = ()
    """What was passed over, for the user."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The locks among them, each once."""
        found: list[Lock] = []
        for each in self.asked:
            if each.lock is not None and not any(each.lock is lock for lock in found):
                found.append(each.lock)
        return tuple(found)
