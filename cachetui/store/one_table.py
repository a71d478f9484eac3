"""Tables of texts become one, sorted: hashes without a text for each, as they are half of all that is to be sorted.

Input: any tables. Where an entry is no whole hash, or two begin alike, it takes longer.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import chain, islice
from operator import gt
from struct import iter_unpack

from cachetui.store.arrays import Strings, ranked

LENGTH = 32
"""Letters of a whole hash."""


def one_table(tables: Sequence[Strings]) -> tuple[Strings, array[int]]:
    """The distinct entries of all these tables, sorted, and the place of each of their entries among them."""
    if all(map(_are_hashes, tables)):
        hashes, places = ranked(*_with_beginnings(b"".join([table.joined for table in tables])))
        if not any(map(gt, hashes, islice(hashes, 1, None))):
            return Strings(b"".join(hashes), _offsets(len(hashes))), places
        # Else two hashes begin alike, as they do in one of many catalogues.
    texts, places = ranked(list(chain.from_iterable(tables)))
    return Strings.of(texts), places


def _are_hashes(table: Strings) -> bool:
    """Whether these are whole hashes, as far as what follows needs it: letters of ASCII, so many of them each."""
    return table.joined.isascii() and memoryview(table.offsets).tobytes() == _offsets(len(table)).tobytes()


def _offsets(hashes: int) -> array[int]:
    """Where each of so many hashes begins, and the last one ends."""
    return array("I", range(0, LENGTH * hashes + 1, LENGTH))


def _with_beginnings(joined: bytes) -> tuple[list[bytes], list[float]]:
    """Each hash, and its first eight letters as a number, which is less than another one if they stand before its.

    Their bits are taken for those of a floating-point number, since these are sorted fastest: positive ones, as letters
    of ASCII are, are in the order of their bits.
    """
    beginnings = array("d", memoryview(joined).cast("Q")[:: LENGTH // 8].tobytes())
    if sys.byteorder == "little":
        beginnings.byteswap()
    return list(chain.from_iterable(iter_unpack(f"{LENGTH}s", joined))), beginnings.tolist()
