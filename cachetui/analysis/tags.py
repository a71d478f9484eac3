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
    stacks = [index.value_rows("stack", stack) for stack in index.values("stack") if stack != ROOT]
    packages = list(map(index.package_rows, range(len(index.packages))))
    found = []
    for tag in index.tags:
        rows = index.value_rows("tag", tag)
        holding = (sum(map(rows.intersect, each)) for each in (packages, stacks))
        found.append(TagContent(tag, index.distinct.count(rows), *holding))
    return tuple(found)
