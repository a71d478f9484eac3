"""The rows of the binaries of one tag: a page for each package.

Input: the nodes with a binary, as columns.
"""

from __future__ import annotations

from array import array
from itertools import groupby

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

    hashes: list[bytes]
    tables: dict[str, list[str]]
    """For each of `COLUMNS` texts, each once; not all have to be used."""
    columns: dict[str, array[int]]
    """For each of `COLUMNS` the number of the text of each node."""


def pages_of(binaries: BinaryNodes, tag: str, path: str) -> PageColumns:
    """The pages of these binaries; `path` begins those of the pages."""
    by_hash = sorted(range(len(binaries.hashes)), key=binaries.hashes.__getitem__)
    columns = {
        name: table_of(binaries.tables[name], mapped(column.__getitem__, by_hash))
        for name, column in binaries.columns.items()
    }
    packages, numbers = columns.pop("name")
    order = array("I", sorted(range(len(by_hash)), key=numbers.__getitem__))  # by package, then by hash
    rows: dict[str, Ints] = {name: mapped(column.__getitem__, order) for name, (_, column) in columns.items()}
    return PageColumns(
        paths=[f"{path}#{package}" for package in packages],
        packages=packages,
        tags=[tag] * len(packages),
        lengths=array("I", [sum(1 for _ in group) for _, group in groupby(map(numbers.__getitem__, order))]),
        tables={name: table for name, (table, _) in columns.items()}
        | {"extra": [NO_EXTRA] if order else [], "hash": [binaries.hashes[k].decode() for k in by_hash]},
        rows=rows | {"extra": array("I", bytes(4 * len(order))), "hash": order},
    )


def profile_text(compiler: str | None, architecture: Architecture, stacks: tuple[str, ...]) -> str:
    """What the row column `profile` has for this."""
    os, platform, target = architecture
    row = Row(compiler=compiler or NO_COMPILER, os=os, platform=platform, target=target, stacks=stacks)
    return msgspec.json.encode(profile_fields(row)).decode()
