"""The values of a query that no row has, and the nearest that there are.

Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from pyroaring import BitMap

from cachetui.explain.nearest import distinct_specs
from cachetui.model.facets import VALUE_KEYS
from cachetui.model.host import ancestors, nearest_targets
from cachetui.model.spec import natural_key, split_compiler
from cachetui.model.version import sort_key
from cachetui.query.part import Column, Part
from cachetui.query.query import Query
from cachetui.query.values import read_variant
from cachetui.search.hashes import near as near_hashes
from cachetui.search.index import Index
from cachetui.search.names import NEAREST, nearest_names

NAMED = 5
"""A phrase names so many values and counts the others."""


class UnknownValue(Struct, frozen=True):
    """A value of a query that no row has: none at all, or none in the tags that the query asks for."""

    part: Part
    kind: str
    """What it would be the name of: package, version, variant, hash or the key of a facet."""
    value: str
    near: tuple[str, ...]
    """The nearest that there is, best first; may be empty."""
    tags: tuple[str, ...] = ()
    """The tags that have it, in their true order, where it is missing only in those asked for."""
    package: str | None = None
    """The package that has no such version or variant."""

    @property
    def phrase(self) -> str:
        """One line for a person."""
        value, kind = self.value, self.kind
        if self.tags:
            name = value if kind == "package" else f"{kind} {value}"
            return f"{_of(name, self.package)} is not in this tag: it is in {listed(self.tags)}"
        absent = f"{self.package} has no {kind} {value}" if self.package else f"no {kind} {value}"
        return f"{absent}; nearest: {listed(self.near)}" if self.near else absent


def listed(values: Sequence[str], most: int = NAMED) -> str:
    """The first few values and how many there are beyond them."""
    shown = ", ".join(values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def unknown_values(index: Index, query: Query) -> list[UnknownValue]:
    """The values of the query that no row has, in the order of its parts."""
    # a tag that is not there is said once, not again for everything that is not in it
    scope = index.scope(query) or None
    named = query.package
    number = None if named is None or named.fuzzy else index.package_number(named.name)
    package = None if named is None or number is None else (named.name, index.package_rows(number))
    return [found for part in query.parts for found in _unknown(index, part, scope, package)]


def _unknown(
    index: Index, part: Part, scope: BitMap | None, package: tuple[str, BitMap] | None
) -> Iterator[UnknownValue]:
    if part.column in ("version", "variants"):
        if package is not None:
            for value, alone in part.named_values():
                yield from _missing(index, part, value, index.part_rows(alone) & package[1], scope, *package)
        return
    within = None if part.column == "tag" else scope
    for value, alone in part.named_values():
        yield from _missing(index, part, value, index.part_rows(alone), within)


def _missing(
    index: Index,
    part: Part,
    value: str,
    rows: BitMap,
    scope: BitMap | None,
    package: str | None = None,
    of_package: BitMap | None = None,
) -> Iterator[UnknownValue]:
    """The value, if none of its rows lies in the scope."""
    if not rows:
        yield UnknownValue(part, part.noun, value, _near(index, part, value, of_package), package=package)
    elif scope is not None and rows.isdisjoint(scope):
        yield UnknownValue(part, part.noun, value, (), _tags(index, rows), package)


def _near(index: Index, part: Part, value: str, of_package: BitMap | None) -> tuple[str, ...]:
    near = _NEAR.get(part.column)
    if near is None:
        return nearest_values(part.key, value, index.values(part.key))
    return near(index, part, value, of_package or BitMap())


def _near_packages(index: Index, _part: Part, value: str, _rows: BitMap) -> tuple[str, ...]:
    return nearest_names(value.rpartition(".")[2], index.packages)


def _near_hashes(index: Index, _part: Part, value: str, _rows: BitMap) -> tuple[str, ...]:
    return tuple(match.hash for match in near_hashes(index.columns.hashes, value)[:NEAREST])


def _near_versions(index: Index, _part: Part, value: str, rows: BitMap) -> tuple[str, ...]:
    return tuple(around(value, index.versions(rows)[::-1], sort_key))[NEAREST - 1 :: -1]


def nearest_values(name: str, wanted: str, values: Sequence[str]) -> tuple[str, ...]:
    """Those of a facet's values that come nearest to the wanted one, best first."""
    if VALUE_KEYS[name].has_versions:
        return _near_compilers(wanted, values)
    return nearest_names(wanted, values) or (_near_targets(wanted, values) if VALUE_KEYS[name].has_ranges else ())


def _near_compilers(wanted: str, values: Sequence[str]) -> tuple[str, ...]:
    """The other versions of a compiler that is known, else compilers of names like it."""
    name, version = split_compiler(wanted)
    own = [compiler for compiler in values if split_compiler(compiler)[0] == name]
    if own:
        return tuple(around(f"{name}@{version}", own, natural_key))
    names = list(dict.fromkeys(split_compiler(compiler)[0] or compiler for compiler in values))
    return nearest_names(name, names)


def _near_targets(wanted: str, values: Sequence[str]) -> tuple[str, ...]:
    """The targets that the wanted one can run (or the known target that it is like), nearest first."""
    known = [wanted] if ancestors(wanted) else nearest_targets(wanted)
    runs = ancestors(known[0]) or () if known else ()
    below = sorted((target for target in values if target in runs), key=lambda target: -len(ancestors(target) or ()))
    return tuple(below[:NEAREST])


def around(wanted: str, values: Sequence[str], key: Callable[[str], Any]) -> list[str]:
    """The values, which are sorted by this key, those around the wanted one first and in their order."""
    place = bisect_left(values, key(wanted), key=key) - 0.5
    near = sorted(values, key=lambda value: abs(values.index(value) - place))
    return [*sorted(near[:NEAREST], key=values.index), *near[NEAREST:]]


def _near_variants(index: Index, part: Part, value: str, rows: BitMap) -> tuple[str, ...]:
    """The other settings of the variant, else variants of names like it."""
    variants = {variant for spec in distinct_specs(index, rows, part) for variant in spec.variants}
    name = read_variant(value)[0]
    own = sorted(variant for variant in variants if read_variant(variant)[0] == name)
    if own:
        return nearest_names(value, own) or tuple(own[:NEAREST])
    return nearest_names(name, sorted({read_variant(variant)[0] for variant in variants}))


_NEAR: dict[Column, Callable[[Index, Part, str, BitMap], tuple[str, ...]]] = {
    "package": _near_packages,
    "package_like": _near_packages,
    "version": _near_versions,
    "variants": _near_variants,
    "hash": _near_hashes,
}
"""What is nearest to a value that is of no facet, by what the part asks about; the rows are those of the package."""


def _tags(index: Index, rows: BitMap) -> tuple[str, ...]:
    return tuple(tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag)))


def _of(name: str, package: str | None) -> str:
    return f"{name} of {package}" if package else name
