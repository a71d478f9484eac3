"""The nodes and edges of the dependency graph that the index of a build cache records."""

from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

ALL_TYPES = frozenset({"build", "link", "run", "test"})
LINK_RUN = frozenset({"link", "run"})
"""The dependency types that an installation from binaries needs."""

HASHES_OVER_BUILD = 4
"""From this version of locks on (Spack 0.18), a hash depends on build dependencies too."""

LANGUAGES = ("c", "cxx", "fortran")
"""The virtual packages that a compiler provides, in Spack's order."""

DEFAULT_GROUP = "default"
"""The name of the group of roots that no group is named for."""


class State(IntEnum):
    """The state of a node in an index."""

    UNKNOWN = 0
    """The index has no entry for the node; only edges lead to it."""
    HOLE = 1
    """The index has an entry for the node, but no cache has its binary."""
    EXTERNAL = 2
    """The node is not installed by Spack; the host must provide it."""
    BINARY = 3
    """One of the caches has the binary of the node."""
    NAMED = 4
    """One of the caches has the binary, but no record of its dependencies: only a tag of a registry names it."""


class LockRoot(Struct, frozen=True):
    """A root of a lock."""

    hash: str = ""
    spec: str = ""
    """The root as the user wrote it."""
    group: str = DEFAULT_GROUP
    """The name of its group: Spack concretizes the roots of a group together."""


EdgeKind: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The dependency types of an edge, and the virtual packages that it provides."""


class Node(Struct, frozen=True, kw_only=True):
    """One spec of the graph. Texts are spelled as in the index; a text that is not recorded is None or empty."""

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
    """The hash of the spec from which this spec was spliced."""
    tag: str
    """The tag of the build caches that record the node."""


class Edge(Struct, frozen=True):
    """One edge of a node: to a dependency, or to a dependent in the result of `dependents`."""

    number: int
    """The number of the other node."""
    types: tuple[str, ...]
    """The dependency types, a subset of `ALL_TYPES`."""
    virtuals: tuple[str, ...]
    """The virtual packages that the edge provides, such as `mpi`."""
