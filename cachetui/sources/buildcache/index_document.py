"""Read the index of a build cache: the JSON of a Spack database, versions 5 to 9.

Each entry describes one node. Since version 6, an entry also shows whether the node has a binary. If an entry is
unreadable, an error is reported, and all other entries are still read.

A large index is read in chunks of entries. This saves memory, several processes can share the work, and reading can
start before the download is complete. To parse a chunk like a complete index, `_BEFORE` and `_BEHIND` are added around
the chunk. Both contain one extra entry. If an extra entry is missing after parsing, the chunk was not cut between two
entries. In this case the index is read as a whole.
Input: files with any content, which may change at any time.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, pairwise
from mmap import ACCESS_READ, mmap
from threading import RLock
from typing import Generic, TypeVar
from zlib import crc32

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from cachetui.sources.buildcache.columns import NodeReader, Nodes, nodes_of
from cachetui.sources.buildcache.manifests import INDEX_TYPE, NEWEST, decoded
from cachetui.sources.buildcache.node import NOTHING, Entry, read_node
from cachetui.sources.files import GZIP, decompressed, load, opened
from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.processes import Processes

MAX_INDEX_BYTES = 2**30
"""Maximum size of an index in bytes; the largest known index has 185 million bytes."""

LAST_UNMARKED_VERSION = 5
"""The last database version in which the entries do not show whether a node has a binary."""

CHUNK_BYTES = 2 * 2**20
"""The size of a chunk in bytes. The parsed entries of a chunk fit into the cache of a processor core."""

MIN_PROCESS_CHUNKS = 16
"""Minimum number of chunks for which starting other processes saves time."""

_WINDOW, _OVERLAP = 64 * 2**10, 256
"""Number of bytes to search at a time for the beginning of an entry, and the overlap of two searches in bytes."""

# This cannot match inside a string, because quotes in a string are escaped.
_ENTRY = re.compile(rb',\s*"[a-z2-7]{32}"\s*:\s*\{\s*"spec"\s*:')

_BEGIN, _END = "the beginning of a chunk", "the end of a chunk"
_FILLED = b'"%b":{"spec":{"name":"filled","hash":"%b"}}'
_BEFORE = b'{"database":{"installs":{' + _FILLED.replace(b"%b", _BEGIN.encode())
_BEHIND = b"," + _FILLED.replace(b"%b", _END.encode()) + b"}}}"


Written = TypeVar("Written")


class UncutError(Exception):
    """The index cannot be read in chunks, and must be read as a whole."""


class _Installs(Struct, Generic[Written]):
    installs: dict[str, Written]
    version: str | int = ""


class _IndexDocument(Struct, Generic[Written]):
    database: _Installs[Written]


class Database(Struct):
    """The content of an index, or of a chunk of an index."""

    version: str
    entries: dict[str, Entry]
    """The entries, keyed by hash."""
    faults: list[str]
    """The errors of single entries."""


def marks_binaries(version: str) -> bool:
    """Return whether the entries of a database of this version show which nodes have a binary."""
    return not (version.isdecimal() and int(version[:9]) <= LAST_UNMARKED_VERSION)


_decode = msgspec.json.Decoder(_IndexDocument[Entry]).decode


def read_database(data: bytes) -> Database:
    """Parse an index. Raises ValueError."""
    with suppress(ValueError, RecursionError):
        found = _decode(data).database
        if all(entry.spec.name for entry in found.installs.values()):
            return Database(str(found.version), found.installs, [])
    # read entry by entry, for specfile version 1 or if entries are damaged
    loose = decoded(data, _IndexDocument[Raw]).database
    entries: dict[str, Entry] = {}
    faults = []
    for node_hash, text in loose.installs.items():
        try:
            written = msgspec.json.decode(text, type=dict[str, Raw])["spec"]
            entries[node_hash] = replace(msgspec.json.decode(text, type=Entry), spec=read_node(written))
        except (ValueError, KeyError, RecursionError) as error:
            faults.append(f"the entry {node_hash} cannot be read: {error}")
    if faults and not entries:
        raise ValueError(faults[0])
    return Database(str(loose.version), entries, faults)


def check_index(path: str) -> None:
    """Raise ValueError if a file is not a complete index. The fields of entries are not checked."""
    if not os.path.getsize(path):
        raise ValueError("it is empty")
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        decoded(decompressed(data[:], MAX_INDEX_BYTES) if data[:2] == GZIP else data, _IndexDocument[Raw])


strict_struct = partial(msgspec.defstruct, forbid_unknown_fields=True)
"""Return a struct type. Decoding JSON to this type raises an error if a key is not a field of the type."""


def raw_fields(names: str) -> list[tuple[str, type, Raw]]:
    """Return a struct field for each of these names, which are separated by spaces. A field accepts any JSON value."""
    return [(name, Raw, NOTHING) for name in names.split()]


KNOWN_NODE = strict_struct(
    "Node",
    raw_fields(
        "name version versions namespace arch compiler parameters propagate abstract patches concrete external"
        " dependencies package_hash hash full_hash build_hash build_spec annotations provided_virtuals"
    ),
)
"""The keys of a node in Spack's JSON, up to specfile 6."""

