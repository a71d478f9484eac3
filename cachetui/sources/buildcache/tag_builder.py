"""The caches of one tag merged: rows for what has a binary in one of them, and one dependency graph.

A hash that several caches hold is one row with all of their stacks; the first cache that knows a node tells of it.
Externals, and dependencies without a binary, are nodes of the graph alone, which is built when it is asked for.
Input: what the indexes and spec files of the caches hold, the ones that count first come first.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, count, pairwise
from typing import Any

import msgspec

from cachetui.model.dependency import State
from cachetui.model.facets import profile_fields
from cachetui.model.spec import NO_COMPILER, Row
from cachetui.sources.buildcache.columns import COLUMNS, Build, Compilers, Nodes, Shape, extra_text, named_compiler
from cachetui.sources.buildcache.node import mixed_compiler
from cachetui.store.arrays import Ints, Numbering, Postings, mapped, values_at
from cachetui.store.builder import PageColumns
from cachetui.store.string_table import StringTable, encoded
from cachetui.store.tag_graph import (
    HASH_LENGTH,
    Joining,
    NodeLists,
    RawEdges,
    RawGraph,
    TagGraph,
    table_of,
    tag_graph_of,
    targets,
)

NO_EXTRA = "[null,null,[]]"
"""Size, tarball and dependencies of a row, which no index tells."""


def graph_path(path: str) -> str:
    """Return by what the graph of the caches below a path is known in an index."""
    return f"{path}#"


class TagBuilder:
    """Merges the caches of one tag."""

    def __init__(self, path: str, tag: str) -> None:
        """`path` is what the caches of the tag lie below, in the source."""
        self._path = path
        self._tag = tag
        self._nodes: dict[str, int] = {}
        """For each hash whose node is known the place of that node in the columns."""
        self._masks: list[int] = []
        """For each node the stacks that its binary is in: bit k for the stack k."""
        self._stacks: list[str] = []
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in COLUMNS}
        self._columns = {column: array("I") for column in COLUMNS}
        self._edges: list[RawEdges] = []
        """Of the nodes, in their order."""

    @property
    def known(self) -> Collection[str]:
        """The hashes whose nodes are known; grows with each `add`."""
        return self._nodes

    def add(self, nodes: Iterable[Nodes], stack: str, binaries: Collection[str] | None = None) -> None:
        """Take up what one index has; `binaries` are the hashes with a binary where it does not say."""
        if stack not in self._stacks:
            self._stacks.append(stack)
        bit = 1 << self._stacks.index(stack)
        for some in nodes:
            marks = some.marks if binaries is None else bytes([node_hash in binaries for node_hash in some.hashes])
            hashes = some.hashes_in_columns
            is_new = [node_hash not in self._nodes for node_hash in hashes]
            self._nodes.update(zip(compress(hashes, is_new), count(len(self._nodes))))
            self._masks += [0] * (len(self._nodes) - len(self._masks))
            for place in map(self._nodes.__getitem__, compress(some.hashes, marks)):
                self._masks[place] |= bit
            self._edges.append(_edges_of(some, is_new))
            for name, column in some.columns.items():
                numbers = self._numbers[name].of(some.tables[name]).tolist()
                self._columns[name].extend(map(numbers.__getitem__, compress(column, is_new)))

    def finished(self, mirrors: Mapping[str, str]) -> tuple[PageColumns, RawGraph]:
        """Return the pages, one for each package, and the graph; `mirrors` says for each stack where its cache is."""
        part = RawGraph(graph_path(self._path), self._tag, mirrors, Joining(lambda: self._graph(mirrors)))
        return self._pages(), part

    # Rows

    def _pages(self) -> PageColumns:
        hashes = list(self._nodes)
        by_hash = sorted(compress(count(), self._masks), key=hashes.__getitem__)
        packages, package = table_of(self._texts["name"], values_at(by_hash)(self._columns["name"]))
        of_package = Postings.of(package, len(packages))
        in_order = values_at(list(map(by_hash.__getitem__, of_package.rows)))
        nothing = array("I", bytes(4 * len(by_hash)))
        tables: dict[str, Sequence[str]] = {
            "extra": [NO_EXTRA] if by_hash else [],
            "hash": list(map(hashes.__getitem__, by_hash)),
        }
        rows: dict[str, Ints] = {"extra": nothing, "hash": of_package.rows}
        profiles, profile = self._row_profiles()
        for name, table, column in (
            ("version", self._texts["version"], self._columns["version"]),
            ("variants", self._texts["variants"], self._columns["variants"]),
            ("profile", profiles, profile),
        ):
            tables[name], rows[name] = table_of(table, in_order(column))
        return PageColumns(
            paths=StringTable.of([f"{self._path}#{each}" for each in packages]),
            packages=StringTable.of(packages),
            tags=StringTable.of([self._tag] if packages else []),
            page_package=array("I", range(len(packages))),
            page_tag=nothing[: len(packages)],
            lengths=mapped(of_package.count, range(len(packages))),
            tables={name: StringTable.of(table) for name, table in tables.items()},
            rows=rows,
        )

    def _row_profiles(self) -> tuple[list[str], array[int]]:
        """Return the texts of the row column `profile`, and that column for all nodes."""
        builds = list(self._builds)
        keys: Numbering[tuple[int, int]] = Numbering()
        column = keys.of(zip(self._columns["build"], self._masks, strict=True))
        texts = []
        for build, mask in keys:
            os, platform, target = builds[build][2]
            stacks = tuple(sorted(stack for k, stack in enumerate(self._stacks) if stack and mask >> k & 1))
            compiler = self._compilers[build] or NO_COMPILER
            row = Row(compiler=compiler, os=os, platform=platform, target=target, stacks=stacks)
            texts.append(_encode(profile_fields(row)).decode())
        return texts, column

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
                name, version = (self._texts[each][self._columns[each][place]] for each in ("name", "version"))
                provider = f"{name}@{version}" if version else name
                by_language |= {language: provider for language in languages if language not in by_language}
        return mixed_compiler(by_language)

    # The graph

    def _graph(self, mirrors: Mapping[str, str]) -> TagGraph:
        """Build the graph, with its edges looked up."""
        lists = NodeLists(map(encoded, self._nodes))
        lists.nodes.extend(range(len(self._nodes)))
        for name, texts in self._texts.items():
            lists.columns[name] = mapped(lists.texts[name].of(texts).__getitem__, self._columns[name])
        pairs = zip(self._compilers, self._builds, strict=True)
        profiles = [_encode((compiler, *architecture)).decode() for compiler, (_, _, architecture) in pairs]
        of_builds = lists.texts["profile"].of(profiles)
        lists.columns["profile"] = mapped(of_builds.__getitem__, self._columns["build"])
        said = [extra_text(extra) for extra in self._numbers["extra"]]
        of_extras = lists.texts["extra"].of(text for text, _ in said)
        lists.columns["extra"] = mapped(of_extras.__getitem__, self._columns["extra"])
        lists.states.extend(
            State.BINARY if mask else State.EXTERNAL if said[extra][1] else State.HOLE
            for mask, extra in zip(self._masks, self._columns["extra"], strict=True)
        )
        self._add_edges(lists)
        return tag_graph_of(graph_path(self._path), self._tag, lists, mirrors)

    def _add_edges(self, lists: NodeLists) -> None:
        shapes: list[Shape] = list(self._numbers["shape"])
        lists.kinds.of(sorted({kind for shape in shapes for kind in shape.kinds}))
        kinds = [lists.kinds.of(shape.kinds) for shape in shapes]
        of_nodes = self._columns["shape"]
        lists.edge_counts.extend(map(list(map(len, kinds)).__getitem__, of_nodes))
        lists.edge_kinds.frombytes(b"".join(map([each.tobytes() for each in kinds].__getitem__, of_nodes)))
        for edges in self._edges:
            lists.targets.extend(targets(edges, lists.hashes))
        if len(self._nodes) < len(lists.hashes):
            names = chain.from_iterable(shapes[number].names for number in of_nodes)
            for number, name in zip(lists.targets, names, strict=True):
                if number >= len(self._nodes):
                    lists.names.setdefault(number, name)


def _edges_of(some: Nodes, wanted: Sequence[bool]) -> RawEdges:
    """Return the edges of the wanted ones among some nodes."""
    if all(wanted):
        return some.edges  # to take them apart takes a tenth of the memory
    lengths = [HASH_LENGTH * len(shape.names) for shape in some.tables["shape"]]
    ends = accumulate(map(lengths.__getitem__, some.columns["shape"]), initial=0)
    pieces = [some.edges.hashes[start:end] for start, end in compress(pairwise(ends), wanted)]
    return RawEdges(b"".join(pieces), some.edges.others)


_encode = msgspec.json.Encoder().encode
