"""How many of some rows have each value of a facet.

Rows are counted by what they say of themselves, until somebody filters by a value: for that bitmaps of the rows of all
values are made, which takes as long as all else that the first screen shows, and with these counting is quicker still.
Input: an index, and rows of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from pyroaring import BitMap

from cachetui.model.facets import FACETS
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.rows import RowIndex
from cachetui.store.arrays import Ints, values_at

FEW = 10
"""Rows in a run on average from which on it is faster to take runs than rows."""

TOTALS_KEPT = 200
"""Most totals that are kept; then all are forgotten."""


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
        self._tallied: tuple[BitMap, Sequence[int]] = (BitMap(), ())
        """The rows that were counted last, and how many of them have each profile."""

    def prepare(self) -> None:
        """Makes the bitmaps of all values: who begins to type a query has them counted with every letter."""
        for facet in FACETS:
            for value in self._index.values(facet):
                self._index.value_rows(facet, value)

    def of(self, facet: str, rows: BitMap) -> Sequence[int]:
        """How many of these rows have each value of a facet or of `tag`, in the order of `Index.values`."""
        index = self._index
        values = index.values(facet)
        if facet == "tag" or index.has_value_rows:
            return [rows.intersection_cardinality(index.value_rows(facet, value)) for value in values]
        tally, profiles = self._tally(rows), index.profiles_of[facet]
        return [sum(map(tally.__getitem__, profiles[value])) for value in values]

    def _tally(self, rows: BitMap) -> Sequence[int]:
        counted, tally = self._tallied
        if counted != rows or not tally:  # the facets are counted one after the other, mostly in the same rows
            found = Counter(values_of(rows, self._index.columns.rows["profile"]))
            tally = [found.get(number, 0) for number in range(len(self._index.profiles))]
            self._tallied = rows, tally
        return tally

    def totals(self, facet: str, query: Query) -> Sequence[int]:
        """How many specs each value of a facet has in the tags that the query asks for; each tag in all."""
        key = (facet, () if facet == "tag" else query.parts_of("tag"))
        if key not in self._totals:
            if len(self._totals) >= TOTALS_KEPT:
                self._totals.clear()
            self._totals[key] = self._new_totals(facet, query)
        return self._totals[key]

    def _new_totals(self, facet: str, query: Query) -> Sequence[int]:
        index = self._index
        scope = None if facet == "tag" else self._scope(query)
        count = len if facet == "tag" else self._counter(query.only_key("tag"))
        if count is len and scope is not None:
            return self.of(facet, scope)
        rows = [index.value_rows(facet, value) for value in index.values(facet)]
        return [count(each if scope is None else each & scope) for each in rows]


def values_of(rows: BitMap, column: Ints) -> Iterable[int]:
    """What a column has for these rows; those of a tag stand together by package, and are taken together."""
    after = rows.shift(1)
    starts = rows - after
    if len(starts) * FEW > len(rows):
        return values_at(rows.to_array())(column)
    runs = map(slice, starts.to_array(), (after - rows).to_array())
    return chain.from_iterable(map(column.__getitem__, runs))
