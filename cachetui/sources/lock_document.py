"""Read a `spack.lock` of any version (1 to 8, Spack 0.8 to 1.3), or a `spec.json`, as nodes and roots.

In a lock, each spec has a key, and edges refer to specs by key. In lock versions 2 and 3, the key is a build hash, and
a field of the spec contains the hash that Spack's databases use. In all other versions, the key is this hash.
"""

import re
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from cachetui.model.budget import MAX_SPECS, Budget
from cachetui.model.dependency import HASHES_OVER_BUILD, LockRoot
from cachetui.model.spec import at_version
from cachetui.sources.buildcache.index_document import KNOWN_NODE, raw_fields, strict_struct, unknown_key
from cachetui.sources.buildcache.manifests import decoded, read_spec_file
from cachetui.sources.buildcache.node import NOTHING, WrittenNode, read_node

MAX_INCLUDED_LEVELS = 20
"""Maximum number of levels of environments that include other environments."""

WITH_GROUPS = 7
"""The first lock version with groups of roots (Spack 1.2)."""


class LockDocument(Struct, frozen=True):
    """The content of a lock file, with all included environments."""

    version: int
    roots: tuple[LockRoot, ...]
    nodes: Mapping[str, WrittenNode]
    """All specs, keyed by hash."""
    own: int
    """The number of entries in `roots` that are not from included environments. These entries are first."""
    new_key: str = ""
    """The first unknown key in a lock from a newer version of Spack. Empty if all keys are known."""


_KNOWN_ROOT = strict_struct("Root", raw_fields("hash spec group"))
_KNOWN_LOCK = strict_struct(
    "Lock",
    [
        ("roots", list[_KNOWN_ROOT]),  # type: ignore[valid-type]  # made at run time
        ("concrete_specs", dict[str, KNOWN_NODE]),  # type: ignore[valid-type]  # made at run time
        *raw_fields("_meta spack include_concrete"),
    ],
)
"""The known keys of a lock, up to version 8."""


class _LockMeta(Struct):
    lockfile_version: int = msgspec.field(name="lockfile-version", default=1)


class _LockPart(Struct):
    """A lock, or the section of a lock for an included environment."""

    meta: Raw = msgspec.field(name="_meta", default=Raw(b"{}"))
    roots: list[LockRoot] = []
    concrete_specs: dict[str, Raw] = {}
    spec: Raw = NOTHING
    """The content of a `spec.json`, which has no other fields."""
    include_concrete: dict[str, "_LockPart"] = {}


def read_lock(text: str | bytes) -> LockDocument:
    """Read the text of a lock or a `spec.json`. In a `spec.json`, the spec is the only root. Raises ValueError."""
    written = decoded(text, _LockPart)
    if written.spec is not NOTHING:
        return _one_spec(text)
    parts = list(_parts(written, Budget("the lock file", "roots", MAX_SPECS)))
    version = msgspec.json.decode(parts[0].meta, type=_LockMeta).lockfile_version
    specs = {key: read_node(raw) for part in parts for key, raw in part.concrete_specs.items()}
    hashes = {key: node.hash or key for key, node in specs.items()}
    other_keys = {key.encode(): node_hash.encode() for key, node_hash in hashes.items() if key != node_hash}
    for node in specs.values() if other_keys else ():  # replace the keys in the edges by hashes
        edges = re.sub(rb"[a-z2-7]{32}", lambda found: other_keys.get(found[0], found[0]), bytes(node.dependencies))
        node.dependencies = Raw(edges)
    roots = [
        dict.fromkeys(replace(root, hash=hashes.get(root.hash, root.hash)) for root in part.roots) for part in parts
    ]
    by_hash = {hashes[key]: node for key, node in specs.items()}
    new_key = unknown_key(text, _KNOWN_LOCK) if version >= WITH_GROUPS else ""
    return LockDocument(
        version, tuple(dict.fromkeys(root for own in roots for root in own)), by_hash, len(roots[0]), new_key
    )


def _one_spec(text: str | bytes) -> LockDocument:
    """Read the output of `spack spec --json`, or the `spec.json` of an installed spec. Raises ValueError."""
    file = read_spec_file(text.encode() if isinstance(text, str) else text)
    if file.faults:
        raise ValueError(file.faults[0])
    root, nodes = file.nodes[0], {node.hash: node for node in file.nodes if node.hash}
    if not root.hash:
        raise ValueError("its spec has no hash: use the output of spack spec --json")
    return LockDocument(HASHES_OVER_BUILD, (LockRoot(root.hash, at_version(root.name, root.version)),), nodes, 1)


def _parts(lock: _LockPart, budget: Budget, depth: int = 0) -> Iterator[_LockPart]:
    """Yield a lock, and the sections of all environments that the lock includes directly or indirectly."""
    if depth > MAX_INCLUDED_LEVELS:
        raise ValueError("environments include each other too deeply")
    budget.spend(len(lock.roots))
    yield lock
    for included in lock.include_concrete.values():
        yield from _parts(included, budget, depth + 1)
