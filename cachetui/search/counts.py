"""How many specs some rows are.

A binary in several tags is one spec with a row in each of them; each row without a hash is a spec by itself.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise

from pyroaring import BitMap

from cachetui.store.arrays import Ints, values_at
from cachetui.store.columns import Columns

LARGE_SHARE = 20
"""From one row in so many on bitmaps are made, once for an index, to count with."""


class DistinctHashes:
    """Counts the distinct hashes of rows of one catalogue."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @cached_property
    def _bitmaps(self) -> tuple[BitMap, BitMap, BitMap]:
        """The rows whose hash other rows have too.

        First all of these. Second, for each hash whose rows agree in all but the tag, all but the first row. Third, all
        rows of the other hashes, such as one with other stacks in another tag.
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
        """Return how many specs these rows are."""
        if self._is_small(rows):
            return self._count_hashes(rows)
        repeated = rows & self._bitmaps[0]
        return len(rows) - len(repeated) + self._count_hashes(repeated)

    def count_whole(self, rows: BitMap) -> int:
        """Return the number of specs of these rows, faster: rows that differ only in the tag come together."""
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
    """Yield the rows of each hash that several rows have, in ascending order."""
    rows, offsets = columns.posting("hash").rows, columns.posting("hash").offsets
    first = 1 if len(columns.hashes) and not columns.hashes.raw(0) else 0
    for start, end in pairwise(offsets[first:]):
        if end - start > 1:
            yield rows[start:end]
