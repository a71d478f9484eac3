"""Record the size and times of files, to detect later changes.

Input: results of `os.stat`.
"""

import errno
import os
from contextlib import suppress
from math import inf

Mtimes = tuple[int, int]
"""The size and times of a file or folder, as stored in an index. The size of a folder is 0."""

TIMES = 1 << 64
"""Times are stored modulo this number, because a file system may report any number."""

UNREAD_MTIMES: Mtimes = (0, -1 % TIMES)
"""The value for an unreadable file or folder. No real file has this value, so the next comparison reads it again."""

RACY = 1 << 63
"""The flag in the size of a file that had changed just before it was read.

The next comparison treats such a file as changed, because its time may not show a further change.
"""

RACY_NANOSECONDS = 2_000_000_000
"""`RACY` is set if a file has changed within this number of nanoseconds before it was read."""


def mtimes_of(size: int, status: os.stat_result, read_at: float = inf, inode: int = 0) -> Mtimes:
    """Return the size and times of a file with this status.

    `read_at` is the time when the file was read, in nanoseconds since the epoch. If the file changed just before this
    time, add the flag `RACY` to the size. The times are one number, which combines the modification time, the change
    time and `inode`. The change time is needed because `cp -p` and `tar` set the old modification time on a new file.
    """
    is_racy = status.st_mtime_ns > read_at - RACY_NANOSECONDS
    times = (status.st_mtime_ns + 3 * (status.st_ctime_ns + inode)) % TIMES
    return size | RACY if is_racy else size, times


def stored_mtimes(path: str, read_at: float = inf, *, with_inode: bool = False) -> Mtimes:
    """Return the size and times of a file or folder in the form that an index stores (see `mtimes_of`).

    The path of a folder must end in `/`. If `with_inode` is true, the times also depend on the inode. Return
    `UNREAD_MTIMES` if the path cannot be read.
    """
    with suppress(OSError, ValueError):
        status = os.stat(path)
        size = 0 if path.endswith("/") else status.st_size
        return mtimes_of(size, status, read_at, status.st_ino if with_inode else 0)
    return UNREAD_MTIMES


def mtimes_at(path: str) -> Mtimes | OSError:
    """Return the current size and times of a file or folder. If the path cannot be read, return the OSError.

    The path of a folder must end in `/`.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        return error
    # This repeats the formula of `mtimes_of`, because its call would take noticeable time for many files.
    times = (status.st_mtime_ns + 3 * status.st_ctime_ns) % TIMES
    return 0 if path[-1] == "/" else status.st_size, times


def exists(path: str) -> bool | None:
    """Return whether a path exists. Return None if this is unknown, for example if permissions are missing."""
    try:
        os.stat(path)
    except OSError as error:
        return False if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP) else None
    except ValueError:  # no file can have this name
        return False
    return True
