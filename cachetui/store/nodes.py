"""The flat storage of one dependency graph: nodes in the order of their hashes, and their edges behind each other.

A part is the graph of one tag, all of its caches joined. Every array is one that can be mapped from a file.
Invariant: the edges of node k are the entries `first[k]` up to `first[k + 1]` of `target` and `kind`.
Input: the columns that a reader of build caches made, checked there for their types only: hashes may be any text.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate

import msgspec
from msgspec import Struct

from cachetui.model.dependency import EdgeKind, State
from cachetui.store.arrays import Ints, Strings, encoded, mapped, numbered

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The columns with one entry a node, each a number in a table of distinct texts."""

NO_PROFILE = "[null,null,null,null]"
NO_VARIANTS = "[]"
NO_EXTRA = '["builtin",null,null,null,[]]'
"""The texts of a node of which nothing but its hash and name is known."""


class DamagedGraph(Exception):  # noqa: N818 - it is named for what is found
    """A saved graph that cannot be used; the message is a note for the user."""


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
    edge_kinds: list[int] = []
    """Of each edge a number in `kinds`."""
    kinds: list[EdgeKind] = []
    """Each distinct kind once."""

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
            if kind not in self.kinds:
                self.kinds.append(kind)
            self.edge_kinds.append(self.kinds.index(kind))


_BY_NODE = ("hashes", "names", "versions", "profiles", "variants", "extras", "states", "edge_counts")
"""The lists with one entry a node."""


def part_of(path: str, tag: str, lists: NodeLists, mirrors: Mapping[str, str] | None = None) -> Part:
    """The flat part of these nodes, in any order; the first of several nodes with one hash counts.

    What edges name and no node is becomes a node of the state UNKNOWN, with the name that the first edge gives it.
    """
    # Everything is numbered in the order in which it came, which is its order in memory, and sorted as numbers.
    lists = _with_unknown(lists)
    place = dict(zip(reversed(lists.hashes), range(len(lists.hashes) - 1, -1, -1), strict=True))
    hashes = sorted(place)  # as their bytes are
    order = list(map(place.__getitem__, hashes))
    number = numbered(hashes)
    texts = {
        "name": lists.names,
        "version": lists.versions,
        "profile": lists.profiles,
        "variants": lists.variants,
        "extra": lists.extras,
    }
    tables, columns = {}, {}
    for column, values in texts.items():
        tables[column], numbers = _table(values)
        columns[column] = mapped(numbers.__getitem__, order)
    kinds = sorted(lists.kinds)
    kind = array("I", map(list(map(kinds.index, lists.kinds)).__getitem__, lists.edge_kinds))
    target = array("I", map(number.__getitem__, lists.edge_hashes))
    starts = list(accumulate(lists.edge_counts, initial=0))
    cuts = [(starts[k], starts[k + 1]) for k in order]
    return Part(
        path=path,
        tag=tag,
        hashes=Strings.of(hashes),
        tables=tables,
        columns=columns,
        state=mapped(lists.states.__getitem__, order),
        first=array("I", accumulate(map(lists.edge_counts.__getitem__, order), initial=0)),
        target=_cut(target, cuts),
        kind=_cut(kind, cuts),
        kinds=Strings.of([msgspec.json.encode(each).decode() for each in kinds]),
        mirrors=mirrors or {},
    )


def _with_unknown(lists: NodeLists) -> NodeLists:
    """The same nodes, and one for each hash that edges alone name."""
    known = set(lists.hashes)
    if known.issuperset(lists.edge_hashes):
        return lists
    more = msgspec.structs.replace(lists, **{name: list(getattr(lists, name)) for name in _BY_NODE})
    for edge_hash, edge_name in zip(lists.edge_hashes, lists.edge_names, strict=True):
        if edge_hash not in known:
            known.add(edge_hash)
            more.add(edge_hash, edge_name, "", state=State.UNKNOWN)
    return more


def _cut(column: array[int], cuts: Sequence[tuple[int, int]]) -> array[int]:
    """The pieces of a column behind each other."""
    view, out = memoryview(column), array("I")
    out.frombytes(b"".join([view[start:end] for start, end in cuts]))
    return out


def _table(texts: Sequence[str]) -> tuple[Strings, array[int]]:
    distinct = sorted(set(texts))
    return Strings.of(distinct), array("I", map(numbered(distinct).__getitem__, texts))


profile_of = msgspec.json.Decoder(tuple[str | None, str | None, str | None, str | None]).decode
"""Compiler, os, platform and target from a text of the node column `profile`."""
