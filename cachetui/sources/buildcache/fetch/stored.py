"""All local copies of mirrors: what they take on the disk, and removing them.

Input: the user's cache folder for this program.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from cachetui.sources.buildcache.fetch.copy_folder import FOLDER, MIRROR, CopyNote

MOST = 4 * 1024**3
"""Bytes that all copies may take together; the ones not used for longest are removed first."""

IN_USE = 3600.0
"""Seconds after its last use in which a copy is not removed for its size."""

ABANDONED = 7 * 86400.0
"""Seconds after which nobody goes on with what came of a file."""


class StoredCopy(Struct, frozen=True):
    """A copy on the disk."""

    url: str
    folder: Path
    bytes: int
    files: int
    used: float
    """When it was last used, in seconds since the epoch."""


def stored_copies(cache_folder: Path) -> list[StoredCopy]:
    """Every copy, the one used last first."""
    found: list[StoredCopy] = []
    with suppress(OSError):
        for folder in (cache_folder / FOLDER).iterdir():
            with suppress(OSError, msgspec.MsgspecError):
                mirror = folder / MIRROR
                url = msgspec.json.decode(mirror.read_bytes(), type=CopyNote).url
                sizes = [status.st_size for _, status in _files(folder)]
                found.append(StoredCopy(url, folder, sum(sizes), len(sizes), mirror.stat().st_mtime))
    return sorted(found, key=lambda each: each.used, reverse=True)


def remove(copy: StoredCopy) -> None:
    """Removes a copy; who reads a file of it at the moment can read it to its end. Raises OSError."""
    shutil.rmtree(copy.folder)


def keep_within(cache_folder: Path, most: int = MOST) -> list[StoredCopy]:
    """Removes the copies not used for longest until all take no more than so many bytes; returns these.

    One that was used in the last hour stays; what came of a file that nobody went on with for a week goes.
    """
    now, removed, total = time.time(), [], 0
    for copy in stored_copies(cache_folder):
        total += copy.bytes
        if total > most and now - copy.used > IN_USE:
            with suppress(OSError):
                remove(copy)
                removed.append(copy)
                continue
        for path, status in _files(copy.folder / "parts"):
            if now - status.st_mtime > ABANDONED:
                path.unlink(missing_ok=True)
    return removed


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every file below a folder; what goes away meanwhile is left out."""
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            with suppress(OSError):
                yield path, path.stat(follow_symlinks=False)
