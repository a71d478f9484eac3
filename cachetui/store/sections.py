"""The sections of the file of a saved index, and whether they are what was saved.

Input: the file, mapped into memory, and what its header says of the sections.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Mapping
from mmap import MADV_DONTNEED, PAGESIZE, mmap
from typing import Literal

from msgspec import Struct

from cachetui.store.arrays import Ints
from cachetui.store.checked import CheckedParts
from cachetui.store.strings import Strings

AT_A_TIME = 2**20
"""Bytes that are checked at a time, and then need not stay in memory."""


class FileSection(Struct, frozen=True, array_like=True):
    offset: int
    """From the end of the header, in bytes."""
    length: int
    checksum: int
    code: str
    """The type code of an array; empty for text."""


class MappedSections:
    """The sections of a file by their names, as arrays that stay in it."""

    def __init__(self, mapped: mmap, base: int, sections: Mapping[str, FileSection], checked: CheckedParts) -> None:
        """`base` is where the first one begins; raises ValueError where one ends behind the file."""
        self._checked = checked
        self._mapped = mapped
        self._view = memoryview(mapped)
        self._base = base
        self._sections = sections
        if any(each.offset < 0 or base + each.offset + each.length > len(mapped) for each in sections.values()):
            raise ValueError("it is cut short")

    def check(self, part: str, takes: Callable[[str], bool]) -> None:
        """Raise ValueError where a section of a part, those whose names it takes, is not what was saved."""
        if part in self._checked:
            return
        for name, section in self._sections.items():
            if takes(name) and self._checksum(section) != section.checksum:
                raise ValueError(f"the checksum of {name} does not agree")
        self._checked.add(part)

    def _checksum(self, section: FileSection) -> int:
        return checksum(self._mapped, self._base + section.offset, section.length)

    def ints(self, name: str) -> Ints:
        """The numbers of a section; raises KeyError, and ValueError for one that is no array."""
        section = self._sections[name]
        start = self._base + section.offset
        piece = self._view[start : start + section.length]
        # An empty view cannot be cast.
        return piece.cast(_code(section.code)) if len(piece) else array(_code(section.code))

    def strings(self, name: str) -> Strings:
        """The texts of two sections, which hold their letters and where each begins; raises as `ints` does."""
        return Strings(self._mapped, self.ints(f"{name}.offsets"), self._base + self._sections[f"{name}.text"].offset)


def _code(code: str) -> Literal["I", "Q"]:
    if code == "I":
        return "I"
    if code == "Q":
        return "Q"
    raise ValueError(f"no array is of the type {code}")


def checksum(mapped: mmap, start: int, length: int) -> int:
    """The checksum of these bytes. Most are looked at for this alone, so they leave memory again."""
    view, found = memoryview(mapped), 0
    for at in range(start, start + length, AT_A_TIME):
        end = min(at + AT_A_TIME, start + length)
        found = zlib.crc32(view[at:end], found)
        if length > AT_A_TIME:
            page = at - at % PAGESIZE
            mapped.madvise(MADV_DONTNEED, page, end - page)
    return found
