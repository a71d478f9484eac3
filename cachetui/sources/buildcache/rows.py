"""The rows of the binaries of one tag: a page for each package.

Input: the nodes with a binary, as columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from cachetui.model.facets import profile_fields
from cachetui.model.spec import NO_COMPILER, Row
from cachetui.sources.buildcache.node import Architecture
from cachetui.store.arrays import Ints, Postings, mapped, values_at
from cachetui.store.segment import PageColumns
from cachetui.store.strings import Strings
from cachetui.store.tag_graph import table_of

NO_EXTRA = "[null,null,[]]"
"""Size, tarball and dependencies of a row, which no index tells."""

COLUMNS = ("name", "version", "variants", "profile")


class BinaryNodes(Struct, frozen=True):
    """Nodes, and which of them have a binary, in any order."""

    places: list[int]
    """Those with a binary, by their places among the hashes and in the columns."""
    hashes: list[str]
    tables: dict[str, list[str]]
    """For each of `COLUMNS` texts; not all have to be used."""
    columns: Mapping[str, Ints]
    """For each of `COLUMNS` the number of the text of each node."""


def pages_of(binaries: BinaryNodes, tag: str, path: str) -> PageColumns:
    """The pages of these binaries; `path` begins those of the pages."""
    hashes, columns = binaries.hashes, binaries.columns
    by_hash = sorted(binaries.places, key=hashes.__getitem__)
    packages, package = table_of(binaries.tables["name"], values_at(by_hash)(columns["name"]))
    of_package = Postings.of(package, len(packages))
    in_order = values_at(list(map(by_hash.__getitem__, of_package.rows)))
    tables: dict[str, Sequence[str]] = {
        "extra": [NO_EXTRA] if by_hash else [],
        "hash": list(map(hashes.__getitem__, by_hash)),
    }
    rows: dict[str, Ints] = {"extra": array("I", bytes(4 * len(by_hash))), "hash": of_package.rows}
    for name in COLUMNS[1:]:
        tables[name], rows[name] = table_of(binaries.tables[name], in_order(columns[name]))
    return PageColumns(
        paths=Strings.of([f"{path}#{each}" for each in packages]),
        packages=Strings.of(packages),
        tags=Strings.of([tag] if packages else []),
        page_package=array("I", range(len(packages))),
        page_tag=array("I", bytes(4 * len(packages))),
        lengths=mapped(of_package.count, range(len(packages))),
        tables={name: Strings.of(table) for name, table in tables.items()},
        rows=rows,
    )


def profile_text(compiler: str | None, architecture: Architecture, stacks: tuple[str, ...]) -> str:
    """What the row column `profile` has for this."""
    os, platform, target = architecture
    row = Row(compiler=compiler or NO_COMPILER, os=os, platform=platform, target=target, stacks=stacks)
    return msgspec.json.encode(profile_fields(row)).decode()
