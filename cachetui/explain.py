"""Why a query takes nothing, and which builds come near it.

It explains the catalogue alone: the part that leaves no row, the value that no row has, the builds that differ in
the fewest parts. What Spack's solver would do is not its business.
Input: an index and a query. The values and phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any

from msgspec import Struct
from pyroaring import BitMap

from cachetui.hashes import near as near_hashes
from cachetui.host import Kind, ancestors, nearest_targets
from cachetui.index import Index
from cachetui.names import matches
from cachetui.parts import read_variant
from cachetui.query import (
    CompilerPart,
    FitsPart,
    HashPart,
    NamePart,
    Part,
    Query,
    ValuePart,
    VariantPart,
    VersionPart,
)
from cachetui.spec import Spec, natural_key, normal_compiler, split_compiler
from cachetui.version import sort_key

NEAREST = 3
"""So many names are offered for one that is not there."""

NAMED = 5
"""A phrase names so many values and counts the others."""

LOOKED_AT = 20_000
"""So many rows that differ in the same parts are looked at for the nearest builds."""

_LEAST_SIMILAR = 60.0
"""From 0 to 100; below it two names have nothing to do with each other."""

_YIELDING = ("hash", "tag", "stack", "compiler", "variant", "version", "target", "fits", "os", "platform", "name")
"""The keys of parts in the order in which a person gives them up most readily."""


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


class WithoutPart(Struct, frozen=True):
    """One part of a query, and what the query takes without it."""

    part: Part
    specs: int
    instead: tuple[str, ...]
    """What those rows have where the part wants something else; empty where a list would say nothing."""

    @property
    def phrase(self) -> str:
        """One line for a person, without the count."""
        if not self.instead:
            return self.part.text
        return f"{self.part.text} wanted: {listed(self.instead)} {'are' if len(self.instead) > 1 else 'is'} there"


class Difference(Struct, frozen=True):
    """A part that a build does not meet, and what the build has there."""

    part: Part
    there: str

    @property
    def phrase(self) -> str:
        return f"{self.there} for {self.part.text}"


class NearestBuild(Struct, frozen=True):
    row: int
    differences: tuple[Difference, ...]
    """Empty for a build that the query takes."""


class Explanation(Struct, frozen=True):
    without: tuple[WithoutPart, ...]
    """Every part of the query, the one that holds back most first."""
    unknown: tuple[UnknownValue, ...]
    nearest: tuple[NearestBuild, ...]


def why_nothing(index: Index, query: Query, limit: int = 5) -> Explanation:
    """What each part of the query holds back, and at most `limit` builds that come nearest."""
    levels = _levels(index.all_rows, [index.part_rows(part) for part in query.parts])
    named = any(part.key == "name" for part in query.parts)
    without = []
    for part in query.parts:
        rows = levels[0] | (levels[1] - index.part_rows(part))
        instead = () if not named and part.key in ("version", "variant") else _instead(index, part, rows)
        without.append(WithoutPart(part, len(rows), instead))
    without.sort(key=lambda each: -each.specs)
    return Explanation(tuple(without), tuple(unknown_values(index, query)), tuple(nearest_builds(index, query, limit)))


def listed(values: Sequence[str], most: int = NAMED) -> str:
    """The first few values and how many there are beyond them."""
    shown = ", ".join(values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def nearest_names(name: str, names: Sequence[str], most: int = NEAREST) -> tuple[str, ...]:
    """The names that are most like this one, best first."""
    from rapidfuzz import fuzz, process  # late, as most queries have an answer

    found = [names[match.number] for match in matches(name, names)[:most]] if name else []
    similar = process.extract(name, names, scorer=fuzz.ratio, score_cutoff=_LEAST_SIMILAR, limit=most)
    return tuple(dict.fromkeys(chain(found, (each[0] for each in similar))))[:most]


# Values that no row has


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
            return tuple(_around(value, versions[::-1], sort_key))[NEAREST - 1 :: -1]
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
        return tuple(_around(f"{name}@{version}", own, natural_key))
    names = list(dict.fromkeys(split_compiler(compiler)[0] or compiler for compiler in compilers))
    return nearest_names(name, names)


def _near_targets(index: Index, value: str) -> tuple[str, ...]:
    """The targets of names like it, else those that it can run (or the known target that it is like), nearest first."""
    targets = index.values("target")
    known = [value] if ancestors(value) else nearest_targets(value)
    runs = ancestors(known[0]) or () if known else ()
    below = sorted((target for target in targets if target in runs), key=lambda target: -len(ancestors(target) or ()))
    return nearest_names(value, targets) or tuple(below[:NEAREST])


def _around(wanted: str, values: Sequence[str], key: Callable[[str], Any]) -> list[str]:
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
    return [spec.variants for spec in _distinct_specs(index, rows or (), ["variant"])]


def _tags(index: Index, rows: BitMap) -> tuple[str, ...]:
    return tuple(tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag)))


# Builds that come near


def nearest_builds(index: Index, query: Query, limit: int = 5) -> list[NearestBuild]:
    """Builds that differ from the query in the fewest parts, each with another difference.

    They are of the package that the query names, where it is there, else of those with a name like it.
    Those that the query takes come first. None where a build would have nothing in common with the query.
    """
    parts = query.parts
    if not parts:
        return []
    masks = [index.part_rows(part) for part in parts]
    names = [part for part in parts if isinstance(part, NamePart)]
    base = _named_like(index, names[0]) if names else index.all_rows
    shared = 0 if names else 1
    for level in _levels(base, masks)[: len(parts) + 1 - shared]:
        if level:
            groups = _by_failed(level, parts, masks)
            groups.sort(key=lambda group: sorted(map(_yielding, group[0])))
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


def _levels(rows: BitMap, masks: Sequence[BitMap]) -> list[BitMap]:
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


def _yielding(part: Part) -> int:
    return _YIELDING.index(part.key)


def _distinct_builds(index: Index, rows: BitMap, failed: tuple[Part, ...], limit: int) -> Iterator[NearestBuild]:
    """At most `limit` of the rows, each with another difference: the newest, the same compiler's first."""
    if not failed:
        yield from (NearestBuild(row, ()) for row in islice(_one_a_hash(index, rows), limit))
        return
    found: dict[tuple[Difference, ...], int] = {}
    newest = index.newest_first(islice(rows, LOOKED_AT))
    for row in _distinct_rows(index, newest, [part.key for part in failed]):
        spec = index.spec(row)
        found.setdefault(tuple(Difference(part, _there(part, spec)) for part in failed), row)
    nearest = sorted(found, key=lambda differences: sum(map(_is_foreign, differences)))
    yield from (NearestBuild(found[differences], differences) for differences in nearest[:limit])


