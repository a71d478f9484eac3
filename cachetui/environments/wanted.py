"""The input of a user: specs, hashes, and roots of a `spack.lock` to install."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.environments.rules import NO_RULES, Broken, Rules
from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, HASHES_OVER_BUILD, LINK_RUN, LockRoot
from cachetui.query.query import NEED_GRAPH, Query
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.store.graph import Graph


class Expectation(Struct, frozen=True):
    """One spec that the content should have."""

    text: str
    """The written text of the spec, or one combination of a matrix."""
    query: Query | None
    fault: str = ""
    """The reason why the spec is invalid; empty for a valid spec. `query` of an invalid spec is None."""
    group: str = ""
    """The name of the group of roots that Spack concretizes together."""
    rules: Rules = NO_RULES
    """The rules for the build and all dependencies of the spec."""

    @property
    def package(self) -> str | None:
        """The package name in the spec; None if the spec has only a hash or is invalid."""
        named = self.query.package if self.query else None
        return named.name if named else None

    def rows(self, index: Index, broken: Broken) -> BitMap:
        """Return the builds that match the spec and are not in `broken`."""
        return index.rows(self.query) - broken.rows if self.query else BitMap()

    def broken_rule(self, index: Index, broken: Broken) -> str:
        """Return one rule that a matching build breaks; empty if all matching builds satisfy the rules."""
        rows = index.rows(self.query) & broken.rows if self.query else BitMap()
        return broken.why.get(index.spec(rows[0]).package, "") if rows else ""

    @property
    def required(self) -> tuple[str, ...]:
        """The environment's requirements for the package, as text. They apply in addition to the spec."""
        return tuple(rule.text for rule in self.rules.required_of(self.package or ""))

    @property
    def of_rows(self) -> "Expectation":
        """The expectation without terms that only a dependency graph can answer."""
        if self.query is None or NEED_GRAPH.keys().isdisjoint(term.key for term in self.query.terms):
            return self
        plain = Query(tuple(term for term in self.query.terms if term.key not in NEED_GRAPH))
        return replace(self, text=plain.line, query=plain)


class Expectations(Struct, frozen=True):
    entries: tuple[Expectation, ...]
    """The distinct specs of each group, in the order of the file."""
    notes: tuple[str, ...] = ()
    """Notes for the user about input that was not applied."""

    def answerable(self, *, has_graph: bool) -> "Expectations":
        """Return the expectations with only the terms that the content can answer, and a note about the other terms.

        Content without a dependency graph cannot answer terms about dependencies and compiler flags.
        """
        entries = self.entries if has_graph else [entry.of_rows for entry in self.entries]
        named = sum(plain is not entry for plain, entry in zip(entries, self.entries, strict=True))
        if not named:
            return self
        what = f"{plural(named, 'spec')} {'names' if named == 1 else 'name'} dependencies (^) or compiler flags"
        note = f"{what}, which are not compared, because the content does not record them"
        found = {(each.group, each.text): each for each in entries}
        return Expectations(tuple(found.values()), (*self.notes, note))

    @property
    def packages(self) -> frozenset[str]:
        return frozenset(entry.package for entry in self.entries if entry.package)


class Lock(Struct, frozen=True):
    version: int
    """The version of the lock format, 1 to 8."""
    roots: tuple[LockRoot, ...]
    """The roots in the order of the file. The roots of included environments are last."""
    graph: Graph
    notes: tuple[str, ...] = ()
    own: int = 0
    """The number of roots that do not come from included environments."""

    @property
    def hashed_types(self) -> frozenset[str]:
        """The types of dependencies that are part of a hash."""
        return ALL_TYPES if self.version >= HASHES_OVER_BUILD else LINK_RUN


class Asked(Struct, frozen=True):
    """One entry to install: a hash, a root of a lock, or a spec."""

    text: str
    """The text that the user wrote."""
    hash: str | None = None
    """The hash or its beginning; None for a spec."""
    lock: Lock | None = None
    """The lock that has the hash as a root; None for other entries."""
    group: str = ""
    """The name of the group of roots in an environment; empty for other entries."""
    expectation: Expectation | None = None
    """The spec; None for a hash."""
    unified: tuple[str, str] | None = None
    """The value of `unify`, and a name for the roots that must share builds; None if builds may differ."""


NamedT = TypeVar("NamedT", bound=Expectation | Asked)


def with_group_names(entries: Sequence[NamedT]) -> tuple[NamedT, ...]:
    """Return the entries. If a string occurs in several groups, the name of the group is added to it."""
    groups = grouped((each.text, each.group) for each in entries)
    several = {text for text, own in groups.items() if len({*own}) > 1}
    return tuple(
        replace(each, text=f"{each.text} (group {each.group})") if each.group and each.text in several else each
        for each in entries
    )


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """The entries in the given order."""
    notes: tuple[str, ...] = ()
    """Notes for the user about input that was not applied."""
    unapplied: tuple[str, ...] = ()
    """Notes for the user about input that was not applied and could change the verdict."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The distinct locks of all entries."""
        return tuple({id(each.lock): each.lock for each in self.asked if each.lock is not None}.values())
