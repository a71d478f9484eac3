"""The flat storage of the dependency graph of one tag: nodes in the order of their hashes, and their edges in one row.

All caches of the tag are joined. Every array is one that can be mapped from a file.
Invariant: the edges of node k are the entries `first[k]` up to `first[k + 1]` of `target` and `kind`.
Input: the columns that a reader of build caches made, checked there for their types only: hashes may be any text.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, count

import msgspec
from msgspec import Struct

from cachetui.model.dependency import EdgeKind, State
from cachetui.store.arrays import Ints, Numbering, mapped, numbered
from cachetui.store.string_table import StringTable, encoded

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The columns with one entry a node, each a number in a table of distinct texts."""

NO_PROFILE = "[null,null,null,null]"
NO_VARIANTS = "[]"
NO_EXTRA = '["builtin",null,null,null,[]]'
"""The texts of a node of which nothing but its hash and name is known."""


class TagGraph(Struct, frozen=True, eq=False):
    """The nodes and edges of one tag; part of a `Graph`."""

    path: str
    """What its content is known by among the files of the source; what was read again of this path replaces it."""
    tag: str
    hashes: StringTable
    """Sorted by their bytes; the place of a hash is the number of its node."""
    tables: Mapping[str, StringTable]
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
    kinds: StringTable
    """JSON of each distinct `EdgeKind`."""
    mirrors: Mapping[str, str] = {}
    """For each stack (the empty one for a cache that is none) the folder or URL that Spack knows the cache by."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TagGraph):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__struct_fields__)

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def joined(self) -> TagGraph:
        """This part, whose edges are joined already; see `RawGraph`."""
        return self

    def place(self, node_hash: str) -> int | None:
        """The number of the node of this whole hash."""
        at, there = self.hashes.place(encoded(node_hash))
        return at if there else None

    def text(self, column: str, node: int) -> str:
        """What one of the node columns has for a node."""
        return self.tables[column][self.columns[column][node]]


class RawGraph(Struct, frozen=True, eq=False):
    """The nodes and edges of one tag as a source records them, joined when somebody first asks for them.

    To look up what half a million edges lead to takes longer than to read all that rows need.
    """

    path: str
    tag: str
    mirrors: Mapping[str, str]
    """See `TagGraph`."""
    join: Joining

    @property
    def joined(self) -> TagGraph:
        """The flat graph."""
        return msgspec.structs.replace(self.join(), path=self.path, tag=self.tag)


class Joining:
    """Makes a graph once, whichever thread asks for it first, and forgets what that was made of."""

    def __init__(self, make: Callable[[], TagGraph]) -> None:
        from threading import Lock  # late: processes that read pages have no graph

        self._make: Callable[[], TagGraph] | None = make
        self._made: TagGraph | None = None
        self._lock = Lock()

    def __call__(self) -> TagGraph:
        with self._lock:
            if self._made is None:
                assert self._make is not None  # it is only forgotten when it has made the graph
                self._made, self._make = self._make(), None
            return self._made


# Raw edges: hashes, which are looked up when somebody first asks for the graph

HASH_LENGTH = 32
"""Letters of a hash of Spack's."""

_SOME = 4096
"""Hashes that are looked up at a time, so that other threads come to their turn."""


class RawEdges(Struct, frozen=True):
    """What the edges of some nodes lead to, those of one node after those of the other."""

    hashes: bytes
    """`HASH_LENGTH` bytes for each edge: the hash, or a `stand_in` for another text."""
    others: list[bytes]
    """The texts that stand-ins are for, by their numbers."""


def stand_in(number: int) -> bytes:
    """Takes the place of a hash that is not as those of Spack's; no text in UTF-8 begins like this."""
    return b"\xff%0*d" % (HASH_LENGTH - 1, number)