def _is_foreign(difference: Difference) -> bool:
    """Whether it is another compiler, not only another version of it."""
    part = difference.part
    return isinstance(part, CompilerPart) and split_compiler(difference.there)[0] != part.name


def _one_a_hash(index: Index, rows: BitMap) -> Iterator[int]:
    seen = set()
    for row in index.newest_first(islice(rows, LOOKED_AT)):
        number = index.columns.hash[row]
        if number not in seen:
            seen.add(number)
            yield row


def _distinct_rows(index: Index, rows: Iterable[int], keys: Iterable[str]) -> Iterator[int]:
    """The first of the rows that are alike in all that parts with these keys ask about."""
    columns = index.columns
    own = {"version": columns.rows["version"], "variant": columns.rows["variants"], "hash": columns.hash}
    read: list[Callable[[int], int]] = [
        own.get(key, columns.rows["profile"]).__getitem__ for key in set(keys) - {"name", "tag"}
    ]
    if not {"name", "tag"}.isdisjoint(keys):
        read.append(index.page)
    seen = set()
    for row in rows:
        known = tuple(column(row) for column in read)
        if known not in seen:
            seen.add(known)
            yield row


def _distinct_specs(index: Index, rows: Iterable[int], keys: Iterable[str]) -> Iterator[Spec]:
    return map(index.spec, _distinct_rows(index, rows, keys))


def _there(part: Part, spec: Spec) -> str:
    """What a build has where the part asks for something else."""
    match part:
        case NamePart():
            return spec.package
        case VersionPart():
            return spec.version or "no version"
        case CompilerPart() | ValuePart(key="compiler"):
            return normal_compiler(spec.compiler)
        case VariantPart():
            own = [variant for variant in spec.variants if read_variant(variant)[0] == part.name]
            return own[0] if own else f"no {part.name}"
        case ValuePart(key="stack"):
            return ",".join(spec.stacks) or "no stack"
        case HashPart():
            return f"/{spec.hash[:7]}" if spec.hash else "no hash"
        case FitsPart():
            return part.host.verdict(spec.platform, spec.os, spec.target).reason
        case _:
            value: str | None = getattr(spec, part.key)
            return value or f"no {part.key}"


def _instead(index: Index, part: Part, rows: BitMap) -> tuple[str, ...]:
    """The distinct values that these rows have where the part asks for another; versions from the newest."""
    match part:
        case NamePart():
            near = nearest_names(part.name, index.packages)
            return tuple(name for name in near if _has_package(index, name, rows) and name != part.name)
        case HashPart():
            return ()
        case VersionPart():
            return tuple(index.versions(rows - index.part_rows(part)))
        case VariantPart() | FitsPart():
            others = _distinct_specs(index, rows - index.part_rows(part), [part.key])
            return tuple(dict.fromkeys(_there(part, spec) for spec in others))
        case _:
            left = rows - index.part_rows(part)
            values = [value for value in index.values(part.key) if left.intersect(index.value_rows(part.key, value))]
            if isinstance(part, CompilerPart):
                own = [value for value in values if split_compiler(value)[0] == part.name]
                first = _around(part.text.removeprefix("%"), own, natural_key)
            else:
                first = [name for word in part.words for name in nearest_names(str(word), values)]
            return tuple(dict.fromkeys([*first, *values]))


def _has_package(index: Index, name: str, rows: BitMap) -> bool:
    number = index.package_number(name)
    return number is not None and rows.intersect(index.package_rows(number))


def _of(name: str, package: str | None) -> str:
    return f"{name} of {package}" if package else name


class LeftOut(Struct, frozen=True):
    """Specs that a query would take if they ran on its host, and why they do not."""

    kind: Kind
    reason: str
    specs: int


def left_out(index: Index, query: Query) -> list[LeftOut]:
    """What does not run on the host of the query (`fits=`), the most frequent reason first; nothing without a host."""
    counts: Counter[tuple[Kind, str]] = Counter()
    for part in query.parts_of("fits"):
        if isinstance(part, FitsPart):
            others = index.rows(query.without_key("fits")) - index.part_rows(part)
            for number, profile in enumerate(index.profiles):
                verdict = part.host.verdict(profile.platform, profile.os, profile.target)
                if verdict.distance is None:
                    specs = others.intersection_cardinality(index.profile_rows([number]))
                    counts[verdict.kind, verdict.reason] += specs
    return [LeftOut(kind, reason, specs) for (kind, reason), specs in counts.most_common() if specs]
