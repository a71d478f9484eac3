"""The health of build caches: of each stack how many binaries are complete, and what is missing spoils how many.

Each cache is looked at by itself, as a mirror that somebody has no other beside. Input: an index and a query that
says which tags and stacks to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

from msgspec import Struct

from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query
from cachetui.search.closures import Closures, total_size
from cachetui.search.holdings import CacheName, Holdings
from cachetui.search.index import Index


class Spoiler(Struct, frozen=True):
    """Something without a binary in the cache."""

    hash: str
    name: str
    version: str
    spoils: int
    """How many binaries of the cache need it."""


class StackHealth(Struct, frozen=True):
    mirror: CacheName
    binaries: int
    complete: int | None
    """How many have all that they need in the same cache; None where no dependencies are recorded."""
    missing: tuple[Spoiler, ...]
    """What spoils the most first."""
    bytes: int | None
    """Of all binaries; None where the size of one is not known."""

    @property
    def is_whole(self) -> bool:
        """Whether every binary is complete."""
        return self.complete == self.binaries


def stack_health(index: Index, query: Query, size: Callable[[str], int | None]) -> Iterator[StackHealth]:
    """The health of each cache of which the query takes something, by tag and stack."""
    for mirror in _mirrors(index, query):
        asked = query.with_part(ValuePart.of("tag", [mirror.tag]))
        if mirror.stack:
            asked = asked.without_key("stack").with_part(ValuePart.of("stack", [mirror.stack]))
        yield _health(index, mirror, Holdings(index, asked), size)


def _mirrors(index: Index, query: Query) -> list[CacheName]:
    """The caches of which the query takes something; the one of a tag without stacks has no name."""
    taken = index.rows(query)
    asked = query.ticked("stack", index.values("stack"))
    found = []
    for tag in index.tags:
        rows = taken & index.value_rows("tag", tag)
        stacks = [stack for stack in index.values("stack") if rows.intersect(index.value_rows("stack", stack))]
        found += [CacheName(tag, stack) for stack in stacks if not asked or stack in asked]
        if rows and not stacks:
            found.append(CacheName(tag, ""))
    return found


def _health(index: Index, mirror: CacheName, holdings: Holdings, size: Callable[[str], int | None]) -> StackHealth:
    hashes = holdings.hashes
    total = total_size(hashes, size)
    if mirror.tag not in index.graph.tags:
        return StackHealth(mirror, len(hashes), None, (), total)
    closures = Closures(index.graph, holdings, hashes)
    found = list(map(closures.missing, hashes))
    spoiled = Counter(chain.from_iterable(filter(None, found)))
    spoilers = (_spoiler(index, closures.hashes[number], count) for number, count in spoiled.items())
    ordered = sorted(spoilers, key=lambda each: (-each.spoils, each.name, each.hash))
    complete = sum(missing is not None and not missing for missing in found)
    return StackHealth(mirror, len(hashes), complete, tuple(ordered), total)


def _spoiler(index: Index, node_hash: str, spoils: int) -> Spoiler:
    number = index.graph.number(node_hash)
    assert number is not None
    node = index.graph.node(number)
    return Spoiler(node_hash, node.name, node.version, spoils)
