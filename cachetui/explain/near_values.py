"""What there is that comes nearest to a value of a query that no row has.

Input: an index, the part that names the value, and what is left of the catalogue beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from itertools import chain, takewhile
from typing import Any, TypeAlias

from cachetui.explain.named_package import NamedPackage
from cachetui.model.facets import VALUE_KEYS
from cachetui.model.likeness import NEAREST, nearest_names, slips
from cachetui.model.spec import natural_key, split_compiler
from cachetui.model.targets import ancestors, nearest_targets
from cachetui.model.version import sort_key
from cachetui.query.parts.part import Part
from cachetui.query.values import read_variant
from cachetui.search.dependencies import dependency_names
from cachetui.search.hashes import near as near_hashes
from cachetui.search.index import Index

SHORTEST_NAME = 3
"""Letters of a package from which on it is looked for in a name that is two in one."""

Split: TypeAlias = Callable[[], tuple[list[str], list[str]]]
"""Gives the values of a part's facet that the rest of the query leaves, and the others."""

_SEPARATORS = re.compile(r"[@._-]")
"""What stands between the numbers of a version."""

_NAME_VERSION = re.compile(r"(?P<name>[a-z][a-z-]*?)-?(?P<version>[0-9][0-9.]*)")
"""A compiler with its version, without the `@` between them: `gcc11`, `gcc-11.4`."""


def near_values(index: Index, part: Part, value: str, package: NamedPackage | None, left: Split) -> tuple[str, ...]:
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
            return _near_variants(read_variant(value)[0], package.variants if package else ())
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


def _near_variants(name: str, variants: Collection[str]) -> tuple[str, ...]:
    """Variants of names like this one; none where there is one that is called so."""
    names = sorted({read_variant(variant)[0] for variant in variants})
    return () if name in names else nearest_names(name, names)
