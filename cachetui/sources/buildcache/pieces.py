"""A large index in pieces, so that never much of it is in memory, and several processes can share it.

A piece is some entries, made an index of its own by what is put before and after them. In each place that is filled
so an entry stands as well: where it is not found again, or a piece is no index, the cuts were wrong.
Input: a file that may be any text. What cannot be cut has to be read whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from msgspec import Struct

from cachetui.sources.buildcache.database import Database, DatabaseError, read_database
from cachetui.sources.buildcache.files import opened
from cachetui.sources.buildcache.flat import NodeReader, Nodes
from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.processes import Processes

PIECE = 2 * 2**20
"""Bytes of a piece: what comes of it fits into the memory that is near a core."""

MANY = 16
"""From this many pieces on, processes share them: starting these takes as long as reading some pieces."""

_WINDOW, _OVERLAP = 64 * 2**10, 256
"""Bytes that are looked at for the beginning of an entry, and those of them that are looked at twice."""

# Within a string a quote cannot follow on a comma, nor can this follow on the end of a string.
_ENTRY = re.compile(rb',\s*"[a-z2-7]{32}"\s*:\s*\{\s*"spec"\s*:')

_BEGIN, _END = "the beginning of a piece", "the end of a piece"
_FILLED = b'"%b":{"spec":{"name":"filled","hash":"%b"}}'
_BEFORE = b'{"database":{"installs":{' + _FILLED.replace(b"%b", _BEGIN.encode())
_BEHIND = b"," + _FILLED.replace(b"%b", _END.encode()) + b"}}}"


class UncutError(Exception):
    """An index that has to be read whole."""


class Piece(Struct, frozen=True):
    """Some bytes of an index."""

    path: str
    stamp: tuple[int, ...]
    """What tells that the file is still the one that was cut."""
    start: int
    """The comma before the first entry, or the beginning of the file."""
    end: int
    """The comma after the last entry, or the end of the file."""

    @property
    def room(self) -> int:
        """Bytes that it takes to read it."""
        return len(_BEFORE) + self.end - self.start + len(_BEHIND)


class PieceReader:
    """Makes columns of pieces; see `Gatherer` of `workers`."""

    def __init__(self, known: Collection[str] = ()) -> None:
        """See `NodeReader`."""
        self._reader = NodeReader(known)
        self._faults: list[str] = []
        self._buffer = bytearray()

    def add(self, piece: Piece, cancelled: Cancelled) -> None:
        """Takes up the entries of a piece; raises UncutError, and Interrupted."""
        if cancelled():
            raise Interrupted
        if len(self._buffer) < piece.room:
            self._buffer = bytearray(piece.room)
        self.add_database(read_piece(piece, self._buffer))

    def add_database(self, database: Database) -> None:
        """Takes up the entries of a piece that is read already."""
        self._reader.add(database.entries)
        self._faults += database.faults

    def result(self) -> tuple[Nodes, Sequence[str]]:
        """What the pieces since the last call hold, and what is wrong with single entries."""
        faults, self._faults = self._faults, []
        return self._reader.result(), faults


def read_in_pieces(
    path: str,
    known: Collection[str] = (),
    cancelled: Cancelled = never,
    *,
    size: int = PIECE,
    start: int = 0,
    found: Iterable[tuple[Nodes, Sequence[str]]] = (),
) -> tuple[Sequence[Nodes], Sequence[str]]:
    """What an index holds, and what is wrong with single entries; raises UncutError, OSError and Interrupted.

    `size` is that of a piece, in bytes; `found` is what was read already, up to `start`.
    """
    pieces = list(cut(path, size, start))
    with Processes(__name__) as processes:
        if len(pieces) >= MANY:
            processes.start(spared=1)
        reports = processes.results(partial(PieceReader, known), pieces, cancelled, at_the_end=True)
        found = [*found, *(some for _, some in reports if some is not None)]
    # the most first, as these keep their numbers
    nodes = sorted((some for some, _ in found), key=lambda some: -len(some.hashes))
    entries = list(chain.from_iterable(some.hashes for some in nodes))
    if len(set(entries)) < len(entries):
        raise UncutError("an entry is there twice")
    return nodes, sorted(chain.from_iterable(faults for _, faults in found))


def cut(path: str, size: int, start: int = 0) -> Iterator[Piece]:
    """The pieces of an index from a place on; raises UncutError for what is not longer than one, and OSError."""
    with opened(path) as (descriptor, status):
        ends = [start, *starts(descriptor, status.st_size, size, start), status.st_size]
    if ends == [0, status.st_size]:
        raise UncutError("it is one piece")
    stamp = _stamp(status)
    for begin, end in pairwise(ends):
        yield Piece(path, stamp, begin, end)


def starts(descriptor: int, length: int, size: int, start: int = 0) -> Iterator[int]:
    """Where the pieces after the one that begins at `start` begin, in a file of this length."""
    at = start + size
    while at < length:
        window = os.pread(descriptor, _WINDOW, at)
        found = _ENTRY.search(window)
        if found:
            yield at + found.start()
            at += found.start() + size
        else:
            at += max(1, len(window) - _OVERLAP)


def read_piece(piece: Piece, buffer: bytearray) -> Database:
    """The entries of a piece, good until something else is read into the buffer; raises UncutError and OSError.

    The buffer has room for it: memory that is new for each piece would cost a tenth of the time.
    """
    view = memoryview(buffer)
    start, end = len(_BEFORE), len(_BEFORE) + piece.end - piece.start
    view[:start], view[end : piece.room] = _BEFORE, _BEHIND
    with opened(piece.path) as (descriptor, status):
        if _stamp(status) != piece.stamp:
            raise UncutError("it is another file by now")
        with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
            file.seek(piece.start)
            if file.readinto(view[start:end]) != end - start:
                raise UncutError("it was not read at once")
    is_first, is_last = not piece.start, piece.end == status.st_size
    index = view[start if is_first else 0 : end if is_last else piece.room]
    return _checked(index, is_first=is_first, is_last=is_last)


def entries_in(data: bytes, *, is_first: bool, is_last: bool) -> Database:
    """The entries in the bytes of a piece; raises UncutError."""
    whole = b"".join((b"" if is_first else _BEFORE, data, b"" if is_last else _BEHIND))
    return _checked(whole, is_first=is_first, is_last=is_last)


def _checked(index: bytes | memoryview, *, is_first: bool, is_last: bool) -> Database:
    """The entries of an index that is made of a piece; raises UncutError."""
    try:
        database = read_database(index)
    except DatabaseError as error:
        raise UncutError(str(error)) from None
    if not database.marks_binaries:
        raise UncutError("it is an old one")
    for filled, is_there in ((_BEGIN, not is_first), (_END, not is_last)):
        entry = database.entries.pop(filled, None)
        if is_there != (entry is not None and entry.spec.hash == filled):
            raise UncutError("it was not cut between entries")
    return database


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
