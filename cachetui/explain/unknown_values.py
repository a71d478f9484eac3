"""The values of a query that no row has, and the nearest that there are.

Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.explain.named_package import NamedPackage, named_package
from cachetui.explain.other_parts import other_part, with_blank_put_in
from cachetui.model.facets import VALUE_KEYS
from cachetui.model.likeness import NEAREST, nearest_names, slips
from cachetui.model.spec import COMPILER_ALIASES, natural_key, split_compiler
from cachetui.model.targets import ancestors, nearest_targets
from cachetui.model.version import sort_key
from cachetui.query.errors import QueryError
from cachetui.query.parts.facets import FacetPart, FitsPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.values import read_variant
from cachetui.search.dependencies import dependency_names
from cachetui.search.hashes import near as near_hashes
from cachetui.search.index import Index
from cachetui.text import listed

FEW = 5000
"""Rows up to which each is asked for its tag: more of them take longer than it does to go through the tags."""

MOST_EXPLAINED = 50
"""Most unknown values for which the nearest are looked for."""


SHORTEST_NAME = 3
"""Letters of a package from which on it is looked for in a name that is two in one."""

_Split: TypeAlias = Callable[[], tuple[list[str], list[str]]]

_OLD_NAMES = {name: old for old, name in COMPILER_ALIASES.items()}
"""What compilers were called before Spack 1.0, by their names since."""

_SEPARATORS = re.compile(r"[@._-]")
"""What stands between the numbers of a version."""


_NAME_VERSION = re.compile(r"(?P<name>[a-z][a-z-]*?)-?(?P<version>[0-9][0-9.]*)")
"""A compiler with its version, without the `@` between them: `gcc11`, `gcc-11.4`."""


class UnknownValue(Struct, frozen=True):
    """A value of a query that no row has: none at all, or none in the tags that the query asks for."""

    part: Part
    kind: str
    """What it would be the name of: package, version, variant, hash, the key of a facet, or `os of the host`."""
    value: str
    near: tuple[str, ...]
    """The nearest that there is, best first; may be empty."""
    tags: tuple[str, ...] = ()
    """The tags that have it, in their true order, where it is missing only in those asked for."""
    package: str | None = None
    """The package that has no such version or variant."""
    instead: str = ""
    """A part of another kind that was probably meant: `stack=e4s` by `stak=e4s` or by `e4s`; may be empty."""
    apart: str = ""
    """The two parts that were meant where a blank is missing: `hdf5 os=rhel8` by `hdf5os=rhel8`; else empty."""

    @property
    def takes_nothing_away(self) -> bool:
        """Whether it was to be left out: then it is no reason why a query takes nothing."""
        return isinstance(self.part, FacetPart) and self.part.is_exclusion

    @property
    def phrase(self) -> str:
        """One line for a person."""
        value, kind = self.value, self.kind
        if self.tags:
            name = value if kind == "package" else f"{kind} {value}"
            return f"{_of(name, self.package)} is not in this tag: it is in {listed(self.tags)}"
        if kind == HOST_OS:
            absent = f"os {value} is not known: its glibc is not"
            return f"{absent}; nearest: {listed(self.near)}" if self.near else absent
        absent = f"{self.package} has no {kind} {value}" if self.package else f"no {kind} {value}"
        if self.takes_nothing_away:
            absent += " to leave out"
        if kind.endswith("compiler") and (old := _OLD_NAMES.get(split_compiler(value)[0])):
            absent += f" ({old} before Spack 1.0)"
        if self.apart:
            return f"{absent}; a blank is missing: {self.apart}"
        if kind == "compiler" and self.instead == f"^{value}":
            return f"{absent}: here it is a dependency, {self.instead}"
        if self.instead:
            return f"{absent}; did you mean {self.instead}?"
        return f"{absent}; nearest: {listed([*map(self._as_typed, self.near)])}" if self.near else absent

    def _as_typed(self, near: str) -> str:
        """One of the nearest as a query has it: the name of a variant with the sign that was typed."""
        is_switch = isinstance(self.part, VariantPart) and isinstance(self.part.value, bool)
        return f"{self.part.text[0]}{near}" if is_switch and near[0] not in "+~" and "=" not in near else near


HOST_OS = "os of the host"
"""The kind of an os that only the host of a query names."""


def unknown_values(index: Index, query: Query) -> list[UnknownValue]:
    """The values of the query that no row has, in the order of its parts; last those that were to be left out."""
    # a tag that is not there is said once, not again for everything that is not in it
    scope = index.scope(query) or None
    package = named_package(index, query)
    found: list[UnknownValue] = []
    for part in query.parts:
        if isinstance(part, FitsPart):
            found += _unknown_os(index, part)
        left = partial(_split, index, query, part)
        found += _unknown(index, part, scope, package, left, looks_near=len(found) < MOST_EXPLAINED)
    return sorted(found, key=lambda value: value.takes_nothing_away)


def listed_notes(index: Index, query: Query) -> Iterator[str]:
    """What to say of a query that takes something: which values of its lists no row has, a line each."""
    facets = {part for part in query.parts if isinstance(part, FacetPart)}
    yield from (value.phrase for value in unknown_values(index, query) if value.part in facets and not value.tags)


def can_mend(index: Index, query: Query) -> bool:
    """Whether a part of a query names what nothing has, and something like it is there.

    The os of a host that is not known takes nothing away, so mending it brings nothing back.
    """
    return any(mended_parts(value) for value in unknown_values(index, query) if value.kind != HOST_OS)


def mended_parts(unknown: UnknownValue) -> tuple[Part, ...]:
    """The part with the nearest that there is in place of the unknown value, the two parts where a blank is missing.

    Nothing where nothing is like it.
    """
    part, value = unknown.part, unknown.value
    near = next(iter(unknown.near), "")
    if not (near or unknown.instead or unknown.apart):
        return ()
    if isinstance(part, FitsPart):
        return (FitsPart(replace(part.host, os=near)),)
    if unknown.apart:
        text = unknown.apart
    elif unknown.instead:
        if len(list(part.named_values())) > 1:
            return ()
        text = unknown.instead
    elif isinstance(part, VariantPart):
        # a setting that differs in its value alone is another wish, and no typing error
        is_switch = isinstance(part.value, bool)
        if near.startswith(("+", "~")) or is_switch == ("=" in near):
            return ()
        text = f"{part.text[0]}{near}" if is_switch else near
    else:
        text = part.text.replace(value, near, 1)
    try:
        parts = Query.parse(text, has_graph=True).parts
    except QueryError:
        return ()
    return parts if len(parts) == (2 if unknown.apart else 1) and parts[0] != part else ()


def _unknown_os(index: Index, part: FitsPart) -> Iterator[UnknownValue]:
    """The os of a host, where neither its libc is known nor any row has it."""
    name, known = part.host.os, index.values("os")
    if name is not None and not part.host.knows_os and name not in known:
        names = tuple(dict.fromkeys([*known, *part.host.known_oses]))
        yield UnknownValue(part, HOST_OS, name, nearest_names(name, names))


def _split(index: Index, query: Query, part: Part) -> tuple[list[str], list[str]]:
    """The values of the part's facet that the rest of the query leaves, and the others."""
    values, rows = index.values(part.key), index.rows(query.without(part))
    left = [value for value in values if rows.intersect(index.value_rows(part.key, value))]
    return left, [value for value in values if value not in left]


