"""Merge the build caches of one tag, or the trees of an installation, into rows and one dependency graph.

Each hash becomes one row, which lists the stacks of all build caches with this hash. If build caches contain different
data for a hash, the data in the first build cache is used. Externals, and dependencies without a binary, are nodes of
the graph, but not rows. The graph is built on first use. In an installation, every record becomes a row, even if its
spec is not installed.
Input: the content of indexes and spec files, in the order of precedence.
"""

import struct
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, count, pairwise, repeat
from typing import Any, Literal

import msgspec

from cachetui.model.dependency import State
from cachetui.model.installed import PRESENT, Installed
from cachetui.model.spec import NO_COMPILER, Row, at_version, profile_fields
from cachetui.sources.buildcache.columns import (
    COLUMNS,
    HASH_LENGTH,
    NO_EDGES,
    Build,
    Compilers,
    Nodes,
    extra_text,
    named_compiler,
)
from cachetui.sources.buildcache.node import mixed_compiler
from cachetui.sources.paths import ContentPath
from cachetui.store.arrays import Ints, Numbering, Postings, StringTable, encoded, mapped, numbered, ranked, values_at
from cachetui.store.columns import PageColumns
from cachetui.store.graph import NODE_COLUMNS, NodeColumns, TagGraph, table_of

UNKNOWN = {
    "version": "",
    "profile": "[null,null,null,null]",
    "variants": "[]",
    "extra": '["builtin",null,null,null,[],[]]',
}
"""The values in the columns for a node whose hash and name appear only in edges."""

BLOCK_HASHES = 4096
"""The number of hashes to look up at a time. Between two lookups, other threads can run."""


