"""Size and times of a file when it was read, by which a later comparison tells whether it has changed.

Input: what the file system says.
"""

from __future__ import annotations

import os
from typing import TypeAlias

from msgspec import Struct

Mtimes: TypeAlias = tuple[int, int]
"""Size and times of a file, or 0 and the times of a folder, as an index keeps them."""

NO_TIME = -1
"""The time of a file that could not be read. No file has it, so that the next comparison tries again."""

TIMES = 1 << 64
"""Times are kept modulo this, because a file system may report any number."""

UNREAD_MTIMES: Mtimes = (0, NO_TIME % TIMES)
"""What an index has for a file or folder that could not be read."""


class FileMtimes(Struct, frozen=True):
    """A file as it was just before it was read."""

    path: str
    """Relative to the content folder, with `/`; bytes that are not UTF-8 as lone surrogates."""
    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int = 0


def mtimes_of(path: str, size: int, status: os.stat_result) -> FileMtimes:
    """Size and times of a file or folder of this status."""
    return FileMtimes(path, size, status.st_mtime_ns, status.st_ctime_ns)


def mtimes_at(path: str) -> Mtimes | OSError:
    """Size and times of what is at this path now; the path of a folder ends in `/`."""
    try:
        status = os.stat(path)
    except OSError as error:
        return error
    # As `times_of` has it: for hundreds of thousands of files a call more takes noticeable time.
    times = (status.st_mtime_ns + 3 * status.st_ctime_ns) % TIMES
    return 0 if path[-1] == "/" else status.st_size, times


def times_of(mtime_ns: int, ctime_ns: int) -> int:
    """Both times of a file as one number, which is another one if either changes.

    `cp -p` and `tar` give a new file its old modification time; then only the change time differs.
    """
    return (mtime_ns + 3 * ctime_ns) % TIMES


def no_mtimes(path: str) -> FileMtimes:
    """What stands for a file or folder that could not be read."""
    return FileMtimes(path, 0, NO_TIME)
