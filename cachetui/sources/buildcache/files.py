"""Files of a build cache: read whole, within bounds, and decompressed within bounds.

Nothing but a regular file is read: a pipe or a device in its place is refused and never blocks.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cachetui.store.stamps import FileStamp, stamp_of

MAX_INDEX = 4 * 2**30
"""Bytes of an index, which is about forty times the largest one known."""

MAX_FILE = 64 * 2**20
"""Bytes of a manifest or spec file, decompressed."""

GZIP = b"\x1f\x8b"

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


@contextmanager
def opened(path: str) -> Iterator[tuple[int, os.stat_result]]:
    """A regular file as a descriptor, and its status; raises OSError."""
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        yield descriptor, status
    finally:
        os.close(descriptor)


def load(root: str, path: str, limit: int) -> tuple[FileStamp, bytes]:
    """A regular file below the root, with the stamp it had before it was read; raises OSError."""
    with opened(f"{root}/{path}") as (descriptor, status):
        if status.st_size > limit:
            raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MB")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MB")
    return stamp_of(path, status.st_size, status), data


def decompressed(data: bytes, limit: int) -> bytes:
    """What gzip has compressed, or the data itself where it has not; raises ValueError for too much or for damage."""
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
