"""The builds that come nearest to a query: those that differ from it in the fewest parts.

It explains the catalogue alone: what Spack's solver would do is not its business.
Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, zip_longest

from msgspec import Struct
from pyroaring import BitMap

from cachetui.explain.near_values import nearest_values
from cachetui.model.likeness import nearest_names
from cachetui.query.parts.facets import FacetPart, FitsPart
from cachetui.query.parts.names import NamePart
from cachetui.query.parts.part import Part, PartColumn
from cachetui.query.query import Query
from cachetui.search.fits import row_fit, row_libc
from cachetui.search.index import Index
from cachetui.search.row_values import newest_first

LOOKED_AT = 20_000
"""Most rows that fail the same parts and are looked at for the nearest builds; fewer where there are many parts."""

MOST_GROUPS = 100
"""Kinds of difference that are told apart."""


class UnmetPart(Struct, frozen=True):
    """A part that a build does not meet, and what the build has there."""

    part: Part
    actual_value: str

    @property
    def phrase(self) -> str:
        return self.part.said_of_build(self.actual_value)


class NearestBuild(Struct, frozen=True):
    row: int
    differences: tuple[UnmetPart, ...]
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
    named = _packages_like(index, query.package) if query.package else []
    base = _rows_of(index, named) if query.package else index.all_rows
    shared = 0 if query.package else 1
    number, rows = FailureCounts(base, masks).fewest()
    if not rows or number > len(parts) - shared:
        return []
    groups = _by_failed(rows, parts, masks)
    groups.sort(key=lambda group: sorted(part.reluctance for part in group[0]))
    # one of each kind of difference before a second of any
    builds = chain.from_iterable(
        zip_longest(*(list(_distinct_builds(index, rows, failed, named, limit)) for failed, rows in groups))
    )
    return list(islice(filter(None, builds), limit))


def _packages_like(index: Index, part: NamePart) -> list[int]:
    """The numbers of the packages that the part names, or of those with the nearest names, best first."""
    rows = index.part_rows(part)
    if rows and part.fuzzy:
        return list(index.packages_meant(part.text))
    names = (part.name,) if rows else nearest_names(part.name, index.packages)
    return [number for name in names if (number := index.package_number(name)) is not None]


def _rows_of(index: Index, packages: Iterable[int]) -> BitMap:
    return BitMap.union(BitMap(), *map(index.package_rows, packages))


class FailureCounts:
    """For each of some rows how many of the masks leave it out, as binary digits: a bitmap for each digit."""

    def __init__(self, rows: BitMap, masks: Iterable[BitMap]) -> None:
        self._rows = rows
        self._digits: list[BitMap] = []
        for mask in masks:
            carry, place = rows - mask, 0
            while carry:
                if place == len(self._digits):
                    self._digits.append(BitMap())
                digit = self._digits[place]
                self._digits[place], carry = digit ^ carry, digit & carry
                place += 1

    def exactly(self, number: int) -> BitMap:
        """The rows that this number of masks leaves out."""
        if number >> len(self._digits):
            return BitMap()
        rows = self._rows
        for place, digit in enumerate(self._digits):
            rows = rows & digit if number >> place & 1 else rows - digit
        return rows

    def fewest(self) -> tuple[int, BitMap]:
        """The least number of masks that leave out a row, and the rows that this number leaves out."""
        rows, number = self._rows, 0
        for place in reversed(range(len(self._digits))):
            without = rows - self._digits[place]
            number += 0 if without else 1 << place
            rows = without or rows
        return number, rows


def _by_failed(rows: BitMap, parts: Sequence[Part], masks: Sequence[BitMap]) -> list[tuple[tuple[Part, ...], BitMap]]:
    """The rows apart by the parts that leave them out; of more than `MOST_GROUPS` the first."""
    groups: list[tuple[tuple[Part, ...], BitMap]] = [((), rows)]
    for part, mask in zip(parts, masks, strict=True):
        split = ((failed, group & mask, group - mask) for failed, group in groups[:MOST_GROUPS])
        groups = [
            each
            for failed, passing, failing in split
            for each in ((failed, passing), ((*failed, part), failing))
            if each[1]
        ]
    return groups


def _distinct_builds(
    index: Index, rows: BitMap, failed: tuple[Part, ...], packages: Sequence[int], limit: int
) -> Iterator[NearestBuild]:
    """At most `limit` of the rows, each with another difference: those of the first packages, then of the same
    compiler, then with what is spelled most like a value that is not there, then of the newest tags and versions."""
    if not failed:
        yield from (NearestBuild(row, ()) for row in islice(_one_a_hash(index, rows), limit))
        return
    found: dict[tuple[UnmetPart, ...], int] = {}
    newest = newest_first(index, islice(rows, LOOKED_AT // (1 + len(failed) // 4)))
    for row in _distinct_rows(index, newest, failed):
        found.setdefault(tuple(UnmetPart(part, _actual_value(index, part, row)) for part in failed), row)
    meant = _meant_values(index, failed)
    asks_for_tag = any(part.column == "tag" for part in failed)

    def place(differences: tuple[UnmetPart, ...]) -> tuple[int, int, int, bool, int]:
        page = index.page(found[differences])
        package, tag = index.columns.page_package[page], index.columns.page_tag[page]
        strangeness = sum(each.part.strangeness(each.actual_value) for each in differences)
        unlikeness = sum(meant.get((each.part, each.actual_value), len(meant)) for each in differences)
        nearness = packages.index(package) if packages else 0
        # develop and its snapshots are newer than the releases, which stand before the snapshots
        is_release = not index.tags[tag].startswith("develop")
        newness = (is_release, tag) if asks_for_tag else (False, 0)
        return (nearness, strangeness, unlikeness, *newness)

    for differences in sorted(found, key=place)[:limit]:
        yield NearestBuild(found[differences], differences)


def _meant_values(index: Index, parts: Iterable[Part]) -> dict[tuple[Part, str], int]:
    """For each value that may have been meant by one that no row has, how many are more like that one."""
    meant: dict[tuple[Part, str], int] = {}
    for part in parts:
        if isinstance(part, FacetPart) and part.column != "tag":
            for word in part.unknown_words(index.values(part.key)):
                for place, value in enumerate(nearest_values(part.key, word, index.values(part.key))):
                    meant.setdefault((part, value), place)
    return meant


def _one_a_hash(index: Index, rows: BitMap) -> Iterator[int]:
    seen = set()
    for row in newest_first(index, islice(rows, LOOKED_AT)):
        number = index.columns.hash[row]
        if number not in seen:
            seen.add(number)
            yield row


_STORED: dict[PartColumn, str] = {
    "version": "version",
    "variants": "variants",
    "hash": "hash",
    "facet": "profile",
    "compiler": "profile",
    "profile": "profile",
}
"""The column of the index that decides what a part is asked about; the page decides all else."""


def _distinct_rows(index: Index, rows: Iterable[int], parts: Collection[Part]) -> Iterator[int]:
    """The first of the rows that are alike in all that these parts ask about."""
    stored = {_STORED.get(part.column) for part in parts}
    read: list[Callable[[int], object]] = [
        index.page if name is None else index.columns.rows[name].__getitem__ for name in stored
    ]
    if any(part.column == "profile" for part in parts):
        read.append(partial(row_libc, index))
    seen = set()
    for row in rows:
        known = tuple(column(row) for column in read)
        if known not in seen:
            seen.add(known)
            yield row


def actual_values(index: Index, rows: Iterable[int], part: Part) -> tuple[str, ...]:
    """The distinct values that these rows have where the part asks for something else."""
    return tuple(dict.fromkeys(_actual_value(index, part, row) for row in _distinct_rows(index, rows, [part])))


def _actual_value(index: Index, part: Part, row: int) -> str:
    """What a row has where the part asks for something else; of a host's, why it does not run there."""
    return row_fit(index, row, part.host).reason if isinstance(part, FitsPart) else part.actual_value(index.spec(row))
