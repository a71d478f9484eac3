"""Tags: how much each tag of a catalogue holds.

Input: an index.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.spec import ROOT
from cachetui.search.index import Index


class TagContent(Struct, frozen=True):
    tag: str
    specs: int
    """Distinct hashes; a row without a hash counts by itself."""
    packages: int
    stacks: int
    """Without `root`."""


def tag_contents(index: Index, only: Collection[str] = ()) -> tuple[TagContent, ...]:
    """What each tag holds, in the order of the tags; `only`: in these stacks alone, and the tags that have some."""
    columns = index.columns
    named = only or [stack for stack in index.values("stack") if stack != ROOT]
    stacks = [index.value_rows("stack", stack) for stack in named]
    packages: list[set[int]] = [set() for _ in index.tags]
    if not only:
        for tag_number, package in zip(columns.page_tag, columns.page_package, strict=True):
            packages[tag_number].add(package)
    found = []
    for tag, own in zip(index.tags, packages, strict=True):
        rows = index.value_rows("tag", tag)
        if only:
            rows &= BitMap.union(*stacks)
            own = set(map(index.package_of, rows))
            if not rows:
                continue
        hashes = {column if columns.hashes.raw(column := columns.hash[row]) else -1 - row for row in rows}
        found.append(TagContent(tag, len(hashes), len(own), sum(rows.intersect(stack) for stack in stacks)))
    return tuple(found)
