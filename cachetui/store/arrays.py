"""Columns of integers, tables of strings, and functions that number, group and sort values.

All columns are plain arrays of integers. A table is one buffer of UTF-8 and the offset of each string. Columns and
tables can be mapped into memory from a file. The Python object for an entry of a table is created only when the entry
is used.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate, compress, islice, pairwise
from mmap import mmap
from operator import itemgetter, ne
from typing import Any, TypeAlias

from msgspec.json import Decoder

from cachetui.mappings import KeyT, Value

Ints: TypeAlias = "array[int] | memoryview[int]"
"""A column of unsigned integers: 32 bits, 64 bits for sizes and times of files, or 8 bits after `small`."""

NONE = 0xFFFF_FFFF
"""The number in a column that means a missing value."""


class Postings:
    """The rows of a column, grouped by value. The rows in each group are ascending.

    The group of value v is `rows[offsets[v] : offsets[v + 1]]`.
    """

    __slots__ = ("offsets", "rows")

    def __init__(self, rows: Ints, offsets: Ints) -> None:
        self.rows, self.offsets = rows, offsets

    @classmethod
    def of(cls, column: Ints, values: int) -> Postings:
        counts = [0] * values
        for value in column:
            counts[value] += 1
        offsets = array("I", accumulate(counts, initial=0))
        free = offsets[:]  # for each value, the index at which to store its next row
        rows = array("I", bytes(4 * len(column)))
        for row, value in enumerate(column):
            place = free[value]
            rows[place] = row
            free[value] = place + 1
        return cls(rows, offsets)

    def __getitem__(self, value: int) -> Ints:
        return self.rows[self.offsets[value] : self.offsets[value + 1]]

    def count(self, value: int) -> int:
        return self.offsets[value + 1] - self.offsets[value]


def mapped(number: Callable[[int], int], column: Iterable[int]) -> array[int]:
    """Apply a function to each entry of a column, and return the results as a column."""
    return array("I", map(number, column))


def small(column: array[int]) -> array[int]:
    """Store the column with 8 bits for each number. If a number is greater than 255, return the column unchanged."""
    return array("B", column) if max(column, default=0) < 256 else column


def marks(column: Ints, is_marked: Sequence[bool]) -> bytes:
    """Return one byte for each entry of a column: 1 if `is_marked` is true for the entry's value, otherwise 0."""
    if column.itemsize == 1:
        return column.tobytes().translate(bytes(is_marked[:256]).ljust(256, b"\0"))
    return bytes(map(is_marked.__getitem__, column))


def values_at(indexes: Sequence[int]) -> Callable[[Sequence[Value]], Sequence[Value]]:
    """Return a function that takes a column and returns its values at these indexes.

    Create the function once, and call it for several columns. A call takes half the time of `mapped`.
    """
    if len(indexes) < 2:  # `itemgetter` returns a tuple only for two or more indexes
        return lambda column: [column[k] for k in indexes]
    return itemgetter(*indexes)


class Numbering(dict[KeyT, int]):
    """A dictionary that assigns the numbers 0, 1, 2, … to new keys."""

    def __missing__(self, key: KeyT) -> int:
        number = self[key] = len(self)
        return number

    def of(self, keys: Iterable[KeyT]) -> array[int]:
        """Return the number of each key, and assign numbers to new keys."""
        return array("I", map(self.__getitem__, keys))


def numbered(values: Iterable[Any]) -> dict[Any, int]:
    """Return a dictionary that maps each value to its index. The values must be distinct."""
    return {value: k for k, value in enumerate(values)}


def ranked(values: Sequence[Value], first: int = 0) -> tuple[list[Value], array[int]]:
    """Return the sorted distinct values, and the number of each given value.

    The number is the index in the sorted list, plus `first`. If the list has many equal values, `distinct` is faster.
    """
    keys: Sequence[Any] = values
    order = sorted(range(len(values)), key=keys.__getitem__)
    ordered = values_at(order)(values)
    is_other = [True, *map(ne, ordered, islice(ordered, 1, None))]
    ranks = array("I", bytes(4 * len(order)))
    for k, rank in zip(order, accumulate(islice(is_other, 1, None), initial=first), strict=False):
        ranks[k] = rank
    return list(compress(ordered, is_other)), ranks


# Tables of strings

BLOCK_STRINGS = 2048
"""Number of strings to join at a time."""


def encoded(text: str) -> bytes:
    """Encode a string as UTF-8. Lone surrogates are allowed, because they represent invalid bytes of file names."""
    return text.encode("utf-8", "surrogatepass")


decode_variants = Decoder(tuple[str, ...]).decode
"""A function that returns the variants in a string of the column `variants`, which is a JSON list."""


