"""The values of a query that no row has, and the nearest that there are.

Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec import Struct
from pyroaring import BitMap

from cachetui.explain.host_names import has_unknown_os
from cachetui.explain.named_package import NamedPackage, named_package
from cachetui.explain.near_values import Split, near_values
from cachetui.explain.other_parts import other_part, version_put_before, with_blank_put_in
from cachetui.explain.other_settings import OtherSettings
from cachetui.model.likeness import nearest_names, slips
from cachetui.model.spec import COMPILER_ALIASES, split_compiler
from cachetui.query.parts.facets import CompilerPart, FacetPart, FitsPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import FlagPart, VariantPart
from cachetui.query.query import Query
from cachetui.safe_text import listed
from cachetui.search.index import Index

FEW = 5000
"""Rows up to which each is asked for its tag: more of them take longer than it does to go through the tags."""

MOST_EXPLAINED = 50
"""Most unknown values for which the nearest are looked for."""

_OLD_NAMES = {name: old for old, name in COMPILER_ALIASES.items()}
"""What compilers were called before Spack 1.0, by their names since."""


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
    """The two parts that were meant: where a blank is missing `hdf5 os=rhel8` by `hdf5os=rhel8`, of the version of a
    package behind a compiler `@1.14.5 %gcc` by `%gcc@1.14.5`; else empty."""
    settings: str = ""
    """What there is of a variant that is there, but never so: `all have ~mpi`; empty for what is a typing error."""

    @property
    def takes_nothing_away(self) -> bool:
        """Whether it was to be left out: then it is no reason why a query takes nothing."""
        return isinstance(self.part, FacetPart) and self.part.is_exclusion

    @property
    def kind_typed(self) -> str:
        """What it would be the name of by the key that was typed: behind `arch=` a target alone is an arch too."""
        is_arch = self.kind == "target" and self.part.shares == 1 and self.part.typed.startswith("arch")
        return "arch" if is_arch else self.kind

    @property
    def phrase(self) -> str:
        """One line for a person."""
        value, kind = self.value, self.kind_typed
        if self.tags:
            name = value if kind == "package" else f"{kind} {value}"
            return f"{_of(name, self.package)} is not in this tag: it is in {listed(self.tags)}"
        if kind == HOST_OS:
            if self.near:
                return f"os {value} is not known; nearest: {listed(self.near)}"
            is_linux = isinstance(self.part, FitsPart) and self.part.host.platform == "linux"
            return f"os {value} is not known{': its glibc is not' * is_linux}"
        if self.settings and not self.instead:
            return f"no {self.package or 'spec'} with {value}: {self.settings}"
        absent = f"{self.package} has no {kind} {value}" if self.package else f"no {kind} {value}"
        if kind == "version" and not self.package:
            absent = f"no package has version {value}"
        if self.takes_nothing_away:
            absent += " to leave out"
        if kind.endswith("compiler") and (old := _OLD_NAMES.get(split_compiler(value)[0])):
            absent += f" ({old} before Spack 1.0)"
        if self.apart and kind == "compiler":
            return f"{absent}; did you mean {self.apart}?"
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
        return f"{self.part.text[0]}{near}" if is_switch else near


HOST_OS = "os of the host"
"""The kind of an os that only the host of a query names."""


def unknown_values(index: Index, query: Query) -> list[UnknownValue]:
    """The values of the query that no row has, in the order of its parts; last those that were to be left out."""
    # a tag that is not there is said once, not again for everything that is not in it
    scope = index.scope(query) or None
    package = named_package(index, query)
    has_version = bool(query.parts_of("version"))
    found: list[UnknownValue] = []
    for part in query.parts:
        if isinstance(part, FitsPart):
            found += _unknown_os(index, part)
        left = partial(_split, index, query, part)
        looks_near = len(found) < MOST_EXPLAINED
        found += _unknown(index, part, scope, package, left, has_version=has_version, looks_near=looks_near)
    return sorted(found, key=lambda value: value.takes_nothing_away)


def listed_notes(index: Index, query: Query) -> Iterator[str]:
    """What to say of a query that takes something: which values of its lists no row has, a line each."""
    facets = {part for part in query.parts if isinstance(part, FacetPart)}
    yield from (value.phrase for value in unknown_values(index, query) if value.part in facets and not value.tags)


def _unknown_os(index: Index, part: FitsPart) -> Iterator[UnknownValue]:
    """The os of a host, where neither its libc is known nor any row has it."""
    name, known = part.host.os, index.values("os")
    if name is not None and has_unknown_os(part.host, known):
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
    left: Split,
    *,
    has_version: bool,
    looks_near: bool,
) -> Iterator[UnknownValue]:
    """`left`: gives the values of the part's facet that the rest of the query leaves, and the others; `has_version`:
    whether the query asks for a version of the package."""
    of_package = part.column in ("version", "variants")
    if of_package and (package is None or (package.name is None and isinstance(part, FlagPart))):
        return
    within = None if part.column == "tag" else scope
    nowhere = set(part.unknown_words(index.values(part.key)) if isinstance(part, FacetPart) else ())
    for count, (value, alone) in enumerate(part.named_values()):
        if not value and part.shares > 1:
            continue  # an os or a target that is still to be typed
        if value in nowhere:
            rows = BitMap()
        elif of_package and package is not None and package.name is not None:
            rows = package.rows_with(alone)
        else:
            rows = index.part_rows(alone)
        name = package.name if of_package and package is not None else None
        if not rows:
            looks = looks_near and count < MOST_EXPLAINED
            others = (
                OtherSettings(index, part, package) if looks and package and isinstance(part, VariantPart) else None
            )
            near = others.mistyped if others else ()
            if looks and not others and not (part.column == "version" and name is None):
                near = near_values(index, part, value, package, left)
            instead = "" if slips(value, near) else other_part(index, part, value, has_variant_like_it=bool(others))
            apart = with_blank_put_in(index, part)
            if isinstance(part, CompilerPart) and package and not has_version:
                apart = version_put_before(index, part, package)
            settings = others.phrase if others and not near else ""
            yield UnknownValue(part, part.noun, value, near, (), name, instead, apart, settings)
        elif within is not None and rows.isdisjoint(within):
            yield UnknownValue(part, part.noun, value, (), _tags(index, rows), name)


def _tags(index: Index, rows: BitMap) -> tuple[str, ...]:
    if len(rows) > FEW:
        return tuple(tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag)))
    pages = {index.page(row) for row in rows}
    numbers = {index.columns.page_tag[page] for page in pages}
    return tuple(index.tags[number] for number in sorted(numbers))


def _of(name: str, package: str | None) -> str:
    return f"{name} of {package}" if package else name
