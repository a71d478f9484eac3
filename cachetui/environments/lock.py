"""A `spack.lock` of any version (1 to 6, Spack 0.8 to 1.x): its roots, and the dependency graph of all its specs.

In versions 2 and 3 specs are keyed by their build hash, edges name these keys, and the hash that build caches know
stands inside of each spec; from version 4 on, and in version 1, key and hash are one.
Input: text of the user's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, compress
from typing import TypeAlias, cast

import msgspec
from msgspec import Raw, Struct

from cachetui.environments.files import FileError
from cachetui.environments.wanted import Lock, LockedRoot
from cachetui.model.dependency import State
from cachetui.sources.buildcache.columns import extra_text, extras_of, named_compiler, named_in
from cachetui.sources.buildcache.edges import Dependency, edges_of_each, kinds_of
from cachetui.sources.buildcache.node import (
    Architecture,
    WrittenNode,
    architecture_of,
    mixed_compiler,
    read_node,
    variants_of,
)
from cachetui.store.arrays import Once
from cachetui.store.graph import Graph
from cachetui.store.strings import encoded
from cachetui.store.tag_graph import NodeLists, TagGraph, tag_graph_of

DEEPEST = 20
"""Environments that include each other."""

_encode = msgspec.json.Encoder().encode


class _Meta(Struct):
    lockfile_version: int = msgspec.field(name="lockfile-version", default=1)


class _Root(Struct):
    hash: str = ""
    spec: str = ""


class _Written(Struct):
    """A lock, or the part of one that stands for an environment that it includes."""

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
    roots = (LockedRoot(hashes.get(root.hash, root.hash), root.spec) for part in parts for root in part.roots)
    return Lock(version, tuple(dict.fromkeys(roots)), Graph([graph]))


def _place(said: str) -> str:
    """The field that the decoder complains of: `concrete_specs` of "Expected `object` - at `$.concrete_specs`"."""
    found = re.search(r"at `\$\.?([^`]+)`|field `([^`]+)`", said)
    return (found[1] or found[2]) if found else "the whole"


def _parts(lock: _Written, depth: int = 0) -> Iterator[_Written]:
    """The lock and all that it includes."""
    if depth > DEEPEST:
        raise ValueError("environments include each other too deeply")
    yield lock
    for included in lock.include_concrete.values():
        yield from _parts(included, depth + 1)


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


# The graph


Needed: TypeAlias = Callable[[Sequence[Dependency]], list[str | None]]
"""Which hashes edges lead to; None for nowhere."""

Compilers: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""The hashes of what compiled a node, with the languages of each."""


def lock_graph(nodes: Mapping[str, WrittenNode], needed: Needed) -> TagGraph:
    """The graph of these nodes, by their hashes; `needed` says where their edges lead.

    Hardly two nodes of a lock need the same packages, so they are read one by one: what the reader of build caches
    remembers of a package for its other builds would be for nothing.
    """
    lists = NodeLists(map(encoded, nodes))
    lists.nodes.extend(range(len(nodes)))
    compilers = _add_edges(lists, nodes.values(), needed)
    _add_texts(lists, nodes, compilers)
    return tag_graph_of("spack.lock", "", lists)


def _add_edges(lists: NodeLists, nodes: Iterable[WrittenNode], needed: Needed) -> list[Compilers]:
    """Adds the edges of the nodes, and returns what compiled each of them."""
    by_node = edges_of_each([node.dependencies for node in nodes])
    edges = list(chain.from_iterable(by_node))
    found = needed(edges)
    if not all(found):  # some lead nowhere
        by_node = [list(compress(own, needed(own))) for own in by_node]
        edges, found = list(compress(edges, found)), list(filter(None, found))
    hashes = cast(list[str], found)
    said, said_of = kinds_of(edges)
    lists.edge_counts.extend(map(len, by_node))
    lists.edge_kinds.extend(map(lists.kinds.of([kind for kind, _ in said]).__getitem__, said_of))
    number_of: Once[str, int] = Once(lambda node_hash: lists.hashes[encoded(node_hash)])
    lists.targets.extend(number_of.of(hashes))
    if len(lists.hashes) > len(by_node):
        for number, edge in zip(lists.targets, edges, strict=True):
            lists.names.setdefault(number, edge.name)
    ends = list(accumulate(lists.edge_counts))
    languages = [languages for _, languages in said]
    compilers: list[list[tuple[str, tuple[str, ...]]]] = [[] for _ in by_node]
    for at in compress(range(len(edges)), map(languages.__getitem__, said_of)):
        compilers[bisect_right(ends, at)].append((hashes[at], languages[said_of[at]]))
    return list(map(tuple, compilers))


def _add_texts(lists: NodeLists, nodes: Mapping[str, WrittenNode], compilers: Sequence[Compilers]) -> None:
    """Adds what else is said of the nodes, and their states."""
    written = nodes.values()
    said = Once(extra_text).of(extras_of(written))
    provider: Once[Compilers, str | None] = Once(lambda compiled_by: _provider(compiled_by, nodes))
    own_compilers = Once(named_compiler).of(named_in(written))
    compiler = [own or provider[compiled_by] for own, compiled_by in zip(own_compilers, compilers, strict=True)]
    architecture = Once(architecture_of).of([bytes(node.arch) for node in written])
    texts = {
        "name": [node.name for node in written],
        "version": [node.version for node in written],
        "profile": Once(_profile_text).of(zip(compiler, architecture, strict=True)),
        "variants": Once(_variants_text).of([bytes(node.parameters) for node in written]),
        "extra": [text for text, _ in said],
    }
    for column, own in texts.items():
        lists.columns[column].extend(lists.texts[column].of(own))
    lists.states.extend([State.EXTERNAL if is_external else State.HOLE for _, is_external in said])


def _variants_text(parameters: bytes) -> str:
    return _encode(variants_of(parameters)).decode()


def _profile_text(said: tuple[str | None, Architecture]) -> str:
    compiler, architecture = said
    return _encode((compiler, *architecture)).decode()


def _provider(compiled_by: Compilers, nodes: Mapping[str, WrittenNode]) -> str | None:
    """The compiler, by what the edges of a node say provides the languages."""
    by_language: dict[str, str] = {}
    for node_hash, languages in compiled_by:
        node = nodes.get(node_hash)
        if node is not None:
            provider = f"{node.name}@{node.version}" if node.version else node.name
            by_language |= {language: provider for language in languages if language not in by_language}
    return mixed_compiler(by_language)
