"""The size and times of a file, to detect later changes of the file.

Input: the status of files.
"""

import errno
import os
from contextlib import suppress
from math import inf
from typing import TypeAlias

Mtimes: TypeAlias = tuple[int, int]
"""The size and times of a file or folder, as stored in an index. The size of a folder is 0."""

TIMES = 1 << 64
"""Stored times are taken modulo this number, because a file system may report any number."""

UNREAD_MTIMES: Mtimes = (0, -1 % TIMES)
"""The entry of an unreadable file or folder. No real file has this entry, so the next comparison reads it again."""

RACY = 1 << 63
"""The flag in the size of a file that changed just before it was read.

The next comparison treats the file as changed, because a further change may not alter its time.
"""

RACY_NANOSECONDS = 2_000_000_000
"""A change at most this number of nanoseconds before reading sets `RACY`."""


def mtimes_of(size: int, status: os.stat_result, read_at: float = inf, inode: int = 0) -> Mtimes:
    """Return the size and times of a file with this status. `read_at` is the time of reading, in nanoseconds.

    The times are one number, computed from the modification time, the change time and `inode`. The change time is
    included because `cp -p` and `tar` give a new file an old modification time.
    """
    is_racy = status.st_mtime_ns > read_at - RACY_NANOSECONDS
    times = (status.st_mtime_ns + 3 * (status.st_ctime_ns + inode)) % TIMES
    return size | RACY if is_racy else size, times


def stored_mtimes(path: str, read_at: float = inf, *, with_inode: bool = False) -> Mtimes:
    """Return the size and times of a file or folder as an index stores them; see `mtimes_of`.

    The path of a folder must end in `/`. Return `UNREAD_MTIMES` if the path cannot be read.
    """
    with suppress(OSError, ValueError):
        status = os.stat(path)
        size = 0 if path.endswith("/") else status.st_size
        return mtimes_of(size, status, read_at, status.st_ino if with_inode else 0)
    return UNREAD_MTIMES


def mtimes_at(path: str) -> Mtimes | OSError:
    """Return the current size and times of a file or folder, or the error. The path of a folder must end in `/`."""
    try:
        status = os.stat(path)
    except OSError as error:
        return error
    # The same formula as in `mtimes_of`, because calls for hundreds of thousands of files take noticeable time.
    times = (status.st_mtime_ns + 3 * status.st_ctime_ns) % TIMES
    return 0 if path[-1] == "/" else status.st_size, times


def exists(path: str) -> bool | None:
    """Return whether a path exists, or None if this is unknown, for example for lack of permission."""
    try:
        os.stat(path)
    except OSError as error:
        return False if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP) else None
    except ValueError:  # no file can have this name
        return False
    return True
