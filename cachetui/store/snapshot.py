"""The saved index: the columns of one catalogue in one file of the user's cache folder, mapped into memory.

The file is a header and then sections of flat arrays, each with a checksum, written beside and renamed into place,
so that a reader sees a whole file or none. It is never trusted: one that is damaged in any way is not used.
Invariant: what is read back equals the columns that were saved.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from array import array
from collections.abc import Callable, Mapping
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.store.arrays import Ints, Postings, Strings
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.graph import NO_GRAPH, Graph
from cachetui.store.sections import FileSection, check_sections
from cachetui.store.tag_graph import NODE_COLUMNS, DamagedGraphError, TagGraph

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import StrPath

MAGIC = b"cachetui index 9\n"
"""Raise the number whenever the meaning of a section changes."""

ALIGNMENT = 8

POSTINGS = ("profile", "version", "variants", "hash", "page_tag")
"""The postings that are saved: all that queries use."""

GRAPH_PART = "part."
"""How the names of the sections of the graph begin, which are checked when the graph is first used."""

DUPLICATES = ("duplicate_path", "duplicate_package", "duplicate_tag")

UNFINISHED = ".new"
"""Ending of the name of a file that is being written."""

ABANDONED = 600.0
"""Seconds after which nobody is writing a file any more."""


class SnapshotError(Exception):
    """Why there is no saved index to use; the message is a note for the user."""


class Header(Struct, frozen=True):
    byteorder: str
    revision: str
    sections: dict[str, FileSection]


class Saved(Struct, frozen=True):
    """What a snapshot file holds."""

    columns: Columns
    compared: float
    """When all files were last compared with it, in seconds since the epoch; the file's own time."""
    revision: str
    """The revision of the content at that time; empty where it has none."""


