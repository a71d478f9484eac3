"""The index of a build cache: the JSON of a Spack database, of any version from 5 to 8.

An entry is a node without the nodes that it needs. Only the entries that are marked so have a binary; version 5 marks
none. An entry that cannot be read costs itself alone.
Input: bytes of any origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from mmap import ACCESS_READ, mmap
from operator import attrgetter

import msgspec
from msgspec import Raw, Struct

from cachetui.sources.buildcache.files import GZIP, MAX_INDEX, decompressed
from cachetui.sources.buildcache.node import WrittenNode, read_node

UNMARKED = 5
"""Up to this version nothing tells a binary from a dependency."""


LONGEST_ENTRY = 2**20
"""Bytes from the end in which the last entry of a beginning is looked for."""

_NEXT_ENTRY = re.compile(rb',\s*"[a-z2-7]{32}"\s*:\s*\{\s*"spec"\s*:')


class DatabaseError(Exception):
    """What is no index; the message says why."""


class Entry(Struct):
    """An entry as it is written."""

    spec: WrittenNode
    in_buildcache: bool = False


class _LooseEntry(Struct):
    spec: Raw
    in_buildcache: bool = False


class _Installs(Struct):
    installs: dict[str, Entry]
    version: str = ""


class _Typed(Struct):
    database: _Installs


class _LooseInstalls(Struct):
    installs: dict[str, Raw]
    version: str | int = ""


class _Loose(Struct):
    database: _LooseInstalls


class _SoundInstalls(Struct):
    installs: dict[str, Raw]


class _Sound(Struct):
    database: _SoundInstalls


class Database(Struct):
    """What an index holds."""

    version: str
    entries: dict[str, Entry]
    """By hash."""
    faults: list[str]
    """What is wrong with single entries."""

    @property
    def marks_binaries(self) -> bool:
        """Whether the entries say which of them are binaries."""
        return not (self.version.isdecimal() and int(self.version[:9]) <= UNMARKED)


_name_of = attrgetter("spec.name")
_decode = msgspec.json.Decoder(_Typed).decode
_decode_loose = msgspec.json.Decoder(_Loose).decode
_decode_sound = msgspec.json.Decoder(_Sound).decode
_decode_loose_entry = msgspec.json.Decoder(_LooseEntry).decode


def read_database(data: bytes | memoryview) -> Database:
    """The index in these bytes; raises DatabaseError."""
    try:
        found = _decode(data).database
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _read_loosely(data)
    if all(map(_name_of, found.installs.values())):
        return Database(found.version, found.installs, [])
    return _read_loosely(data)


def check_index(path: str) -> None:
    """Raises DatabaseError for a file that is no index, or not the whole of one; its entries are not looked at."""
    try:
        with open(path, "rb") as file:
            if file.read(2) == GZIP:
                file.seek(0)
                _decode_sound(decompressed(file.read(), MAX_INDEX))
                return
            with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                _decode_sound(data)
    except (ValueError, RecursionError) as error:
        raise DatabaseError(str(error)) from None


def beginning(data: bytes) -> bytes | None:
    """An index with the whole entries of what may be only the beginning of one; None where there is none yet."""
    starts = [match.start() for match in _NEXT_ENTRY.finditer(data, max(0, len(data) - LONGEST_ENTRY))]
    return data[: starts[-1]] + b"}}}" if starts else None


def _read_loosely(data: bytes | memoryview) -> Database:
    """The same entry by entry, for old forms and for an index in which some are damaged."""
    try:
        found = _decode_loose(data).database
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise DatabaseError(str(error)) from None
    entries: dict[str, Entry] = {}
    faults = []
    for node_hash, text in found.installs.items():
        try:
            loose = _decode_loose_entry(text)
            entries[node_hash] = Entry(read_node(loose.spec), loose.in_buildcache)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            faults.append(f"the entry {node_hash} cannot be read: {error}")
    if faults and not entries:
        raise DatabaseError(faults[0])
    return Database(str(found.version), entries, faults)


def nodes_as_entries(nodes: Iterable[WrittenNode]) -> dict[str, Entry]:
    """The nodes of a spec file as entries: the first one is the binary, the others are what it needs."""
    found: dict[str, Entry] = {}
    for node in nodes:
        found.setdefault(node.hash, Entry(node, in_buildcache=not found))
    return found
