"""All pairs of the specs that are marked, each worked out when it is asked for: of thousands there are millions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Pairs(NamedTuple):
    """The pairs of some rows in the order of `itertools.combinations`, from one of them on and round."""

    rows: Sequence[int]
    first: int = 0
    """The number of the pair that is the first one."""

    @classmethod
    def beginning_with(cls, rows: Sequence[int], at: int) -> Pairs:
        """Those that begin with the row at this place and the next, or with the first and the last row."""
        one, other = (at, at + 1) if at + 1 < len(rows) else (0, at)
        pairs = cls(rows)
        return cls(rows, pairs._before(one) + other - one - 1)

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self._before(len(self.rows))

    def pair(self, number: int) -> tuple[int, int]:
        """One of them, by its number from 0."""
        number = (self.first + number) % self.total
        one = bisect_right(range(len(self.rows) - 1), number, key=self._before) - 1
        return self.rows[one], self.rows[one + 1 + number - self._before(one)]

    def _before(self, place: int) -> int:
        """How many pairs begin with a row that stands before this place."""
        return place * (2 * len(self.rows) - place - 1) // 2
