"""The health of build caches: what is in each, and what spoils it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from cachetui.report.formats import Block, FactsBlock, TableBlock
from cachetui.search.holdings import CacheName
from cachetui.store.graph import Graph

if TYPE_CHECKING:
    from cachetui.analysis.stacks import StackHealth

_HEALTH = ("tag", "stack", "binaries", "complete", "missing", "bytes")

MOST_SPOILERS = 10
"""Most missing nodes of a cache that people are told."""


class StackHealthReport:
    """A line for each cache, and what spoils the most in each."""

    def __init__(self, found: Sequence[StackHealth], content: Callable[[CacheName], str]) -> None:
        self._found = found
        self._content = content

    def document(self) -> object:
        return [
            {
                "content": self._content(each.mirror),
                "tag": each.mirror.tag,
                "stack": each.mirror.stack,
                "binaries": each.binaries,
                "complete": each.complete,
                "missing": each.missing,
                "bytes": each.bytes,
            }
            for each in self._found
        ]

    def records(self) -> TableBlock:
        return TableBlock(_HEALTH, map(_cells, self._found), right=(2, 3, 4, 5))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield self.records()
        for each in self._found:
            if each.missing:
                cells = [
                    [spoiler.hash[:7], f"{spoiler.name}@{spoiler.version}", f"{spoiler.spoils:,}"]
                    for spoiler in each.missing[:MOST_SPOILERS]
                ]
                yield TableBlock((f"missing in {mirror_name(each.mirror)}", "package", "spoils"), cells, right=(2,))
                if len(each.missing) > MOST_SPOILERS:
                    yield FactsBlock([("and", f"{len(each.missing) - MOST_SPOILERS:,} more that are missing")])


def _cells(each: StackHealth) -> list[str]:
    figures = (each.binaries, each.complete, len(each.missing), each.bytes)
    return [each.mirror.tag, each.mirror.stack, *("" if figure is None else str(figure) for figure in figures)]


def mirror_name(mirror: CacheName) -> str:
    """A cache for the eye: its tag and its stack."""
    return f"{mirror.tag}/{mirror.stack}" if mirror.stack else mirror.tag


def content_of(graph: Graph, mirror: CacheName, contents: Sequence[str]) -> str:
    """The content that a cache belongs to; of several the one whose folder it is below."""
    folder = graph.mirror(mirror.tag, (mirror.stack,)) or ""
    own = (each for each in contents if f"{folder}/".startswith(f"{os.path.abspath(each)}/"))
    return next(own, next(iter(contents), ""))
