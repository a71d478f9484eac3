"""The saved index: the columns of one catalogue in one file of the user's cache folder, mapped into memory.

The file is a header and then sections of flat arrays, each with a checksum (see `saved_columns`), written beside and
renamed into place, so that a reader sees a whole file or none. It is never trusted: one that is damaged in any way is
not used. What was found whole once is not added up again (see `checked`).
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from cachetui.store.checked import CheckedParts
from cachetui.store.columns import Columns
from cachetui.store.files import make_private
from cachetui.store.saved_columns import FileSection, MappedSections, columns_in, sections_of

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import StrPath

MAGIC = b"cachetui index 11\n"
"""Raise the number whenever the meaning of a section changes."""

ALIGNMENT = 8

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
    for name, code, piece in sections_of(saved.columns, identity):
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
    make_private(path.parent)
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
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid():
                raise SnapshotError(f"the saved index {path} belongs to another user: not used")
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SnapshotError(f"the saved index {path} cannot be read ({reason}): not used") from None
    try:
        header, base = _header(mapped)
        columns = columns_in(MappedSections(mapped, base, header.sections, CheckedParts(path, status)), identity, path)
    except (msgspec.MsgspecError, KeyError, IndexError, ValueError, TypeError, UnicodeError) as error:
        raise SnapshotError(f"the saved index {path} is damaged ({error}): not used") from None
    return Saved(columns, status.st_mtime, header.revision)


def touch(path: StrPath, compared: float) -> None:
    """Records in the file's own time when everything was compared and found unchanged."""
    with suppress(OSError):
        checked = CheckedParts(path, os.stat(path))
        os.utime(path, (compared, compared))
        checked.renew(os.stat(path))


def _preamble(header: bytes) -> bytes:
    """Magic, length and checksum of the header, the header, blanks up to the alignment."""
    start = MAGIC + b"%010d %010d\n" % (len(header), zlib.crc32(header)) + header
    return start + b" " * (-len(start) % ALIGNMENT)


def _header(mapped: mmap | bytes) -> tuple[Header, int]:
    """The header, and where the sections begin."""
    start = len(MAGIC) + 22
    if mapped[: len(MAGIC)] != MAGIC:
        raise ValueError("it is of another version")
    length, checksum = map(int, mapped[len(MAGIC) : start].split())
    text = mapped[start : start + length]
    if len(text) != length or zlib.crc32(text) != checksum:
        raise ValueError("the checksum of its header does not agree")
    header = msgspec.json.decode(text, type=Header)
    if header.byteorder != sys.byteorder:
        raise ValueError("it is of another machine")
    return header, start + length + -(start + length) % ALIGNMENT
