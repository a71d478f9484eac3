"""Tables of strings. A table is one buffer of UTF-8 and the offset of each string. Both can be mapped from a file.

The Python object for an entry is created only when the entry is used. Input: any strings.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate, islice, pairwise
from mmap import mmap

from msgspec.json import Decoder

from cachetui.store.arrays import Ints, numbered

BLOCK_STRINGS = 2048
"""Number of strings to join at a time."""


def encoded(text: str) -> bytes:
    """Encode a string as UTF-8, including lone surrogates, which represent bytes of file names that are not UTF-8."""
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
            text = data.decode("ascii")
            return map(text.__getitem__, map(slice, offsets, islice(offsets, 1, None)))
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
        """Return the index of the first entry that is not less than the text. The table must be sorted by bytes."""
        return bisect_left(range(len(self)), text, lo, key=self.raw)

    def beginning_with(self, text: bytes) -> range:
        """Return the indexes of the entries that begin with the text. The table must be sorted by bytes."""
        first = self.bisect(text)
        if first < len(self) and not self.raw(first).startswith(text):
            return range(first, first)
        return range(first, self.bisect(text + b"\xff", first))

    def place(self, text: bytes, lo: int = 0) -> tuple[int, bool]:
        """Return the index of a string, and whether the table contains the string.

        If not, the index is that of the next greater entry. The table must be sorted by bytes.
        """
        at = self.bisect(text, lo)
        return at, at < len(self) and self.raw(at) == text

    def number(self, text: str) -> int | None:
        """Return the index of a string, or None if the table lacks it. The table must be sorted by bytes."""
        at, there = self.place(encoded(text))
        return at if there else None

    def containing(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield (k, offset) for each occurrence of the text in any entry k."""
        for place in self.places(text):
            k = bisect_left(self.offsets, place + 1) - 1
            if place + len(text) <= self.offsets[k + 1]:
                yield k, place - self.offsets[k]

    def places(self, text: bytes) -> Iterable[int]:
        """Yield the offsets of the text in the joined entries. A match may extend over several entries."""
        end = self.base + self.offsets[-1]
        at = self.buffer.find(text, self.base, end)
        while at >= 0:
            yield at - self.base
            at = self.buffer.find(text, at + 1, end)


def distinct(values: Sequence[bytes]) -> tuple[StringTable, array[int]]:
    """Return a sorted table of the distinct values, and the index of each given value in this table."""
    texts = sorted(set(values))
    return StringTable.of_bytes(texts), array("I", map(numbered(texts).__getitem__, values))
