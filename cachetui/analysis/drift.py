"""Drift: what changed between two tags, compared by signature, since a rebuild changes every hash and nothing else.

A signature is what a page says of a binary but its hash and stacks, in normal spellings; builds of one signature
are a multiset, each hash once in a tag. Every build of a tag is unchanged, rebuilt, of a package that came or went,
or in one change (and beside that perhaps in other stacks). Input: an index, two of its tags and a query.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.spec import ROOT, natural_key, normal_compiler, normal_variant, split_compiler
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.search.index import Index

Kind = Literal["version", "target", "os", "compiler", "variants", "removed", "added", "count", "stacks"]

KINDS: tuple[Kind, ...] = ("version", "target", "os", "compiler", "variants", "removed", "added", "count", "stacks")
"""In the order in which the changes of a package stand."""

Comparison = Literal["signature", "hash"]


class Signature(NamedTuple):
    """What must be equal for a build to be the same one again."""

    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    """Sorted."""

    @property
    def text(self) -> str:
        """What it is without its variants, in Spack's syntax."""
        version = f"@{self.version} " if self.version else ""
        return f"{version}%{self.compiler} arch={self.platform or None}-{self.os or None}-{self.target or None}"


Paired = Literal["version", "target", "os", "compiler", "variants"]

_PAIRED: tuple[Paired, ...] = ("version", "target", "os", "compiler", "variants")
"""The fields in which alone two signatures may differ to be one build that changed, tried in this order."""


@dataclass(frozen=True, slots=True)
class Change:
    """The builds of one package that changed in one way."""

    package: str
    kind: Kind
    old: str | int | None
    """The value before; for `count` the builds of one signature, for `stacks` those that are left; None for nothing."""
    new: str | int | None
    specs: int
    """How many builds it concerns; for `count` how many more or fewer, in all signatures that have these two counts."""
    old_rows: tuple[int, ...] = field(default=(), repr=False)
    new_rows: tuple[int, ...] = field(default=(), repr=False)

    @property
    def is_rise(self) -> bool | None:
        """Whether a version or a count went up; None for any other kind."""
        if isinstance(self.old, int) and isinstance(self.new, int):
            return self.new > self.old
        if self.kind == "version":
            return sort_key(str(self.new or "")) > sort_key(str(self.old or ""))
        return None


class Drift(Struct, frozen=True):
    query: Query
    old: str
    new: str
    packages_gone: tuple[str, ...]
    packages_new: tuple[str, ...]
    changes: tuple[Change, ...]
    """By package, then in the order of the kinds."""
    stacks_gained: tuple[str, ...]
    """Stacks but `root` in which only the new tag has a spec that the query takes; no change tells of them again."""
    stacks_lost: tuple[str, ...]
    stacks_absent: tuple[str, ...]
    """Those of them, and of the stacks that the query names, that one of the tags does not have at all."""
    unchanged: int
    """Builds with an equal hash."""
    rebuilt: int
    """Builds with an equal signature and another hash."""

    def __bool__(self) -> bool:
        """Whether anything but the hashes changed."""
        return bool(self.packages_gone or self.packages_new or self.changes or self.stacks_gained or self.stacks_lost)


def drift(index: Index, old: str, new: str, query: Query | None = None, *, by: Comparison = "signature") -> Drift:
    """What changed from the old tag to the new one among the specs that the query takes.

    Compared by hash, a change is one build that came, went or stands in other stacks.
    """
    query = query or Query()
    taken = index.rows(query)
    rows = tuple(taken & index.value_rows("tag", tag) for tag in (old, new))
    stacks = tuple(_stacks(index, each) for each in rows)
    gained, lost = stacks[1] - stacks[0], stacks[0] - stacks[1]
    builds = _Builds(index, by)
    comparison = _Comparison(builds, gained | lost)
    gone, came = [], []
    for number, package in enumerate(index.packages):
        span = index.package_rows(number)
        before, after = (each & span for each in rows)
        if before and after:
            comparison.compare(package, builds.by_key(before), builds.by_key(after))
        elif before:
            gone.append(package)
        elif after:
            came.append(package)
    named = query.ticked("stack", index.values("stack")) | query.excluded("stack", index.values("stack"))
    return Drift(
        query=query,
        old=old,
        new=new,
        packages_gone=tuple(gone),
        packages_new=tuple(came),
        changes=tuple(comparison.changes()),
        stacks_gained=_sorted(gained - {ROOT}),
        stacks_lost=_sorted(lost - {ROOT}),
        stacks_absent=_sorted(
            stack
            for stack in (gained | lost) - {ROOT} | named
            if not all(_has_stack(index, tag, stack) for tag in (old, new))
        ),
        unchanged=comparison.unchanged,
        rebuilt=comparison.rebuilt,
    )


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))


