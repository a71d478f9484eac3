"""Tables of texts: one buffer of bytes and the places where each begins, which can be mapped from a file as it is.

No Python object for an entry until it is asked for. Input: texts of any content.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, compress, count, islice, pairwise
from mmap import mmap

from msgspec.json import Decoder

from cachetui.store.arrays import Ints

AT_ONCE = 2048
"""Texts that are joined at a time."""


SOUGHT = 16
"""Up to so many texts are each sought in a whole table; of more, each entry is looked up among them."""


def encoded(text: str) -> bytes:
    """The text in UTF-8; bytes of a file's name that are not UTF-8 are lone surrogates, and are kept."""
    return text.encode("utf-8", "surrogatepass")


decode_variants = Decoder(tuple[str, ...]).decode
"""The variants of a spec, from the one text that a table holds for all of them."""


class StringTable(Sequence[str]):
    """An immutable table of strings in one buffer; no Python object for an entry until it is asked for."""

    __slots__ = ("base", "buffer", "offsets")

    def __init__(self, buffer: bytes | mmap, offsets: Ints, base: int = 0) -> None:
        self.buffer = buffer
        self.offsets = offsets
        self.base = base

    @classmethod
    def of(cls, values: Sequence[str]) -> StringTable:
        pieces = []
        lengths = array("I")
        rest = iter(values)
        # Not all at once: texts lie anywhere in memory, and a few thousand of them are still near for their lengths.
        while some := list(islice(rest, AT_ONCE)):
            joined = "".join(some)
            pieces.append(encoded(joined))
            # A letter of ASCII is one byte.
            lengths.extend(map(len, some if joined.isascii() else map(encoded, some)))
        return cls(b"".join(pieces), array("I", accumulate(lengths, initial=0)))

    @classmethod
    def of_bytes(cls, values: Sequence[bytes]) -> StringTable:
        """A table of texts that are in UTF-8 already."""
        return cls(b"".join(values), array("I", accumulate(map(len, values), initial=0)))

    def __reduce__(self) -> tuple[type[StringTable], tuple[bytes, array[int]]]:
        """What another process is given: the entries alone."""
        return StringTable, (self.joined, array("I", self.offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StringTable):
            return NotImplemented
        return self.offsets == other.offsets and self.joined == other.joined

    @property
    def joined(self) -> bytes:
        """All entries, without anything between them."""
        return self.buffer[self.base : self.base + self.offsets[-1]]

    def raw(self, k: int) -> bytes:
        """Entry k in UTF-8; raises IndexError beyond the end."""
        start, end = self.offsets[k], self.offsets[k + 1]
        return self.buffer[self.base + start : self.base + end]

    def __getitem__(self, k: int) -> str:  # type: ignore[override]  # no slices: nothing takes one
        return self.raw(k).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        data, offsets = self.joined, self.offsets
        if data.isascii():
            text = data.decode("ascii")
            return map(text.__getitem__, map(slice, offsets, islice(offsets, 1, None)))
        return (data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(offsets))

    def part(self, first: int, last: int) -> StringTable:
        """A copy of the entries from `first` on, without `last` and those behind it."""
        offsets = self.offsets[first : last + 1]
        start, end = offsets[0], offsets[-1]
        text = self.buffer[self.base + start : self.base + end]
        return StringTable(text, array("I", [offset - start for offset in offsets]))

    def bisect(self, text: bytes, lo: int = 0) -> int:
        """The first k whose entry is not below the text, in a table that is sorted by its bytes."""
        return bisect_left(range(len(self)), text, lo, key=self.raw)

    def beginning_with(self, text: bytes) -> range:
        """The entries that begin so, in a table that is sorted by its bytes."""
        first = self.bisect(text)
        if first < len(self) and not self.raw(first).startswith(text):
            return range(first, first)
        return range(first, self.bisect(text + b"\xff", first))

    def place(self, text: bytes, lo: int = 0) -> tuple[int, bool]:
        """Where the text stands in a table that is sorted by its bytes, or would stand, and whether it is there."""
        at = self.bisect(text, lo)
        return at, at < len(self) and self.raw(at) == text

    def containing(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Each (k, offset) where the text stands within entry k."""
        end = self.base + self.offsets[-1]
        at = self.buffer.find(text, self.base, end)
        while at >= 0:
            place = at - self.base
            k = bisect_left(self.offsets, place + 1) - 1
            if place + len(text) <= self.offsets[k + 1]:
                yield k, place - self.offsets[k]
            at = self.buffer.find(text, at + 1, end)

    def places_of(self, texts: Collection[str]) -> list[int]:
        """The entries that are one of these texts, in a table in any order."""
        if len(texts) > SOUGHT or "" in texts:
            return list(compress(count(), map(texts.__contains__, self)))
        found = ((text, place) for text in map(encoded, texts) for place in self.containing(text))
        return sorted(k for text, (k, at) in found if at == 0 and self.raw(k) == text)
