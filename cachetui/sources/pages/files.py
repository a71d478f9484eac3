"""One file of the content: its bytes and its stamp, taken of the same file, whatever stands at its path."""

from __future__ import annotations

import errno
import os
import stat

from cachetui.store.stamps import FileStamp, stamp_of

_OPENING_BYTES = 64 * 2**10
_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


def read_file(where: str, path: str, limit: int, *, flags: int = 0) -> tuple[FileStamp, bytes]:
    """The stamp of a regular file, and its bytes: all of them up to the limit, else the first.

    Raises OSError for what is no such file; a pipe does not block.
    """
    descriptor = os.open(where, _OPEN_FLAGS | flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        size = status.st_size
        wanted = size if size <= limit else _OPENING_BYTES
        data = os.read(descriptor, wanted)
        while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
            data += more
    finally:
        os.close(descriptor)
    return stamp_of(path, size, status), data
