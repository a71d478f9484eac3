"""Count the specs that a set of rows contains.

A binary in several tags is one spec with a row in each tag. Each row without a hash is a separate spec.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise

from pyroaring import BitMap

from cachetui.store.arrays import Ints, values_at
from cachetui.store.columns import Columns

LARGE_SHARE = 20
"""The first count of at least 1/`LARGE_SHARE` of all rows computes bitmaps for faster counts."""


class DistinctHashes:
    """A counter of the distinct hashes of rows."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @cached_property
    def _bitmaps(self) -> tuple[BitMap, BitMap, BitMap]:
        """Three sets of rows with repeated hashes: all rows with a repeated hash, later rows, and differing rows.

        If the rows of a hash differ only in the tag, all rows except the first are later rows. If the rows also differ
        in another value, such as the stacks, all rows are differing rows.
        """
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
        """Return the number of specs in these rows."""
        if self._is_small(rows):
            return self._count_hashes(rows)
        repeated = rows & self._bitmaps[0]
        return len(rows) - len(repeated) + self._count_hashes(repeated)

    def count_whole(self, rows: BitMap) -> int:
        """Return the number of specs in these rows, faster than `count`.

        Of the rows that differ only in the tag, `rows` must contain all or none.
        """
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
        without = 0 in distinct and not self._columns.hashes.raw(0)  # the empty hash has number 0
        return len(distinct) - 1 + numbers.count(0) if without else len(distinct)


def _repeated(columns: Columns) -> Iterator[Ints]:
    """Yield, for each hash that occurs in several rows, its rows in ascending order."""
    rows, offsets = columns.posting("hash").rows, columns.posting("hash").offsets
    first = 1 if len(columns.hashes) and not columns.hashes.raw(0) else 0
    for start, end in pairwise(offsets[first:]):
        if end - start > 1:
            yield rows[start:end]