def save(path: StrPath, identity: str, saved: Saved) -> None:
    """Writes the columns so that any reader sees the old file or the whole new one; raises OSError."""
    sections: dict[str, FileSection] = {}
    pieces: list[bytes | memoryview] = []
    offset = 0
    for name, code, piece in _pieces(saved.columns, identity):
        padding = -offset % ALIGNMENT
        pieces += [bytes(padding), piece]
        offset += padding
        sections[name] = FileSection(offset, len(piece), zlib.crc32(piece), code)
        offset += len(piece)
    header = msgspec.json.encode(Header(sys.byteorder, saved.revision, sections))
    # Late, as mostly nothing is saved.
    import tempfile
    from pathlib import Path

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove_abandoned(path)
    # A name of its own for each writer (mode 0600): two of them never write into one file.
    descriptor, temporary = tempfile.mkstemp(prefix=path.name, suffix=UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            # Nothing waits for the disk: a file that a crash of the machine cut short is found out by its checksums.
            file.write(_preamble(header))
            file.writelines(pieces)
        os.utime(temporary, (saved.compared, saved.compared))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _remove_abandoned(path: Path) -> None:
    """Removes what writers left that were killed."""
    for abandoned in path.parent.glob(f"{path.name}*{UNFINISHED}"):
        with suppress(OSError):
            # not its modification time, which a writer sets
            if time.time() - abandoned.stat().st_ctime > ABANDONED:
                abandoned.unlink()


def _open_at_once(path: str, flags: int) -> int:
    """Opens a file without blocking, also where a pipe stands in its place."""
    return os.open(path, flags | os.O_NONBLOCK)


def load(path: StrPath, identity: str) -> Saved | None:
    """The saved index of this content, or None where there is none; raises SnapshotError for one that is unusable."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                raise SnapshotError(f"the saved index {path} belongs to another user: not used")
            compared = os.fstat(file.fileno()).st_mtime
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SnapshotError(f"the saved index {path} cannot be read ({reason}): not used") from None
    try:
        columns, revision = _columns(mapped, identity, path)
    except (msgspec.MsgspecError, KeyError, IndexError, ValueError, TypeError, UnicodeError) as error:
        raise SnapshotError(f"the saved index {path} is damaged ({error}): not used") from None
    return Saved(columns, compared, revision)


def touch(path: StrPath, compared: float) -> None:
    """Records in the file's own time when everything was compared and found unchanged."""
    with suppress(OSError):
        os.utime(path, (compared, compared))


def _preamble(header: bytes) -> bytes:
    """Magic, length and checksum of the header, the header, blanks up to the alignment."""
    start = MAGIC + b"%010d %010d\n" % (len(header), zlib.crc32(header)) + header
    return start + b" " * (-len(start) % ALIGNMENT)


def _columns(mapped: mmap, identity: str, path: StrPath) -> tuple[Columns, str]:
    header, base = _header(mapped)
    if header.byteorder != sys.byteorder:
        raise ValueError("it is of another machine")
    view = memoryview(mapped)
    if any(each.offset < 0 or base + each.offset + each.length > len(view) for each in header.sections.values()):
        raise ValueError("it is cut short")
    check_sections(
        mapped, base, {name: each for name, each in header.sections.items() if not name.startswith(GRAPH_PART)}
    )

    def ints(name: str) -> Ints:
        section = header.sections[name]
        start = base + section.offset
        piece = view[start : start + section.length]
        # An empty view cannot be cast.
        return piece.cast(_code(section.code)) if len(piece) else array(_code(section.code))

    def strings(name: str) -> Strings:
        return Strings(mapped, ints(f"{name}.offsets"), base + header.sections[f"{name}.text"].offset)

    def parts() -> list[TagGraph]:
        try:
            check_sections(
                mapped, base, {name: each for name, each in header.sections.items() if name.startswith(GRAPH_PART)}
            )
            named = zip(graph_names, mirrors, strict=True)
            return [_part(f"{GRAPH_PART}{p}.", *names, own, ints, strings) for p, (names, own) in enumerate(named)]
        except (KeyError, ValueError, TypeError) as error:
            raise DamagedGraphError(f"the saved index {path} is damaged ({error}): not used") from None

    if list(strings("identity")) != [identity]:
        raise ValueError(f"it is of {strings('identity')[0]}")
    graph_names = list(zip(strings("graph_path"), strings("graph_tag"), strict=True))
    mirrors = [msgspec.json.decode(text, type=dict[str, str]) for text in strings("graph_mirrors")]
    columns = Columns(
        packages=strings("packages"),
        tags=strings("tags"),
        tables={name: strings(f"table.{name}") for name in ROW_COLUMNS},
        rows={name: ints(f"row.{name}") for name in ROW_COLUMNS},
        page_path=strings("page_path"),
        page_package=ints("page_package"),
        page_tag=ints("page_tag"),
        page_start=ints("page_start"),
        file_path=strings("file_path"),
        file_size=ints("file_size"),
        file_time=ints("file_time"),
        upper_folders=tuple(strings("upper_folders")),
        problems=tuple(map(_problem, strings("problem_path"), strings("problem"))),
        duplicates=tuple(map(Duplicate, *map(strings, DUPLICATES))),
        graph=Graph.later(strings("graph_path"), strings("graph_tag"), mirrors, parts) if graph_names else NO_GRAPH,
        postings={name: Postings(ints(f"posting.{name}.rows"), ints(f"posting.{name}.offsets")) for name in POSTINGS},
    )
    return columns, header.revision


def _part(
    prefix: str,
    path: str,
    tag: str,
    mirrors: Mapping[str, str],
    ints: Callable[[str], Ints],
    strings: Callable[[str], Strings],
) -> TagGraph:
    """The part of the graph whose sections have this prefix."""
    return TagGraph(
        path=path,
        tag=tag,
        tables={name: strings(f"{prefix}table.{name}") for name in NODE_COLUMNS},
        columns={name: ints(f"{prefix}node.{name}") for name in NODE_COLUMNS},
        hashes=strings(f"{prefix}hashes"),
        kinds=strings(f"{prefix}kinds"),
        state=ints(f"{prefix}state"),
        first=ints(f"{prefix}first"),
        target=ints(f"{prefix}target"),
        kind=ints(f"{prefix}kind"),
        mirrors=mirrors,
    )


def _code(code: str) -> Literal["I", "Q"]:
    if code == "I":
        return "I"
    if code == "Q":
        return "Q"
    raise ValueError(f"no array is of the type {code}")


def _header(mapped: mmap | bytes) -> tuple[Header, int]:
    """The header, and where the sections begin."""
    start = len(MAGIC) + 22
    if mapped[: len(MAGIC)] != MAGIC:
        raise ValueError("it is of another version")
    length, checksum = map(int, mapped[len(MAGIC) : start].split())
    text = mapped[start : start + length]
    if len(text) != length or zlib.crc32(text) != checksum:
        raise ValueError("the checksum of its header does not agree")
    return msgspec.json.decode(text, type=Header), start + length + -(start + length) % ALIGNMENT


def _problem(path: str, text: str) -> Problem:
    line, level, kind, message = msgspec.json.decode(text, type=_ProblemText)
    return Problem(path=path, line=line, level=level, kind=kind, message=message)


_ProblemText: TypeAlias = tuple[int | None, Literal["fault", "note"], str, str]


def _pieces(columns: Columns, identity: str) -> list[tuple[str, str, memoryview]]:
    """Each section: its name, its type code (empty for text) and its bytes."""
    pieces: list[tuple[str, str, memoryview]] = []

    def add_ints(name: str, column: Ints) -> None:
        view = memoryview(column)
        pieces.append((name, view.format, view.cast("B") if len(view) else memoryview(b"")))

    def add_strings(name: str, strings: Strings) -> None:
        pieces.append((f"{name}.text", "", memoryview(strings.buffer)[strings.base :][: strings.offsets[-1]]))
        add_ints(f"{name}.offsets", strings.offsets)

    # Paths may hold what no JSON can: bytes that are not UTF-8.
    add_strings("identity", Strings.of([identity]))
    add_strings("upper_folders", Strings.of(columns.upper_folders))
    add_strings("problem_path", Strings.of([problem.path for problem in columns.problems]))
    texts = (msgspec.json.encode((each.line, each.level, each.kind, each.message)) for each in columns.problems)
    add_strings("problem", Strings.of([text.decode() for text in texts]))
    for name in DUPLICATES:
        field = name.removeprefix("duplicate_")
        add_strings(name, Strings.of([getattr(duplicate, field) for duplicate in columns.duplicates]))
    for name in ("packages", "tags", "page_path", "file_path"):
        add_strings(name, getattr(columns, name))
    for name in ("page_package", "page_tag", "page_start", "file_size", "file_time"):
        add_ints(name, getattr(columns, name))
    for name in ROW_COLUMNS:
        add_strings(f"table.{name}", columns.tables[name])
        add_ints(f"row.{name}", columns.rows[name])
    add_strings("graph_path", Strings.of(columns.graph.paths))
    add_strings("graph_tag", Strings.of(columns.graph.tags))
    add_strings("graph_mirrors", Strings.of([msgspec.json.encode(each).decode() for each in columns.graph.mirrors]))
    for p, part in enumerate(columns.graph.parts):
        prefix = f"{GRAPH_PART}{p}."
        for name in ("hashes", "kinds"):
            add_strings(f"{prefix}{name}", getattr(part, name))
        for name in ("state", "first", "target", "kind"):
            add_ints(f"{prefix}{name}", getattr(part, name))
        for name in NODE_COLUMNS:
            add_strings(f"{prefix}table.{name}", part.tables[name])
            add_ints(f"{prefix}node.{name}", part.columns[name])
    for name in POSTINGS:
        posting = columns.posting(name)
        add_ints(f"posting.{name}.rows", posting.rows)
        add_ints(f"posting.{name}.offsets", posting.offsets)
    return pieces