class StringTable(Sequence[str]):
    """An immutable table of strings in one buffer."""

    __slots__ = ("base", "buffer", "offsets")

    def __init__(self, buffer: bytes | mmap, offsets: Ints, base: int = 0) -> None:
        self.buffer, self.offsets, self.base = buffer, offsets, base

    @classmethod
    def of(cls, values: Iterable[str]) -> StringTable:
        text, lengths = BytesIO(), array("I")
        rest = iter(values)
        # Work in blocks, so that the strings are still in the processor's cache when their lengths are computed.
        while some := list(islice(rest, BLOCK_STRINGS)):
            joined = "".join(some)
            text.write(encoded(joined))
            # In ASCII, each character is one byte.
            lengths.extend(map(len, some if joined.isascii() else map(encoded, some)))
        return cls(text.getvalue(), array("I", accumulate(lengths, initial=0)))

    @classmethod
    def of_bytes(cls, values: Sequence[bytes]) -> StringTable:
        """Return a table of strings that are already encoded as UTF-8."""
        return cls(b"".join(values), array("I", accumulate(map(len, values), initial=0)))

    def __reduce__(self) -> tuple[type[StringTable], tuple[bytes, array[int]]]:
        """Pickle only the entries, and not the mapped file."""
        return StringTable, (self.joined, array("I", self.offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StringTable):
            return NotImplemented
        return self.offsets == other.offsets and self.joined == other.joined

    @property
    def joined(self) -> bytes:
        """All entries in UTF-8, without separators."""
        return self.buffer[self.base : self.base + self.offsets[-1]]

    def raw(self, k: int) -> bytes:
        """Return entry k in UTF-8. Raise IndexError if there is no such entry."""
        start, end = self.offsets[k], self.offsets[k + 1]
        return self.buffer[self.base + start : self.base + end]

    def __getitem__(self, k: int) -> str:  # type: ignore[override]  # integers only, because callers need no slices
        return self.raw(k).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        data, offsets = self.joined, self.offsets
        if data.isascii():
            return map(data.decode("ascii").__getitem__, map(slice, offsets, islice(offsets, 1, None)))
        return (data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(offsets))

    def raws(self) -> Iterator[bytes]:
        """Return all entries in UTF-8."""
        return map(self.joined.__getitem__, map(slice, self.offsets, islice(self.offsets, 1, None)))

    def part(self, first: int, last: int) -> StringTable:
        """Return a copy of the entries from `first` up to, but not including, `last`."""
        offsets = self.offsets[first : last + 1]
        start, end = offsets[0], offsets[-1]
        return StringTable(
            self.buffer[self.base + start : self.base + end], array("I", [offset - start for offset in offsets])
        )

    def bisect(self, text: bytes, lo: int = 0) -> int:
        """Return the index of the first entry that is equal to or greater than the text.

        The table must be sorted by bytes. The search begins at index `lo`.
        """
        return bisect_left(range(len(self)), text, lo, key=self.raw)

    def beginning_with(self, text: bytes) -> range:
        """Return the indexes of the entries that begin with the text. The table must be sorted by bytes."""
        first = self.bisect(text)
        if first < len(self) and not self.raw(first).startswith(text):
            return range(first, first)
        return range(first, self.bisect(text + b"\xff", first))

    def find(self, text: bytes, lo: int = 0) -> tuple[int, bool]:
        """Find a string. Return its index and True.

        If the table lacks the string, return the index of the next greater entry and False. The table must be sorted by
        bytes. The search begins at index `lo`.
        """
        at = self.bisect(text, lo)
        return at, at < len(self) and self.raw(at) == text

    def number(self, text: str) -> int | None:
        """Return the index of a string, or None if the table lacks it. The table must be sorted by bytes."""
        at, there = self.find(encoded(text))
        return at if there else None

    def containing(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield (k, offset) for each occurrence of the text in an entry k.

        `offset` is the position of the text in this entry.
        """
        for place in self.places(text):
            k = bisect_left(self.offsets, place + 1) - 1
            if place + len(text) <= self.offsets[k + 1]:
                yield k, place - self.offsets[k]

    def places(self, text: bytes) -> Iterable[int]:
        """Yield the offset of each occurrence of the text in `joined`.

        An occurrence may begin in one entry and end in another.
        """
        end = self.base + self.offsets[-1]
        at = self.buffer.find(text, self.base, end)
        while at >= 0:
            yield at - self.base
            at = self.buffer.find(text, at + 1, end)


def distinct(values: Sequence[bytes]) -> tuple[StringTable, array[int]]:
    """Return a sorted table of the distinct values, and the index of each given value in this table."""
    texts = sorted(set(values))
    return StringTable.of_bytes(texts), array("I", map(numbered(texts).__getitem__, values))
