"""The values of a query that no row has, and the nearest that there are.

Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from pyroaring import BitMap

from cachetui.explain.nearest import distinct_specs
from cachetui.model.host import ancestors, nearest_targets
from cachetui.model.spec import natural_key, split_compiler
from cachetui.model.version import sort_key
from cachetui.query.parts import (
    CompilerPart,
    HashPart,
    NamePart,
    Part,
    ValuePart,
    VariantPart,
    VersionPart,
    read_variant,
)
from cachetui.query.query import Query
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
    package = next((part.name for part in query.parts if isinstance(part, NamePart) and not part.fuzzy), None)
    number = None if package is None else index.package_number(package)
    of_package = None if number is None else index.package_rows(number)
    return [found for part in query.parts for found in _unknown(index, part, scope, package, of_package)]


def _unknown(
    index: Index, part: Part, scope: BitMap | None, package: str | None, of_package: BitMap | None
) -> Iterator[UnknownValue]:
    match part:
        case NamePart():
            yield from _missing(index, part, "package", part.text, index.part_rows(part), scope)
        case HashPart():
            yield from _missing(index, part, "hash", part.prefix, index.part_rows(part), scope)
        case CompilerPart():
            yield from _missing(index, part, "compiler", part.text[1:], index.part_rows(part), scope)
        case ValuePart():
            for word in part.words:
                if isinstance(word, str):
                    rows = index.part_rows(ValuePart.of(part.key, [word]))
                    yield from _missing(index, part, part.key, word, rows, None if part.key == "tag" else scope)
        case VersionPart() | VariantPart() if of_package is not None:
            value = part.text.removeprefix("@")
            rows = index.part_rows(part) & of_package
            yield from _missing(index, part, part.key, value, rows, scope, package, of_package)
        case _:
            pass


def _missing(
    index: Index,
    part: Part,
    kind: str,
    value: str,
    rows: BitMap,
    scope: BitMap | None,
    package: str | None = None,
    of_package: BitMap | None = None,
) -> Iterator[UnknownValue]:
    """The value, if none of its rows lies in the scope."""
    if not rows:
        yield UnknownValue(part, kind, value, _near(index, part, value, of_package), package=package)
    elif scope is not None and rows.isdisjoint(scope):
        yield UnknownValue(part, kind, value, (), _tags(index, rows), package)


def _near(index: Index, part: Part, value: str, of_package: BitMap | None) -> tuple[str, ...]:
    match part:
        case NamePart():
            return nearest_names(part.name, index.packages)
        case HashPart():
            return tuple(match.hash for match in near_hashes(index.columns.hashes, part.prefix)[:NEAREST])
        case ValuePart(key="compiler"):
            return _near_compilers(index, value)
        case CompilerPart():
            return _near_compilers(index, value)
        case ValuePart(key="target"):
            return _near_targets(index, value)
        case ValuePart():
            return nearest_names(value, index.values(part.key))
        case VersionPart():
            versions = index.versions(of_package or ())
            return tuple(around(value, versions[::-1], sort_key))[NEAREST - 1 :: -1]
        case VariantPart():
            return _near_variants(part, {variant for row in _variant_rows(index, of_package) for variant in row})
        case _:
            return ()


def _near_compilers(index: Index, value: str) -> tuple[str, ...]:
    """The other versions of a compiler that is known, else compilers of names like it."""
    compilers = index.values("compiler")
    name, version = split_compiler(value)
    own = [compiler for compiler in compilers if split_compiler(compiler)[0] == name]
    if own:
        return tuple(around(f"{name}@{version}", own, natural_key))
    names = list(dict.fromkeys(split_compiler(compiler)[0] or compiler for compiler in compilers))
    return nearest_names(name, names)


def _near_targets(index: Index, value: str) -> tuple[str, ...]:
    """The targets of names like it, else those that it can run (or the known target that it is like), nearest first."""
    targets = index.values("target")
    known = [value] if ancestors(value) else nearest_targets(value)
    runs = ancestors(known[0]) or () if known else ()
    below = sorted((target for target in targets if target in runs), key=lambda target: -len(ancestors(target) or ()))
    return nearest_names(value, targets) or tuple(below[:NEAREST])


def around(wanted: str, values: Sequence[str], key: Callable[[str], Any]) -> list[str]:
    """The values, which are sorted by this key, those around the wanted one first and in their order."""
    place = bisect_left(values, key(wanted), key=key) - 0.5
    near = sorted(values, key=lambda value: abs(values.index(value) - place))
    return [*sorted(near[:NEAREST], key=values.index), *near[NEAREST:]]


def _near_variants(part: VariantPart, variants: Iterable[str]) -> tuple[str, ...]:
    """The other settings of the variant, else variants of names like it."""
    own = sorted(variant for variant in variants if read_variant(variant)[0] == part.name)
    if own:
        return nearest_names(part.text, own) or tuple(own[:NEAREST])
    return nearest_names(part.name, sorted({read_variant(variant)[0] for variant in variants}))


def _variant_rows(index: Index, rows: Iterable[int] | None) -> list[tuple[str, ...]]:
    """The distinct lists of variants of these rows."""
    return [spec.variants for spec in distinct_specs(index, rows or (), ["variant"])]


def _tags(index: Index, rows: BitMap) -> tuple[str, ...]:
    return tuple(tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag)))


def _of(name: str, package: str | None) -> str:
    return f"{name} of {package}" if package else name
