"""Read regular files, and decompress them, up to a size.

A pipe or a device in the place of a file raises OSError and never blocks.
"""

import errno
import os
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cachetui.store.mtimes import Mtimes, mtimes_of

GZIP = b"\x1f\x8b"

_OPENING_BYTES = 64 * 2**10
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


@contextmanager
def opened(path: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file, and yield its descriptor and status; raises OSError."""
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        yield descriptor, status
    finally:
        os.close(descriptor)


def read_file(path: str, limit: int) -> tuple[Mtimes, bytes, bool]:
    """Return size and times of a regular file before it was read, its bytes, and whether it is larger than the limit.

    Then only the first 64 KB are read. Raises OSError.
    """
    now = time.time_ns()
    with opened(path) as (descriptor, status):
        size = status.st_size
        wanted = size if size <= limit else _OPENING_BYTES
        data = os.read(descriptor, wanted)
        while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
            data += more
    return mtimes_of(size, status, now), data, size > limit


def load(path: str, limit: int) -> bytes:
    """Read a regular file; raises OSError, also where it is larger than the limit (bytes)."""
    _, data, is_too_large = read_file(path, limit)
    if is_too_large:
        raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MB")
    return data


def decompressed(data: bytes, limit: int) -> bytes:
    """Decompress gzip, and return other data as it is; raises ValueError for damage, and beyond the limit (bytes)."""
    if not data.startswith(GZIP):
        return data
    machine = zlib.decompressobj(wbits=31)
    try:
        found = machine.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError(f"not decompressed: {error}") from None
    if len(found) > limit:
        raise ValueError(f"larger than {limit // 2**20} MB when decompressed")
    if not machine.eof:
        raise ValueError("the compressed data is cut short")
    return found
