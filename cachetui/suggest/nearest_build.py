"""The builds that come nearest to a query: those that differ from it in the fewest parts.

The phrases quote the query and the catalogue, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice, zip_longest

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.likeness import nearest_names
from cachetui.query.parts.facets import FitsPart
from cachetui.query.parts.names import NamePart
from cachetui.query.parts.part import Part, PartColumn
from cachetui.query.query import Query
from cachetui.search.fits import row_fit, row_libc
from cachetui.search.index import Index
from cachetui.search.row_values import newest_first
from cachetui.suggest.no_match import nearest_values

LOOKED_AT = 20_000
"""Most rows that are looked at; fewer where there are many parts."""


_Unmet = tuple[tuple[int, str], ...]
"""The places in a query of the parts that a build does not meet, and what it has there."""


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
    """Return builds that differ from the query in the fewest parts, each in another way; none for nothing in common.

    They are of the package that the query names, where it is there, else of those with the nearest names. One for each
    set of parts stands before a second one for any; else what is given up easily comes first, then what has the nearest
    values, then the newest version.
    """
    parts = query.parts
    masks = [index.part_rows(part) for part in parts]
    base = _rows_of_package(index, query.package) if query.package else index.all_rows
    number, rows = fewest_failures(base, masks)
    if not rows or number > len(parts) - (0 if query.package else 1):
        return []
    newest = newest_first(index, BitMap(islice(rows, LOOKED_AT // len(parts))))
    if not number:
        return [NearestBuild(row, ()) for row in islice(_one_a_hash(index, newest), limit)]
    unmet = [(k, mask, _actual_values(index, parts[k])) for k, mask in enumerate(masks) if rows - mask]
    found: dict[_Unmet, int] = {}
    for row in newest:
        found.setdefault(tuple([(k, actual(row)) for k, mask, actual in unmet if row not in mask]), row)
    best = sorted(found, key=_place(index, query, [k for k, _, _ in unmet]))
    return [
        NearestBuild(found[each], tuple(UnmetPart(parts[k], value) for k, value in each))
        for each in _one_of_each_first(best)[:limit]
    ]


def _place(index: Index, query: Query, unmet: Iterable[int]) -> Callable[[_Unmet], tuple[list[int], int]]:
    """Return what sorts differences: by how easily their parts are given up, then by how near their values are."""
    near: dict[tuple[int, str], int] = {}
    for k in unmet:
        near |= {(k, value): at for at, value in enumerate(nearest_values(index, query.parts[k], query.package))}

    def place(differences: _Unmet) -> tuple[list[int], int]:
        far = sum(near.get(each, len(near)) for each in differences)
        return sorted(query.parts[k].reluctance for k, _ in differences), far

    return place


def _one_of_each_first(ordered: Iterable[_Unmet]) -> list[_Unmet]:
    """Put one for each set of parts before a second one for any."""
    found: dict[tuple[int, ...], list[_Unmet]] = {}
    for differences in ordered:
        found.setdefault(tuple(k for k, _ in differences), []).append(differences)
    return [each for some in zip_longest(*found.values()) for each in some if each is not None]


def _one_a_hash(index: Index, rows: Iterable[int]) -> Iterator[int]:
    seen = set()
    for row in rows:
        number = index.columns.hash[row]
        if number not in seen:
            seen.add(number)
            yield row


def _rows_of_package(index: Index, part: NamePart) -> BitMap:
    """The rows of the packages that the part means, or of those with the nearest names."""
    if rows := index.part_rows(part):
        return rows
    names = map(index.package_number, nearest_names(part.name, index.packages))
    return BitMap.union(BitMap(), *(index.package_rows(number) for number in names if number is not None))


def fewest_failures(rows: BitMap, masks: Iterable[BitMap]) -> tuple[int, BitMap]:
    """Return the least number of masks that leave out any of the rows, and the rows that so many leave out.

    How many leave out each row is kept as binary digits, a bitmap for each digit.
    """
    digits: list[BitMap] = []
    for mask in masks:
        carry, place = rows - mask, 0
        while carry:
            if place == len(digits):
                digits.append(BitMap())
            digits[place], carry = digits[place] ^ carry, digits[place] & carry
            place += 1
    number = 0
    for place in reversed(range(len(digits))):
        without = rows - digits[place]
        number += 0 if without else 1 << place
        rows = without or rows
    return number, rows


def _actual_values(index: Index, part: Part) -> Callable[[int], str]:
    """Return what tells of a row what it has where the part asks for something else, working out each value once."""
    columns, known = index.columns, dict[Hashable, str]()
    profile = columns.rows["profile"]
    keys: dict[PartColumn, Callable[[int], Hashable]] = {
        "version": columns.rows["version"].__getitem__,
        "variants": columns.rows["variants"].__getitem__,
        "facet": profile.__getitem__,
        "compiler": profile.__getitem__,
        "profile": lambda row: (profile[row], row_libc(index, row)),
        "package": index.page,
        "package_like": index.page,
        "tag": index.page,
    }
    key_of = keys.get(part.column, int)

    def read(row: int) -> str:
        key = key_of(row)
        if key not in known:
            host = part.host if isinstance(part, FitsPart) else None
            known[key] = row_fit(index, row, host).reason if host else part.actual_value(index.spec(row))
        return known[key]

    return read
