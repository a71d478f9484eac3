"""The dependency graph of one tag: the nodes of all its caches, and the edges between them, in flat columns.

The nodes are sorted by hash. All columns can be mapped from a file.
Invariant: the edges from node k are the entries of `target` and `kind` from `first[k]` up to, but not including,
`first[k + 1]`. The edges to node k are the entries of `source` and `source_kind` from `source_first[k]` up to, but not
including, `source_first[k + 1]`.
Input: nodes from a reader of build caches. Their hashes may be any texts.
"""

from _thread import LockType as Lock
from _thread import allocate_lock
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain, compress, islice, repeat
from operator import sub

import msgspec
from msgspec import Struct, field

from cachetui.model.dependency import EdgeKind
from cachetui.store.arrays import Ints, StringTable, mapped, marks, numbered, small

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The names of the node columns. Each entry is an index in the column's table of distinct strings."""

NODE_FIELDS = ("hashes", "kinds", "state", "first", "target", "kind")
REVERSED = ("source_first", "source", "source_kind")
LIBCS = ("libc", "libcs")
"""The names of other columns: columns in `NodeColumns`, reversed edges, and C libraries (see `derived`)."""

_decode_kind = msgspec.json.Decoder(EdgeKind).decode


class NodeColumns(Struct, frozen=True, eq=False):
    """The nodes and edges of one tag."""

    hashes: StringTable
    """The hashes of the nodes, sorted by bytes."""
    tables: Mapping[str, StringTable]
    """The sorted distinct values of each node column.

    All values are texts. `profile` is JSON with compiler, os, platform and target. `variants` is a JSON list. `extra`
    is JSON with the namespace, the path of an external, the package hash, the hash of the spec before splicing, the
    modules of an external, and the provided virtual packages, such as `mpi@:3`.
    """
    columns: Mapping[str, Ints]
    state: Ints
    """The `State` of each node."""
    first: Ints
    """The first edge of each node, followed by the total number of edges."""
    target: Ints
    """The target node of each edge."""
    kind: Ints
    """For each edge, the index of its kind in `kinds`."""
    kinds: StringTable
    """The distinct `EdgeKind`s, as JSON."""
    stored: dict[str, Ints] = {}
    """The columns that `derived` has computed, by name."""
    keep: Callable[[], object] = bool
    """A function that saves the derived columns. It is called after they were computed."""
    lock: Lock = field(default_factory=allocate_lock)
    """The lock for the computation of derived columns."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeColumns):
            return NotImplemented
        fields = (name for name in self.__struct_fields__ if name not in ("stored", "keep", "lock"))
        return all(getattr(self, name) == getattr(other, name) for name in fields)

    def __len__(self) -> int:
        return len(self.hashes)

    def text(self, column: str, node: int) -> str:
        """Return the text of a node in one of the node columns."""
        return self.tables[column][self.columns[column][node]]

    def edges(self, node: int) -> range:
        """Return the numbers of the edges from a node."""
        return range(self.first[node], self.first[node + 1])

    def edge_kinds(self) -> list[EdgeKind]:
        """Return the distinct kinds of edges. `kind` contains indexes in this list."""
        return list(map(_decode_kind, self.kinds))

    def derived(self, name: str) -> Ints:
        """Return a column that is computed from the edges. It is saved in the index cache after the first use.

        `source_first`, `source` and `source_kind` are the reversed edges, sorted by target node. `libcs` contains the
        nodes that are C libraries. `libc` contains the library of each node: 1 means the first library in `libcs`, and
        0 means that the library is unknown.
        """
        if name not in self.stored and name in LIBCS:
            self.stored.update(zip(LIBCS, self._libcs(), strict=True))
        elif name not in self.stored:
            with self.lock:
                if name not in self.stored:  # perhaps another thread has just computed the column
                    self.stored.update(zip(REVERSED, self._reversed(), strict=True))
                    self.keep()
        return self.stored[name]

    def _sources(self) -> chain[int]:
        """Yield the source node of each edge."""
        return chain.from_iterable(map(repeat, range(len(self)), map(sub, islice(self.first, 1, None), self.first)))

    def _reversed(self) -> tuple[Ints, Ints, Ints]:
        counts = [0] * len(self)
        for target in self.target:
            counts[target] += 1
        firsts = array("I", accumulate(counts, initial=0))
        free = firsts[:]  # for each node, the index of its next edge; an array, because a list would be slower
        sources, kinds = array("I", self.target), array("B" if self.kind.itemsize == 1 else "I", self.kind)
        for source, target, kind in zip(self._sources(), self.target, self.kind, strict=True):
            place = free[target]
            sources[place], kinds[place], free[target] = source, kind, place + 1
        return firsts, sources, kinds

    def _libcs(self) -> tuple[Ints, Ints]:
        marked = marks(self.kind, [bool(types) and "libc" in virtuals for types, virtuals in self.edge_kinds()])
        nodes, targets = (list(compress(each, marked)) for each in (self._sources(), self.target))
        libcs = sorted(set(targets))
        number = numbered(libcs)
        column = array("I", bytes(4 * len(self)))
        for node, target in zip(reversed(nodes), reversed(targets), strict=True):  # the first edge of a node wins
            column[node] = number[target] + 1
        return small(column), array("I", libcs)


class TagGraph:
    """The dependency graph of one tag, a part of a `Graph`.

    The nodes and edges are built when they are used for the first time, because this takes longer than reading the
    rows. Afterwards, the data from which they were built is freed.
    """

    def __init__(
        self,
        path: str,
        tag: str,
        make: Callable[[], NodeColumns],
        mirrors: Mapping[str, str] = {},
        environments: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`make` is a function that builds the nodes and edges."""
        self.path = path
        """The key of the graph. A newer graph with the same path replaces this graph."""
        self.tag = tag
        self.mirrors = mirrors
        """The folder or URL of each build cache, by stack. The key is empty for a build cache without a stack."""
        self.environments = environments
        """For an installation, the root hashes of each environment, by the name of the environment. Otherwise None."""
        self._make: Callable[[], NodeColumns] | None = make
        self._made: NodeColumns | None = None
        self._lock = allocate_lock()

    @property
    def nodes(self) -> NodeColumns:
        """The nodes and edges of the graph."""
        with self._lock:
            if self._made is None:
                assert self._make is not None
                self._made, self._make = self._make(), None
            return self._made

    def placed(self, path: str, tag: str) -> "TagGraph":
        """Return this graph with another path and tag."""
        return TagGraph(path, tag, lambda: self.nodes, self.mirrors, self.environments)


def table_of(texts: Sequence[str], column: Sequence[int]) -> tuple[list[str], "array[int]"]:
    """Return the sorted distinct texts that `column` refers to by index, and the column with the new indexes."""
    distinct = sorted({texts[number] for number in set(column)})
    place = numbered(distinct)
    return distinct, mapped([place.get(text, 0) for text in texts].__getitem__, column)


profile_of = msgspec.json.Decoder(tuple[str | None, str | None, str | None, str | None]).decode
"""A function that returns compiler, os, platform and target from a string in the node column `profile`."""
