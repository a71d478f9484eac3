"""The caches of one tag joined: rows for what has a binary in one of them, and one dependency graph.

A hash that several caches hold is one row with all of their stacks; the first cache that knows a node tells of it.
Externals, and dependencies without a binary, are nodes of the graph alone.
Input: what the indexes and spec files of the caches hold, the ones that count first come first.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, count, repeat
from typing import Any

import msgspec

from cachetui.model.dependency import State
from cachetui.sources.buildcache.ahead import Ahead
from cachetui.sources.buildcache.edges import Hash, HashNumbers, Shape, hash_keys
from cachetui.sources.buildcache.flat import COLUMNS, Compiler, Nodes
from cachetui.sources.buildcache.node import mixed_compiler
from cachetui.sources.buildcache.places import graph_path, view_stack
from cachetui.sources.buildcache.reader import Cache, CacheReader
from cachetui.sources.buildcache.rows import pages_of
from cachetui.store.arrays import Numbering, Once, encoded, mapped
from cachetui.store.segment import Encoder, PageColumns, Segment
from cachetui.store.tag_graph import NodeLists, TagGraph, tag_graph_of
from cachetui.workers.cancelling import Cancelled, Interrupted, never


def read_caches(
    path: str,
    tag: str,
    caches: Iterable[Cache],
    cancelled: Cancelled = never,
    *,
    encoder: Encoder | None = None,
    ahead: Ahead | None = None,
) -> Segment:
    """The caches of one tag as one segment; `path` is what its pages and its graph are known by.

    `encoder` has what else belongs to the segment; `ahead` may have read some of the indexes.
    """
    encoder = encoder or Encoder()
    joined = Joined(path, tag)
    mirrors: dict[str, str] = {}
    for cache in caches:
        for found in CacheReader(cache, encoder, joined.known, cancelled, ahead).read():
            stack = view_stack(cache.stack, found.view) if found.view else cache.stack
            joined.add(found.nodes, stack, found.binaries)
            mirrors.setdefault(stack, cache.url or os.path.abspath(cache.root))
            if cancelled():
                raise Interrupted
    pages, part = joined.finished(mirrors)
    return encoder.segment(part, pages)


class Joined:
    """Gathers the caches of one tag."""

    def __init__(self, path: str, tag: str) -> None:
        """`path` is what the caches of the tag lie below, in the source."""
        self._path = path
        self._tag = tag
        self._hashes = HashNumbers()
        self._masks: dict[int, int] = {}
        """For each hash that has a binary the stacks that it is in: bit k for the stack k."""
        self._stacks: list[str] = []
        self._nodes: dict[int, int] = {}
        """For each hash that is told of the place of its node in the columns."""
        self.known: set[Hash] = set()
        """The hashes that are told of."""
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in COLUMNS}
        self._columns = {column: array("I") for column in COLUMNS}
        self._targets = array("I")
        """The hashes that the edges lead to, those of one node after those of the other."""

    def add(self, nodes: Iterable[Nodes], stack: str, binaries: Collection[str] | None = None) -> None:
        """Takes up what one index has; `binaries` are the hashes with a binary where it does not say."""
        if stack not in self._stacks:
            self._stacks.append(stack)
        bit = 1 << self._stacks.index(stack)
        wanted = None if binaries is None else set(hash_keys(list(binaries)))
        for some in nodes:
            hashes = self._hashes.of_new(some.hashes)
            marked = some.binaries if wanted is None else [k for k in some.entries if some.hashes[k] in wanted]
            for number in map(hashes.__getitem__, marked):
                self._masks[number] = self._masks.get(number, 0) | bit
            self._add_nodes(some, hashes)

    def _add_nodes(self, some: Nodes, hashes: Sequence[int]) -> None:
        """Takes up those nodes that are not told of yet, with the numbers that hashes have here."""
        told = mapped(hashes.__getitem__, some.told)
        is_new = [number not in self._nodes for number in told]
        first = len(self._nodes)
        self.known.update(compress(map(some.hashes.__getitem__, some.told), is_new))
        self._nodes.update(zip(compress(told, is_new), range(first, first + len(told)), strict=False))
        compilers = [_renumbered(compiler, hashes) for compiler in some.tables["compiler"]]
        for name, table in (some.tables | {"compiler": compilers}).items():
            numbers = self._numbers[name].of(table)
            self._columns[name].extend(map(numbers.__getitem__, compress(some.columns[name], is_new)))
        targets = some.targets
        if not all(is_new):
            lengths = [len(shape.names) for shape in some.tables["shape"]]
            of_new = map(repeat, is_new, map(lengths.__getitem__, some.columns["shape"]))
            targets = array("I", compress(targets, chain.from_iterable(of_new)))
        self._targets.extend(map(hashes.__getitem__, targets))

    def finished(self, mirrors: Mapping[str, str]) -> tuple[PageColumns, TagGraph]:
        """The pages, one for each package, and the graph; `mirrors` says for each stack where its cache is."""
        part = tag_graph_of(graph_path(self._path), self._tag, self._lists(), mirrors)
        hashes = list(self._hashes)
        stacks = Once(self._stacks_of)
        held = {_text(hashes[number]): stacks[mask] for number, mask in self._masks.items()}
        return pages_of(part, held, self._path), part

    def _stacks_of(self, mask: int) -> tuple[str, ...]:
        return tuple(sorted(stack for k, stack in enumerate(self._stacks) if stack and mask >> k & 1))

    # The graph

    def _lists(self) -> NodeLists:
        """The nodes as the graph is made of them."""
        columns, numbers = self._columns, self._numbers
        lists = NodeLists(key if isinstance(key, bytes) else encoded(key) for key in self._hashes)
        lists.nodes.extend(self._nodes)
        for name in ("name", "version", "variants"):
            lists.texts[name], lists.columns[name] = numbers[name], columns[name]
        texts, is_external = zip(*numbers["extra"], strict=True) if numbers["extra"] else ((), ())
        lists.texts["extra"], lists.columns["extra"] = Numbering(zip(texts, count())), columns["extra"]
        lists.texts["profile"], lists.columns["profile"] = self._profiles()
        lists.states.extend(
            State.BINARY if number in self._masks else State.EXTERNAL if is_external[extra] else State.HOLE
            for number, extra in zip(self._nodes, columns["extra"], strict=True)
        )
        lists.targets = self._targets
        self._add_shapes(lists)
        return lists

    def _profiles(self) -> tuple[Numbering[str], array[int]]:
        """The distinct texts of the node column `profile`, and that column."""
        compilers = list(map(self._compiler, self._numbers["compiler"]))
        architectures = list(self._numbers["architecture"])
        pairs: Numbering[tuple[int, int]] = Numbering()
        column = pairs.of(zip(self._columns["compiler"], self._columns["architecture"], strict=True))
        texts: Numbering[str] = Numbering()
        of_pairs = texts.of(_encode((compilers[one], *architectures[other])).decode() for one, other in pairs)
        return texts, mapped(of_pairs.__getitem__, column)

    def _compiler(self, compiler: Compiler) -> str | None:
        """The compiler that a node names, else what its edges say provides the languages."""
        named, edges = compiler
        by_language: dict[str, str] = {}
        for node_hash, languages in edges:
            if node_hash in self._nodes:
                name, version = self._text("name", node_hash), self._text("version", node_hash)
                provider = f"{name}@{version}" if version else name
                by_language |= {language: provider for language in languages if language not in by_language}
        return named or mixed_compiler(by_language)

    def _text(self, column: str, node_hash: int) -> str:
        return self._texts[column][self._columns[column][self._nodes[node_hash]]]

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        return {column: list(self._numbers[column]) for column in ("name", "version")}

    def _add_shapes(self, lists: NodeLists) -> None:
        """Adds all of the edges but what they lead to."""
        shapes: list[Shape] = list(self._numbers["shape"])
        column = self._columns["shape"]
        kinds = [lists.kinds.of(shape.kinds) for shape in shapes]
        lists.edge_counts.extend(map(list(map(len, kinds)).__getitem__, column))
        lists.edge_kinds.frombytes(b"".join(map([each.tobytes() for each in kinds].__getitem__, column)))
        if len(self._nodes) < len(self._hashes):
            names = chain.from_iterable(shapes[number].names for number in column)
            for node_hash, name in zip(self._targets, names, strict=True):
                if node_hash not in self._nodes:
                    lists.names.setdefault(node_hash, name)


def _text(key: Hash) -> str:
    return key.decode() if isinstance(key, bytes) else key


def _renumbered(compiler: Compiler, hashes: Sequence[int]) -> Compiler:
    """The same compiler with these numbers of hashes."""
    named, edges = compiler
    return named, tuple([(hashes[node_hash], languages) for node_hash, languages in edges])


_encode = msgspec.json.Encoder().encode
