"""The specs that a user wants installed: hashes, roots of a `spack.lock`, specs."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.environments.rules import NO_RULES, Broken, Rules
from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, HASHES_OVER_BUILD, LINK_RUN, LockRoot
from cachetui.query.parser import NEED_GRAPH
from cachetui.query.query import Query
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.store.graph import Graph


class Expectation(Struct, frozen=True):
    """One spec that should be there."""

    text: str
    """The spec as it is written; for a matrix one combination."""
    query: Query | None
    fault: str = ""
    """The reason why the query is missing; empty with a query."""
    group: str = ""
    """The set of roots that it belongs to, which Spack concretizes together."""
    rules: Rules = NO_RULES
    """The rules for its build and all dependencies."""

    @property
    def package(self) -> str | None:
        """The package that the spec names; None for a spec that has no query."""
        named = self.query.package if self.query else None
        return named.name if named else None

    def rows(self, index: Index, broken: Broken) -> BitMap:
        """Return the builds that match the spec and break no rule by themselves."""
        return index.rows(self.query) - broken.rows if self.query else BitMap()

    def broken_rule(self, index: Index, broken: Broken) -> str:
        """Return a rule that the builds of the spec break; empty if all builds, or an empty list, satisfy the rules."""
        rows = index.rows(self.query) & broken.rows if self.query else BitMap()
        return broken.why.get(index.spec(rows[0]).package, "") if rows else ""

    @property
    def required(self) -> tuple[str, ...]:
        """The requirements of the environment for its package beyond the spec itself, as text."""
        return self.rules.required_of(self.package or "")

    @property
    def of_rows(self) -> "Expectation":
        """The same without what only a dependency graph can answer."""
        if self.query is None or NEED_GRAPH.keys().isdisjoint(part.key for part in self.query.parts):
            return self
        plain = Query(tuple(part for part in self.query.parts if part.key not in NEED_GRAPH))
        return replace(self, text=plain.line, query=plain)


class Expectations(Struct, frozen=True):
    entries: tuple[Expectation, ...]
    """In the order of the file, each once in its group."""
    notes: tuple[str, ...] = ()
    """The input that was not applied, for the user."""

    def answerable(self, *, has_graph: bool) -> "Expectations":
        """Return the comparable terms: a content without a dependency graph has only its own, and adds a note."""
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
    """The version of the format, 1 to 8."""
    roots: tuple[LockRoot, ...]
    """In the order of the file."""
    graph: Graph
    notes: tuple[str, ...] = ()
    own: int = 0
    """How many of the roots, the first, are not of environments that it includes."""

    @property
    def hashed_types(self) -> frozenset[str]:
        """The types of dependencies that are part of a hash."""
        return ALL_TYPES if self.version >= HASHES_OVER_BUILD else LINK_RUN


class Asked(Struct, frozen=True):
    """One thing to install: either a hash, perhaps the root of a lock, or a spec."""

    text: str
    """As the user wrote it."""
    hash: str | None = None
    """The hash or the beginning of one."""
    lock: Lock | None = None
    """The lock that the hash is a root of."""
    group: str = ""
    """The set of roots that it belongs to; empty outside of an environment."""
    expectation: Expectation | None = None
    """The spec to find a build for."""
    unified: tuple[str, str] | None = None
    """The value of `unify`, and the set of roots that share one build of each package; None outside a set."""


NamedT = TypeVar("NamedT", bound=Expectation | Asked)


def told_apart(entries: Sequence[NamedT]) -> tuple[NamedT, ...]:
    """Return the entries; if a text occurs in several groups, each such text names its group."""
    groups = grouped((each.text, each.group) for each in entries)
    several = {text for text, own in groups.items() if len({*own}) > 1}
    return tuple(
        replace(each, text=f"{each.text} (group {each.group})") if each.group and each.text in several else each
        for each in entries
    )


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """In the given order."""
    notes: tuple[str, ...] = ()
    """The input that was not applied, for the user."""
    unapplied: tuple[str, ...] = ()
    """The input that was not applied and could change the verdict."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The locks among them, each once."""
        return tuple({id(each.lock): each.lock for each in self.asked if each.lock is not None}.values())
