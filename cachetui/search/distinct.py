"""How many specs some rows are: a binary that stands in several tags is one spec, with a row in each of them.

The first rows are counted one by one, which is all that a command needs. Where more is counted bitmaps are made once
for an index; after that a count is a few operations on them, since most binaries say the same of themselves in every
tag. A row without a hash is a spec by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise

from pyroaring import BitMap

from cachetui.store.arrays import Ints, values_at
from cachetui.store.columns import Columns


class DistinctHashes:
    """Counts the distinct hashes of rows of one catalogue."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._hash = columns.hash
        self._one_by_one = 0
        """How many rows were counted one by one."""

    @cached_property
    def _bitmaps(self) -> tuple[BitMap, BitMap]:
        """The rows of a hash but the first, where all of them say the same of the binary; and the rows of a hash that
        says different things of itself, as other stacks in another tag."""
        columns = self._columns
        profile, version, variants = (columns.rows[name] for name in ("profile", "version", "variants"))
        later: list[int] = []
        differing: list[int] = []
        for rows in _repeated(columns):
            said = {(profile[row], version[row], variants[row]) for row in rows}
            if len(said) == 1 and columns.package_of(rows[0]) == columns.package_of(rows[-1]):
                later += rows[1:]
            else:
                differing += rows
        return BitMap(later), BitMap(differing)

    def count(self, rows: BitMap) -> int:
        """How many specs these rows are, whatever they were chosen by."""
        if self._is_little(rows):
            return self._counted_one_by_one(rows)
        return self._counted(rows, rows & self._repeated)

    def count_whole(self, rows: BitMap) -> int:
        """How many specs these rows are, which were chosen by what they say of a binary, never by their tag."""
        if self._is_little(rows):
            return self._counted_one_by_one(rows)
        later, differing = self._bitmaps
        return self._counted(rows, rows & differing) - rows.intersection_cardinality(later)

    def _is_little(self, rows: BitMap) -> bool:
        """Whether less is counted so far than it takes to make the bitmaps."""
        self._one_by_one += len(rows)
        return self._one_by_one <= len(self._columns)

    def _counted_one_by_one(self, rows: BitMap) -> int:
        numbers = values_at(rows.to_array())(self._hash)
        distinct = set(numbers)
        without = 0 in distinct and not self._columns.hashes.raw(0)  # the empty hash comes first
        return len(distinct) - 1 + numbers.count(0) if without else len(distinct)

    @cached_property
    def _repeated(self) -> BitMap:
        """The rows whose hash stands in other rows too."""
        return BitMap(chain.from_iterable(_repeated(self._columns)))

    def _counted(self, rows: BitMap, shared: BitMap) -> int:
        """The number of rows, of those that are `shared` the number of their hashes."""
        return len(rows) - len(shared) + len(set(map(self._hash.__getitem__, shared.to_array())))


def _repeated(columns: Columns) -> Iterator[Ints]:
    """For each hash that stands in several rows these rows, in ascending order."""
    rows, offsets = columns.posting("hash").rows, columns.posting("hash").offsets
    first = 1 if len(columns.hashes) and not columns.hashes.raw(0) else 0
    for start, end in pairwise(offsets[first:]):
        if end - start > 1:
            yield rows[start:end]
