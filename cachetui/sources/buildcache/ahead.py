"""Indexes that are read while they are still on their way.

What was read is only used if the same bytes stand in the file that was checked in the end.
Input: files that others write, and may begin anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from zlib import crc32

from cachetui.sources.buildcache.files import opened
from cachetui.sources.buildcache.flat import Nodes
from cachetui.sources.buildcache.pieces import PIECE, PieceReader, UncutError, entries_in, starts


class Ahead:
    """Reads the beginnings of files."""

    def __init__(self, size: int = PIECE) -> None:
        """`size` is that of a piece, in bytes."""
        self._size = size
        self._begun: dict[tuple[int, int], _Beginning] = {}
        """By device and inode, which a file keeps when it is renamed."""

    def advance(self, path: str) -> None:
        """Reads one more piece of a file, if that is there already."""
        with suppress(OSError), opened(path) as (descriptor, status):
            begun = self._begun.setdefault((status.st_dev, status.st_ino), _Beginning())
            begun.advance(descriptor, status.st_size, self._size)

    def beginning(self, path: str) -> tuple[int, list[tuple[Nodes, Sequence[str]]]]:
        """How many bytes of a file are read already, and what came of them; raises OSError."""
        with opened(path) as (descriptor, status):
            begun = self._begun.pop((status.st_dev, status.st_ino), None)
            if begun is None or not begun.is_in(descriptor):
                return 0, []
            return begun.end, [begun.reader.result()]


class _Beginning:
    def __init__(self) -> None:
        self.reader = PieceReader()
        self.end = 0
        """The bytes that are read."""
        self._pieces: list[tuple[int, int, int]] = []
        """First and last (exclusive) byte of each piece, and its checksum."""
        self._is_refused = False

    def advance(self, descriptor: int, length: int, size: int) -> None:
        """Reads the next piece of a file of this length."""
        end = None if self._is_refused else next(starts(descriptor, length, size, self.end), None)
        if end is None:
            return
        data = os.pread(descriptor, end - self.end, self.end)
        try:
            self.reader.add_database(entries_in(data, is_first=not self.end, is_last=False))
        except UncutError:
            self._is_refused = True
            return
        self._pieces.append((self.end, end, crc32(data)))
        self.end = end

    def is_in(self, descriptor: int) -> bool:
        """Whether all that was read stands in this file."""
        return not self._is_refused and all(
            crc32(os.pread(descriptor, end - start, start)) == checksum for start, end, checksum in self._pieces
        )
