"""The caches of one tag joined: rows for what has a binary in one of them, and one dependency graph.

A hash that several caches hold is one row with all of their stacks; the first cache that knows a node tells of it.
Externals, and dependencies without a binary, are nodes of the graph alone, which is joined when it is asked for.
Input: what the indexes and spec files of the caches hold, the ones that count first come first.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, count, pairwise
from typing import Any, NamedTuple

import msgspec

from cachetui.model.dependency import State
from cachetui.sources.buildcache.ahead import Ahead
from cachetui.sources.buildcache.edges import Compilers, Shape
from cachetui.sources.buildcache.flat import GRAPH_COLUMNS, ROW_COLUMNS, Build, Nodes, extra_text, named_compiler
from cachetui.sources.buildcache.node import mixed_compiler
from cachetui.sources.buildcache.places import graph_path, view_stack
from cachetui.sources.buildcache.reader import Cache, CacheReader
from cachetui.sources.buildcache.rows import BinaryNodes, pages_of, profile_text
from cachetui.store.arrays import Ints, Numbering, Once, mapped
from cachetui.store.recorded import HASH_LENGTH, Edges, targets
from cachetui.store.segment import Encoder, PageColumns, Segment
from cachetui.store.strings import encoded
from cachetui.store.tag_graph import Joining, NodeLists, RecordedGraph, TagGraph, tag_graph_of
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
        self._nodes: dict[str, int] = {}
        """For each hash whose node is known the place of that node in the columns."""
        self._masks: list[int] = []
        """For each node the stacks that its binary is in: bit k for the stack k."""
        self._stacks: list[str] = []
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in ROW_COLUMNS}
        self._columns = {column: array("I") for column in ROW_COLUMNS}
        self._recorded: list[_Recorded] = []
        """Of all nodes, in their order."""

    @property
    def known(self) -> Collection[str]:
        """The hashes whose nodes are known; grows with each `add`."""
        return self._nodes

    def add(self, nodes: Iterable[Nodes], stack: str, binaries: Collection[str] | None = None) -> None:
        """Takes up what one index has; `binaries` are the hashes with a binary where it does not say."""
        if stack not in self._stacks:
            self._stacks.append(stack)
        bit = 1 << self._stacks.index(stack)
        nodes = list(nodes)
        all_new = all(self._nodes.keys().isdisjoint(some.hashes) for some in nodes)  # no two have one hash
        for some in nodes:
            marks = some.marks if binaries is None else bytes([node_hash in binaries for node_hash in some.hashes])
            if all_new and some.in_columns is None:
                self._add_new(some.hashes, some.columns, some.edges, some.tables)
                self._masks.extend(map((0, bit).__getitem__, marks))
            else:
                self._add_those_that_are_new(some)
                for place in map(self._nodes.__getitem__, compress(some.hashes, marks)):
                    self._masks[place] |= bit

    def _add_those_that_are_new(self, some: Nodes) -> None:
        """Takes up those nodes that are not known yet, without a binary."""
        hashes = some.hashes_in_columns
        is_new = [node_hash not in self._nodes for node_hash in hashes]
        columns = {name: array("I", compress(column, is_new)) for name, column in some.columns.items()}
        self._add_new(list(compress(hashes, is_new)), columns, _edges_of(some, is_new), some.tables)
        self._masks += [0] * (len(self._nodes) - len(self._masks))

    def _add_new(
        self, hashes: Sequence[str], columns: Mapping[str, Ints], edges: Edges, tables: Mapping[str, Sequence[Any]]
    ) -> None:
        self._nodes.update(zip(hashes, count(len(self._nodes))))
        self._recorded.append(
            _Recorded(
                edges, {name: tables[name] for name in GRAPH_COLUMNS}, {name: columns[name] for name in GRAPH_COLUMNS}
            )
        )
        for name in ROW_COLUMNS:
            numbers = self._numbers[name].of_new(tables[name]).tolist()
            is_same = not self._columns[name] and len(self._numbers[name]) == len(tables[name])
            self._columns[name].extend(columns[name] if is_same else map(numbers.__getitem__, columns[name]))

    def finished(self, mirrors: Mapping[str, str]) -> tuple[PageColumns, RecordedGraph]:
        """The pages, one for each package, and the graph; `mirrors` says for each stack where its cache is."""
        path = graph_path(self._path)
        part = RecordedGraph(path, self._tag, mirrors, Joining(lambda: self._part(path, mirrors)))
        return pages_of(self._binaries(), self._tag, self._path), part

    # Rows

    def _binaries(self) -> BinaryNodes:
        """The nodes with a binary."""
        compilers, builds = self._compilers, list(self._builds)
        keys: Numbering[tuple[int, int]] = Numbering()
        profile = keys.of(zip(self._columns["build"], self._masks, strict=True))
        stacks = Once(self._stacks_of)
        profiles = [profile_text(compilers[k], builds[k][2], stacks[mask]) for k, mask in keys]
        return BinaryNodes(
            places=list(compress(count(), self._masks)),
            hashes=list(self._nodes),
            tables=self._texts | {"profile": profiles},
            columns=self._columns | {"profile": profile},
        )

    def _stacks_of(self, mask: int) -> tuple[str, ...]:
        return tuple(sorted(stack for k, stack in enumerate(self._stacks) if stack and mask >> k & 1))

    # What rows and nodes of the graph have alike

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        """The tables of names, versions and variants as texts."""
        return {name: list(self._numbers[name]) for name in ("name", "version", "variants")}

    @property
    def _builds(self) -> Iterable[Build]:
        return self._numbers["build"]

    @cached_property
    def _compilers(self) -> list[str | None]:
        """For each build the compiler that nodes of it name, else what their edges say provides the languages."""
        return [named_compiler(named) or self._provider(compilers) for compilers, named, _ in self._builds]

    def _provider(self, compilers: Compilers) -> str | None:
        by_language: dict[str, str] = {}
        for node_hash, languages in compilers:
            place = self._nodes.get(node_hash.decode())
            if place is not None:
                name, version = self._text("name", place), self._text("version", place)
                provider = f"{name}@{version}" if version else name
                by_language |= {language: provider for language in languages if language not in by_language}
        return mixed_compiler(by_language)

    def _text(self, column: str, place: int) -> str:
        return self._texts[column][self._columns[column][place]]

    # The graph

    def _part(self, path: str, mirrors: Mapping[str, str]) -> TagGraph:
        """The graph, with its edges looked up."""
        lists = NodeLists(map(encoded, self._nodes))
        lists.nodes.extend(range(len(self._nodes)))
        for name, texts in self._texts.items():
            lists.texts[name] = Numbering()
            lists.columns[name] = mapped(lists.texts[name].of(texts).__getitem__, self._columns[name])
        lists.texts["profile"], lists.columns["profile"] = self._profiles()
        is_external = self._add_extras(lists)
        lists.states.extend(
            State.BINARY if mask else State.EXTERNAL if external else State.HOLE
            for mask, external in zip(self._masks, is_external, strict=True)
        )
        self._add_edges(lists)
        return tag_graph_of(path, self._tag, lists, mirrors)

    def _profiles(self) -> tuple[Numbering[str], array[int]]:
        """The distinct texts of the node column `profile`, and that column."""
        texts: Numbering[str] = Numbering()
        pairs = zip(self._compilers, self._builds, strict=True)
        of_builds = texts.of(_encode((compiler, *architecture)).decode() for compiler, (_, _, architecture) in pairs)
        return texts, mapped(of_builds.__getitem__, self._columns["build"])

    def _add_extras(self, lists: NodeLists) -> list[bool]:
        """Adds the node column `extra`, and returns of each node whether it is an external."""
        is_external: list[bool] = []
        for recorded in self._recorded:
            said = [extra_text(extra) for extra in recorded.tables["extra"]]
            column = recorded.columns["extra"]
            numbers = [lists.texts["extra"][text] for text, _ in said]
            lists.columns["extra"].extend(map(numbers.__getitem__, column))
            is_external += [said[number][1] for number in column]
        return is_external

    def _add_edges(self, lists: NodeLists) -> None:
        lists.kinds.of(sorted({kind for each in self._recorded for shape in each.shapes for kind in shape.kinds}))
        for recorded in self._recorded:
            column = recorded.columns["shape"]
            kinds = [lists.kinds.of(shape.kinds) for shape in recorded.shapes]
            lists.edge_counts.extend(map(list(map(len, kinds)).__getitem__, column))
            lists.edge_kinds.frombytes(b"".join(map([each.tobytes() for each in kinds].__getitem__, column)))
            lists.targets.extend(targets(recorded.edges, lists.hashes))
        if len(self._nodes) < len(lists.hashes):
            names = chain.from_iterable(
                each.shapes[number].names for each in self._recorded for number in each.columns["shape"]
            )
            for number, name in zip(lists.targets, names, strict=True):
                if number >= len(self._nodes):
                    lists.names.setdefault(number, name)


class _Recorded(NamedTuple):
    """What only the graph says of some nodes; it stays as it was handed over until somebody asks for the graph."""

    edges: Edges
    tables: Mapping[str, Sequence[Any]]
    columns: Mapping[str, Ints]

    @property
    def shapes(self) -> Sequence[Shape]:
        return self.tables["shape"]


def _edges_of(some: Nodes, wanted: Iterable[bool]) -> Edges:
    """The edges of the wanted ones among some nodes."""
    lengths = [HASH_LENGTH * len(shape.names) for shape in some.tables["shape"]]
    ends = accumulate(map(lengths.__getitem__, some.columns["shape"]), initial=0)
    pieces = [some.edges.hashes[start:end] for start, end in compress(pairwise(ends), wanted)]
    return Edges(b"".join(pieces), some.edges.others)


_encode = msgspec.json.Encoder().encode
