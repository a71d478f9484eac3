"""How many specs some rows are: a binary that stands in several tags is one spec, with a row in each of them.

Made once for an index, when somebody looks at several tags; after that a count is a few operations on bitmaps, since
most binaries say the same of themselves in every tag. A row without a hash is a spec by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise

from pyroaring import BitMap

from cachetui.store.arrays import Ints
from cachetui.store.columns import Columns


class DistinctHashes:
    """Counts the distinct hashes of rows of one catalogue."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._hash = columns.hash
        profile, version, variants = (columns.rows[name] for name in ("profile", "version", "variants"))
        later: list[int] = []
        differing: list[int] = []
        for rows in _repeated(columns):
            said = {(profile[row], version[row], variants[row]) for row in rows}
            if len(said) == 1 and columns.package_of(rows[0]) == columns.package_of(rows[-1]):
                later += rows[1:]
            else:
                differing += rows
        self._later = BitMap(later)
        """The rows of a hash but the first, where all of them say the same of the binary."""
        self._differing = BitMap(differing)
        """The rows of a hash that says different things of itself, as other stacks in another tag."""

    def count(self, rows: BitMap) -> int:
        """How many specs these rows are, whatever they were chosen by."""
        return self._counted(rows, rows & self._repeated)

    def count_whole(self, rows: BitMap) -> int:
        """How many specs these rows are, which were chosen by what they say of a binary, never by their tag."""
        return self._counted(rows, rows & self._differing) - rows.intersection_cardinality(self._later)

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
