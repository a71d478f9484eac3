"""What a user wants installed: hashes, roots of a `spack.lock`, specs."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.dependency import ALL_TYPES, HASHES_OVER_BUILD, LINK_RUN
from cachetui.model.spec import NO_COMPILER
from cachetui.query.parser import NEED_GRAPH
from cachetui.query.parts.facets import CompilerPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.tokens import ANY
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.store.graph import Graph


class Expectation(Struct, frozen=True):
    """One spec that should be there."""

    text: str
    """The spec as it is written; of a matrix one combination."""
    query: Query | None
    fault: str = ""
    """Why there is no query; empty where there is one."""
    alternatives: tuple[Query, ...] = ()
    """The query with what the environment requires; where that is a choice (`one_of`), one for each."""
    required: tuple[str, ...] = ()
    """What the environment requires beyond the spec itself, as text."""
    from_default: bool = False
    """Whether that is the requirement of `all`, and not of the package itself."""

    @property
    def package(self) -> str | None:
        """The package that the spec names; None without a query."""
        named = self.query.package if self.query else None
        return named.name if named else None

    def queries(self, index: Index) -> list[Query]:
        """Return queries one of which a build has to match: the alternatives, without what the package cannot have.

        As in Spack a requirement of `all` does not ask for a variant that the package does not have, and none asks for
        a compiler where no build of the package has one.
        """
        if self.query is None or self.query.package is None:
            return []
        given, own = self.query.parts, index.part_rows(self.query.package)

        def is_foreign(part: Part) -> bool:
            if isinstance(part, VariantPart):
                return self.from_default and not own.intersect(index.part_rows(VariantPart(part.name, ANY)))
            return isinstance(part, CompilerPart) and own.issubset(index.part_rows(CompilerPart(NO_COMPILER)))

        return [Query(tuple(p for p in each.parts if p in given or not is_foreign(p))) for each in self.alternatives]

    @property
    def of_rows(self) -> Expectation:
        """The same without what only a dependency graph can answer."""
        if self.query is None:
            return self
        plain = _of_rows(self.query)
        return replace(self, text=plain.line, query=plain, alternatives=tuple(map(_of_rows, self.alternatives)))


class Expectations(Struct, frozen=True):
    entries: tuple[Expectation, ...]
    """In the order of the file, each once."""
    notes: tuple[str, ...]
    """What was not applied, for the user."""

    def answerable(self, *, has_graph: bool) -> Expectations:
        """Return what can be compared: without a dependency graph nothing about dependencies or flags, with a note."""
        entries = self.entries if has_graph else [entry.of_rows for entry in self.entries]
        named = sum(plain != entry for plain, entry in zip(entries, self.entries, strict=True))
        if not named:
            return self
        what = f"{plural(named, 'spec')} {'names' if named == 1 else 'name'} dependencies (^) or compiler flags"
        note = f"{what}: not compared, the catalogue does not hold them"
        return Expectations(tuple({each.text: each for each in entries}.values()), (*self.notes, note))

    @property
    def packages(self) -> frozenset[str]:
        return frozenset(entry.package for entry in self.entries if entry.package)


class Lock(Struct, frozen=True):
    version: int
    """Of the format, 1 to 8."""
    roots: tuple[tuple[str, str], ...]
    """Of each root, in the order of the file, the hash that build caches know, and the spec as the user wrote it."""
    graph: Graph
    notes: tuple[str, ...] = ()

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
    expectation: Expectation | None = None
    """The spec to find a build for."""


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """In the order in which they were named."""
    notes: tuple[str, ...] = ()
    """What was not applied, for the user."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The locks among them, each once."""
        return tuple({id(each.lock): each.lock for each in self.asked if each.lock is not None}.values())


def _of_rows(query: Query) -> Query:
    """Return the query without what only a dependency graph can answer."""
    return Query(tuple(part for part in query.parts if part.key not in NEED_GRAPH))
