"""The builds that come nearest to a query: those that differ from it in the fewest parts.

It explains the catalogue alone: what Spack's solver would do is not its business.
Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.spec import Spec
from cachetui.query.part import Column, Part
from cachetui.query.parts import NamePart
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.names import nearest_names

LOOKED_AT = 20_000
"""So many rows that differ in the same parts are looked at for the nearest builds."""


class Difference(Struct, frozen=True):
    """A part that a build does not meet, and what the build has there."""

    part: Part
    actual_value: str

    @property
    def phrase(self) -> str:
        return f"{self.actual_value} for {self.part.text}"


class NearestBuild(Struct, frozen=True):
    row: int
    differences: tuple[Difference, ...]
    """Empty for a build that the query takes."""


def nearest_builds(index: Index, query: Query, limit: int = 5) -> list[NearestBuild]:
    """Builds that differ from the query in the fewest parts, each with another difference.

    They are of the package that the query names, where it is there, else of those with a name like it.
    Those that the query takes come first. None where a build would have nothing in common with the query.
    """
    parts = query.parts
    if not parts:
        return []
    masks = [index.part_rows(part) for part in parts]
    named = query.package
    base = _named_like(index, named) if named else index.all_rows
    shared = 0 if named else 1
    for level in levels(base, masks)[: len(parts) + 1 - shared]:
        if level:
            groups = _by_failed(level, parts, masks)
            groups.sort(key=lambda group: sorted(part.reluctance for part in group[0]))
            # one of each kind of difference before a second of any
            builds = chain.from_iterable(
                zip_longest(*(list(_distinct_builds(index, rows, failed, limit)) for failed, rows in groups))
            )
            return list(islice(filter(None, builds), limit))
    return []


def _named_like(index: Index, part: NamePart) -> BitMap:
    """The rows of the package, or of those with the nearest names."""
    rows = index.part_rows(part)
    if rows:
        return rows
    numbers = (index.package_number(name) for name in nearest_names(part.name, index.packages))
    return BitMap.union(BitMap(), *(index.package_rows(number) for number in numbers if number is not None))


def levels(rows: BitMap, masks: Sequence[BitMap]) -> list[BitMap]:
    """For each number of failures, from none to all, the rows that so many of the masks leave out."""
    levels = [rows]
    for mask in masks:
        passed = [level & mask for level in levels]
        failed = [level - mask for level in levels]
        levels = [one | other for one, other in zip([*passed, BitMap()], [BitMap(), *failed], strict=True)]
    return levels


def _by_failed(rows: BitMap, parts: Sequence[Part], masks: Sequence[BitMap]) -> list[tuple[tuple[Part, ...], BitMap]]:
    """The rows apart by the parts that leave them out."""
    groups: list[tuple[tuple[Part, ...], BitMap]] = [((), rows)]
    for part, mask in zip(parts, masks, strict=True):
        split = ((failed, group & mask, group - mask) for failed, group in groups)
        groups = [
            each
            for failed, passing, failing in split
            for each in ((failed, passing), ((*failed, part), failing))
            if each[1]
        ]
    return groups


def _distinct_builds(index: Index, rows: BitMap, failed: tuple[Part, ...], limit: int) -> Iterator[NearestBuild]:
    """At most `limit` of the rows, each with another difference: the newest, the same compiler's first."""
    if not failed:
        yield from (NearestBuild(row, ()) for row in islice(_one_a_hash(index, rows), limit))
        return
    found: dict[tuple[Difference, ...], int] = {}
    newest = index.newest_first(islice(rows, LOOKED_AT))
    for row in _distinct_rows(index, newest, failed):
        spec = index.spec(row)
        found.setdefault(tuple(Difference(part, part.actual_value(spec)) for part in failed), row)
    nearest = sorted(found, key=_strangeness)
    yield from (NearestBuild(found[differences], differences) for differences in nearest[:limit])


def _strangeness(differences: Iterable[Difference]) -> int:
    return sum(each.part.strangeness(each.actual_value) for each in differences)


def _one_a_hash(index: Index, rows: BitMap) -> Iterator[int]:
    seen = set()
    for row in index.newest_first(islice(rows, LOOKED_AT)):
        number = index.columns.hash[row]
        if number not in seen:
            seen.add(number)
            yield row


_STORED: dict[Column, str] = {
    "version": "version",
    "variants": "variants",
    "hash": "hash",
    "facet": "profile",
    "profile": "profile",
}
"""The column of the index that decides what a part is asked about; the page decides all else."""


def _distinct_rows(index: Index, rows: Iterable[int], parts: Iterable[Part]) -> Iterator[int]:
    """The first of the rows that are alike in all that these parts ask about."""
    stored = {_STORED.get(part.column) for part in parts}
    read = [index.page if name is None else index.columns.rows[name].__getitem__ for name in stored]
    seen = set()
    for row in rows:
        known = tuple(column(row) for column in read)
        if known not in seen:
            seen.add(known)
            yield row


def distinct_specs(index: Index, rows: Iterable[int], part: Part) -> Iterator[Spec]:
    """A spec of each kind that differs from all others in what the part asks about."""
    return map(index.spec, _distinct_rows(index, rows, [part]))
