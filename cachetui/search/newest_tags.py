"""The newest tag that has each spec: weekly snapshots from the newest, which have a day, then all other tags.

Input: an index. A tag is known by its place among `tags`.
"""

from __future__ import annotations

from bisect import bisect_right

from cachetui.model.spec import snapshot_day
from cachetui.search.index import Index
from cachetui.store.arrays import Once


class NewestTags:
    """What is newest about the rows of an index."""

    def __init__(self, index: Index) -> None:
        days = [snapshot_day(tag) is not None for tag in index.tags]
        numbers = sorted(range(len(days)), key=days.__getitem__, reverse=True)
        self.tags = [index.tags[number] for number in numbers]
        """All tags, the newest snapshot first."""
        self.snapshots = sum(days)
        """How many of them are snapshots; they stand first."""
        self._places = sorted(range(len(numbers)), key=numbers.__getitem__)
        self._columns = index.columns
        self._rows = index.columns.posting("hash")
        self._two = Once(self._newest_two)
        """The newest tag that has a hash, and the newest beside it, by the number of the hash."""
        has_first = bool(len(index.columns.hashes)) and bool(index.columns.hashes.raw(0))
        if not has_first:  # it stands for no hash
            self._two[0] = (len(numbers), len(numbers))

    def own(self, row: int) -> int:
        """The tag of a row."""
        columns = self._columns
        return self._places[columns.page_tag[bisect_right(columns.page_start, row) - 1]]

    def newest(self, row: int) -> int:
        """The newest tag that has the spec of a row: its own only if that is a snapshot; behind all where none has."""
        own = self.own(row)
        other = self.newest_other(row)
        return own if own < min(self.snapshots, other) else other

    def newest_other(self, row: int) -> int:
        """The newest tag beside its own that has the spec of a row; behind all where none has."""
        newest, other = self._two[self._columns.hash[row]]
        return newest if newest == other or newest != self.own(row) else other

    def _newest_two(self, number: int) -> tuple[int, int]:
        none = len(self.tags)
        if self._rows.count(number) < 2:
            return none, none
        places = sorted(set(map(self.own, self._rows[number])))
        return (places[0], places[1]) if len(places) > 1 else (none, none)

    def order(self, row: int) -> tuple[int, int]:
        """What rows sort by, the newest first: their own tag, and of one tag the newest that has each."""
        return self.own(row), self.newest(row)
