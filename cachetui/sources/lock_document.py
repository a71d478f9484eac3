"""Read a `spack.lock` of any version (1 to 6, Spack 0.8 to 1.x) as nodes and roots.

In versions 2 and 3 the keys of specs, which edges name, are build hashes, and the hash that databases know is a field
of each spec; in version 1, and from version 4 on, this is the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Raw, Struct

from cachetui.sources.buildcache.node import WrittenNode, read_node

DEEPEST = 20
"""Most levels of environments that include each other."""

_HASH = re.compile(rb"[a-z2-7]{32}")


class LockDocument(Struct, frozen=True):
    """The content of a lock, with that of the environments that it includes."""

    version: int
    roots: tuple[tuple[str, str], ...]
    """Hash and spec of each root, as the user wrote the spec."""
    nodes: Mapping[str, WrittenNode]
    """All specs by their hashes."""


class _Meta(Struct):
    lockfile_version: int = msgspec.field(name="lockfile-version", default=1)


class _Root(Struct):
    hash: str = ""
    spec: str = ""


class _Written(Struct):
    """A lock, or the part of one for an environment that it includes."""

    meta: Raw = msgspec.field(name="_meta", default=Raw(b"{}"))
    roots: list[_Root] = []
    concrete_specs: dict[str, Raw] = {}
    include_concrete: dict[str, _Written] = {}


def read_lock(text: str | bytes) -> LockDocument:
    """Read the text of a lock; raises ValueError."""
    try:
        parts = list(_parts(msgspec.json.decode(text, type=_Written)))
        version = msgspec.json.decode(parts[0].meta, type=_Meta).lockfile_version
        specs = {key: read_node(raw) for part in parts for key, raw in part.concrete_specs.items()}
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    hashes = {key: node.hash or key for key, node in specs.items()}
    if any(key != node_hash for key, node_hash in hashes.items()):
        _rekey(specs.values(), hashes)
    roots = ((hashes.get(root.hash, root.hash), root.spec) for part in parts for root in part.roots)
    return LockDocument(version, tuple(dict.fromkeys(roots)), {hashes[key]: node for key, node in specs.items()})


def _rekey(nodes: Iterable[WrittenNode], hashes: Mapping[str, str]) -> None:
    """Put the hashes that databases know in place of the keys that edges name."""
    known = {key.encode(): node_hash.encode() for key, node_hash in hashes.items()}
    for node in nodes:
        node.dependencies = Raw(_HASH.sub(lambda found: known.get(found[0], found[0]), bytes(node.dependencies)))


def _parts(lock: _Written, depth: int = 0) -> Iterator[_Written]:
    """Yield the lock and all that it includes."""
    if depth > DEEPEST:
        raise ValueError("environments include each other too deeply")
    yield lock
    for included in lock.include_concrete.values():
        yield from _parts(included, depth + 1)
