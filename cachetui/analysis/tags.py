"""Tags: how much each tag of a catalogue holds.

Input: an index.
"""

from __future__ import annotations

from msgspec import Struct

from cachetui.model.spec import ROOT
from cachetui.search.index import Index


class TagContent(Struct, frozen=True):
    tag: str
    specs: int
    """Distinct hashes; a row without a hash counts by itself."""
    packages: int
    stacks: int
    """Without `root`."""


def tag_contents(index: Index) -> tuple[TagContent, ...]:
    """What each tag holds, in the order of the tags."""
    columns = index.columns
    stacks = [index.value_rows("stack", stack) for stack in index.values("stack") if stack != ROOT]
    packages: list[set[int]] = [set() for _ in index.tags]
    for tag_number, package in zip(columns.page_tag, columns.page_package, strict=True):
        packages[tag_number].add(package)
    found = []
    for tag, own in zip(index.tags, packages, strict=True):
        rows = index.value_rows("tag", tag)
        hashes = {column if columns.hashes.raw(column := columns.hash[row]) else -1 - row for row in rows}
        found.append(TagContent(tag, len(hashes), len(own), sum(rows.intersect(stack) for stack in stacks)))
    return tuple(found)