def _stacks(index: Index, rows: BitMap) -> frozenset[str]:
    return frozenset(stack for stack in index.values("stack") if rows.intersect(index.value_rows("stack", stack)))


def _has_stack(index: Index, tag: str, stack: str) -> bool:
    return index.value_rows("tag", tag).intersect(index.value_rows("stack", stack))


Rows = dict[int, int]
"""Builds: for each distinct hash (a row without one is a hash of its own) the first row that has it."""


class _Builds:
    """Groups rows by what they are compared by."""

    def __init__(self, index: Index, by: Comparison) -> None:
        self.index = index
        self.by = by
        columns = index.columns
        self._columns = tuple(columns.rows[name] for name in ("version", "profile", "variants"))
        self._hash = columns.hash
        self._nameless = 0 if len(columns.hashes) and not columns.hashes.raw(0) else None
        self._signatures: dict[tuple[int, int, int], Signature] = {}
        self._variants: dict[int, tuple[str, ...]] = {}

    def by_key(self, rows: Iterable[int]) -> dict[Any, Rows]:
        """The builds of each signature; of each hash where that is what is compared."""
        found: dict[Any, Rows] = {}
        for row in rows:
            number = self._hash[row]
            build = number if number != self._nameless else -1 - row
            key = self.signature(row) if self.by == "signature" else build
            found.setdefault(key, {}).setdefault(build, row)
        return found

    def signature(self, row: int) -> Signature:
        version, profile, variants = self._columns
        numbers = version[row], profile[row], variants[row]
        found = self._signatures.get(numbers)
        if found is None:
            found = self._signatures[numbers] = self._read(*numbers)
        return found

    def _read(self, version: int, profile: int, variants: int) -> Signature:
        said = self.index.profiles[profile]
        return Signature(
            self.index.columns.tables["version"][version],
            normal_compiler(said.compiler),
            said.os or "",
            said.platform or "",
            said.target or "",
            self._normal_variants(variants),
        )

    def _normal_variants(self, number: int) -> tuple[str, ...]:
        found = self._variants.get(number)
        if found is None:
            texts = msgspec.json.decode(self.index.columns.tables["variants"].raw(number), type=list[str])
            found = self._variants[number] = tuple(sorted(map(normal_variant, texts)))
        return found

    def stacks(self, rows: Iterable[int]) -> frozenset[str]:
        profile, profiles = self._columns[1], self.index.profiles
        return frozenset(stack for number in {profile[row] for row in rows} for stack in profiles[number].stacks)

    def text(self, row: int) -> str:
        """What a build is called where it came or went: its signature, or the hash where that is compared."""
        if self.by == "signature":
            return self.signature(row).text
        return self.index.columns.hashes[self._hash[row]] or f"no hash: {self.signature(row).text}"


