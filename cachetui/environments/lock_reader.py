"""Reads a `spack.lock` of any version (1 to 6, Spack 0.8 to 1.x), with the environments that it includes.

In versions 2 and 3 specs are keyed by their build hash, edges name these keys, and the hash that build caches know
stands inside of each spec; from version 4 on, and in version 1, key and hash are one.
Input: text of the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct

from cachetui.environments.files import FileError
from cachetui.environments.lock import Lock, LockedRoot
from cachetui.environments.lock_graph import lock_graph
from cachetui.sources.buildcache.edges import Dependency
from cachetui.sources.buildcache.node import WrittenNode, read_node
from cachetui.store.graph import Graph

DEEPEST = 20
"""Environments that include each other."""


class _Meta(Struct):
    lockfile_version: int = msgspec.field(name="lockfile-version", default=1)


class _Root(Struct):
    hash: str = ""
    spec: str = ""


class _Written(Struct):
    """A lock, or the part of one that stands for an environment that it includes."""

    meta: Raw = msgspec.field(name="_meta", default=Raw(b"{}"))
    roots: list[_Root] = []
    concrete_specs: dict[str, WrittenNode] = {}
    include_concrete: dict[str, _Written] = {}


class _OldestWritten(Struct):
    """The same where a node may be within a map with its name."""

    meta: Raw = msgspec.field(name="_meta", default=Raw(b"{}"))
    roots: list[_Root] = []
    concrete_specs: dict[str, Raw] = {}
    include_concrete: dict[str, _OldestWritten] = {}


AnyWritten = TypeVar("AnyWritten", _Written, _OldestWritten)


class _Parts(NamedTuple):
    """What the environments of a lock say together."""

    version: int
    roots: list[_Root]
    specs: dict[str, WrittenNode]
    """By their keys."""


def parse_lock(text: str) -> Lock:
    """Reads the text of a lock; raises FileError."""
    try:
        version, written_roots, specs = _read(text) or _read_oldest(text)
    except msgspec.ValidationError as error:
        raise FileError(f"no readable spack.lock: {_place(str(error))} is not what Spack writes there") from None
    except msgspec.MsgspecError as error:
        raise FileError(f"no readable spack.lock: it is damaged JSON ({error})") from None
    except RecursionError:
        raise FileError("no readable spack.lock: it is nested too deep") from None
    except ValueError as error:
        raise FileError(f"no readable spack.lock: {error}") from None
    if not specs:
        raise FileError("no spack.lock: there are no concrete specs in it; spack concretize writes them")
    hashes = {key: node.hash or key for key, node in specs.items()}
    is_rekeyed = any(key != node_hash for key, node_hash in hashes.items())
    nodes = {hashes[key]: node for key, node in specs.items()}
    graph = lock_graph(nodes, partial(_known_hashes_of, hashes) if is_rekeyed else _hashes_of)
    roots = [LockedRoot(hashes.get(root.hash, root.hash), root.spec) for root in written_roots]
    return Lock(version, tuple(dict.fromkeys(roots)), Graph([graph]))


def _place(said: str) -> str:
    """The field that the decoder complains of: `concrete_specs` of "Expected `object` - at `$.concrete_specs`"."""
    found = re.search(r"at `\$\.?([^`]+)`|field `([^`]+)`", said)
    return (found[1] or found[2]) if found else "the whole"


def _read(text: str) -> _Parts | None:
    """What is written in a lock; None where there is more to do to see that."""
    try:
        parts = list(_parts(msgspec.json.decode(text, type=_Written)))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    specs = {key: node for part in parts for key, node in part.concrete_specs.items()}
    return _together(parts, specs) if all(map(_name_of, specs.values())) else None


def _read_oldest(text: str) -> _Parts:
    """The same of a lock of any version; raises msgspec.MsgspecError, ValueError and RecursionError."""
    parts = list(_parts(msgspec.json.decode(text, type=_OldestWritten)))
    return _together(parts, {key: read_node(raw) for part in parts for key, raw in part.concrete_specs.items()})


def _together(parts: Sequence[_Written] | Sequence[_OldestWritten], specs: dict[str, WrittenNode]) -> _Parts:
    version = msgspec.json.decode(parts[0].meta, type=_Meta).lockfile_version
    return _Parts(version, [root for part in parts for root in part.roots], specs)


def _parts(lock: AnyWritten, depth: int = 0) -> Iterator[AnyWritten]:
    """The lock and all that it includes."""
    if depth > DEEPEST:
        raise ValueError("environments include each other too deeply")
    yield lock
    for included in lock.include_concrete.values():
        yield from _parts(included, depth + 1)


_name_of = attrgetter("name")


def _hashes_of(edges: Sequence[Dependency]) -> list[str | None]:
    """The hash that each of these edges leads to."""
    return [edge.hash or edge.build_hash for edge in edges]


def _known_hashes_of(hashes: Mapping[str, str], edges: Sequence[Dependency]) -> list[str | None]:
    """The same where edges name keys: the hash that build caches know of each of them."""
    keys = [
        next((key for key in (edge.build_hash, edge.hash) if key in hashes), edge.hash or edge.build_hash)
        for edge in edges
    ]
    return [hashes.get(key or "", key) for key in keys]
