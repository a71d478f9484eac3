"""Sorted tables of texts become one: hashes without a text for each, as they are half of all that is to be sorted.

Large ones are cut in parts, each of which has its share of every table, and what was read of them leaves memory part by
part. Input: any sorted tables. Where an entry is no whole hash, or two begin alike, it takes longer.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain, islice, pairwise
from operator import gt
from struct import iter_unpack

from cachetui.store.arrays import ranked
from cachetui.store.own_memory import empty_text, own_memory
from cachetui.store.strings import Strings

LENGTH = 32
"""Letters of a whole hash."""


PART = 1 << 14
"""Entries of all tables together that a part has, more or less."""

SAMPLES = 32
"""Entries of each table by which the parts are told."""


def one_table(tables: list[Strings]) -> tuple[Strings, list[array[int]]]:
    """The distinct entries of all these tables, sorted, and of each table the places of its entries among them.

    Empties the list: what nobody else holds of a table leaves memory as soon as it is taken over.
    """
    places = [array("I") for _ in tables]
    size = sum(table.offsets[-1] for table in tables)
    number = sum(map(len, tables)) // PART + 1
    parts = _parts(tables, number)
    tables.clear()
    if number == 1:
        return _add_part(parts.pop(), places, 0), places
    text, ends = empty_text(size), array("I", [0])
    while parts:
        table = _add_part(parts.pop(), places, len(ends) - 1)
        start = text.tell()
        text.write(table.joined)
        ends.extend([start + end for end in islice(table.offsets, 1, None)])
    return Strings(text, ends), places


def _parts(tables: list[Strings], number: int) -> list[list[Strings]]:
    """So many parts of all these tables, the first entries last; takes one table after the other out of memory."""
    if number == 1:
        return [tables[:]]
    samples = sorted(chain.from_iterable(map(table.raw, _samples(table)) for table in tables))
    step = len(samples) // number or 1
    limits = samples[step::step]
    cut: list[list[Strings]] = []
    tables.reverse()
    while tables:
        table = tables.pop()
        bounds = [bisect_left(range(len(table)), limit, key=table.raw) for limit in limits]
        for_each = [table.part(*part) for part in pairwise([0, *bounds, len(table)])]
        cut.append([Strings(own_memory(part.buffer), part.offsets) for part in for_each])
    return [list(part) for part in zip(*cut, strict=True)][::-1]


def _samples(table: Strings) -> Sequence[int]:
    return range(0, len(table), len(table) // SAMPLES + 1)


def _add_part(tables: Sequence[Strings], places: Sequence[array[int]], first: int) -> Strings:
    """The entries of these tables as one, and adds their places, the first of which is `first`, to those of each."""
    table, found = _ranked(tables, first)
    start = 0
    for own, some in zip(places, tables, strict=True):
        own += found[start : start + len(some)]
        start += len(some)
    return table


def _ranked(tables: Sequence[Strings], first: int) -> tuple[Strings, array[int]]:
    """The distinct entries of all these tables, sorted, and the places of their entries, counted from `first`."""
    if all(map(_are_hashes, tables)):
        hashes, places = ranked(*_with_beginnings(b"".join([table.joined for table in tables])), first)
        if not any(map(gt, hashes, islice(hashes, 1, None))):
            return Strings(b"".join(hashes), _offsets(len(hashes))), places
        # Else two hashes begin alike, as they do in one of many catalogues.
    texts, places = ranked(list(chain.from_iterable(tables)), first=first)
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
