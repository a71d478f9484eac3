"""A `spack.lock` of any version (1 to 6, Spack 0.8 to 1.x): its roots, and the dependency graph of all its specs.

In versions 2 and 3 the keys of specs, which edges name, are build hashes, and the hash that build caches know is a
field of each spec; in version 1, and from version 4 on, this is the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Raw, Struct

from cachetui.environments.files import FileError
from cachetui.environments.wanted import Lock
from cachetui.sources.buildcache.columns import nodes_of
from cachetui.sources.buildcache.node import Entry, WrittenNode, read_node
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.store.graph import Graph

DEEPEST = 20
"""Most levels of environments that include each other."""

_HASH = re.compile(rb"[a-z2-7]{32}")


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


def parse_lock(text: str) -> Lock:
    """Read the text of a lock; raises FileError."""
    try:
        parts = list(_parts(msgspec.json.decode(text, type=_Written)))
        version = msgspec.json.decode(parts[0].meta, type=_Meta).lockfile_version
        specs = {key: read_node(raw) for part in parts for key, raw in part.concrete_specs.items()}
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise FileError(f"no readable spack.lock: {error}") from None
    if not specs:
        raise FileError("no spack.lock: there are no concrete specs in it; spack concretize writes them")
    hashes = {key: node.hash or key for key, node in specs.items()}
    if any(key != node_hash for key, node_hash in hashes.items()):
        _rekey(specs.values(), hashes)
    builder = TagBuilder("spack.lock", "")
    builder.add([nodes_of({hashes[key]: Entry(node) for key, node in specs.items()})], "")
    _, graph = builder.finished({})
    roots = ((hashes.get(root.hash, root.hash), root.spec) for part in parts for root in part.roots)
    return Lock(version, tuple(dict.fromkeys(roots)), Graph([graph.joined]))


def _rekey(nodes: Iterable[WrittenNode], hashes: Mapping[str, str]) -> None:
    """Put the hashes that build caches know in place of the keys that edges name."""
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
