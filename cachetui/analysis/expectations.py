"""Expectations: the verdict on each spec that a catalogue should hold.

An expectation is met by a build that its query takes, with what its environment requires; where there is a choice of
requirements by one that any of the alternatives takes. Input: an index, a query and expectations.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Literal

from msgspec import Struct, field
from pyroaring import BitMap

from cachetui.environments.expected import Expectation, Expectations
from cachetui.model.spec import NO_COMPILER, ROOT
from cachetui.model.tags import by_recency
from cachetui.query.parts.facets import CompilerPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.values import ANY
from cachetui.search.index import Index
from cachetui.suggest.nearest_build import NearestBuild, nearest_builds

ALTERNATIVES_LOOKED_AT = 8
"""Most alternatives of an expectation that are looked at for the nearest build."""

VerdictKind = Literal["covered", "differs", "missing", "unreadable"]


class Verdict(Struct, frozen=True):
    """What there is of one expectation."""

    expectation: Expectation
    kind: VerdictKind
    """`differs`: there are builds of the package, but none as it should be; `missing`: there are none."""
    specs: int
    """Distinct hashes that meet it."""
    stacks: dict[str, int] = field(default_factory=dict)
    """For each stack that the query leaves the distinct hashes in it that meet it."""
    nearest: NearestBuild | None = None
    """Where none does the build that comes nearest, which may be of another tag."""
    last_seen: str | None = None
    """Where none does the newest tag that has one that does."""


def verdicts(index: Index, query: Query, expectations: Expectations) -> tuple[Verdict, ...]:
    """What there is of each expectation among the specs that the query takes."""
    taken = index.rows(query)
    stacks = {stack: taken & index.value_rows("stack", stack) for stack in index.values("stack") if stack != ROOT}
    held = {stack: rows for stack, rows in stacks.items() if rows}
    asked = expectations.answerable(has_graph=bool(index.graph))
    return tuple(_verdict(index, query, taken, held, entry) for entry in asked.entries)


def _verdict(index: Index, query: Query, taken: BitMap, stacks: dict[str, BitMap], entry: Expectation) -> Verdict:
    if entry.query is None:
        return Verdict(entry, "unreadable", 0)
    own = BitMap.union(BitMap(), *(index.part_rows(part) for part in entry.query.parts_of("name")))
    queries = [_possible(index, entry, each, own) for each in entry.alternatives]
    meeting = BitMap.union(BitMap(), *map(index.rows, queries))
    found = meeting & taken
    in_stacks = {stack: index.distinct.count(found & rows) for stack, rows in stacks.items()}
    if found:
        return Verdict(entry, "covered", index.distinct.count(found), in_stacks)
    kind: VerdictKind = "differs" if taken.intersect(own) else "missing"
    seen = by_recency(tag for tag in index.tags if meeting.intersect(index.value_rows("tag", tag)))
    return Verdict(entry, kind, 0, in_stacks, _nearest(index, query, queries), next(iter(seen), None))


def _possible(index: Index, entry: Expectation, alternative: Query, own: BitMap) -> Query:
    """The alternative without what is required by default and no build of the package could have."""
    given = entry.query.parts if entry.query else ()
    return Query(tuple(p for p in alternative.parts if p in given or not _is_foreign(index, entry, p, own)))


def _is_foreign(index: Index, entry: Expectation, part: Part, own: BitMap) -> bool:
    """Whether a required part asks for a variant that the package does not have, or for the compiler of mere data."""
    if isinstance(part, VariantPart):
        return entry.from_default and not own.intersect(index.part_rows(VariantPart(part.name, ANY)))
    return isinstance(part, CompilerPart) and own.issubset(index.part_rows(CompilerPart(NO_COMPILER)))


def _nearest(index: Index, query: Query, queries: Iterable[Query]) -> NearestBuild | None:
    """The build that differs least from one of the queries, within what is looked at where that has one."""
    both = (_both(each, query) for each in islice(queries, ALTERNATIVES_LOOKED_AT))
    builds = [build for each in both for build in nearest_builds(index, each, 1)]
    return min(builds, key=lambda build: len(build.differences), default=None)


def _both(entry: Query, query: Query) -> Query:
    """A query for what both ask; where they cannot stand beside each other the entry decides."""
    rest = query
    for part in entry.parts:
        rest = rest.with_part(part)
    return Query((*entry.parts, *(part for part in rest.parts if part not in entry.parts)))
