"""The flat storage of one dependency graph: nodes in the order of their hashes, and their edges behind each other.

A part is the graph of one tag, all of its caches joined. Every array is one that can be mapped from a file.
Invariant: the edges of node k are the entries `first[k]` up to `first[k + 1]` of `target` and `kind`.
Input: the columns that a reader of build caches made, checked there for their types only: hashes may be any text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from itertools import accumulate
from typing import TypeAlias

import msgspec
from msgspec import Struct

from cachetui.store.arrays import Ints, Strings, encoded, numbered

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The columns with one entry a node, each a number in a table of distinct texts."""

NO_PROFILE = "[null,null,null,null]"
NO_VARIANTS = "[]"
NO_EXTRA = '["builtin",null,null,null,[]]'
"""The texts of a node of which nothing but its hash and name is known."""


class State(IntEnum):
    """What an index says of a node."""

    UNKNOWN = 0
    """Only edges name it: there is no entry for it."""
    HOLE = 1
    """It has an entry as a dependency, but no binary."""
    EXTERNAL = 2
    """It is installed outside of Spack and has to be on the host."""
    BINARY = 3
    """One of the caches holds its binary."""


EdgeKind: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The dependency types of an edge, and the virtual packages that it provides."""


class Part(Struct, frozen=True, eq=False):
    """The nodes and edges of one tag."""

    path: str
    """What its content is known by among the files of the source; a part that was read again replaces it."""
    tag: str
    hashes: Strings
    """Sorted by their bytes; the place of a hash is the number of its node."""
    tables: Mapping[str, Strings]
    """For each node column its distinct values, sorted. `profile` is JSON of compiler, os, platform and target,
    `variants` a JSON list, `extra` JSON of namespace, external path, package hash, the hash it was spliced from, and
    the modules of an external."""
    columns: Mapping[str, Ints]
    state: Ints
    first: Ints
    """Where the edges of each node begin; one longer than the nodes."""
    target: Ints
    """For each edge the number of the node that is needed."""
    kind: Ints
    """For each edge a number in `kinds`."""
    kinds: Strings
    """JSON of each distinct `EdgeKind`."""
    mirrors: Mapping[str, str] = {}
    """For each stack (the empty one for a cache that is none) the folder or URL that Spack knows the cache by."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__struct_fields__)

    __hash__ = None  # type: ignore[assignment]  # equal by content, and too large to be a key

    def __len__(self) -> int:
        return len(self.hashes)

    def place(self, node_hash: str) -> int | None:
        """The number of the node of this whole hash."""
        at, there = self.hashes.place(encoded(node_hash))
        return at if there else None

    def text(self, column: str, node: int) -> str:
        """What one of the node columns has for a node."""
        return self.tables[column][self.columns[column][node]]


class NodeLists(Struct):
    """The nodes of a part on the way in: an entry for each node in every list, edges one behind the other."""

    hashes: list[str] = []
    names: list[str] = []
    versions: list[str] = []
    profiles: list[str] = []
    variants: list[str] = []
    extras: list[str] = []
    states: list[int] = []
    edge_counts: list[int] = []
    """How many of the edges belong to each node."""
    edge_hashes: list[str] = []
    edge_names: list[str] = []
    edge_kinds: list[EdgeKind] = []

    def add(
        self,
        node_hash: str,
        name: str,
        version: str,
        *,
        profile: str = NO_PROFILE,
        variants: str = NO_VARIANTS,
        extra: str = NO_EXTRA,
        state: State = State.BINARY,
        edges: Sequence[tuple[str, str, EdgeKind]] = (),
    ) -> None:
        """Adds a node with its edges (hash, name, kind); a second one of the same hash does not count."""
        self.hashes.append(node_hash)
        self.names.append(name)
        self.versions.append(version)
        self.profiles.append(profile)
        self.variants.append(variants)
        self.extras.append(extra)
        self.states.append(state)
        self.edge_counts.append(len(edges))
        for edge_hash, edge_name, kind in edges:
            self.edge_hashes.append(edge_hash)
            self.edge_names.append(edge_name)
            self.edge_kinds.append(kind)


def part_of(path: str, tag: str, lists: NodeLists, mirrors: Mapping[str, str] | None = None) -> Part:
    """The flat part of these nodes; the first of several nodes with one hash counts.

    What edges name and no node is becomes a node of the state UNKNOWN, with the name that the first edge gives it.
    """
    known = dict(zip(reversed(lists.hashes), range(len(lists.hashes) - 1, -1, -1), strict=True))
    unknown = dict.fromkeys(set(lists.edge_hashes).difference(known), "")
    if unknown:
        for edge_hash, edge_name in zip(reversed(lists.edge_hashes), reversed(lists.edge_names), strict=True):
            if edge_hash in unknown:
                unknown[edge_hash] = edge_name
    hashes = sorted([*known, *unknown], key=encoded)
    number = numbered(hashes)
    order = [known.get(found, -1) for found in hashes]
    missing = [unknown[found] for found in hashes if found in unknown]
    tables, columns = {}, {}
    blanks = {"version": "", "profile": NO_PROFILE, "variants": NO_VARIANTS, "extra": NO_EXTRA}
    values = {
        "name": lists.names,
        "version": lists.versions,
        "profile": lists.profiles,
        "variants": lists.variants,
        "extra": lists.extras,
    }
    names = iter(missing)
    for column in NODE_COLUMNS:
        own = values[column]
        if missing:
            blank = blanks.get(column)
            texts = [own[k] if k >= 0 else next(names) if blank is None else blank for k in order]
        else:
            texts = list(map(own.__getitem__, order))
        tables[column], columns[column] = _table(texts)
    first, target, kind, kinds = _edges(lists, order, number)
    return Part(
        path=path,
        tag=tag,
        hashes=Strings.of(hashes),
        tables=tables,
        columns=columns,
        state=array("I", [lists.states[k] if k >= 0 else State.UNKNOWN for k in order]),
        first=first,
        target=target,
        kind=kind,
        kinds=kinds,
        mirrors=mirrors or {},
    )


def _table(texts: Sequence[str]) -> tuple[Strings, array[int]]:
    distinct = sorted(set(texts))
    return Strings.of(distinct), array("I", map(numbered(distinct).__getitem__, texts))


def _edges(
    lists: NodeLists, order: Iterable[int], number: Mapping[str, int]
) -> tuple[array[int], array[int], array[int], Strings]:
    """The edges in the order of the nodes: where those of each begin, targets, kinds, and the table of kinds."""
    distinct = sorted(set(lists.edge_kinds))
    targets = array("I", map(number.__getitem__, lists.edge_hashes))
    kinds = array("I", map(numbered(distinct).__getitem__, lists.edge_kinds))
    starts = array("I", accumulate(lists.edge_counts, initial=0))
    counts = array("I", [starts[k + 1] - starts[k] if k >= 0 else 0 for k in order])
    views = memoryview(targets), memoryview(kinds)
    target, kind = array("I"), array("I")
    for out, view in zip((target, kind), views, strict=True):
        out.frombytes(b"".join([view[starts[k] : starts[k + 1]] for k in order if k >= 0]))
    table = Strings.of([msgspec.json.encode(each).decode() for each in distinct])
    return array("I", accumulate(counts, initial=0)), target, kind, table
