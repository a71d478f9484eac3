"""The index: which rows a query takes, and how many there would be with each value of each facet.

The rows of parts and of queries are kept once they are worked out. Input: columns, and queries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.facets import FACETS
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.counts import DistinctHashes
from cachetui.search.resolver import NARROWED, has_many_rows, narrowed, resolved
from cachetui.search.rows import RowIndex
from cachetui.store.arrays import Once
from cachetui.store.columns import Columns

PARTS_KEPT, QUERIES_KEPT, TOTALS_KEPT = 200, 50, 200
"""Most query parts and whole queries whose rows are kept, and most totals; then all are forgotten."""

RUN = 10
"""Rows that stand together on average from which on rows are counted faster than bitmaps are made."""


class Index(RowIndex):
    """Every row of a catalogue, ready to be asked."""

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self._part_rows: Once[Part, BitMap] = Once(lambda part: resolved(part, self), PARTS_KEPT)
        self._query_rows: Once[Query, BitMap] = Once(self._rows, QUERIES_KEPT)
        self._totals: Once[tuple[str, Query], Sequence[int]] = Once(self._total, TOTALS_KEPT)
        self._tally: tuple[BitMap, Counter[int]] | None = None
        """The rows that were counted last by profile, as one facet is after the other, and the counts."""

    def rows(self, query: Query) -> BitMap:
        """The rows that every part of the query takes; a screen asks this of a query several times."""
        return self._query_rows[query]

    def _rows(self, query: Query) -> BitMap:
        rows = self.all_rows
        for part in sorted(query.parts, key=self._is_late):
            if rows is not self.all_rows and self._is_late(part) and not has_many_rows(self, rows, part):
                rows = narrowed(self, rows, part)
            else:
                rows = rows & self.part_rows(part)
        return rows

    def _is_late(self, part: Part) -> bool:
        """Whether a part is asked about the rows that others leave."""
        return type(part) in NARROWED and part not in self._part_rows

    def part_rows(self, part: Part) -> BitMap:
        """The rows that one part of a query takes by itself."""
        return self._part_rows[part]

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

    def value_counts(self, facet: str, rows: BitMap, count: Callable[[BitMap], int] = len) -> Sequence[int]:
        """How many of these rows have each value of a facet or of `tag`, in the order of `values`."""
        by_profile = self._by_profile(rows) if count is len and facet in FACETS else None
        if by_profile is not None:
            return [sum(map(by_profile.__getitem__, profiles)) for profiles in self.profiles_of[facet].values()]
        each = (self.value_rows(facet, value) for value in self.values(facet))
        if count is len:
            return list(map(rows.intersection_cardinality, each))
        return [count(rows & own) for own in each]

    def _by_profile(self, rows: BitMap) -> Counter[int] | None:
        """How many rows have each profile, where they stand together as those of a tag do: that needs no bitmaps."""
        if self._tally is None or self._tally[0] != rows:
            after = rows.shift(1)
            starts, ends = rows - after, after - rows
            if len(starts) * RUN > len(rows):
                return None
            runs = map(self.columns.rows["profile"].__getitem__, map(slice, starts.to_array(), ends.to_array()))
            self._tally = rows, Counter(chain.from_iterable(runs))
        return self._tally[1]

    def value_totals(self, facet: str, query: Query) -> Sequence[int]:
        """How many specs each value of a facet has in the tags that the query asks for; each tag in all."""
        return self._totals[facet, Query() if facet == "tag" else query.only_key("tag")]

    def _total(self, key: tuple[str, Query]) -> Sequence[int]:
        facet, scope = key
        return self.value_counts(facet, self.rows(scope), self.counter(scope) if facet in FACETS else len)

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
