"""Read regular files, and decompress them, up to a size.

A pipe or a device in the place of a file raises OSError and never blocks.
"""

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cachetui.store.mtimes import FileMtimes, mtimes_of

GZIP = b"\x1f\x8b"

_OPENING_BYTES = 64 * 2**10
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


@contextmanager
def opened(path: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file, and yield its descriptor and status; raises OSError."""
    descriptor = os.open(path, _FLAGS)
    try:
        yield descriptor, _regular(descriptor)
    finally:
        os.close(descriptor)


def read_file(where: str, path: str, limit: int) -> tuple[FileMtimes, bytes]:
    """Read the regular file at `where`, and return its size and times from before that with its bytes.

    Of a file above the limit only the first 64 KB are read. `path` is its path in the index. Raises OSError.
    """
    descriptor = os.open(where, _FLAGS)
    try:
        status = _regular(descriptor)
        size = status.st_size
        wanted = size if size <= limit else _OPENING_BYTES
        data = os.read(descriptor, wanted)
        while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
            data += more
    finally:
        os.close(descriptor)
    return mtimes_of(path, size, status), data


def load(root: str, path: str, limit: int) -> tuple[FileMtimes, bytes]:
    """Read a regular file below the root; raises OSError, also where it is larger than the limit (bytes)."""
    mtimes, data = read_file(f"{root}/{path}", path, limit)
    if mtimes.size > limit:
        raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MB")
    return mtimes, data


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


def _regular(descriptor: int) -> os.stat_result:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    return status
