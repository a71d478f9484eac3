"""Save the index of the content in a file, the index cache, and load it again by mapping the file into memory.

The file consists of a header and sections of flat arrays. The file is written under another name and then renamed, so
that a reader finds either a complete file or no file. A damaged file is not used, and a note informs the user.
Input: the file (see `settings.folders`), which may be damaged in any way, and the identity of the content.
"""

import os
import sys
import time
import zlib
from array import array
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from mmap import ACCESS_READ, mmap
from typing import Any, Literal

import msgspec
from msgspec import Struct

from cachetui.debug_log import log
from cachetui.model.problem import Problem
from cachetui.model.spec import FACETS
from cachetui.safe_text import utc_time
from cachetui.settings.folders import CHECKED, INDEX_FILES, UNFINISHED, OwnFolder, own_folder
from cachetui.store.arrays import Ints, Postings, StringTable
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.graph import LIBCS, NO_GRAPH, NODE_COLUMNS, NODE_FIELDS, REVERSED, Graph, NodeColumns, TagGraph

MAGIC = b"cachetui index 20 %s\n" % ",".join(FACETS).encode()
"""The first line of the file. Increase the number if the meaning of any section changes."""

ALIGNMENT_BYTES = 8

BLOCK_BYTES = 1 << 16
"""Number of bytes to read at a time when the checksum is computed."""

ABANDONED_SECONDS = 600.0
"""An unfinished file is removed after this number of seconds, because its writer must have been killed."""

SETTLED_SECONDS = 60.0
"""Number of seconds after which a file is certainly on the disk, and its time would show any further change."""

POSTINGS = ("profile", "version", "variants", "hash", "page_tag")
"""The names of the columns whose `Postings` are saved, because queries use them."""

_OF_COLUMNS = (
    *("packages", "tags", "page_path", "file_path"),
    *("page_package", "page_tag", "page_start", "file_size", "file_time"),
)


class IndexCache:
    """The index cache of one CONTENT. It stores the index, and the time of the last comparison with the content."""

    def __init__(self, file: str | None, identity: str, *, writes: bool = True) -> None:
        """`file` is the path of the index cache, or None to disable it. `identity` is a name for the content."""
        self._file = file
        self._writes = writes
        self._identity = identity
        self.notes: list[str] = []
        """Notes for the user, one line each."""
        self.compared = 0.0
        """The time of the last full comparison, in seconds since the epoch. It is the modification time of the file."""
        self.revision = ""
        """The revision of the content at the last full comparison (see `Source.revision`)."""
        self._columns: Columns | None = None
        """The columns in the file, as this object last read or wrote them."""

    def load(self) -> Columns | None:
        """Return the saved columns, or None if the file is missing or unusable."""
        if self._file is None:
            return None
        try:
            columns, self.compared, self.revision = read_index(self._file, self._identity, self._keep)
        except FileNotFoundError:
            log(f"index cache {self._file}: none")
            return None
        except OSError as error:
            why = f"cannot be read ({error.strerror})"
        except (msgspec.MsgspecError, KeyError, IndexError, ValueError, TypeError) as error:
            why = f"cannot be used ({error})"
        else:
            log(f"index cache {self._file}: valid, last checked {utc_time(self.compared)}")
            self._columns = columns
            return columns
        self.note_once(f"the index cache {self._file} {why}")
        return None

    def _keep(self) -> None:
        """Save the columns again, after a query has computed an additional column."""
        if self._columns is not None:
            self.save(self._columns)

    def save(self, columns: Columns) -> None:
        """Save the columns. Add a note if this fails."""
        if self._file is None or not self._writes:
            return
        try:
            write_index(self._file, self._identity, columns, self.compared, self.revision)
            self._columns = columns
        except OSError as error:
            self.note_once(f"the index cache was not saved: {error.strerror or error} ({self._file})")

    def touch(self) -> None:
        """Save only the time of the last comparison. The file must already contain the current columns."""
        if self._file is not None and self._writes:
            with suppress(OSError):
                place, name = os.path.split(self._file)
                with own_folder(place) as folder, open(folder.open(name, os.O_RDWR), "rb") as file:
                    is_whole = _is_checked(folder, name, os.fstat(file.fileno()))
                    os.utime(file.fileno(), (self.compared, self.compared))
                    if is_whole:
                        _note_checked(folder, name, os.fstat(file.fileno()))

    def note_once(self, text: str) -> None:
        """Add a note, unless the notes already contain it."""
        log(text)
        if text not in self.notes:
            self.notes.append(text)


# The file


class Section(Struct, frozen=True, array_like=True):
    offset: int
    """The offset from the end of the header, in bytes."""
    length: int
    code: Literal["B", "I", "Q"]
    """The type code of the array. The code for text is `B`."""


class Header(Struct, frozen=True):
    byteorder: str
    revision: str
    sections: dict[str, Section]