_KNOWN_ENTRY = strict_struct(
    "Entry",
    [
        ("spec", KNOWN_NODE),
        *raw_fields("ref_count in_buildcache path installed explicit installation_time origin deprecated_for"),
    ],
)
_KNOWN_INSTALLS = strict_struct("Installs", [("installs", dict[str, _KNOWN_ENTRY]), *raw_fields("version")])  # type: ignore[valid-type]  # made at run time


def unknown_key(text: str | bytes, kind: type) -> str:
    """Return the first key in a JSON document that is not a field of the type `kind`.

    Return an empty string if there is no such key.
    """
    try:
        msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError) as error:
        if found := re.search("contains unknown field `(.{1,100}?)`", str(error)):
            return found[1]
    return ""


def newer_key(path: str, version: str) -> str:
    """Return the first key in an index that this program does not know, or an empty string. Raises OSError.

    `version` is the database version of the index. If this program knows a newer version, the result is always empty.
    """
    if not version.isdecimal() or int(version[:9]) < NEWEST[INDEX_TYPE]:
        return ""
    text = decompressed(load(path, MAX_INDEX_BYTES), MAX_INDEX_BYTES)
    return unknown_key(text, strict_struct("Index", [("database", _KNOWN_INSTALLS)]))


class IndexContent(Struct, frozen=True):
    """The content of an index as columns."""

    nodes: Sequence[Nodes]
    faults: Sequence[str]
    """The errors of single entries."""
    version: str
    """The database version. For a chunk, empty if the version is in another chunk of the index."""


def read_index(
    path: str,
    known: Collection[str] = (),
    cancelled: Cancelled = never,
    stream: "IndexStream | None" = None,
    size: int = CHUNK_BYTES,
    *,
    keeps_records: bool = False,
) -> IndexContent:
    """Read an index, if possible in chunks of `size` bytes.

    For `known` and `keeps_records`, see `NodeReader`. `stream` may already have read the beginning of the file, or all
    of it. Raises ValueError if the file is not an index. Also raises OSError and Interrupted.
    """
    with suppress(OSError, UncutError):
        return read_in_chunks(path, known, cancelled, stream, size, keeps_records=keeps_records)
    database = read_database(decompressed(load(path, MAX_INDEX_BYTES), MAX_INDEX_BYTES))
    known = known if marks_binaries(database.version) else ()
    nodes = nodes_of(database.entries, known, keeps_records=keeps_records)
    return IndexContent([nodes], sorted([*database.faults, *nodes.faults]), database.version)


