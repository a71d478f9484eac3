"""The number of specs, packages and stacks in each tag.

Input: an index.
"""

from collections.abc import Collection

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.spec import ROOT
from cachetui.search.index import Index


class TagContent(Struct, frozen=True):
    tag: str
    specs: int
    """The number of distinct hashes, plus the number of rows without a hash."""
    packages: int
    stacks: int
    """The number of stacks, without `root`."""


def tag_contents(index: Index, only: Collection[str] = ()) -> tuple[TagContent, ...]:
    """Return the counts of each tag, in the order of the tags.

    With `only`, count only the specs of these stacks, and omit the tags that have none of the stacks.
    """
    named = only or [stack for stack in index.values("stack") if stack != ROOT]
    stacks = [index.value_rows("stack", stack) for stack in named]
    packages = list(map(index.package_rows, range(len(index.packages))))
    found = []
    for tag in index.tags:
        rows = index.value_rows("tag", tag) & index.shown_rows
        if only:
            rows = rows & BitMap.union(*stacks)
        if rows or not only:
            holding = (sum(map(rows.intersect, each)) for each in (packages, stacks))
            found.append(TagContent(tag, index.distinct.count(rows), *holding))
    return tuple(found)
