"""The names of the user's files, and how they are opened and replaced."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL first, which takes as long as ten modules
except ImportError:
    from hashlib import blake2b

NAME = "cachetui"

INDEX_ENDING = ".index"

TEMPORARY = r"\.[0-9a-f]{16}\.new"
"""A regular expression: the addition of `replacing` to a name."""

INDEX_FILES = re.compile(rf"[0-9a-f]{{16}}\.index(\.checked|{TEMPORARY})?")
"""The names of index caches, and of the files next to them."""

UNFINISHED = ".new"
"""Ending of the name of a file that is being written, to replace another one."""

CHECKED = ".checked"
"""Ending of an empty file next to one that was checked and is whole: its mtime is the ctime of that file."""


def file_name(identity: str) -> str:
    """Return a file name for the content of this identity; it ends like the identity, for readers."""
    digest = blake2b(os.fsencode(identity), digest_size=5).hexdigest()
    words = re.findall(r"[A-Za-z0-9.]+", identity)
    return f"{'-'.join(words)[-40:].strip('-.')}-{digest}"


def snapshot_path(folder: str, identity: str) -> str:
    """Return the file for the index cache of the content of this identity.

    Should two contents share one, as one of 10**19 pairs does, it is that of the content that was read last.
    """
    text = os.fsencode(identity)
    # a cryptographic digest takes longer to import than the file to open
    return os.path.join(folder, f"{crc32(text):08x}{crc32(text[::-1]):08x}{INDEX_ENDING}")


def make_private(folder: Path) -> None:
    """Create a folder and its parents, private if they are new; raises OSError."""
    for each in (*reversed(folder.parents), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def read_at_most(descriptor: int, most: int) -> bytes:
    """Read an open file of at most so many bytes, and close it; raises OSError, also for a larger one."""
    with open(descriptor, "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return raw


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes | None:
    """Read a file of at most so many bytes; None for an absent file. Raises OSError, also for a larger one."""
    try:  # a pipe does not block
        return read_at_most(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), most)
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextmanager
def replacing(
    path: str | os.PathLike[str], mode: int = 0o600, *, settled: bool = False, folder: int | None = None
) -> Iterator[BinaryIO]:
    """Give a file that replaces another one when the block ends: any reader sees the old one or the whole new one.

    Each writer has its own file next to it. `mode` has the permissions, as far as the umask leaves them; by default it
    is private. With `settled` it is on the disk before the block ends. `folder`: the descriptor of the folder in which
    `path` begins. Raises OSError.
    """
    temporary = f"{os.fspath(path)}.{os.urandom(8).hex()}{UNFINISHED}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            if settled:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
