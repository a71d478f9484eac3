"""Check an install tree: what its database says that is no longer so, and what Spack has left after.

Each kind of problem is one line, with how many there are and the first few.
Input: the records of a tree, and the folder of its database.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from cachetui.model.installed import PRESENT
from cachetui.safe_text import listed, plural
from cachetui.sources.buildcache.node import Record
from cachetui.sources.installation.places import DATABASE

Level: TypeAlias = Literal["fault", "note"]

MAX_NAME_CHARACTERS = 80
"""Maximum number of characters of a name."""


def examine(
    tree: str, records: Mapping[str, Record], places: Mapping[str, str | None], gone: Collection[str]
) -> Iterator[tuple[str, Level, str, Iterable[str]]]:
    """Yield kind, level, message and hashes of each problem.

    `places` are the prefixes by hash, `gone` those not there.
    """
    folder = f"{tree}/{DATABASE}"
    broken = {key: record for key, record in records.items() if record.state in PRESENT and places[key] in gone}
    externals = {key: record for key, record in broken.items() if record.is_external}
    prefixes = {key: record for key, record in broken.items() if key not in externals}
    itself = {key: record for key, record in records.items() if record.deprecated_for == key}
    temporary = [name for name in _entries(folder) if name.startswith("index.json.") and name.endswith(".temp")]
    failures = dict.fromkeys(_entries(f"{folder}/failures"))
    found: tuple[tuple[str, Level, str, str, Mapping[str, Record | None]], ...] = (
        ("prefix", "fault", "installed spec", "whose prefix is gone (spack reindex notices that)", prefixes),
        ("deprecation", "fault", "spec", "deprecated for itself, as Spack did up to 0.22", itself),
        ("external", "note", "external", "whose path is not on this machine", externals),
        ("leftover", "note", "failed build", "that spack clean --failures forgets", failures),
        ("leftover", "note", "file", "that a writer has left, or is writing now", dict.fromkeys(temporary)),
    )
    for kind, level, noun, what, named in found:
        if named:
            names = [
                f"{record.name[:MAX_NAME_CHARACTERS]}/{key[:7]}" if record else key[:MAX_NAME_CHARACTERS]
                for key, record in named.items()
            ]
            yield kind, level, f"{plural(len(names), noun)} {what}: {listed(names)}", filter(named.get, named)


def _entries(folder: str) -> list[str]:
    """Return the names in a folder; an empty list for an unreadable one."""
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []
