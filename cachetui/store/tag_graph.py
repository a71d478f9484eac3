"""The flat storage of the dependency graph of one tag, with the nodes of all its caches.

Nodes are sorted by hash. Every array can be mapped from a file.
Invariant: the edges of node k are the entries of `target` and `kind` from `first[k]` up to, but not including,
`first[k + 1]`.
Input: nodes from a reader of build caches; their hashes may be any text.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from cachetui.store.arrays import Ints, mapped, numbered
from cachetui.store.string_table import StringTable, encoded

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The columns with one entry for each node, a number in a table of distinct texts."""


class TagGraph(Struct, frozen=True):
    """The nodes and edges of one tag; part of a `Graph`."""

    path: str
    """Its key: a graph of the same path that is read again replaces it."""
    tag: str
    hashes: StringTable
    """The hash of each node, sorted by bytes."""
    tables: Mapping[str, StringTable]
    """The distinct values of each node column, sorted. `profile` is JSON of compiler, os, platform and target,
    `variants` a JSON list, `extra` JSON of namespace, external path, package hash, the hash it was spliced from, the
    modules of an external, and the virtual packages that it provides, such as `mpi@:3`."""
    columns: Mapping[str, Ints]
    state: Ints
    """The `State` of each node."""
    first: Ints
    """The first edge of each node, and at the end the number of all edges."""
    target: Ints
    """The node that each edge leads to."""
    kind: Ints
    """The number in `kinds` of each edge."""
    kinds: StringTable
    """The distinct `EdgeKind`s, as JSON."""
    mirrors: Mapping[str, str] = {}
    """The folder or URL of the cache of each stack; the stack is empty for a cache without one."""
    environments: Mapping[str, Sequence[str]] | None = None
    """Of an installation the hashes of the roots of each environment; None for build caches."""

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def joined(self) -> TagGraph:
        """This graph itself; see `RawGraph`."""
        return self

    def place(self, node_hash: str) -> int | None:
        """Return the node of a whole hash, or None."""
        at, there = self.hashes.place(encoded(node_hash))
        return at if there else None

    def only(self, nodes: Sequence[int]) -> TagGraph:
        """Return the graph of only these nodes, given in rising order, with the edges among them, and all names."""
        place = numbered(nodes)
        first, target, kind = array("I", [0]), array("I"), array("I")
        for node in nodes:
            for at in range(self.first[node], self.first[node + 1]):
                if self.target[at] in place:
                    target.append(place[self.target[at]])
                    kind.append(self.kind[at])
            first.append(len(target))
        used = {name: sorted({column[node] for node in nodes}) for name, column in self.columns.items()}
        used["name"] = [*range(len(self.tables["name"]))]
        return msgspec.structs.replace(
            self,
            hashes=StringTable.of(map(self.hashes.__getitem__, nodes)),
            tables={name: StringTable.of(map(self.tables[name].__getitem__, used[name])) for name in used},
            columns={
                name: mapped(numbered(used[name]).__getitem__, map(column.__getitem__, nodes))
                for name, column in self.columns.items()
            },
            state=mapped(self.state.__getitem__, nodes),
            first=first,
            target=target,
            kind=kind,
        )

    def text(self, column: str, node: int) -> str:
        """Return the text of a node in one of the node columns."""
        return self.tables[column][self.columns[column][node]]


class RawGraph(Struct, frozen=True, eq=False):
    """A graph that is made when it is first used.

    To look up the nodes of half a million edges takes longer than to read all that rows need.
    """

    path: str
    tag: str
    mirrors: Mapping[str, str]
    """See `TagGraph`."""
    join: Joining
    environments: Mapping[str, Sequence[str]] | None = None
    """See `TagGraph`."""

    @property
    def joined(self) -> TagGraph:
        """The flat graph."""
        own = {name: getattr(self, name) for name in self.__struct_fields__ if name != "join"}
        return msgspec.structs.replace(self.join(), **own)


class Joining:
    """Makes a graph once, for the first thread that asks, and then frees what it was made of."""

    def __init__(self, make: Callable[[], TagGraph]) -> None:
        from threading import Lock  # late: processes that read pages have no graph

        self._make: Callable[[], TagGraph] | None = make
        self._made: TagGraph | None = None
        self._lock = Lock()

    def __call__(self) -> TagGraph:
        with self._lock:
            if self._made is None:
                assert self._make is not None
                self._made, self._make = self._make(), None
            return self._made


def table_of(texts: Sequence[str], column: Sequence[int]) -> tuple[list[str], array[int]]:
    """Return the distinct texts that a column uses, sorted, and the column renumbered for them."""
    used = set(column)
    distinct = sorted({texts[number] for number in used})
    place = numbered(distinct)
    return distinct, mapped([place.get(text, 0) for text in texts].__getitem__, column)


profile_of = msgspec.json.Decoder(tuple[str | None, str | None, str | None, str | None]).decode
"""Compiler, os, platform and target from a text of the node column `profile`."""
