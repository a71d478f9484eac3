"""What a query asks of a dependency, while it is read: its edge, and the parts of its spec up to the next dependency.

Input: what the tokens behind `^` and `%` matched, and the parts that `parse` makes of what follows.
"""

from __future__ import annotations

import re

from cachetui.model.dependency import ALL_TYPES
from cachetui.query.errors import QueryError, shown
from cachetui.query.parts.dependencies import DependencyPart
from cachetui.query.parts.part import Part


class ReadDependency:
    """What is read of a dependency, up to the next one."""

    def __init__(self, match: re.Match[str], virtuals: frozenset[str], types: frozenset[str]) -> None:
        self.start, self.end = match.span()
        self.name = match["name"] or ""
        self.virtuals, self.types = virtuals, types
        self.parts: list[Part] = []
        self.given: set[str] = set()

    def part(self, typed: str) -> DependencyPart:
        """What was read, as a part."""
        return DependencyPart(
            False,
            self.name,
            tuple(sorted(self.virtuals)),
            tuple(sorted(self.types)),
            tuple(sorted(self.parts, key=lambda part: part.place)),
            start=self.start,
            end=self.end,
            typed=typed,
        )


def edge(match: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The virtual packages and the types that an edge must have."""
    groups = match.groupdict()
    virtuals = set((groups["virtuals"] or "").split(",")) - {""}
    types: set[str] = set()
    for word in (groups.get("properties") or "").split():
        key, _, value = word.partition("=")
        values = set(value.strip("'\"").split(",")) - {""}
        if key not in ("virtuals", "deptypes") or not values:
            raise QueryError(
                f"cannot read {shown(word)} in brackets", match.start("properties"), "virtuals=… or deptypes=…"
            )
        if key == "virtuals":
            virtuals |= values
        elif values <= ALL_TYPES:
            types |= values
        else:
            raise QueryError(
                f"cannot read {shown(word)} in brackets", match.start("properties"), "deptypes=build,link,run,test"
            )
    return frozenset(virtuals), frozenset(types)
