"""The nodes and edges of the dependency graph that the index of a build cache records."""

from enum import IntEnum

from msgspec import Struct

ALL_TYPES = frozenset({"build", "link", "run", "test"})
LINK_RUN = frozenset({"link", "run"})
"""The dependency types that an installation from binaries needs."""

WITH_BUILD = LINK_RUN | {"build"}
"""The types of dependencies that an installation from source needs."""

HASHES_OVER_BUILD = 4
"""The first version of the lock format (Spack 0.18) in which the hash of a spec includes its build dependencies."""

LANGUAGES = ("c", "cxx", "fortran")
"""The virtual packages that a compiler provides, in Spack's order."""

DEFAULT_GROUP = "default"
"""The name of the group for roots without a group."""


class State(IntEnum):
    """The state of a node in an index."""

    UNKNOWN = 0
    """The node occurs only as a dependency and has no entry of its own in the index."""
    HOLE = 1
    """The index has an entry for the node, but no cache has its binary."""
    EXTERNAL = 2
    """The host must provide the node, which Spack did not build."""
    BINARY = 3
    """One of the caches has the binary of the node."""
    NAMED = 4
    """A registry has an image of the binary, but only the image tag was read. The dependencies are unknown."""


class LockRoot(Struct, frozen=True):
    """A root spec of a lock file."""

    hash: str = ""
    spec: str = ""
    """The root as the user wrote it."""
    group: str = DEFAULT_GROUP
    """The name of the root's group. Spack concretizes the roots of a group together."""


EdgeKind = tuple[tuple[str, ...], tuple[str, ...]]
"""The dependency types of an edge, and the virtual packages that the dependency provides."""


class Node(Struct, frozen=True, kw_only=True):
    """One spec of the graph, in the spelling of the index. A missing value is None or empty."""

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
    """The hash of the spec from which this spec was spliced; None if the spec was built as it is."""
    tag: str
    """The tag of the build caches that record the node."""


class Edge(Struct, frozen=True):
    """An edge from a node to a dependency or, in the result of `dependents`, to a dependent."""

    number: int
    """The id (`Node.number`) of the other node."""
    types: tuple[str, ...]
    """The dependency types, a subset of `ALL_TYPES`."""
    virtuals: tuple[str, ...]
    """The virtual packages, such as `mpi`, that the dependency provides to the dependent."""
