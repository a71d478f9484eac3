"""The rows of the binaries of one tag: a page for each package.

Input: the nodes with a binary, as columns.
"""

from __future__ import annotations

from array import array
from collections import Counter

import msgspec
from msgspec import Struct

from cachetui.model.facets import profile_fields
from cachetui.model.spec import NO_COMPILER, Row
from cachetui.sources.buildcache.node import Architecture
from cachetui.store.arrays import Ints, mapped
from cachetui.store.segment import PageColumns
from cachetui.store.tag_graph import table_of

NO_EXTRA = "[null,null,[]]"
"""Size, tarball and dependencies of a row, which no index tells."""

COLUMNS = ("name", "version", "variants", "profile")


class BinaryNodes(Struct, frozen=True):
    """Nodes with a binary, in any order."""

    hashes: list[str]
    tables: dict[str, list[str]]
    """For each of `COLUMNS` texts; not all have to be used."""
    columns: dict[str, array[int]]
    """For each of `COLUMNS` the number of the text of each node."""


def pages_of(binaries: BinaryNodes, tag: str, path: str) -> PageColumns:
    """The pages of these binaries; `path` begins those of the pages."""
    hashes = binaries.hashes
    columns = {name: table_of(binaries.tables[name], column) for name, column in binaries.columns.items()}
    packages, package = columns.pop("name")
    # arrays, as the numbers in a sorted list lie anywhere in memory
    by_hash = array("I", sorted(range(len(hashes)), key=hashes.__getitem__))
    of_packages = mapped(package.__getitem__, by_hash)
    by_package = array("I", sorted(range(len(hashes)), key=of_packages.__getitem__))  # and within it by hash
    nodes = mapped(by_hash.__getitem__, by_package)
    tables = {name: table for name, (table, _) in columns.items()}
    rows: dict[str, Ints] = {name: mapped(column.__getitem__, nodes) for name, (_, column) in columns.items()}
    lengths = Counter(package)
    return PageColumns(
        paths=[f"{path}#{each}" for each in packages],
        packages=packages,
        tags=[tag] * len(packages),
        lengths=array("I", map(lengths.__getitem__, range(len(packages)))),
        tables=tables | {"extra": [NO_EXTRA] if hashes else [], "hash": list(map(hashes.__getitem__, by_hash))},
        rows=rows | {"extra": array("I", bytes(4 * len(hashes))), "hash": by_package},
    )


def profile_text(compiler: str | None, architecture: Architecture, stacks: tuple[str, ...]) -> str:
    """What the row column `profile` has for this."""
    os, platform, target = architecture
    row = Row(compiler=compiler or NO_COMPILER, os=os, platform=platform, target=target, stacks=stacks)
    return msgspec.json.encode(profile_fields(row)).decode()
