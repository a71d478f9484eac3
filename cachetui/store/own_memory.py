"""Large texts in memory of their own, which the system has back as soon as they are not needed.

What is given back to the allocator mostly stays with the process, as holes between what is still needed.
"""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

LARGE = 1 << 17
"""Bytes from which on a text has memory of its own."""


def empty_text(size: int) -> mmap:
    """A text to be written, of so many bytes at most; none of its pages takes memory before that."""
    return mmap(-1, max(1, size), flags=MAP_PRIVATE | MAP_ANONYMOUS)


def own_memory(text: bytes | mmap) -> bytes | mmap:
    """A copy of a large text in memory of its own; a short one as it is."""
    if len(text) < LARGE:
        return text
    copy = empty_text(len(text))
    copy.write(text)
    return copy
