"""The newest tag that has each spec: weekly snapshots from the newest, which have a day, then all other tags.

Input: an index. A tag is known by its place among `tags`.
"""

from __future__ import annotations

from bisect import bisect_right

from cachetui.model.spec import snapshot_day
from cachetui.search.index import Index


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
        self._has_hash = bool(len(index.columns.hashes)) and bool(index.columns.hashes.raw(0))
        """Whether the first hash is one, and does not stand for none."""

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
        number, none = self._columns.hash[row], len(self.tags)
        if not number and not self._has_hash:
            return none
        rows = self._columns.posting("hash")[number]
        if len(rows) < 2:
            return none
        own = self.own(row)
        return min((place for place in map(self.own, rows) if place != own), default=none)

    def order(self, row: int) -> tuple[int, int]:
        """What rows sort by, the newest first: their own tag, and of one tag the newest that has each."""
        return self.own(row), self.newest(row)