def read_in_chunks(
    path: str,
    known: Collection[str],
    cancelled: Cancelled,
    stream: "IndexStream | None",
    size: int,
    *,
    keeps_records: bool = False,
) -> IndexContent:
    """Read an index in chunks. Raises UncutError if the index must be read as a whole. See `read_index`."""
    start, found = stream.beginning(path) if stream else (0, [])
    chunks = list(cut(path, size, start))
    with Processes(__name__) as processes:
        if len(chunks) >= MIN_PROCESS_CHUNKS:
            processes.start(spared=1)
        reports = processes.results(
            partial(ChunkReader, known, keeps_records=keeps_records), chunks, cancelled, at_the_end=True
        )
        found += [some for _, some in reports if some is not None]
    # the largest part is first, because its nodes keep their numbers when the other parts are merged into it
    nodes = sorted(chain.from_iterable(some.nodes for some in found), key=lambda some: -len(some.hashes))
    if has_repeats(nodes):
        raise UncutError("a hash occurs twice")
    faults = sorted(chain.from_iterable(some.faults for some in found))
    return IndexContent(nodes, faults, max(some.version for some in found))


def has_repeats(nodes: Iterable[Nodes]) -> bool:
    """Return whether any hash appears more than once. Spack never writes such an index."""
    hashes = [each for some in nodes for each in some.hashes]
    return len(set(hashes)) < len(hashes)


class Chunk(Struct, frozen=True):
    """A range of bytes of an index."""

    path: str
    state: tuple[int, ...]
    """Device, inode, size and modification time of the file when the chunk was cut."""
    start: int
    """The position of the comma before the first entry, or the beginning of the file."""
    end: int
    """The position of the comma after the last entry, or the end of the file."""


def cut(path: str, size: int, start: int = 0) -> Iterator[Chunk]:
    """Yield the chunks of an index, beginning at byte `start`.

    Only the last chunk may have fewer than `size` bytes. Raises OSError. Raises UncutError if the index is only one
    chunk, or is longer than `MAX_INDEX_BYTES`.
    """
    with opened(path) as (descriptor, status):
        ends = sorted({start, *_starts(descriptor, status.st_size, size, start), status.st_size})
    if (len(ends) <= 2 and not start) or status.st_size > MAX_INDEX_BYTES:
        raise UncutError("it cannot be divided into chunks")
    for begin, end in pairwise(ends):
        yield Chunk(path, _state_of(status), begin, end)


def _starts(descriptor: int, length: int, size: int, start: int) -> Iterator[int]:
    """Yield the first byte of each chunk of a file. The first chunk, which begins at byte `start`, is omitted.

    `length` is the length of the file, and `size` the minimum size of a chunk, both in bytes.
    """
    at = start + size
    while at < length:
        window = os.pread(descriptor, _WINDOW, at)
        found = _ENTRY.search(window)
        if found:
            yield at + found.start()
            at += found.start() + size
        else:
            at += max(1, len(window) - _OVERLAP)


