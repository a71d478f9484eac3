"""What one can prune: what would break without a binary, and which binaries nothing needs.

Input: an index whose content records dependencies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.query.query import Query
from cachetui.search.holdings import CacheName, Holdings
from cachetui.search.index import Index
from cachetui.store.graph import all_dependents, closure


class HeldBinary(Struct, frozen=True):
    """One binary, and the caches that hold it."""

    hash: str
    package: str
    version: str | None
    mirrors: tuple[CacheName, ...]


def breaking(index: Index, spec_hash: str) -> Iterator[HeldBinary]:
    """The binaries of all caches that would not install without this one, the nearest first."""
    graph = index.graph
    number = graph.number(spec_hash) if graph else None
    if number is not None:
        hashes = (graph.hash(each) for each in all_dependents(graph, [number], LINK_RUN))
        yield from _binaries(index, (each for each in hashes if each != spec_hash))


def unreferenced(index: Index, query: Query, roots: Collection[str] = ()) -> Iterator[HeldBinary]:
    """The binaries that the query takes and nothing needs, not even to build; by package.

    With roots these are the binaries that no root needs; without, those that nothing depends on.
    """
    graph = index.graph
    hashes = index.columns.hashes
    if not graph:
        return
    if roots:
        numbers = [number for number in map(graph.number, roots) if number is not None]
        needed = {*roots, *map(graph.hash, closure(graph, numbers, ALL_TYPES))}
    else:
        needed = _depended_on(index)
    taken = dict.fromkeys(hashes[index.columns.hash[row]] for row in index.rows(query))
    yield from _binaries(index, (each for each in taken if each and each not in needed))


def _depended_on(index: Index) -> set[str]:
    """The hashes that some node needs by an edge of any type; a node that needs itself is not needed for that."""
    found: set[str] = set()
    for part in index.graph.parts:
        for k in range(len(part)):
            found.update(part.hashes[each] for each in part.target[part.first[k] : part.first[k + 1]] if each != k)
    return found


def _binaries(index: Index, hashes: Iterable[str]) -> Iterator[HeldBinary]:
    holdings = Holdings(index, Query())
    for spec_hash in hashes:
        row = holdings.row(spec_hash)
        if row is not None:
            spec = index.spec(row)
            yield HeldBinary(spec_hash, spec.package, spec.version, tuple(holdings.mirrors(spec_hash)))
