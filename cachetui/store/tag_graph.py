"""The flat storage of the dependency graph of one tag: nodes in the order of their hashes, and their edges in one row.

All caches of the tag are joined. Every array is one that can be mapped from a file.
Invariant: the edges of node k are the entries `first[k]` up to `first[k + 1]` of `target` and `kind`.
Input: what a reader of build caches made, checked there for its types only: hashes may be any text.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from cachetui.store.arrays import Ints, mapped, numbered
from cachetui.store.string_table import StringTable, encoded

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The columns with one entry a node, each a number in a table of distinct texts."""


class TagGraph(Struct, frozen=True):
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


def table_of(texts: Sequence[str], column: Sequence[int]) -> tuple[list[str], array[int]]:
    """Of these texts the ones that the numbers of a column stand for, sorted, and the column in their numbers."""
    used = set(column)
    distinct = sorted({texts[number] for number in used})
    place = numbered(distinct)
    return distinct, mapped([place.get(text, 0) for text in texts].__getitem__, column)


profile_of = msgspec.json.Decoder(tuple[str | None, str | None, str | None, str | None]).decode
"""Compiler, os, platform and target from a text of the node column `profile`."""
