"""Read the database of an install tree: `index.json`, versions 0.9.3 to 9, of Spack 0.12 to 1.3.

Spack replaces the file by renaming, so that one open file is always whole; this module only reads, without locks.
Input: files of any content.
"""

import os
import time
from collections.abc import Callable, Iterable
from typing import TypeGuard

from cachetui.sources.buildcache.index_document import IndexContent, read_index
from cachetui.sources.buildcache.manifests import INDEX_TYPE, NEWEST
from cachetui.sources.buildcache.node import Record
from cachetui.workers.cancelling import Cancelled

TRIES, PAUSE = 3, 0.05
"""How often a file is opened before it counts as missing, as one that is being replaced on a network file system is for
a moment; and the seconds between."""

MAX_PROBED_PREFIXES = 40
"""Prefixes that are checked to learn the new place of a moved tree."""

MAX_PATH_CHARACTERS = 4096
"""Maximum number of characters of a path; no system has longer ones."""


def read_tree(index: str, cancelled: Cancelled) -> IndexContent:
    """Return the content of the database of a tree; raises OSError, ValueError and Interrupted."""
    for _ in range(TRIES - 1):
        try:
            return read_index(index, cancelled=cancelled, keeps_records=True)
        except OSError:
            if not os.path.isdir(os.path.dirname(index)):
                raise
            time.sleep(PAUSE)
    return read_index(index, cancelled=cancelled, keeps_records=True)


def is_newer(version: str) -> bool:
    """Return whether a database is of a version that was not known when this was written."""
    return version.isdecimal() and int(version[:9]) > NEWEST[INDEX_TYPE]


def is_path(path: str | None) -> TypeGuard[str]:
    """Return whether a recorded path can be one: a text other than `None`, free of zero bytes, and short enough."""
    return path is not None and path.startswith("/") and len(path) < MAX_PATH_CHARACTERS and "\0" not in path


def prefixes(tree: str, records: Iterable[Record]) -> Callable[[str | None], str | None]:
    """Return a function from a recorded path to where that is now; it gives None if it is unknown.

    A tree may have been moved, or be seen through another mount, and its database does not say where it was. Its old
    place is the folder which, replaced by the new place, makes most of the prefixes exist.
    """
    inside = [record.prefix for record in records if is_path(record.prefix) and not record.is_external]
    some = inside[:: len(inside) // MAX_PROBED_PREFIXES + 1]
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
