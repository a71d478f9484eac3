"""The words for dependencies: what a node of the graph is, an edge, and the types that an edge has.

Everything here is frozen. Input: what the index of a build cache says of its specs.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

ALL_TYPES = frozenset({"build", "link", "run", "test"})
LINK_RUN = frozenset({"link", "run"})
"""The types that an installation from binaries follows."""

LANGUAGES = ("c", "cxx", "fortran")
"""The virtual packages that a compiler provides, in Spack's order."""


class State(IntEnum):
    """What an index says of a node."""

    UNKNOWN = 0
    """Only edges name it: there is no entry for it."""
    HOLE = 1
    """It has an entry as a dependency, but no binary."""
    EXTERNAL = 2
    """It is installed outside of Spack and has to be on the host."""
    BINARY = 3
    """One of the caches holds its binary."""


EdgeKind: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The dependency types of an edge, and the virtual packages that it provides."""


class Node(Struct, frozen=True, kw_only=True):
    """One node; texts as the index spells them, None or empty where it has nothing."""

    number: int
    hash: str
    name: str
    version: str
    namespace: str
    compiler: str | None
    os: str | None
    platform: str | None
    target: str | None
    variants: tuple[str, ...]
    state: State
    external: str | None
    """The path of an external; empty where it comes from a module, None for what is no external."""
    modules: tuple[str, ...]
    """The modules that an external comes from."""
    package_hash: str | None
    """Changes with the recipe of the package."""
    spliced_from: str | None
    """The hash of the spec that this one was spliced from."""
    tag: str
    """The tag whose caches know it."""


class Edge(Struct, frozen=True):
    """One step: to what is needed, or for `dependents` to what needs it."""

    number: int
    """Of the node at the other end."""
    types: tuple[str, ...]
    """Of `ALL_TYPES`."""
    virtuals: tuple[str, ...]
    """The virtual packages that the edge provides, such as `mpi`."""