class TagBuilder:
    """Builds the rows and the graph of one tag."""

    def __init__(self, path: str, tag: str, records: Mapping[str, Installed] | None = None) -> None:
        """`path` is the folder of the tag in the content.

        For an installation, `records` contains the installed specs, keyed by hash.
        """
        self._path = ContentPath(path)
        self._tag = tag
        self._records = records or {}
        self.places: dict[str, int] = {}
        """The position of each node in the columns, keyed by its hash."""
        self._masks: list[int] = []
        """For each node, a bit mask of the stacks with its binary: bit k means stack k."""
        self._stacks: list[str] = []
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in COLUMNS}
        self._columns = {column: array("I") for column in COLUMNS}
        self._edges: list[bytes] = []
        """The joined hashes of the targets of all edges, in the order of the nodes."""

    def add(self, nodes: Iterable[Nodes], stack: str, binaries: Collection[str] | None = None) -> None:
        """Add the data from one index of the stack `stack`.

        `binaries` contains the hashes with a binary, or is None if the index itself shows which hashes have a binary.
        """
        if stack not in self._stacks:
            self._stacks.append(stack)
        bit = 1 << self._stacks.index(stack)
        for some in nodes:
            marks = some.marks if binaries is None else bytes([node_hash in binaries for node_hash in some.hashes])
            hashes = some.hashes_in_columns
            is_new = [node_hash not in self.places for node_hash in hashes]
            self.places.update(zip(compress(hashes, is_new), count(len(self.places))))
            self._masks += [0] * (len(self.places) - len(self._masks))
            for place in map(self.places.__getitem__, compress(some.hashes, marks)):
                self._masks[place] |= bit
            self._edges.append(_edges_of(some, is_new))
            for name, column in some.columns.items():
                numbers = self._numbers[name].of(some.tables[name]).tolist()
                self._columns[name].extend(map(numbers.__getitem__, compress(column, is_new)))

    def finished(
        self, mirrors: Mapping[str, str], environments: Mapping[str, Sequence[str]] | None = None
    ) -> tuple[PageColumns, TagGraph]:
        """Return the rows of the tag, grouped by package, and the dependency graph.

        `mirrors` maps each stack to the folder or URL of its build cache. For an installation, `environments` maps the
        name of each environment to the hashes of its roots.
        """
        return self._pages(), TagGraph(str(self._path.graph), self._tag, self._graph, mirrors, environments)

    # Rows

    def _pages(self) -> PageColumns:
        hashes = list(self.places)
        by_hash = list(compress(self._by_hash, values_at(self._by_hash)(self._masks)))
        packages, package = table_of(self._texts["name"], values_at(by_hash)(self._columns["name"]))
        of_package = Postings.of(package, len(packages))
        in_order = values_at(list(map(by_hash.__getitem__, of_package.rows)))
        tables: dict[str, Sequence[str]] = {"hash": list(map(hashes.__getitem__, by_hash))}
        rows: dict[str, Ints] = {"hash": of_package.rows}
        for name, (table, column) in {
            "version": (self._texts["version"], self._columns["version"]),
            "variants": (self._texts["variants"], self._columns["variants"]),
            "profile": self._row_profiles(),
            "extra": self._row_extras(),
        }.items():
            tables[name], rows[name] = table_of(table, in_order(column))
        return PageColumns(
            paths=StringTable.of(map(self._path.page, packages)),
            packages=StringTable.of(packages),
            tags=StringTable.of([self._tag] if packages else []),
            page_package=array("I", range(len(packages))),
            page_tag=array("I", bytes(4 * len(packages))),
            lengths=mapped(of_package.count, range(len(packages))),
            tables={name: StringTable.of(table) for name, table in tables.items()},
            rows=rows,
        )

    def _row_profiles(self) -> tuple[list[str], "array[int]"]:
        """Build the column `profile`: the compiler, the architecture, the stacks and the state of each node, as JSON.

        Return the distinct values, and for each node the position of its value.
        """
        builds: list[Build] = list(self._numbers["build"])
        keys: Numbering[tuple[int, int, tuple[str | None, str | None]]] = Numbering()
        records = map(self._records.__getitem__, self.places) if self._records else ()
        marks = (
            ((each.state, "yes" if each.explicit else "no") for each in records) if records else repeat((None, None))
        )
        column = keys.of(zip(self._columns["build"], self._masks, marks, strict=False))
        texts = []
        for build, mask, (state, explicit) in keys:
            os, platform, target = builds[build][2]
            row = Row(
                # without an architecture, the spec is damaged or comes from an image tag, so its compiler is unknown
                compiler=self._compilers[build] or (NO_COMPILER if os or platform or target else None),
                os=os,
                platform=platform,
                target=target,
                stacks=tuple(sorted(stack for k, stack in enumerate(self._stacks) if stack and mask >> k & 1)),
                state=state,
                explicit=explicit,
            )
            texts.append(_encode(profile_fields(row)).decode())
        return texts, column

    def _row_extras(self) -> tuple[list[str], "array[int]"]:
        """Build the column `extra`: for an installation, the installation record of each node, as JSON.

        Return the distinct values, and for each node the position of its value.
        """
        if not self._records:  # rows of build caches have no extra data
            return ["[null,null,[]]"], array("I", bytes(4 * len(self.places)))
        numbers: Numbering[str] = Numbering()
        column = numbers.of(_encode((None, None, (), self._records[each])).decode() for each in self.places)
        return list(numbers), column

    # Values that rows share with nodes of the graph

    @cached_property
    def _by_hash(self) -> Sequence[int]:
        """The positions of the nodes, sorted by hash."""
        hashes = list(self.places)
        # an array is faster, because the numbers of a sorted list are scattered in memory
        return array("I", sorted(range(len(hashes)), key=hashes.__getitem__))

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        """The distinct names, versions and variants of the nodes."""
        return {name: list(self._numbers[name]) for name in ("name", "version", "variants")}

    @cached_property
    def _compilers(self) -> list[str | None]:
        """The compiler for each distinct value of the column `build`, or None.

        If the JSON of a node does not name the compiler, use the dependencies that are compilers.
        """
        return [named_compiler(named) or self._provider(compilers) for compilers, named, _ in self._numbers["build"]]

    def _provider(self, compilers: Compilers) -> str | None:
        by_language: dict[str, str] = {}
        for node_hash, languages in compilers:
            place = self.places.get(node_hash.decode())
            if place is not None:
                name, version = (self._texts[each][self._columns[each][place]] for each in ("name", "version"))
                provider = at_version(name, version)
                by_language |= {language: provider for language in languages if language not in by_language}
        return mixed_compiler(by_language)

    # The graph

    def _graph(self) -> NodeColumns:
        """Build the dependency graph, with nodes sorted by hash. A hash that appears only in edges is a node, too."""
        hashes: Numbering[bytes] = Numbering(zip(map(encoded, values_at(self._by_hash)(list(self.places))), count()))
        targets = self._targets(hashes)
        texts, order = list(hashes), self._by_hash
        names = self._names_of_others(targets) if len(texts) > len(order) else []
        if names:
            texts, place = ranked(texts)
            targets = mapped(place.__getitem__, targets)
            placed = sorted(zip(place, [*order, *range(len(order), len(place))], strict=True))
            order = array("I", [number for _, number in placed])
        in_order = values_at(order)
        shapes = [*self._numbers["shape"], NO_EDGES]
        of_nodes = [*self._columns["shape"], *[len(shapes) - 1] * len(names)]
        starts = list(accumulate([4 * len(shapes[number].kinds) for number in of_nodes], initial=0))
        cuts = map(slice, in_order(starts), in_order(starts[1:]))
        kinds = sorted({kind for shape in shapes for kind in shape.kinds})
        code: Literal["B", "I"] = "B" if len(kinds) < 256 else "I"
        kinds_of = [array(code, map(numbered(kinds).__getitem__, shape.kinds)).tobytes() for shape in shapes]
        tables, columns, states = self._node_columns(in_order, names)
        return NodeColumns(
            hashes=StringTable.of_bytes(texts),
            tables=tables,
            columns=columns,
            state=states,
            first=array("I", accumulate((len(shapes[number].kinds) for number in in_order(of_nodes)), initial=0)),
            target=array("I", b"".join(map(targets.tobytes().__getitem__, cuts))),
            kind=array(code, b"".join(map(kinds_of.__getitem__, in_order(of_nodes)))),
            kinds=StringTable.of([_encode(kind).decode() for kind in kinds]),
        )

    def _targets(self, hashes: Numbering[bytes]) -> "array[int]":
        """For each edge, return the id of the node to which it leads.

        `hashes` contains the ids of all nodes in the columns. A hash that appears only in edges gets the next free id,
        and is added to `hashes`.
        """
        found = array("I")
        for edges in self._edges:
            for start in range(0, len(edges), BLOCK_HASHES * HASH_LENGTH):
                some = edges[start : start + BLOCK_HASHES * HASH_LENGTH]
                found.extend(hashes.of(struct.unpack(f"{HASH_LENGTH}s" * (len(some) // HASH_LENGTH), some)))
        return found

    def _names_of_others(self, targets: Sequence[int]) -> list[str]:
        """Return the package names of the nodes whose hashes appear only in edges, in the order of the ids.

        `targets` contains the id from `_targets` for each edge. The first edge to a node contains the name.
        """
        shapes = list(self._numbers["shape"])
        names = chain.from_iterable(shapes[number].names for number in self._columns["shape"])
        found: dict[int, str] = {}
        for number, name in zip(targets, names, strict=True):
            if number >= len(self.places):
                found.setdefault(number, name)
        return list(found.values())

    def _node_columns(
        self, in_order: Callable[[Sequence[Any]], Sequence[Any]], names: Sequence[str]
    ) -> tuple[dict[str, StringTable], dict[str, Ints], Ints]:
        """Return the data of the graph's nodes, sorted by hash.

        The result has three parts: the distinct values of each column, for each node the positions of its values, and
        the state of each node. `in_order` sorts a column by hash. `names` contains the package names of the nodes whose
        hashes appear only in edges.
        """
        said = [extra_text(extra) for extra in self._numbers["extra"]]
        built = zip(self._compilers, self._numbers["build"], strict=True)
        profiles = [_encode((compiler, *architecture)).decode() for compiler, (_, _, architecture) in built]
        texts = {**self._texts, "profile": profiles, "extra": [text for text, _ in said]}
        numbers = self._columns | {"profile": self._columns["build"]}
        tables: dict[str, StringTable] = {}
        columns: dict[str, Ints] = {}
        for column in NODE_COLUMNS:
            every = [*texts[column], *(names if column == "name" else [UNKNOWN[column]] * len(names))]
            own = range(len(texts[column]), len(every))
            table, columns[column] = table_of(every, in_order([*numbers[column], *own]))
            tables[column] = StringTable.of(table)
        is_external = [said[extra][1] for extra in self._columns["extra"]]
        if self._records:
            there = [self._records[node_hash].state in PRESENT for node_hash in self.places]
            states = [
                State.EXTERNAL if external else State.BINARY if here else State.HOLE
                for here, external in zip(there, is_external, strict=True)
            ]
        else:
            # specs from the image tags of a registry lack an architecture and dependencies
            is_known = [any(architecture) for _, _, architecture in self._numbers["build"]]
            builds = map(is_known.__getitem__, self._columns["build"])
            states = [
                (State.BINARY if known else State.NAMED) if mask else State.EXTERNAL if external else State.HOLE
                for mask, external, known in zip(self._masks, is_external, builds, strict=True)
            ]
        return tables, columns, array("I", in_order([*states, *[State.UNKNOWN] * len(names)]))


def _edges_of(some: Nodes, is_new: Sequence[bool]) -> bytes:
    """Return the joined hashes of all direct dependencies. Skip the nodes for which `is_new` is false."""
    if all(is_new):
        return some.edges  # a copy would need much memory
    lengths = [HASH_LENGTH * len(shape.names) for shape in some.tables["shape"]]
    ends = accumulate(map(lengths.__getitem__, some.columns["shape"]), initial=0)
    return b"".join([some.edges[start:end] for start, end in compress(pairwise(ends), is_new)])


_encode = msgspec.json.Encoder().encode
