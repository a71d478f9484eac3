"""Where a text stands inside the entries of a table, sought a piece of the table at a time.

A text stands only where its beginning stands: with one letter more it is sought among the places that are known.
Input: a table, whose entries follow each other in one buffer; a place is an offset in that.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from cachetui.store.strings import Strings

PIECE = 1 << 18
"""Bytes that are searched in one step, which takes less than a millisecond."""


class Places:
    """The places of one text, in order, as far as they were sought."""

    def __init__(self, table: Strings, text: bytes, shorter: Places | None = None, piece: int = PIECE) -> None:
        """`shorter`: the places of the text without its last byte, if they are known."""
        self._table = table
        self._text = text
        self._piece = piece
        self._found = array("I", () if shorter is None else shorter._followed_by(text[-1]))
        self._sought: int = 0 if shorter is None else shorter._sought
        """The offset up to which all places are known."""

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Each (k, offset) where the text stands within entry k; what was not sought yet is sought as it is needed."""
        number = 0
        while number < len(self._found) or self.seek():
            for place in islice(self._found, number, None):
                number += 1
                if entry := self._table.entry_at(place, len(self._text)):
                    yield entry

    def seek(self) -> bool:
        """Searches the next piece of the table; False where all of it was searched."""
        table, text = self._table, self._text
        length = table.offsets[-1]
        if self._sought >= length:
            return False
        end = min(self._sought + self._piece, length)
        last = table.base + min(end + len(text) - 1, length)
        at = table.buffer.find(text, table.base + self._sought, last)
        while at >= 0:
            self._found.append(at - table.base)
            at = table.buffer.find(text, at + 1, last)
        self._sought = end
        return True

    def _followed_by(self, byte: int) -> list[int]:
        """The places after which this byte stands."""
        buffer, after = self._table.buffer, self._table.base + len(self._text)
        fit = bisect_right(self._found, self._table.offsets[-1] - len(self._text) - 1)
        return [place for place in self._found[:fit] if buffer[after + place] == byte]