def write_index(path: str, identity: str, columns: Columns, compared: float, revision: str) -> None:
    """Write the columns. A reader finds either the old file or the complete new file. Raise OSError on failure."""
    sections: dict[str, Section] = {}
    pieces: list[bytes | memoryview] = []
    offset = 0
    for name, piece in _sections_of(columns, identity).items():
        padding = -offset % ALIGNMENT_BYTES
        data = piece.cast("B") if len(piece) else memoryview(b"")  # an empty view cannot be cast
        pieces += [bytes(padding), data]
        sections[name] = Section(offset + padding, len(data), piece.format)  # type: ignore[arg-type]  # arrays have only these codes
        offset += padding + len(data)
    header = msgspec.json.encode(Header(sys.byteorder, revision, sections))
    header += b" " * (-(len(MAGIC) + 22 + len(header)) % ALIGNMENT_BYTES)
    checksum = zlib.crc32(header)
    for each in pieces:
        checksum = zlib.crc32(each, checksum)
    place, own = os.path.split(path)
    with own_folder(place, make=True, created=INDEX_FILES) as folder:
        _remove_abandoned(folder, own)
        with folder.replacing(own) as unfinished:
            # Do not call fsync: after a crash of the machine, the checksum shows that the file is incomplete.
            unfinished.write(MAGIC + b"%010d %010d\n" % (len(header), checksum))
            unfinished.writelines([header, *pieces])
            unfinished.flush()
            os.utime(unfinished.fileno(), (compared, compared))


def _remove_abandoned(folder: OwnFolder, own: str) -> None:
    """Remove the unfinished files of writers that were killed."""
    for name in folder.names():
        with suppress(OSError):
            # use the change time, because a writer sets the modification time
            is_unfinished = name.startswith(own) and name.endswith(UNFINISHED)
            if is_unfinished and time.time() - folder.status(name).st_ctime > ABANDONED_SECONDS:
                folder.remove(name)


def read_index(path: str, identity: str, keep: Callable[[], object] = bool) -> tuple[Columns, float, str]:
    """Return the columns, the time of the last full comparison, and the revision of the content at that time.

    A query calls `keep` after it has computed a column that is not in the file yet. Raise OSError if the file is
    missing or unreadable. Raise ValueError, KeyError, IndexError, TypeError or MsgspecError if the file is damaged or
    belongs to another CONTENT.
    """
    place, own = os.path.split(path)
    with own_folder(place) as folder, open(folder.open(own, os.O_RDONLY), "rb") as file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid():
            raise ValueError("it belongs to another user")
        start = file.read(len(MAGIC) + 22)
        if not start.startswith(MAGIC):
            raise ValueError("it was written by another version")
        length, checksum = map(int, start[len(MAGIC) :].split())
        text = file.read(min(length, status.st_size))  # `read` allocates all requested bytes
        if not _is_checked(folder, own, status):
            found = zlib.crc32(text)
            while piece := file.read(BLOCK_BYTES):
                found = zlib.crc32(piece, found)
            if found != checksum:
                raise ValueError("its checksum is wrong")
            if time.time() - status.st_ctime > SETTLED_SECONDS:
                _note_checked(folder, own, status)
        header = msgspec.json.decode(text, type=Header)
        if header.byteorder != sys.byteorder:
            raise ValueError("it was written on another machine")
        mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    sections = _mapped_sections(mapped, len(start) + length, header.sections)
    return _columns_in(sections, identity, keep), status.st_mtime, header.revision


def _is_checked(folder: OwnFolder, name: str, status: os.stat_result) -> bool:
    """Return whether the checksum was already verified after the last change of the file."""
    with suppress(OSError):
        return folder.status(name + CHECKED).st_mtime_ns == status.st_ctime_ns
    return False


def _note_checked(folder: OwnFolder, name: str, status: os.stat_result) -> None:
    with suppress(OSError), open(folder.open(name + CHECKED, os.O_WRONLY | os.O_CREAT), "wb") as noted:
        os.utime(noted.fileno(), ns=(status.st_ctime_ns, status.st_ctime_ns))


def _mapped_sections(mapped: mmap, base: int, sections: Mapping[str, Section]) -> dict[str, Any]:
    """Return the arrays and tables of a mapped file, by name. `base` is the offset of the first section in the file."""
    view = memoryview(mapped)
    found: dict[str, Any] = {}
    for name, section in sections.items():
        start = base + section.offset
        piece = view[start : start + section.length]
        found[name] = piece.cast(section.code) if len(piece) else array(section.code)
    for name in [each.removesuffix(".text") for each in sections if each.endswith(".text")]:
        found[name] = StringTable(mapped, found[f"{name}.offsets"], base + sections[f"{name}.text"].offset)
    return found


