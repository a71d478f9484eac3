"""The newest tag that has each spec: weekly snapshots from the newest, which have a day, then all other tags.

Input: an index. A tag is known by its place among `tags`.
"""

from __future__ import annotations

from array import array

from cachetui.model.tags import series
from cachetui.search.index import Index
from cachetui.store.arrays import Once


class NewestTags:
    """What is newest about the rows of an index."""

    def __init__(self, index: Index) -> None:
        days = [series(tag) == "snapshot" for tag in index.tags]
        numbers = sorted(range(len(days)), key=days.__getitem__, reverse=True)
        self.tags = [index.tags[number] for number in numbers]
        """All tags, the newest snapshot first."""
        self.snapshots = sum(days)
        """How many of them are snapshots; they stand first."""
        self._places = sorted(range(len(numbers)), key=numbers.__getitem__)
        self._index, self._hash = index, index.columns.hash
        self._packages = Once(self._own_of_package)
        self._here = (0, array("I"))
        """Of the package that was asked for last its first row, and the own tags of all its rows."""
        self._rows = index.columns.posting("hash")
        self._two = Once(self._newest_two)
        """The newest tag that has a hash, and the newest beside it, by the number of the hash."""
        has_first = bool(len(index.columns.hashes)) and bool(index.columns.hashes.raw(0))
        if not has_first:  # it stands for no hash
            self._two[0] = (len(numbers), len(numbers))

    def own(self, row: int) -> int:
        """The tag of a row."""
        first, own = self._here
        if not 0 <= row - first < len(own):
            first, own = self._here = self._packages[self._index.package_of(row)]
        return own[row - first]

    def _own_of_package(self, number: int) -> tuple[int, array[int]]:
        columns, rows = self._index.columns, self._index.package_rows(number)
        start, own = columns.page_start, array("I")
        for page in range(columns.page(rows.min()), columns.page(rows.max()) + 1):
            own.extend([self._places[columns.page_tag[page]]] * (start[page + 1] - start[page]))
        return rows.min(), own

    def newest(self, row: int) -> int:
        """The newest tag that has the spec of a row: its own only if that is a snapshot; behind all where none has."""
        return self.order(row)[1]

    def newest_other(self, row: int) -> int:
        """The newest tag beside its own that has the spec of a row; behind all where none has."""
        newest, other = self._two[self._hash[row]]
        return newest if newest < self.own(row) else other

    def _newest_two(self, number: int) -> tuple[int, int]:
        rows, none = self._rows[number], len(self.tags)
        places = sorted(set(map(self.own, rows))) if len(rows) > 1 else ()
        return (places[0], places[1]) if len(places) > 1 else (none, none)

    def order(self, row: int) -> tuple[int, int]:
        """What rows sort by, the newest first: their own tag, and of one tag the newest that has each."""
        own, (newest, other) = self.own(row), self._two[self._hash[row]]
        other = newest if newest < own else other  # as newest_other, which would look up its own tag again
        return own, own if own < self.snapshots and own < other else other
