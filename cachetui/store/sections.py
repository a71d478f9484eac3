"""The sections of the file of a saved index, and whether they are what was saved.

Input: the file, mapped into memory, and what its header says of the sections.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from mmap import MADV_DONTNEED, PAGESIZE, mmap

from msgspec import Struct

AT_A_TIME = 2**20
"""Bytes that are checked at a time, and then need not stay in memory."""


class FileSection(Struct, frozen=True, array_like=True):
    offset: int
    """From the end of the header, in bytes."""
    length: int
    checksum: int
    code: str
    """The type code of an array; empty for text."""


def check_sections(mapped: mmap, base: int, sections: Mapping[str, FileSection]) -> None:
    """Raises ValueError where a section is not what was saved; `base` is where the first one begins.

    By two threads, as it takes most of a command's time.
    """
    wrong: list[str] = []

    def check(names: Sequence[str]) -> None:
        for name in names:
            section = sections[name]
            if checksum(mapped, base + section.offset, section.length) != section.checksum:
                wrong.append(name)

    by_length = sorted(sections, key=lambda name: sections[name].length)
    # Not a Thread, which takes as long to import as a short index to check.
    from _thread import allocate_lock, start_new_thread

    is_running = allocate_lock()
    is_running.acquire()

    def check_half() -> None:
        try:
            check(by_length[::2])
        finally:
            is_running.release()

    start_new_thread(check_half, ())
    check(by_length[1::2])
    is_running.acquire()
    if wrong:
        raise ValueError(f"the checksum of {', '.join(wrong)} does not agree")


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