# Conversion of columns to sections, and of sections to columns


def _sections_of(columns: Columns, identity: str) -> dict[str, memoryview]:
    """Return the sections of the file, by name. They contain the columns and `identity`."""
    problems = (
        (each.path, str(each.line or ""), each.level, each.kind, each.message, "\0".join(each.hashes))
        for each in columns.problems
    )
    duplicates = ((each.path, each.package, each.tag) for each in columns.duplicates)
    found: dict[str, StringTable | Ints] = {
        "identity": StringTable.of([identity]),
        "upper_folders": StringTable.of(columns.upper_folders),
        "problems": StringTable.of(list(chain.from_iterable(problems))),
        "duplicates": StringTable.of(list(chain.from_iterable(duplicates))),
    }
    for name in _OF_COLUMNS:
        found[name] = getattr(columns, name)
    for name in ROW_COLUMNS:
        found[f"table.{name}"], found[f"row.{name}"] = columns.tables[name], columns.rows[name]
    for name in POSTINGS:
        posting = columns.posting(name)
        found[f"posting.{name}.rows"], found[f"posting.{name}.starts"] = posting.rows, posting.offsets
    for p, each in enumerate(columns.graph.of_tags):
        named, part = [each.path, each.tag, _encode(each.environments).decode()], each.nodes
        found[f"{p}.named"] = StringTable.of([*named, *chain.from_iterable(each.mirrors.items())])
        for name in NODE_FIELDS:
            found[f"{p}.{name}"] = getattr(part, name)
        for name in LIBCS:
            found[f"{p}.{name}"] = part.derived(name)
        for name in part.stored.keys() & REVERSED:
            found[f"{p}.{name}"] = part.stored[name]
        for name in NODE_COLUMNS:
            found[f"{p}.table.{name}"], found[f"{p}.node.{name}"] = part.tables[name], part.columns[name]
    found |= {"hash": columns.hash_of_nodes, **columns.links}
    sections: dict[str, memoryview] = {}
    for name, values in found.items():
        if isinstance(values, StringTable):
            sections[f"{name}.text"] = memoryview(values.buffer)[values.base :][: values.offsets[-1]]
            sections[f"{name}.offsets"] = memoryview(values.offsets)
        else:
            sections[name] = memoryview(values)
    return sections


def _columns_in(found: Mapping[str, Any], identity: str, keep: Callable[[], object]) -> Columns:
    """Convert the arrays and tables of a file to columns. Raise ValueError if they belong to another CONTENT.

    `read_index` explains `keep`.
    """
    (own,) = found["identity"]
    if own != identity:
        raise ValueError(f"it belongs to {own}")
    problem, duplicate = iter(found["problems"]), iter(found["duplicates"])
    parts: list[TagGraph] = []
    while f"{len(parts)}.state" in found:
        parts.append(_part(found, f"{len(parts)}.", keep))
    return Columns(
        **{name: found[name] for name in _OF_COLUMNS},
        tables={name: found[f"table.{name}"] for name in ROW_COLUMNS},
        rows={name: found[f"row.{name}"] for name in ROW_COLUMNS},
        upper_folders=tuple(found["upper_folders"]),
        problems=tuple(map(_problem, *[problem] * 6)),
        duplicates=tuple(map(Duplicate, *[duplicate] * 3)),
        graph=Graph(parts) if parts else NO_GRAPH,
        links={name: found[name] for name in ("hash", "complete") if name in found},
        keep=keep,
        postings={name: Postings(found[f"posting.{name}.rows"], found[f"posting.{name}.starts"]) for name in POSTINGS},
    )


def _problem(path: str, line: str, level: str, kind: str, message: str, hashes: str) -> Problem:
    said: Literal["fault", "note"] = "note" if level == "note" else "fault"
    return Problem.of(path, kind, message, said, int(line) if line else None, filter(None, hashes.split("\0")))


def _part(found: Mapping[str, Any], prefix: str, keep: Callable[[], object]) -> TagGraph:
    """Return the graph of one tag, from the arrays and tables whose names begin with this prefix."""
    path, tag, environments, *mirrors = found[f"{prefix}named"]
    nodes = NodeColumns(
        **{name: found[prefix + name] for name in NODE_FIELDS},
        tables={name: found[f"{prefix}table.{name}"] for name in NODE_COLUMNS},
        columns={name: found[f"{prefix}node.{name}"] for name in NODE_COLUMNS},
        stored={name: found[prefix + name] for name in (*LIBCS, *REVERSED) if prefix + name in found},
        keep=keep,
    )
    return TagGraph(
        path,
        tag,
        lambda: nodes,
        dict(zip(mirrors[::2], mirrors[1::2], strict=True)),
        msgspec.json.decode(environments, type=dict[str, tuple[str, ...]] | None),
    )


_encode = msgspec.json.Encoder().encode
