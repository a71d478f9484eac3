"""Read and decompress regular files up to a maximum size.

If the path is a pipe or a device, reading raises OSError instead of blocking.
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


@contextmanager
def opened(path: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file, and yield its file descriptor and its status. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        yield descriptor, status
    finally:
        os.close(descriptor)


def read_file(path: str, limit: int) -> tuple[Mtimes, bytes, bool]:
    """Read a regular file up to the limit (bytes). Raises OSError.

    Return three values: the size and times of the file before reading, the content, and whether the file is larger than
    the limit. For a larger file, return only the first 64 KB.
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
    """Read a regular file. Raises OSError, also if the file is larger than the limit (bytes)."""
    _, data, is_too_large = read_file(path, limit)
    if is_too_large:
        raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MB")
    return data


def decompressed(data: bytes, limit: int) -> bytes:
    """Decompress gzip data; return other data unchanged.

    Raises ValueError if the data is damaged or larger than the limit (bytes) when decompressed.
    """
    if not data.startswith(GZIP):
        return data
    machine = zlib.decompressobj(wbits=31)
    try:
        found = machine.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError(f"decompression failed ({error})") from None
    if len(found) > limit:
        raise ValueError(f"larger than {limit // 2**20} MB when decompressed")
    if not machine.eof:
        raise ValueError("the compressed data is cut short")
    return found
