"""Where the user's settings and saved indexes are, and how files there are opened and replaced."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO
from zlib import crc32

from cachetui.workers.cancelling import Cancelled, Interrupted, never

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL first, which takes as long as ten modules
except ImportError:
    from hashlib import blake2b

if TYPE_CHECKING:
    from pathlib import Path

NAME = "cachetui"

INDEX_ENDING = ".index"

UNFINISHED = ".new"
"""Ending of the name of a file that is being written, to replace another one."""

CHECKED = ".checked"
"""Ending of an empty file beside one that was checked and is whole: its mtime is the ctime of that file."""


PAUSE = 0.01
"""Seconds between two attempts to lock a file."""


def settings_folder(environ: Mapping[str, str]) -> str:
    """Return the user's config folder for this program, in `XDG_CONFIG_HOME` or `~/.config`."""
    return _user_folder(environ, "XDG_CONFIG_HOME", "~/.config")


def config_path(environ: Mapping[str, str]) -> str:
    """Return the path of the config file, which need not exist."""
    return os.path.join(settings_folder(environ), "config.toml")


def snapshot_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the saved indexes.

    That is `CACHETUI_CACHE_DIR`, else the user's cache folder for this program, in `XDG_CACHE_HOME` or `~/.cache`.
    """
    chosen = environ.get("CACHETUI_CACHE_DIR")
    return os.path.expanduser(chosen) if chosen else _user_folder(environ, "XDG_CACHE_HOME", "~/.cache")


def history_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the recorded days.

    That is `CACHETUI_HISTORY`, else `history` in the user's data folder for this program, in `XDG_DATA_HOME` or
    `~/.local/share`.
    """
    chosen = environ.get("CACHETUI_HISTORY")
    return os.path.expanduser(chosen or f"{_user_folder(environ, 'XDG_DATA_HOME', '~/.local/share')}/history")


def file_name(identity: str) -> str:
    """Return a name for what is kept of the content of this identity; it has the end of the identity, for people."""
    digest = blake2b(os.fsencode(identity), digest_size=5).hexdigest()
    words = re.findall(r"[A-Za-z0-9.]+", identity)
    return f"{'-'.join(words)[-40:].strip('-.')}-{digest}"


def _user_folder(environ: Mapping[str, str], variable: str, usual: str) -> str:
    """Return the folder for this program in the one that a variable names, where that is absolute, or the usual one."""
    chosen = environ.get(variable, "").strip()
    return os.path.join(chosen if os.path.isabs(chosen) else os.path.expanduser(usual), NAME)


def snapshot_path(folder: str, identity: str) -> str:
    """Return the file for the saved index of the content of this identity.

    Should two contents share one, as one of 10**19 pairs does, it is that of the content that was read last.
    """
    text = os.fsencode(identity)
    # a cryptographic digest takes longer to import than the file to open
    return os.path.join(folder, f"{crc32(text):08x}{crc32(text[::-1]):08x}{INDEX_ENDING}")


def stored_snapshots(folder: Path) -> list[Path]:
    """Return the files of all saved indexes in a folder, those beside them among them."""
    return sorted(folder.glob(f"*{INDEX_ENDING}*"))


def make_private(folder: Path) -> None:
    """Create a folder and its parents, those that are new for the user alone; raises OSError."""
    for each in (*reversed(folder.parents), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def open_at_once(path: str, flags: int) -> int:
    """Open a file without blocking, even where it is a pipe; an opener for `open`."""
    return os.open(path, flags | os.O_NONBLOCK)


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes | None:
    """Read a file of at most so many bytes; None where there is none. Raises OSError, also for a larger file."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            raw = file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if len(raw) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return raw


@contextmanager
def replacing(path: str | os.PathLike[str], mode: int = 0o600, *, settled: bool = False) -> Iterator[BinaryIO]:
    """Give a file that replaces another one when the block ends: any reader sees the old one or the whole new one.

    Each writer has a file of its own beside it. `mode` has the permissions, as far as the umask leaves them: by default
    only the user may read it. With `settled` it is on the disk before. Raises OSError.
    """
    temporary = f"{os.fspath(path)}.{os.urandom(8).hex()}{UNFINISHED}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            if settled:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


@contextmanager
def alone(
    path: str | os.PathLike[str], patience: float, mode: int = 0o600, cancelled: Cancelled = never
) -> Iterator[None]:
    """Let one process at a time do something, by a lock on this file, which is made where it is not there.

    Raises BlockingIOError where another process keeps the lock for so many seconds, other OSErrors, and Interrupted.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        deadline = time.monotonic() + patience
        while not is_locked(descriptor):
            if cancelled():
                raise Interrupted
            if time.monotonic() > deadline:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            time.sleep(PAUSE)
        yield
    finally:
        os.close(descriptor)


def is_locked(descriptor: int) -> bool:
    """Try to lock a file; return False where another process has it locked, True also where files cannot be locked."""
    import fcntl  # late: mostly nothing is saved

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
