"""Why a query takes nothing: what each of its parts holds back.

Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from msgspec import Struct
from pyroaring import BitMap

from cachetui.explain.host_meant import HostMeant, host_meant
from cachetui.explain.near_values import nearest_values
from cachetui.explain.unknown_values import UnknownValue, unknown_values
from cachetui.model.likeness import nearest_names
from cachetui.model.spec import NO_COMPILER
from cachetui.query.parts.dependencies import DependencyPart
from cachetui.query.parts.facets import CompilerPart, FitsPart
from cachetui.query.parts.part import Part, PartColumn
from cachetui.query.query import Query
from cachetui.safe_text import listed
from cachetui.search.dependencies import versions_below
from cachetui.search.fits import row_fit, row_libc
from cachetui.search.index import Index
from cachetui.search.row_values import versions_of
from cachetui.suggest.nearest_build import NearestBuild, nearest_builds


class ExplainedPart(Struct, frozen=True):
    """One part of a query, and what the query takes without it."""

    part: Part
    specs: int
    instead: tuple[str, ...]
    """What those rows have where the part wants something else; empty where a list would say nothing."""
    beside_some: bool = False
    """Whether the query takes some specs with the part too."""

    @property
    def phrase(self) -> str:
        """One line for a person, without the count."""
        if not self.instead:
            return self.part.text
        many, some = len(self.instead) > 1, self.beside_some
        return f"{self.part.text}; {self.part.said_of_others(listed(self.instead), many=many, beside_some=some)}"


class Explanation(Struct, frozen=True):
    without: tuple[ExplainedPart, ...]
    """Every part of the query, the one that holds back most first."""
    unknown: tuple[UnknownValue, ...]
    nearest: tuple[NearestBuild, ...]
    host: HostMeant | None = None
    """What runs on the host that was probably meant."""


def why_nothing(index: Index, query: Query, limit: int = 5) -> Explanation:
    """What each part of the query holds back, and at most `limit` builds that come nearest."""
    taken = index.rows(query)
    named = any(part.key == "name" for part in query.parts)
    without = []
    for part in query.parts:
        rows = index.rows(query.without(part))
        instead = () if not named and part.key in ("version", "variant") else _instead(index, part, rows)
        without.append(ExplainedPart(part, index.counter(query.without(part))(rows), instead, bool(taken)))
    without.sort(key=lambda each: -each.specs)
    unknown, nearest = unknown_values(index, query), nearest_builds(index, query, limit)
    return Explanation(tuple(without), tuple(unknown), tuple(nearest), host_meant(index, query))


def counts_without(index: Index, query: Query) -> tuple[ExplainedPart, ...]:
    """What a query that takes nothing takes without each of its parts, the one that holds back most first.

    Nothing is said of what there is instead, so that this is known while a query is typed.
    """
    without = []
    for part in query.parts:
        others = query.without(part)
        without.append(ExplainedPart(part, index.counter(others)(index.rows(others)), ()))
    return tuple(sorted(without, key=lambda each: -each.specs))


def _instead(index: Index, part: Part, rows: BitMap) -> tuple[str, ...]:
    """The distinct values that these rows have where the part asks for another; versions from the newest."""
    left = rows - index.part_rows(part)
    match part.column:
        case "package" | "package_like" if index.part_rows(part):
            return ()  # it is there, so no other name was meant
        case "package" | "package_like":
            return tuple(name for name in nearest_names(part.text, index.packages) if _has_package(index, name, left))
        case "hash":
            return ()
        case "version":
            return tuple(versions_of(index, left))
        case "facet" | "compiler" | "tag":
            return _as_said(part, _other_values(index, part, left))
        case "dependency" if isinstance(part, DependencyPart) and part.asks_for_compiler:
            others = _other_values(index, part.as_compiler or CompilerPart(part.name), left)
            return _as_said(CompilerPart(part.name), (each for each in others if each in index.values("compiler")))
        case "dependency":
            names = {name for name, _ in part.named_values()}
            return tuple(dict.fromkeys(versions_below(index, left, names)))
        case _:
            return actual_values(index, left, part)


def _other_values(index: Index, part: Part, left: BitMap) -> tuple[str, ...]:
    """The values of a facet that these rows have, the nearest to those that the part names first."""
    values = [value for value in index.values(part.key) if left.intersect(index.value_rows(part.key, value))]
    near = (value for named, _ in part.named_values() for value in nearest_values(part.key, named, values))
    return tuple(dict.fromkeys([*near, *values]))


def _as_said(part: Part, values: Iterable[str]) -> tuple[str, ...]:
    """The values of a facet as they are told: that there is no compiler is not taken for the word."""
    if part.key != "compiler":
        return tuple(values)
    return tuple(f"%{value} (no compiler)" if value == NO_COMPILER else value for value in values)


def _has_package(index: Index, name: str, rows: BitMap) -> bool:
    number = index.package_number(name)
    return number is not None and rows.intersect(index.package_rows(number))


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
