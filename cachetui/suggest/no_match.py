"""What a query matches nothing with: the values that nothing has, with the nearest; each filter, with the count without
it; its host, with what runs there.

The phrases quote the query and the catalogue, so escape them before they are shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import and_
from typing import NamedTuple

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.edit_distance import NEAREST, nearest_compilers, nearest_names, nearest_versions
from cachetui.model.facets import VALUE_KEYS
from cachetui.model.host import FitKind
from cachetui.query.parts.dependencies import DependencyPart
from cachetui.query.parts.facets import ValuePart
from cachetui.query.parts.names import HashPart, NamePart, VersionPart
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.safe_text import listed
from cachetui.search.dependencies import dependency_names, nodes_named
from cachetui.search.fits import fit_rows
from cachetui.search.hashes import lookup
from cachetui.search.index import Index
from cachetui.search.row_values import tags_of, variant_counts, versions_of

MOST_NEAREST = 50
"""Most values for which the nearest are looked for."""


class NoMatch(Struct, frozen=True):
    """A value of a query that no spec has: none at all, or none in the tags that the query asks for."""

    text: str
    """The query for this value alone, with the package of a version or a variant."""
    nearest: tuple[str, ...]
    """The nearest values that there are, best first."""
    part: Part
    """The part of the query that names it."""
    tags: tuple[str, ...] = ()
    """The tags that have it, where it is missing only in those asked for."""

    @property
    def phrase(self) -> str:
        if self.tags:
            return f"{self.text} matches nothing in this tag: it is in {listed(self.tags)}"
        return f"{self.text} matches nothing" + (f"; nearest: {', '.join(self.nearest)}" if self.nearest else "")


def unmatched(index: Index, query: Query) -> list[NoMatch]:
    """Return the values of a query that no spec has, in the order of its parts.

    Versions and variants are looked for in its package, and only where that is there.
    """
    package = query.package
    has_package = package is None or bool(index.part_rows(package))
    scope = index.scope(query)
    found: list[NoMatch] = []
    for part in query.parts:
        is_of_package = package is not None and part.key in ("version", "variant", "flag")
        if is_of_package and not has_package:
            continue
        for value in _values(index, part):
            alone = Query((package, value) if package and is_of_package else (value,))
            rows = index.rows(alone)
            if not rows:
                nearest = nearest_values(index, value, package) if len(found) < MOST_NEAREST else ()
                found.append(NoMatch(alone.line, nearest, part))
            elif scope and part.key != "tag" and rows.isdisjoint(scope):
                found.append(NoMatch(alone.line, (), part, tuple(tags_of(index, rows))))
    return found


def _values(index: Index, part: Part) -> Sequence[Part]:
    """Return the parts for each value of a list, of those to leave out for each that is not there; else the part."""
    if not isinstance(part, ValuePart):
        return [part]
    words = [word for word in part.words if isinstance(word, str) and word]
    if part.excluded:
        words = part.unknown_words(index.values(part.key))
    return [ValuePart.of(part.key, [word]) for word in words] or [part]


def nearest_values(index: Index, part: Part, package: NamePart | None) -> tuple[str, ...]:
    """Return the values that come nearest to the one of a part that matches nothing."""
    match part:
        case NamePart():
            return nearest_names(part.name, index.packages)
        case HashPart():
            return tuple(match.hash for match in lookup(index.columns.hashes, part.prefix, NEAREST))
        case DependencyPart():
            return _nearest_dependencies(index, part)
        case ValuePart(excluded=True):
            return ()  # what it leaves out is there
        case ValuePart() if part.key != "compiler":
            # `no` is a value of `complete` even where every spec is complete
            others = [value for value in index.values(part.key) if not part.holds(value)]
            return nearest_names(str(part.words[0]), others)
    if part.key == "compiler":
        return nearest_compilers(re.sub("^(%|compiler=)", "", part.text), index.values("compiler"))
    rows = index.part_rows(package) if package else index.all_rows
    if isinstance(part, VersionPart):
        return nearest_versions(_first_version(part), versions_of(index, rows)) if package else ()
    if part.key not in ("variant", "flag"):
        return ()
    variants = variant_counts(index, rows) if package else index.variants
    values = (f"{key}={value}" for key in VALUE_KEYS for value in index.values(key))  # the key may be misspelt
    return nearest_names(part.text, [*variants, *values])


def _first_version(part: VersionPart) -> str:
    return next(iter(re.findall("[^=:,]+", str(part.versions))), "")


def _nearest_dependencies(index: Index, part: DependencyPart) -> tuple[str, ...]:
    """Return the names like that of an unknown dependency, or the nearest versions of a known one."""
    if part.asks_for_compiler and part.as_compiler:
        wanted = part.as_compiler.text.removeprefix("%")
        return tuple(each for each in nearest_compilers(wanted, index.values("compiler")) if each != wanted)
    versions = [each for each in part.parts if isinstance(each, VersionPart)]
    there = {node.version for node in nodes_named(index, part.name)}
    if there:
        return nearest_versions(_first_version(versions[0]), [*there]) if versions else ()
    return tuple(each for each in nearest_names(part.name, dependency_names(index)) if each != part.name)


class WithoutPart(NamedTuple):
    """A query without one of its parts."""

    text: str
    """The part, as it was typed."""
    specs: int
    """How many specs the others take."""
    query: Query
    """The others."""


def without_each(index: Index, query: Query) -> list[WithoutPart]:
    """Return each part of a query with what the others take, the part that holds back most first."""
    masks = [reduce(and_, map(index.part_rows, group)) for group in query.spelled.values()]
    before = accumulate(masks, and_, initial=index.all_rows)
    behind = [*accumulate(reversed(masks), and_, initial=index.all_rows)]
    found = []
    for (text, group), rows, others in zip(query.spelled.items(), before, behind[-2::-1], strict=False):
        rest = reduce(Query.without, group, query)
        found.append(WithoutPart(text, index.counter(rest)(rows & others), rest))
    return sorted(found, key=lambda each: -each.specs)


class LeftOut(NamedTuple):
    """Specs that a query would take if they ran on its host."""

    kind: FitKind
    reason: str
    specs: int


class HostFit(Struct, frozen=True):
    """What becomes on the host of a query of the specs that it would take without."""

    host: str
    """As the query spells it."""
    certain: int
    """Specs that run there."""
    uncertain: int
    """Specs of which the target runs there, and it is not known whether the libc or the release of the os does."""
    doubt: str
    """What is not known of most of the uncertain ones."""
    left_out: tuple[LeftOut, ...]
    """The most frequent reason first."""

    @property
    def counts(self) -> str:
        """How many run, and how many may."""
        may = f", {self.uncertain:,} may ({self.doubt})" if self.uncertain else ""
        return f"{self.certain:,} {'runs' if self.certain == 1 else 'run'} on {self.host}{may}"

    def reasons(self, *kinds: FitKind) -> str:
        """Return what is left out for these kinds of reasons, for any where none is given; may be empty."""
        texts = [f"{each.reason} ({each.specs:,})" for each in self.left_out if not kinds or each.kind in kinds]
        return f"left out: {listed(texts)}" if texts else ""


def host_fit(index: Index, query: Query, among: BitMap | None = None) -> HostFit | None:
    """Return what becomes of specs on the host of a query, of all or of those in some rows; None without a host."""
    part = query.fits
    if part is None:
        return None
    others = query.without_key(part.key)
    taken, count = index.rows(others), index.counter(others)
    taken = taken if among is None else taken & among
    certain, doubts = 0, Counter[str]()
    reasons: Counter[tuple[FitKind, str]] = Counter()
    for fit, rows in fit_rows(index, part.host):
        specs = count(taken & rows)
        if not specs:
            continue
        if fit.distance is None:
            reasons[fit.kind, fit.reason] += specs
        elif fit.is_certain:
            certain += specs
        else:
            doubts[fit.libc_note] += specs
    left_out = [LeftOut(kind, reason, specs) for (kind, reason), specs in reasons.items()]
    left_out.sort(key=lambda each: (-each.specs, each.reason))
    doubt = max(doubts, key=lambda note: (doubts[note], note), default="")
    return HostFit(part.host.name, certain, doubts.total(), doubt, tuple(left_out))