class ChunkReader:
    """Parses chunks of an index into columns, in this or another process (see `workers.processes`)."""

    def __init__(self, known: Collection[str] = (), *, keeps_records: bool = False) -> None:
        """For the arguments, see `NodeReader`."""
        self._new_reader = partial(NodeReader, known, keeps_records=keeps_records)
        self._reader = self._new_reader()
        self._faults: list[str] = []
        self._version = ""

    def add(self, chunk: Chunk, cancelled: Cancelled) -> None:
        """Read the entries of a chunk. Raises UncutError, OSError and Interrupted."""
        if cancelled():
            raise Interrupted
        with opened(chunk.path) as (descriptor, status):
            data = os.pread(descriptor, chunk.end - chunk.start, chunk.start)
        if _state_of(status) != chunk.state or len(data) != chunk.end - chunk.start:
            raise UncutError("the file was replaced")
        self.add_entries(data, is_first=not chunk.start, is_last=chunk.end == status.st_size)

    def add_entries(self, data: bytes, *, is_first: bool, is_last: bool) -> None:
        """Parse the bytes of a chunk. Raises UncutError."""
        try:
            database = read_database(b"".join((b"" if is_first else _BEFORE, data, b"" if is_last else _BEHIND)))
        except ValueError as error:
            raise UncutError(str(error)) from None
        if not marks_binaries(database.version):
            raise UncutError("it has an old format")
        for filled, is_there in ((_BEGIN, not is_first), (_END, not is_last)):
            entry = database.entries.pop(filled, None)
            if is_there != (entry is not None and entry.spec.hash == filled):
                raise UncutError("a chunk does not end between two entries")
        self._reader.add(database.entries)
        self._faults += database.faults
        self._version = self._version or database.version

    def result(self) -> IndexContent:
        """Return the content of all chunks that were added since the last call of this method."""
        nodes, self._reader = self._reader.result(), self._new_reader()
        faults, self._faults = self._faults, []
        return IndexContent([nodes], [*faults, *nodes.faults], self._version)


def _state_of(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


# Reading during the download


class IndexStream:
    """Reads an index while it is being downloaded, one file at a time.

    After the download, `check` reads the rest of the index. The result is used only if the complete file still begins
    with the bytes that were read during the download.
    """

    def __init__(self, size: int = CHUNK_BYTES) -> None:
        """`size` is the size of a chunk in bytes."""
        self._size = size
        self.cancelled: Cancelled = never
        """A function that returns whether `check` should stop reading."""
        self._lock = RLock()
        """The lock for all reading, because `check` runs in another thread."""
        self._begin(())

    def _begin(self, file: tuple[int, ...]) -> None:
        self._file = file
        """Device and inode of the file. They stay the same when the file is renamed."""
        self.end = 0
        """The number of bytes read so far."""
        self._reader = ChunkReader()
        self._results: list[IndexContent] = []
        self._checksums: list[tuple[int, int, int]] = []
        """For each chunk: its start, its end (exclusive), and its checksum."""
        self._is_refused = False

    def advance(self, path: str) -> None:
        """Read one more chunk of a file, if the chunk was downloaded completely."""
        with self._lock, suppress(OSError), opened(path) as (descriptor, status):
            if self._file != (status.st_dev, status.st_ino):
                self._begin((status.st_dev, status.st_ino))
            end = next(_starts(descriptor, status.st_size, self._size, self.end), None)
            if end is None or self._is_refused:
                return
            data = os.pread(descriptor, end - self.end, self.end)
            try:
                self._reader.add_entries(data, is_first=not self.end, is_last=False)
            except UncutError:
                self._is_refused = True
                return
            self._checksums.append((self.end, end, crc32(data)))
            self.end = end

    def check(self, path: str) -> None:
        """Raise ValueError if a downloaded file is not an index.

        If the beginning of the file was already read, also read the rest. After that, `beginning` returns the content
        of the whole file. If `cancelled` returns True, the rest is not read, but the file is still checked.
        """
        with self._lock, suppress(OSError, UncutError, Interrupted):
            if self.end and self._file == _state_of(os.stat(path))[:2]:
                self._results = [read_in_chunks(path, (), self.cancelled, self, self._size)]
                self.end = os.path.getsize(path)
                return
        check_index(path)

    def results(self) -> list[IndexContent]:
        """Return the content of all chunks read so far."""
        with self._lock:
            self._results.append(self._reader.result())
            return [*self._results]

    def beginning(self, path: str) -> tuple[int, list[IndexContent]]:
        """Return how many bytes of this file were read so far, and the content of these bytes. Raises OSError."""
        with opened(path) as (descriptor, status):
            is_it = self._file == (status.st_dev, status.st_ino) and not self._is_refused
            if is_it and all(crc32(os.pread(descriptor, b - a, a)) == each for a, b, each in self._checksums):
                return self.end, self.results()
        return 0, []
