"""Where the user's settings and saved indexes lie, and how files there are opened. Input: the environment."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO
from zlib import crc32

if TYPE_CHECKING:
    from pathlib import Path

NAME = "cachetui"

INDEX_ENDING = ".index"

UNFINISHED = ".new"
"""Ending of the name of a file that is written and will take the place of another one."""

CHECKED = ".checked"
"""Ending of the name of the note on a file that was found whole: its time is that of the file's last change."""


def settings_folder(environ: Mapping[str, str]) -> str:
    """The user's config folder for this program, in `XDG_CONFIG_HOME` or `~/.config`."""
    return _user_folder(environ, "XDG_CONFIG_HOME", "~/.config")


def config_path(environ: Mapping[str, str]) -> str:
    """Where the config file is, or would be."""
    return os.path.join(settings_folder(environ), "config.toml")


def snapshot_folder(environ: Mapping[str, str]) -> str:
    """`CACHETUI_CACHE_DIR`, else the user's cache folder for this program, in `XDG_CACHE_HOME` or `~/.cache`."""
    chosen = environ.get("CACHETUI_CACHE_DIR")
    return os.path.expanduser(chosen) if chosen else _user_folder(environ, "XDG_CACHE_HOME", "~/.cache")


def _user_folder(environ: Mapping[str, str], variable: str, usual: str) -> str:
    """A folder for this program in the one that a variable names, if that is absolute as it has to be."""
    chosen = environ.get(variable, "").strip()
    return os.path.join(chosen if os.path.isabs(chosen) else os.path.expanduser(usual), NAME)


def snapshot_path(folder: str, identity: str) -> str:
    """The file for the saved index of the content of this identity.

    In one of some 10**19 pairs two contents share a name; then the file is of the one that was looked at last.
    """
    text = os.fsencode(identity)
    # No cryptographic digest: loading one takes longer than to open the file.
    return os.path.join(folder, f"{crc32(text):08x}{crc32(text[::-1]):08x}{INDEX_ENDING}")


def stored_snapshots(folder: Path) -> list[Path]:
    """Every saved index in a folder, of whatever content, and what is noted beside it."""
    return sorted(folder.glob(f"*{INDEX_ENDING}*"))


def make_private(folder: Path) -> None:
    """Make a folder and those above it, for the user alone; raises OSError."""
    for each in (*reversed(folder.parents), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting, also where a pipe stands in its place."""
    return os.open(path, flags | os.O_NONBLOCK)


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes | None:
    """Read a file of at most so many bytes; None where there is none. Raises OSError; a pipe does not block."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            raw = file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if len(raw) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return raw


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file that takes the place of another one once the block ends: any reader sees the old one or the whole new one.

    Each writer has its own, for the user alone. Raises OSError.
    """
    import tempfile  # late: mostly nothing is saved

    folder, name = os.path.split(path)
    descriptor, temporary = tempfile.mkstemp(prefix=name, suffix=UNFINISHED, dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def is_locked(descriptor: int) -> bool:
    """Return whether a file is locked for this process by now; where files cannot be locked, nobody waits."""
    import fcntl  # late: mostly nothing is saved

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