def _unknown(
    index: Index,
    part: Part,
    scope: BitMap | None,
    package: NamedPackage | None,
    left: _Split,
    *,
    looks_near: bool,
) -> Iterator[UnknownValue]:
    """`left`: gives the values of the part's facet that the rest of the query leaves, and the others."""
    of_package = part.column in ("version", "variants")
    if of_package and (package is None or (package.name is None and not isinstance(part, VariantPart))):
        return
    within = None if part.column == "tag" else scope
    nowhere = set(part.unknown_words(index.values(part.key)) if isinstance(part, FacetPart) else ())
    for count, (value, alone) in enumerate(part.named_values()):
        if value in nowhere:
            rows = BitMap()
        elif of_package and package is not None and package.name is not None:
            rows = package.rows_with(alone)
        else:
            rows = index.part_rows(alone)
        name = package.name if of_package and package is not None else None
        if not rows:
            near = _near(index, part, value, package, left) if looks_near and count < MOST_EXPLAINED else ()
            is_like_it = isinstance(part, VariantPart) and any(read_variant(each)[0] == part.name for each in near)
            instead = "" if slips(value, near) else other_part(index, part, value, has_variant_like_it=is_like_it)
            apart = with_blank_put_in(index, part)
            yield UnknownValue(part, part.noun, value, near, package=name, instead=instead, apart=apart)
        elif within is not None and rows.isdisjoint(within):
            yield UnknownValue(part, part.noun, value, (), _tags(index, rows), name)


