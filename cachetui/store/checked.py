"""Which parts of a saved index were found whole: a note beside its file, so that not every command adds them up again.

The note holds for one state of the file (which file, size, times), and until the machine starts anew, as what was
written shortly before a crash may not be on the disk. Without a note, or where anything is odd, everything is checked.
Input: the file's path and state.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import StrPath

NOTE_ENDING = ".checked"
"""What the note is called beside the name of the file."""

SETTLED = 2.0
"""Seconds without a change after which a further one surely changes the file's times."""

BOOT = "/proc/sys/kernel/random/boot_id"
"""What Linux has another text in after each start; elsewhere nothing is noted."""

LONGEST = 4096
"""Bytes that are read of a note; whole ones are much shorter."""


def note_beside(path: Path) -> Path:
    """Where the note on a file is."""
    return path.with_name(path.name + NOTE_ENDING)


class CheckedParts:
    """The parts of a file that were found whole in this state."""

    def __init__(self, path: StrPath, status: os.stat_result) -> None:
        """Reads the note, if there is one that holds."""
        self._note = f"{os.fspath(path)}{NOTE_ENDING}"
        self._changed = status.st_ctime
        self._state = _state(status)
        state, *parts = _text(self._note).split("\n")
        self._parts = set(parts) if self._state and state == self._state else set()

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def add(self, part: str) -> None:
        """Notes that a part is whole, unless the file has only just changed."""
        self._parts.add(part)
        if self._state and time.time() - self._changed >= SETTLED:
            self._write()

    def renew(self, status: os.stat_result) -> None:
        """Lets the note hold for a state of the file that differs in nothing but its times."""
        if self._parts:
            self._state = _state(status)
            self._write()

    def _write(self) -> None:
        with suppress(OSError):
            descriptor = os.open(self._note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK, 0o600)
            try:
                os.write(descriptor, "\n".join((self._state, *sorted(self._parts))).encode())
            finally:
                os.close(descriptor)


def _state(status: os.stat_result) -> str:
    """A text that is another one after every change of the file, and after every start; empty where none can be had."""
    boot = _text(BOOT).strip()
    numbers = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return " ".join((boot, *map(str, numbers))) if boot else ""


def _text(path: str) -> str:
    """The text of a short file; empty for one that cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.read(descriptor, LONGEST).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