def targets(edges: RawEdges, numbers: Numbering[bytes]) -> array[int]:
    """The number of each hash that edges lead to; one that has none yet gets the next one."""
    others = {stand_in(k): each for k, each in enumerate(edges.others)}
    found = array("I")
    step = _SOME * HASH_LENGTH
    for start in range(0, len(edges.hashes), step):
        hashes = edges.hashes[start : start + step]
        keys: Iterable[bytes] = struct.unpack(f"{HASH_LENGTH}s" * (len(hashes) // HASH_LENGTH), hashes)
        if others:
            keys = [others.get(key, key) for key in keys]
        found.extend(map(numbers.__getitem__, keys))
    return found


class NodeLists:
    """The nodes of a tag while they are read: each text, hash and kind of edge once, and numbers in place of them."""

    def __init__(self, hashes: Iterable[bytes] = ()) -> None:
        """`hashes` are the first ones, in the order of their numbers."""
        self.hashes: Numbering[bytes] = Numbering(zip(hashes, count()))
        """Of nodes, and of all that edges lead to."""
        self.nodes = array("I")
        """The hash of each node."""
        self.texts: dict[str, Numbering[str]] = {column: Numbering() for column in NODE_COLUMNS}
        self.columns = {column: array("I") for column in NODE_COLUMNS}
        self.states = array("I")
        self.edge_counts = array("I")
        """How many of the edges, which stand one after the other, belong to each node."""
        self.targets = array("I")
        """The hash that each edge leads to."""
        self.edge_kinds = array("I")
        self.kinds: Numbering[EdgeKind] = Numbering()
        self.names: dict[int, str] = {}
        """For each hash that is no node the name that an edge gives it; for others it does not matter."""

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
        self._add(self.hashes[encoded(node_hash)], (name, version, profile, variants, extra), state)
        self.edge_counts[-1] = len(edges)
        for edge_hash, edge_name, kind in edges:
            number = self.hashes[encoded(edge_hash)]
            self.names.setdefault(number, edge_name)
            self.targets.append(number)
            self.edge_kinds.append(self.kinds[kind])

    def add_unknown(self) -> None:
        """Adds a node for each hash that edges alone name."""
        for number in sorted(set(self.names).difference(self.nodes)):
            self._add(number, (self.names[number], "", NO_PROFILE, NO_VARIANTS, NO_EXTRA), State.UNKNOWN)

    def _add(self, number: int, texts: Iterable[str], state: State) -> None:
        self.nodes.append(number)
        for column, text in zip(NODE_COLUMNS, texts, strict=True):
            self.columns[column].append(self.texts[column][text])
        self.states.append(state)
        self.edge_counts.append(0)


def tag_graph_of(path: str, tag: str, lists: NodeLists, mirrors: Mapping[str, str] | None = None) -> TagGraph:
    """The flat graph of these nodes, given in any order; the first of several nodes with one hash counts.

    What edges name and no node is becomes a node of the state UNKNOWN, with the name that the first edge gives it.
    """
    lists.add_unknown()
    hashes = list(lists.hashes)
    node_of = dict(zip(reversed(lists.nodes), range(len(lists.nodes) - 1, -1, -1), strict=True))
    # arrays, as the numbers in a sorted list lie anywhere in memory
    by_hash = array("I", sorted(node_of, key=hashes.__getitem__))
    order = mapped(node_of.__getitem__, by_hash)
    place = array("I", bytes(4 * len(hashes)))
    for k, number in enumerate(by_hash):
        place[number] = k
    tables, columns = {}, {}
    for column in NODE_COLUMNS:
        numbers = mapped(lists.columns[column].__getitem__, order)
        tables[column], columns[column] = table_of(list(lists.texts[column]), numbers)
    kinds = sorted(lists.kinds)
    kind = lists.edge_kinds
    if kinds != list(lists.kinds):
        kind = mapped([kinds.index(each) for each in lists.kinds].__getitem__, kind)
    starts = array("I", accumulate(lists.edge_counts, initial=0))
    cuts = [slice(starts[k] * starts.itemsize, starts[k + 1] * starts.itemsize) for k in order]
    return TagGraph(
        path=path,
        tag=tag,
        hashes=StringTable.of_bytes([hashes[number] for number in by_hash]),
        tables={column: StringTable.of(table) for column, table in tables.items()},
        columns=columns,
        state=mapped(lists.states.__getitem__, order),
        first=array("I", accumulate(map(lists.edge_counts.__getitem__, order), initial=0)),
        target=_cut(mapped(place.__getitem__, lists.targets), cuts),
        kind=_cut(kind, cuts),
        kinds=StringTable.of([msgspec.json.encode(each).decode() for each in kinds]),
        mirrors=mirrors or {},
    )


def table_of(texts: Sequence[str], column: Sequence[int]) -> tuple[list[str], array[int]]:
    """Of these texts the ones that the numbers of a column stand for, sorted, and the column in their numbers."""
    used = set(column)
    distinct = sorted({texts[number] for number in used})
    place = numbered(distinct)
    return distinct, mapped([place.get(text, 0) for text in texts].__getitem__, column)


def _cut(column: array[int], cuts: Sequence[slice]) -> array[int]:
    """The pieces of a column one after the other, cut between these bytes."""
    return array("I", b"".join(map(column.tobytes().__getitem__, cuts)))


profile_of = msgspec.json.Decoder(tuple[str | None, str | None, str | None, str | None]).decode
"""Compiler, os, platform and target from a text of the node column `profile`."""
