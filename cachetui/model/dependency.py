"""The vocabulary of dependencies: nodes and edges of the graph that the index of a build cache records."""

from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

ALL_TYPES = frozenset({"build", "link", "run", "test"})
LINK_RUN = frozenset({"link", "run"})
"""The types that an installation from binaries follows."""

HASHES_OVER_BUILD = 4
"""The version of locks (Spack 0.18) from which on a hash depends on build dependencies too."""

LANGUAGES = ("c", "cxx", "fortran")
"""The virtual packages that a compiler provides, in Spack's order."""

DEFAULT_GROUP = "default"
"""The group of roots without one."""


class State(IntEnum):
    """The state of a node in an index."""

    UNKNOWN = 0
    """Edges lead to it, but the index has no entry for it."""
    HOLE = 1
    """It has an entry, but no binary."""
    EXTERNAL = 2
    """It is installed outside of Spack and has to be on the host."""
    BINARY = 3
    """One of the caches holds its binary."""
    NAMED = 4
    """One of the caches holds its binary, but only a tag of a registry names it: its dependencies are not recorded."""


class LockRoot(Struct, frozen=True):
    """A root of a lock."""

    hash: str = ""
    spec: str = ""
    """In the user's words."""
    group: str = DEFAULT_GROUP
    """The set of roots that it belongs to, which Spack concretizes together."""


EdgeKind: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The dependency types of an edge, and the virtual packages that it provides."""


class Node(Struct, frozen=True, kw_only=True):
    """One spec of the graph, with texts as the index spells them; an unrecorded text is None or empty."""

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
    """The path of an external; empty for an external from a module, None for any other spec."""
    modules: tuple[str, ...]
    """The environment modules that provide an external."""
    package_hash: str | None
    """Spack's hash of the recipe of the package."""
    spliced_from: str | None
    """The hash of the spec that this one was spliced from."""
    tag: str
    """The tag whose build caches record it."""


class Edge(Struct, frozen=True):
    """One edge of a node: to a dependency, or in the answer of `dependents` to a dependent."""

    number: int
    """The number of the node at the other end."""
    types: tuple[str, ...]
    """Of `ALL_TYPES`."""
    virtuals: tuple[str, ...]
    """The virtual packages that the edge provides, such as `mpi`."""
