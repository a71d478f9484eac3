"""Size and times of a file, from which a later comparison tells whether it has changed.

Input: the status of files.
"""

import errno
import os
from typing import TypeAlias

from msgspec import Struct

Mtimes: TypeAlias = tuple[int, int]
"""Size and times of a file as an index keeps them; the size of a folder is 0."""

NO_TIME = -1
"""The time of a file that could not be read; no file has it, so that the next comparison tries again."""

TIMES = 1 << 64
"""Times are kept modulo this, because a file system may report any number."""

UNREAD_MTIMES: Mtimes = (0, NO_TIME % TIMES)
"""The entry of an index for a file or folder that could not be read."""


class FileMtimes(Struct, frozen=True):
    """Path, size and times of a file, taken just before it was read."""

    path: str
    """Relative to the content folder, with `/`; bytes that are not UTF-8 as lone surrogates."""
    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int = 0


def mtimes_of(path: str, size: int, status: os.stat_result) -> FileMtimes:
    """Return size and times of a file or folder with this status."""
    return FileMtimes(path, size, status.st_mtime_ns, status.st_ctime_ns)


def mtimes_at(path: str) -> Mtimes | OSError:
    """Return size and times of a file or folder now, or the error; the path of a folder ends in `/`."""
    try:
        status = os.stat(path)
    except OSError as error:
        return error
    # As in `times_of`: another call for each of hundreds of thousands of files takes noticeable time.
    times = (status.st_mtime_ns + 3 * status.st_ctime_ns) % TIMES
    return 0 if path[-1] == "/" else status.st_size, times


def times_of(mtime_ns: int, ctime_ns: int) -> int:
    """Combine both times of a file into one number, which changes if either of them does.

    The change time is needed because `cp -p` and `tar` set the modification time of a new file to an old one.
    """
    return (mtime_ns + 3 * ctime_ns) % TIMES


def no_mtimes(path: str) -> FileMtimes:
    """Return the entry for a file or folder that could not be read."""
    return FileMtimes(path, 0, NO_TIME)


def exists(path: str) -> bool | None:
    """Return whether there is something at a path; None where that cannot be told, as without permission."""
    try:
        os.stat(path)
    except OSError as error:
        return False if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP) else None
    except ValueError:  # no file can have such a name
        return False
    return True
