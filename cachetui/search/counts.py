"""How many specs some rows are, and how many have each value of a facet.

A binary that stands in several tags is one spec, with a row in each of them; a row without a hash is a spec by itself.
Input: an index, and rows of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

from pyroaring import BitMap

from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.rows import RowIndex
from cachetui.store.arrays import Ints, values_at
from cachetui.store.columns import Columns

TOTALS_KEPT = 200
"""Most totals that are kept; then all are forgotten."""

LARGE_SHARE = 20
"""Where one in so many rows is counted bitmaps are made, once for an index."""

RUN = 10
"""Rows that stand together on average from which on rows are counted faster than bitmaps are made."""


class ValueCounts:
    """Counts the values of facets in one index."""

    def __init__(
        self,
        index: RowIndex,
        scope: Callable[[Query], BitMap | None],
        counter: Callable[[Query], Callable[[BitMap], int]],
    ) -> None:
        """`scope` gives the rows of the tags that a query asks for, `counter` what counts the specs of its rows."""
        self._index, self._scope, self._counter = index, scope, counter
        self._totals: dict[tuple[str, tuple[Part, ...]], Sequence[int]] = {}
        self._tally: tuple[BitMap, Counter[int]] | None = None
        """The rows that were counted last by profile, as one facet is after the other, and the counts."""

    def of(self, facet: str, rows: BitMap, count: Callable[[BitMap], int] = len) -> Sequence[int]:
        """How many of these rows have each value of a facet or of `tag`, in the order of `Index.values`."""
        values = self._index.values(facet)
        by_profile = self._by_profile(rows) if count is len and facet != "tag" else None
        if by_profile is not None:
            profiles = self._index.profiles_of[facet]
            return [sum(map(by_profile.__getitem__, profiles[value])) for value in values]
        each = (self._index.value_rows(facet, value) for value in values)
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
            runs = map(self._index.columns.rows["profile"].__getitem__, map(slice, starts.to_array(), ends.to_array()))
            self._tally = rows, Counter(chain.from_iterable(runs))
        return self._tally[1]

    def totals(self, facet: str, query: Query) -> Sequence[int]:
        """How many specs each value of a facet has in the tags that the query asks for; each tag in all."""
        key = (facet, () if facet == "tag" else query.parts_of("tag"))
        if key not in self._totals:
            if len(self._totals) >= TOTALS_KEPT:
                self._totals.clear()
            scope = None if facet == "tag" else self._scope(query)
            count = len if facet == "tag" else self._counter(query.only_key("tag"))
            self._totals[key] = self.of(facet, self._index.all_rows if scope is None else scope, count)
        return self._totals[key]


class DistinctHashes:
    """Counts the distinct hashes of rows of one catalogue."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @cached_property
    def _bitmaps(self) -> tuple[BitMap, BitMap, BitMap]:
        """The rows whose hash others have too: all, all but the first of a hash where they say the same of the binary,
        and those of a hash that says different things of itself, as other stacks in another tag."""
        columns = self._columns
        profile, version, variants = (columns.rows[name] for name in ("profile", "version", "variants"))
        later: list[int] = []
        differing: list[int] = []
        repeated = list(_repeated(columns))
        for rows in repeated:
            described = {(profile[row], version[row], variants[row]) for row in rows}
            if len(described) == 1 and columns.package_of(rows[0]) == columns.package_of(rows[-1]):
                later += rows[1:]
            else:
                differing += rows
        return BitMap(chain.from_iterable(repeated)), BitMap(later), BitMap(differing)

    def count(self, rows: BitMap) -> int:
        """How many specs these rows are, whatever they were chosen by."""
        if self._is_small(rows):
            return self._count_hashes(rows)
        repeated = rows & self._bitmaps[0]
        return len(rows) - len(repeated) + self._count_hashes(repeated)

    def count_whole(self, rows: BitMap) -> int:
        """How many specs these rows are, which were chosen by what they say of a binary, never by their tag."""
        if self._is_small(rows):
            return self._count_hashes(rows)
        _, later, differing = self._bitmaps
        apart = rows & differing
        return len(rows) - rows.intersection_cardinality(later) - len(apart) + self._count_hashes(apart)

    def _is_small(self, rows: BitMap) -> bool:
        return "_bitmaps" not in vars(self) and len(rows) * LARGE_SHARE < len(self._columns)

    def _count_hashes(self, rows: BitMap) -> int:
        numbers = values_at(rows.to_array())(self._columns.hash)
        distinct = set(numbers)
        without = 0 in distinct and not self._columns.hashes.raw(0)  # the empty hash comes first
        return len(distinct) - 1 + numbers.count(0) if without else len(distinct)


def _repeated(columns: Columns) -> Iterator[Ints]:
    """For each hash that stands in several rows these rows, in ascending order."""
    rows, offsets = columns.posting("hash").rows, columns.posting("hash").offsets
    first = 1 if len(columns.hashes) and not columns.hashes.raw(0) else 0
    for start, end in pairwise(offsets[first:]):
        if end - start > 1:
            yield rows[start:end]
