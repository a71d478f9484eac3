"""The dependency graph of the nodes of a `spack.lock`, flat as that of a build cache.

Hardly two nodes of a lock need the same packages, so they are read one by one: what the reader of build caches
remembers of a package for its other builds would be for nothing.
Input: nodes as they are written, in any order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain, compress
from typing import TypeAlias, cast

import msgspec

from cachetui.model.dependency import State
from cachetui.sources.buildcache.edges import Dependency, edges_of_each, kinds_of
from cachetui.sources.buildcache.flat import extra_text, extras_of, named_compiler, named_in
from cachetui.sources.buildcache.node import (
    Architecture,
    WrittenNode,
    architecture_of,
    mixed_compiler,
    variants_of,
)
from cachetui.store.arrays import Once
from cachetui.store.strings import encoded
from cachetui.store.tag_graph import NodeLists, TagGraph, tag_graph_of

Needed: TypeAlias = Callable[[Sequence[Dependency]], list[str | None]]
"""Which hashes edges lead to; None for nowhere."""

Compilers: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""The hashes of what compiled a node, with the languages of each."""


def lock_graph(nodes: Mapping[str, WrittenNode], needed: Needed) -> TagGraph:
    """The graph of these nodes, by their hashes; `needed` says where their edges lead."""
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


_encode = msgspec.json.Encoder().encode
