"""Reads a `spack.lock` of any version (1 to 6, Spack 0.8 to 1.x), with the environments that it includes.

In versions 2 and 3 specs are keyed by their build hash, edges name these keys, and the hash that build caches know
stands inside of each spec; from version 4 on, and in version 1, key and hash are one.
Input: text of the user's.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from cachetui.environments.files import FileError
from cachetui.environments.lock import Lock, LockedRoot
from cachetui.sources.buildcache.database import Entry
from cachetui.sources.buildcache.edges import Dependency, edges_of
from cachetui.sources.buildcache.flat import nodes_of
from cachetui.sources.buildcache.joined import Joined
from cachetui.sources.buildcache.node import WrittenNode, read_node
from cachetui.store.graph import Graph

DEEPEST = 20
"""Environments that include each other."""


class _Meta(Struct):
    lockfile_version: int = msgspec.field(name="lockfile-version", default=1)


class _Root(Struct):
    hash: str = ""
    spec: str = ""


class _Included(Struct):
    """A lock, or the part of one that stands for an environment that it includes."""

    roots: list[_Root] = []
    concrete_specs: dict[str, Raw] = {}
    include_concrete: dict[str, _Included] = {}


class _Written(_Included):
    meta: _Meta = msgspec.field(name="_meta", default_factory=_Meta)


def parse_lock(text: str) -> Lock:
    """Reads the text of a lock; raises FileError."""
    try:
        written = msgspec.json.decode(text, type=_Written)
        parts = list(_parts(written))
        specs = {key: read_node(raw) for part in parts for key, raw in part.concrete_specs.items()}
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FileError(f"no readable spack.lock: {error}") from None
    if not specs:
        raise FileError("no spack.lock: there are no concrete specs in it")
    hashes = {key: node.hash or key for key, node in specs.items()}
    joined = Joined("spack.lock", "")
    if any(key != node_hash for key, node_hash in hashes.items()):
        specs = {key: _rehashed(node, hashes) for key, node in specs.items()}
    entries = {hashes[key]: Entry(node) for key, node in specs.items()}
    joined.add([nodes_of(entries)], "")
    _, graph = joined.finished({})
    roots = [LockedRoot(hashes.get(root.hash, root.hash), root.spec) for part in parts for root in part.roots]
    return Lock(written.meta.lockfile_version, tuple(dict.fromkeys(roots)), Graph([graph]))


def _parts(lock: _Included, depth: int = 0) -> Iterator[_Included]:
    """The lock and all that it includes."""
    if depth > DEEPEST:
        raise ValueError("environments include each other too deeply")
    yield lock
    for included in lock.include_concrete.values():
        yield from _parts(included, depth + 1)


def _rehashed(node: WrittenNode, hashes: dict[str, str]) -> WrittenNode:
    """The node with the hashes of build caches on its edges."""
    edges = [_edge(edge, hashes) for edge in edges_of(bytes(node.dependencies))]
    return msgspec.structs.replace(node, dependencies=Raw(msgspec.json.encode(edges)))


def _edge(edge: Dependency, hashes: dict[str, str]) -> Dependency:
    key = next((key for key in (edge.build_hash, edge.hash) if key in hashes), edge.hash or edge.build_hash)
    return msgspec.structs.replace(edge, hash=hashes.get(key or "", key))
