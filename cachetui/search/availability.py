"""Which binaries the build caches that a query selects hold, which other caches hold a binary, and what is installed.

A build cache is named by its tag and its stack. An installation is none; what it has is there whatever a query selects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

from pyroaring import BitMap

from cachetui.model.dependency import ALL_TYPES
from cachetui.model.installed import PRESENT
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.store.graph import closure

MANY = 4
"""Where more than one hash for so many rows is asked for, it is faster to collect the hashes of all rows first."""


class CacheName(NamedTuple):
    """One build cache."""

    tag: str
    stack: str
    """Empty for a cache without stacks."""


def mirror_name(mirror: CacheName) -> str:
    """Return the name of a cache as it is shown."""
    return f"{mirror.tag}/{mirror.stack}" if mirror.stack else mirror.tag


class Availability:
    """The binaries that a query matches, and all that is installed, by their hashes."""

    def __init__(self, index: Index, query: Query) -> None:
        self.index = index
        self.query = query
        self._of_trees = index.tree_rows
        self._installed = index.state_rows(PRESENT).intersection(
            BitMap.union(BitMap(), *(index.value_rows("tag", tree) for tree in index.graph.trees))  # not what was once
        )
        self._binaries = index.rows(query) - self._of_trees
        self.rows: BitMap = self._binaries | self._installed
        self._asked = query.ticked("stack", index.values("stack"))
        self._rows_of = cache(index.rows_of)
        self.row = cache(self._first_row)
        self._caches = cache(self._caches_of)

    def held(self, hashes: Sequence[str]) -> list[bool]:
        """Return for each hash whether the selected caches hold its binary."""
        if len(hashes) * MANY > len(self._binaries):
            return list(map(frozenset(self.hashes).__contains__, hashes))
        return [not self._binaries.isdisjoint(BitMap(self._rows_of(spec_hash))) for spec_hash in hashes]

    @cached_property
    def hashes(self) -> list[str]:
        """The hashes of the selected binaries, each once, sorted."""
        return self._hashes_of(self._binaries)

    @cached_property
    def installed(self) -> frozenset[str]:
        """The hashes of all that is installed, externals among them."""
        return frozenset(self._hashes_of(self._installed))

    def _hashes_of(self, rows: BitMap) -> list[str]:
        columns = self.index.columns
        numbers = sorted({columns.hash[row] for row in rows})
        return [spec_hash for spec_hash in map(columns.hashes.__getitem__, numbers) if spec_hash]

    def _first_row(self, spec_hash: str) -> int | None:
        """Return the first row of this hash that is selected or installed; None where there is none."""
        return next((row for row in self._rows_of(spec_hash) if row in self.rows), None)

    def knows(self, spec_hash: str) -> bool:
        """Return whether this hash is installed, or the selected caches record it, perhaps only as a dependency."""
        if self.row(spec_hash) is not None:
            return True
        graph = self.index.graph
        return bool(graph) and graph.number(spec_hash) is not None and (not self.query or spec_hash in self._needed)

    @cached_property
    def _needed(self) -> frozenset[str]:
        """The hashes of all that the selected binaries and what is installed depend on, by dependencies of any type."""
        graph = self.index.graph
        return frozenset(map(graph.hash, closure(graph, graph.numbers(self._hashes_of(self.rows)), ALL_TYPES)))

    def mirrors(self, spec_hash: str, *, everywhere: bool = False) -> list[CacheName]:
        """Return the caches that hold this hash, of those selected or of all; never an installation."""
        columns = self.index.columns
        asked, found = self._asked, dict[CacheName, None]()
        for row in self._rows_of(spec_hash):
            if row in self._binaries or (everywhere and row not in self._of_trees):
                caches = self._caches(columns.page_tag[columns.page(row)], columns.rows["profile"][row])
                found.update((each, None) for each in caches if everywhere or not asked or each.stack in asked)
        return list(found)

    def _caches_of(self, tag: int, profile: int) -> list[CacheName]:
        """Return the caches that a row is in by the numbers of its tag and profile."""
        return [CacheName(self.index.tags[tag], stack) for stack in self.index.profile(profile).stacks or ("",)]
