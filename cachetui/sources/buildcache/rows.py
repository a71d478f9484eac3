"""The rows of the binaries of one tag, made of its graph: a page for each package.

Input: a part whose nodes are told of already.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import groupby

import msgspec

from cachetui.model.dependency import State
from cachetui.model.facets import profile_fields
from cachetui.model.spec import NO_COMPILER, Row
from cachetui.store.arrays import Numbering, mapped
from cachetui.store.segment import PageColumns
from cachetui.store.tag_graph import TagGraph, profile_of, table_of

NO_EXTRA = "[null,null,[]]"
"""Size, tarball and dependencies of a row, which no index tells."""


def pages_of(part: TagGraph, stacks: Mapping[str, tuple[str, ...]], path: str) -> PageColumns:
    """The pages of the nodes with a binary; `stacks` are those of each hash, `path` begins those of the pages."""
    by_hash = [k for k, state in enumerate(part.state) if state == State.BINARY]
    hashes = list(map(list(part.hashes).__getitem__, by_hash))
    name = part.columns["name"]
    order = sorted(range(len(by_hash)), key=[name[k] for k in by_hash].__getitem__)  # by package, then by hash
    nodes = list(map(by_hash.__getitem__, order))
    numbers = [name[k] for k in nodes]
    packages = [part.tables["name"][number] for number in dict.fromkeys(numbers)]
    profile, profiles = _profiles(part, nodes, list(map(stacks.__getitem__, map(hashes.__getitem__, order))))
    columns = {
        "profile": table_of(profiles, profile),
        "version": table_of(list(part.tables["version"]), mapped(part.columns["version"].__getitem__, nodes)),
        "variants": table_of(list(part.tables["variants"]), mapped(part.columns["variants"].__getitem__, nodes)),
        "extra": table_of([NO_EXTRA], array("I", bytes(4 * len(nodes)))),
        "hash": (hashes, array("I", order)),
    }
    return PageColumns(
        paths=[f"{path}#{package}" for package in packages],
        packages=packages,
        tags=[part.tag] * len(packages),
        lengths=array("I", [sum(1 for _ in group) for _, group in groupby(numbers)]),
        tables={column: table for column, (table, _) in columns.items()},
        rows={column: rows for column, (_, rows) in columns.items()},
    )


def _profiles(part: TagGraph, nodes: Sequence[int], stacks: Sequence[tuple[str, ...]]) -> tuple[array[int], list[str]]:
    """The profile of each of these nodes with the stacks that it is in, as a number in a list of texts."""
    keys: Numbering[tuple[int, tuple[str, ...]]] = Numbering()
    column = keys.of(zip(map(part.columns["profile"].__getitem__, nodes), stacks, strict=True))
    texts = list(part.tables["profile"])
    return column, [_profile(texts[number], stacks) for number, stacks in keys]


def _profile(text: str, stacks: tuple[str, ...]) -> str:
    """The text of a row's profile, from that of its node."""
    compiler, os, platform, target = profile_of(text)
    row = Row(compiler=compiler or NO_COMPILER, os=os, platform=platform, target=target, stacks=stacks)
    return msgspec.json.encode(profile_fields(row)).decode()
