"""What edges lead to, as a source records it: hashes, which are looked up when somebody first asks for the graph.

Input: the edges that a reader of build caches found.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable

from msgspec import Struct

from cachetui.store.arrays import Numbering

HASH_LENGTH = 32
"""Letters of a hash of Spack's."""

_SOME = 4096
"""Hashes that are looked up at a time, so that other threads come to their turn."""


class Edges(Struct, frozen=True):
    """What the edges of some nodes lead to, those of one node after those of the other."""

    hashes: bytes
    """`HASH_LENGTH` bytes for each edge: the hash, or a `stand_in` for another text."""
    others: list[bytes]
    """The texts that stand-ins are for, by their numbers."""


def stand_in(number: int) -> bytes:
    """Takes the place of a hash that is not as those of Spack's; no text in UTF-8 begins like this."""
    return b"\xff%0*d" % (HASH_LENGTH - 1, number)


def targets(edges: Edges, numbers: Numbering[bytes]) -> array[int]:
    """The number of each hash that edges lead to; one that has none yet gets the next one."""
    others = {stand_in(k): each for k, each in enumerate(edges.others)}
    found = array("I")
    step = _SOME * HASH_LENGTH
    for start in range(0, len(edges.hashes), step):
        hashes = edges.hashes[start : start + step]
        keys: Iterable[bytes] = struct.unpack(f"{HASH_LENGTH}s" * (len(hashes) // HASH_LENGTH), hashes)
        if others:
            keys = [others.get(key, key) for key in keys]
        found.extend(map(numbers.__getitem__, keys))
    return found
