"""Read the database of an install tree: `index.json`, versions 0.9.3 to 8, of Spack 0.12 to 1.1.

Spack replaces the file by renaming, so that one open file is always whole; nothing is locked and nothing written.
Input: files of any content.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import TypeGuard

from cachetui.sources.buildcache.index_document import MAX_INDEX, Database, DatabaseReader
from cachetui.sources.buildcache.node import NOTHING, Entry, external_of
from cachetui.sources.files import load

NEWEST = 8
"""The newest version of the database that is known."""

TRIES, PAUSE = 3, 0.05
"""How often a file is opened before it counts as missing, as one that is being replaced on a network file system is for
a moment; and the seconds between."""

PROBES = 40
"""Prefixes that are looked at to learn where a tree is that was moved."""

MAX_PATH = 4096
"""Most characters of a path; no system has longer ones."""


class Record(Entry, gc=False):
    """A record as it is written; its `path` is the text `None` in old files."""

    path: str | None = None
    installed: bool = False
    explicit: bool = False
    installation_time: float | None = None
    deprecated_for: str | None = None

    @property
    def is_external(self) -> bool:
        """Whether it was installed without Spack."""
        return self.spec.external is not NOTHING and external_of(bytes(self.spec.external)) is not None


_read = DatabaseReader(Record).read


def read_records(tree: str, index: str) -> Database[Record]:
    """Return the database of a tree; raises OSError and ValueError."""
    for _ in range(TRIES - 1):
        try:
            return _read(load(tree, index, MAX_INDEX)[1])
        except OSError:
            if not os.path.isdir(os.path.dirname(f"{tree}/{index}")):
                raise
            time.sleep(PAUSE)
    return _read(load(tree, index, MAX_INDEX)[1])


def is_newer(version: str) -> bool:
    """Return whether a database is of a version that was not known when this was written."""
    return version.isdecimal() and int(version[:9]) > NEWEST


def is_path(path: str | None) -> TypeGuard[str]:
    """Return whether a recorded path can be one: not `None` or null, without zero bytes, and not too long."""
    return path is not None and path.startswith("/") and len(path) < MAX_PATH and "\0" not in path


def prefixes(tree: str, records: Iterable[Record]) -> Callable[[str | None], str | None]:
    """Return a function from a recorded path to where that is now; it gives None where nobody knows.

    A tree may have been moved, or be seen through another mount, and its database does not say where it was. Its old
    place is taken to be the folder which, replaced by the new place, makes most of the prefixes exist.
    """
    inside = [record.path for record in records if is_path(record.path) and not record.is_external]
    some = inside[:: len(inside) // PROBES + 1]
    here = f"{tree}/"

    def there(old: str) -> int:
        return sum(os.path.lexists(here + path.removeprefix(old)) for path in some if path.startswith(old))

    folders = {here, *(path[: at + 1] for path in some for at, letter in enumerate(path) if letter == "/")}
    found = {old: there(old) for old in sorted(folders, key=len, reverse=True)}
    fits = any(found.values()) or any(path.startswith(here) for path in some)
    old = max(found, key=lambda each: (found[each], each == here)) if fits else ""

    def now(path: str | None) -> str | None:
        if not is_path(path) or not old:
            return None
        return here + path.removeprefix(old) if path.startswith(old) else path

    return now
