"""Which binaries are here: in the build caches that are looked at, and in which others.

A build cache is named by its tag and its stack. Input: an index and the query that says where to look.
"""

from __future__ import annotations

from typing import NamedTuple

from pyroaring import BitMap

from cachetui.query.query import Query
from cachetui.search.index import Index


class Mirror(NamedTuple):
    """One build cache."""

    tag: str
    stack: str
    """Empty for a cache that is no stack."""


class Holdings:
    """The binaries that a query takes, by their hashes."""

    def __init__(self, index: Index, query: Query) -> None:
        self.index = index
        self.rows: BitMap = index.rows(query)
        self._asked = query.ticked("stack", index.values("stack"))

    def row(self, spec_hash: str) -> int | None:
        """The first row of this hash among those that are looked at."""
        return next((row for row in self.index.rows_of(spec_hash) if row in self.rows), None)

    def mirrors(self, spec_hash: str, *, everywhere: bool = False) -> list[Mirror]:
        """The caches that hold this hash, of those that are looked at or of all."""
        found: dict[Mirror, None] = {}
        for row in self.index.rows_of(spec_hash):
            if everywhere or row in self.rows:
                tag = self.index.tag_of(row)
                for stack in self.index.profiles[self.index.columns.rows["profile"][row]].stacks or ("",):
                    if everywhere or not self._asked or stack in self._asked:
                        found[Mirror(tag, stack)] = None
        return list(found)
