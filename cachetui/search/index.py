"""The index: which rows a query takes, and how many there would be with each value of each facet.

The rows of parts and of queries are kept once they are worked out. Input: columns, and queries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.counts import DistinctHashes, ValueCounts
from cachetui.search.resolver import NARROWED, has_many_rows, narrowed, resolved
from cachetui.search.rows import RowIndex
from cachetui.store.columns import Columns

PARTS_KEPT, QUERIES_KEPT = 200, 50
"""Most query parts, and whole queries, whose rows are kept; then all are forgotten."""


class Index(RowIndex):
    """Every row of a catalogue, ready to be asked."""

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self._part_rows: dict[Part, BitMap] = {}
        self._query_rows: dict[Query, BitMap] = {}

    def rows(self, query: Query) -> BitMap:
        """The rows that every part of the query takes; a screen asks this of a query several times."""
        found = self._query_rows.get(query)
        if found is None:
            if len(self._query_rows) >= QUERIES_KEPT:
                self._query_rows.clear()
            found = self._query_rows[query] = self._rows(query)
        return found

    def _rows(self, query: Query) -> BitMap:
        rows: BitMap | None = None
        late = []
        for part in query.parts:
            if type(part) in NARROWED and part not in self._part_rows:
                late.append(part)
            else:
                rows = self.part_rows(part) if rows is None else rows & self.part_rows(part)
        for part in late:
            if rows is None or has_many_rows(self, rows, part):
                rows = self.part_rows(part) if rows is None else rows & self.part_rows(part)
            else:
                rows = narrowed(self, rows, part)
        return self.all_rows if rows is None else rows

    def part_rows(self, part: Part) -> BitMap:
        """The rows that one part of a query takes by itself."""
        found = self._part_rows.get(part)
        if found is None:
            if len(self._part_rows) >= PARTS_KEPT:
                self._part_rows.clear()
            found = self._part_rows[part] = resolved(part, self)
        return found

    def exact(self, query: Query) -> Query:
        """The query as a command reads it: with an exact name where a package has it."""
        named = query.package
        if named is None or self.package_number(named.name) is None:
            return query
        return query.with_part(replace(named, fuzzy=False))

    def scope(self, query: Query) -> BitMap | None:
        """The rows of the tags that the query asks for; None where it asks for none."""
        parts = query.parts_of("tag")
        return BitMap.intersection(*map(self.part_rows, parts)) if parts else None

    @cached_property
    def value_counts(self) -> ValueCounts:
        """What counts the values of facets."""
        return ValueCounts(self, self.scope, self.counter)

    def counter(self, query: Query) -> Callable[[BitMap], int]:
        """What counts the specs of rows that the query takes, or of some of them.

        In one tag each row is a spec; over several each distinct hash.
        """
        if query.tag is not None or len(self.tags) < 2:
            return len
        by_tag = any(part.key in ("tag", "complete") for part in query.parts)
        return self.distinct.count if by_tag else self.distinct.count_whole

    @cached_property
    def distinct(self) -> DistinctHashes:
        """Counts the distinct hashes of rows."""
        return DistinctHashes(self.columns)