def _near(index: Index, part: Part, value: str, package: NamedPackage | None, left: _Split) -> tuple[str, ...]:
    """What there is that comes nearest to a value that no row has, best first."""
    match part.column:
        case "package" | "package_like":
            name = value.rpartition(".")[2]
            near = nearest_names(name, index.packages)
            return near if slips(name, near) else (*_names_in_one(index, name), *near)[:NEAREST]
        case "hash":
            return tuple(match.hash for match in near_hashes(index.columns.hashes, value.lower())[:NEAREST])
        case "version":
            return _nearest_in_order(value, package.versions if package else (), sort_key)
        case "dependency" if part.noun.endswith("compiler"):
            near = _near_compilers(value, index.values("compiler"))
            return tuple(name for name in near if name != value)  # one that compiles another language
        case "dependency":
            return nearest_names(value, dependency_names(index))
        case "variants":
            return _near_variants(value, package.variants if package else ())
        case _:
            if VALUE_KEYS[part.key].has_versions:
                return nearest_values(part.key, value, index.values(part.key))
            values, others = left()
            inside = [each for each in values if value.lower() in each.lower()]
            near = (*nearest_values(part.key, value, inside), *nearest_values(part.key, value, [*values, *others]))
            return tuple(dict.fromkeys(near))[:NEAREST]


def _names_in_one(index: Index, name: str) -> tuple[str, ...]:
    """The two packages of a name typed behind another one (`hdf5zlib`), the one that was typed last first."""
    ends = ((name[at:], name[:at]) for at in range(SHORTEST_NAME, len(name) - SHORTEST_NAME + 1))
    known = (pair for pair in ends if all(index.package_number(each) is not None for each in pair))
    return next(known, ())


def nearest_values(name: str, wanted: str, values: Sequence[str]) -> tuple[str, ...]:
    """Those of a facet's values that come nearest to the wanted one, best first."""
    if VALUE_KEYS[name].has_versions:
        return _near_compilers(wanted, values)
    return nearest_names(wanted, values) or (_near_targets(wanted, values) if VALUE_KEYS[name].has_ranges else ())


def _near_compilers(wanted: str, values: Sequence[str]) -> tuple[str, ...]:
    """The other versions of a compiler that is known, else compilers of names like it."""
    name, version = split_compiler(wanted)
    names = list(dict.fromkeys(split_compiler(compiler)[0] or compiler for compiler in values))
    joined = _NAME_VERSION.fullmatch(wanted)
    if joined and joined["name"] in names:
        name, version = joined["name"], joined["version"]
    near = (name,) if name in names else nearest_names(name, names)
    if not version:
        return near
    of_name = {like: [each for each in values if split_compiler(each)[0] == like] for like in near}
    ordered = (_nearest_in_order(f"{like}@{version}", own, natural_key) for like, own in of_name.items())
    return tuple(chain.from_iterable(ordered))[:NEAREST]


def _near_targets(wanted: str, values: Sequence[str]) -> tuple[str, ...]:
    """The targets that the wanted one can run (or the known target that it is like), nearest first."""
    known = [wanted] if ancestors(wanted) else nearest_targets(wanted)
    runs = ancestors(known[0]) or () if known else ()
    below = sorted((target for target in values if target in runs), key=lambda target: -len(ancestors(target) or ()))
    return tuple(below[:NEAREST])


def _nearest_in_order(wanted: str, values: Sequence[str], key: Callable[[str], Any]) -> tuple[str, ...]:
    """The values, which are sorted by this key, that come nearest to the wanted one, best first.

    What differs from it by a slip stands before what begins with the same numbers, and that before its neighbours.
    """
    place = bisect_left(values, key(wanted), key=key) - 0.5
    slipped = slips(wanted, values)
    numbers = _SEPARATORS.split(wanted)

    def distance(at: int) -> tuple[bool, int, float]:
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(numbers, _SEPARATORS.split(values[at]), strict=False))
        return values[at] not in slipped, -len(list(shared)), abs(at - place)

    return tuple(values[at] for at in sorted(range(len(values)), key=distance)[:NEAREST])


def _near_variants(value: str, variants: Collection[str]) -> tuple[str, ...]:
    """The other settings of the variant, else variants of names like it."""
    name = read_variant(value)[0]
    own = sorted(variant for variant in variants if read_variant(variant)[0] == name)
    if own:
        return nearest_names(value, own) or tuple(own[:NEAREST])
    return nearest_names(name, sorted({read_variant(variant)[0] for variant in variants}))


def _tags(index: Index, rows: BitMap) -> tuple[str, ...]:
    if len(rows) > FEW:
        return tuple(tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag)))
    pages = {index.page(row) for row in rows}
    numbers = {index.columns.page_tag[page] for page in pages}
    return tuple(index.tags[number] for number in sorted(numbers))


def _of(name: str, package: str | None) -> str:
    return f"{name} of {package}" if package else name
