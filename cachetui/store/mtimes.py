"""Size and times of a file, from which a later comparison tells whether it has changed.

Input: the status of files.
"""

import errno
import os
from math import inf
from typing import TypeAlias

Mtimes: TypeAlias = tuple[int, int]
"""Size and times of a file as an index keeps them; the size of a folder is 0."""

TIMES = 1 << 64
"""Times are kept modulo this, because a file system may report any number."""

UNREAD_MTIMES: Mtimes = (0, -1 % TIMES)
"""The entry of an unreadable file or folder; real files have others, so that the next comparison tries again."""

RACY = 1 << 63
"""Flag in the size of a file that changed just before it was read: it counts as changed, as its time may stay the same
when it changes again."""

RACY_NANOSECONDS = 2_000_000_000
"""Time before reading within which a change sets `RACY`."""


def mtimes_of(size: int, status: os.stat_result, read_at: float = inf, inode: int = 0) -> Mtimes:
    """Return size and times of a file with this status, for an index if it is read at `read_at`, in nanoseconds.

    The change time is needed because `cp -p` and `tar` set the modification time of a new file to an old one. An inode
    counts as a part of the times.
    """
    is_racy = status.st_mtime_ns > read_at - RACY_NANOSECONDS
    times = (status.st_mtime_ns + 3 * (status.st_ctime_ns + inode)) % TIMES
    return size | RACY if is_racy else size, times


def mtimes_at(path: str) -> Mtimes | OSError:
    """Return size and times of a file or folder now, or the error; the path of a folder ends in `/`."""
    try:
        status = os.stat(path)
    except OSError as error:
        return error
    # As in `mtimes_of`: another call for each of hundreds of thousands of files takes noticeable time.
    times = (status.st_mtime_ns + 3 * status.st_ctime_ns) % TIMES
    return 0 if path[-1] == "/" else status.st_size, times


def exists(path: str) -> bool | None:
    """Return whether a path exists; None if that is uncertain, for example without permission."""
    try:
        os.stat(path)
    except OSError as error:
        return False if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP) else None
    except ValueError:  # no file can have such a name
        return False
    return True