class _Comparison:
    """Gathers what changed, package by package."""

    def __init__(self, builds: _Builds, whole_stacks: frozenset[str]) -> None:
        self._builds = builds
        self._whole_stacks = whole_stacks
        self._changes: dict[tuple[str, Kind, str | None, str | None], tuple[list[int], list[int]]] = {}
        self._counts: dict[tuple[str, int, int], tuple[list[int], list[int]]] = {}
        self.unchanged = 0
        self.rebuilt = 0

    def compare(self, package: str, old: dict[Any, Rows], new: dict[Any, Rows]) -> None:
        for key in old.keys() & new.keys():
            self._compare_same(package, old[key], new[key])
        gone = {key: list(rows.values()) for key, rows in old.items() if key not in new}
        came = {key: list(rows.values()) for key, rows in new.items() if key not in old}
        if self._builds.by == "signature":
            for name in _PAIRED:
                self._pair(package, name, gone, came)
        for row in (row for rows in gone.values() for row in rows):
            self._add(package, "removed", self._builds.text(row), None, [row], [])
        for row in (row for rows in came.values() for row in rows):
            self._add(package, "added", None, self._builds.text(row), [], [row])

    def _compare_same(self, package: str, old: Rows, new: Rows) -> None:
        same = len(old.keys() & new.keys())
        self.unchanged += same
        self.rebuilt += min(len(old), len(new)) - same
        before, after = list(old.values()), list(new.values())
        if len(old) != len(new):
            counted = self._counts.setdefault((package, len(old), len(new)), ([], []))
            counted[0].extend(before)
            counted[1].extend(after)
        was, is_now = (self._builds.stacks(rows) - self._whole_stacks for rows in (before, after))
        if was != is_now:
            self._add(package, "stacks", _listed(was - is_now), _listed(is_now - was), before, after)

    def _pair(
        self, package: str, name: Paired, gone: dict[Signature, list[int]], came: dict[Signature, list[int]]
    ) -> None:
        """Takes out, as builds that changed, what differs in this field alone; what differs least first."""
        like = _by_rest(name, came)
        for rest, olds in _by_rest(name, gone).items():
            for old, new in sorted(product(olds, like.get(rest, ())), key=lambda pair: _distance(name, *pair)):
                pairs = min(len(gone[old]), len(came[new]))
                if pairs:
                    self._add(package, name, *_values(name, old, new), gone[old][:pairs], came[new][:pairs])
                    del gone[old][:pairs], came[new][:pairs]

    def _add(
        self, package: str, kind: Kind, old: str | None, new: str | None, old_rows: list[int], new_rows: list[int]
    ) -> None:
        rows = self._changes.setdefault((package, kind, old, new), ([], []))
        rows[0].extend(old_rows)
        rows[1].extend(new_rows)

    def changes(self) -> list[Change]:
        """All of them, in their order."""
        found = []
        for (package, kind, before, after), (old, new) in self._changes.items():
            specs = max(len(old), len(new)) if kind != "stacks" else min(len(old), len(new))
            found.append(Change(package, kind, before, after, specs, tuple(old), tuple(new)))
        for (package, was, now), (old, new) in self._counts.items():
            found.append(Change(package, "count", was, now, abs(len(new) - len(old)), tuple(old), tuple(new)))
        return sorted(found, key=_change_key)


def _by_rest(name: Paired, builds: Iterable[Signature]) -> dict[tuple[object, ...], list[Signature]]:
    """The signatures, in order, by what they are without one field."""
    left_out = Signature._fields.index(name)
    found: dict[tuple[object, ...], list[Signature]] = {}
    for signature in sorted(builds, key=lambda each: _order(name, each), reverse=name == "version"):
        found.setdefault((*signature[:left_out], *signature[left_out + 1 :]), []).append(signature)
    return found


def _order(name: Paired, signature: Signature) -> Any:
    value = getattr(signature, name)
    if name == "version":
        return sort_key(value)
    return value if name == "variants" else natural_key(value)


def _distance(name: Paired, old: Signature, new: Signature) -> int:
    if name == "variants":
        return len(set(old.variants) ^ set(new.variants))
    return int(name == "compiler" and split_compiler(old.compiler)[0] != split_compiler(new.compiler)[0])


def _values(name: Paired, old: Signature, new: Signature) -> tuple[str | None, str | None]:
    """The two values; of the variants those alone that are not in both."""
    if name == "variants":
        return _listed(set(old.variants) - set(new.variants), " "), _listed(set(new.variants) - set(old.variants), " ")
    return getattr(old, name) or None, getattr(new, name) or None


def _listed(texts: Iterable[str], between: str = ",") -> str | None:
    return between.join(sorted(texts, key=natural_key)) or None


def _change_key(change: Change) -> tuple[Any, ...]:
    old, new = str(change.old or ""), str(change.new or "")
    return change.package, KINDS.index(change.kind), natural_key(old), natural_key(new), old, new
