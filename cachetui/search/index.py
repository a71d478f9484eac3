"""The index: which rows a query takes, and how many there would be with each value of each facet.

A row stands for one binary in one tag. It reads columns and never changes; bitmaps of values and of query parts
are kept once they are worked out. What the five facets say of a row is one number, its profile, so a facet is
resolved on the few hundred distinct profiles; versions and variants likewise on their distinct values.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pyroaring import BitMap

from cachetui.model.facets import FACETS, Profile, decoded_profile
from cachetui.model.problem import Problem
from cachetui.model.spec import Spec, first_of_tags
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.resolve import NARROWED, narrowed, resolved
from cachetui.search.value_counts import ValueCounts, profiles_by_value
from cachetui.store.arrays import Once
from cachetui.store.columns import Columns
from cachetui.store.graph import Graph
from cachetui.store.strings import decode_variants, encoded

if TYPE_CHECKING:
    from cachetui.model.libc import Libc
    from cachetui.search.distinct import DistinctHashes
    from cachetui.search.names import NameMatch

PARTS_KEPT, QUERIES_KEPT = 200, 50
"""Most query parts, and whole queries, whose rows are kept; then all are forgotten."""


class Index:
    """Every row of a catalogue, ready to be asked."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._part_rows: dict[Part, BitMap] = {}
        self._query_rows: dict[Query, BitMap] = {}
        self._value_rows: dict[tuple[str, str], BitMap] = {}
        profiles = columns.tables["profile"]
        self._decoded_profiles: Once[int, Profile] = Once(lambda number: decoded_profile(profiles[number]))
        self._starts: Once[int, int] = Once(lambda k: columns.page_start[bisect_left(columns.page_package, k)])
        self._lists: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self.columns)

    # What there is

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The names of all packages, sorted."""
        return tuple(self.columns.packages)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """All tags in their true order."""
        return tuple(self.columns.tags)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the pages, by path and line."""
        found = [*self.columns.problems, *self.columns.duplicate_problems()]
        return tuple(sorted(found, key=lambda problem: (problem.path, problem.line or 0)))

    @property
    def default_tag(self) -> str | None:
        """The tag to look at first: develop, else the newest snapshot, else the newest release, else None for all."""
        return first_of_tags(self.tags)

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        return tuple(map(self.profile, range(len(self.columns.tables["profile"]))))

    def profile(self, number: int) -> Profile:
        """The profile of this number; a command decodes those alone that it shows."""
        return self._decoded_profiles[number]

    @cached_property
    def profiles_of(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """For each facet and value the numbers of the profiles that have it."""
        return profiles_by_value(self)

    def values(self, facet: str) -> tuple[str, ...]:
        """All values of a facet in natural order, `root` last; of `tag` the tags."""
        if facet == "tag":
            return self.tags
        if facet not in self._lists:
            self._lists[facet] = tuple(FACETS[facet].ordered(self.profiles_of[facet]))
        return self._lists[facet]

    # Rows of a package, of a value, of a hash

    @cached_property
    def all_rows(self) -> BitMap:
        rows = BitMap()
        rows.add_range(0, len(self))
        return rows

    @cached_property
    def package_starts(self) -> tuple[int, ...]:
        """The first row of each package, then the number of all rows."""
        return tuple(self._starts.of(range(len(self.columns.packages) + 1)))

    def package_number(self, name: str) -> int | None:
        """The number of the package of exactly this name."""
        table = self.columns.packages
        at = table.bisect(name.encode("utf-8", "surrogatepass"))
        return at if at < len(table) and table[at] == name else None

    def package_rows(self, number: int) -> BitMap:
        return _span(self._starts[number], self._starts[number + 1])

    def value_rows(self, facet: str, value: str) -> BitMap:
        """The rows with this value of a facet, or of `tag`; none for a value that no row has."""
        found = self._value_rows.get((facet, value))
        if found is None:
            found = (
                self.tag_rows((value,)) if facet == "tag" else self.profile_rows(self.profiles_of[facet].get(value, ()))
            )
            self._value_rows[facet, value] = found
        return found

    def hash_rows(self, number: int) -> Sequence[int]:
        """The rows that have this hash, one a tag as a rule."""
        return self.columns.posting("hash")[number]

    @property
    def graph(self) -> Graph:
        """The dependencies; falsy where the content records none."""
        return self.columns.graph

    @cached_property
    def incomplete_rows(self) -> BitMap:
        """The rows of binaries that need something of which there is no binary; none without a graph."""
        if not self.graph:
            return BitMap()
        from cachetui.search.completeness import incomplete_rows  # late, as few queries ask that

        return incomplete_rows(self)

    def rows_of(self, spec_hash: str) -> Sequence[int]:
        """The rows of this whole hash; none for a node of the graph whose binary is not here."""
        number, there = self.columns.hashes.place(encoded(spec_hash))
        return self.hash_rows(number) if there and spec_hash else ()

    @cached_property
    def libc_rows(self) -> Mapping[Libc, BitMap]:
        """For each C library that the dependency graph records the rows that were built with it."""
        from cachetui.search.fits import libc_rows  # late, as few queries name a host

        return libc_rows(self)

    def profile_rows(self, profiles: Iterable[int]) -> BitMap:
        """The rows of these profiles, by their numbers."""
        return BitMap.union(BitMap(), *map(self._rows_of_profiles.__getitem__, profiles))

    @property
    def has_value_rows(self) -> bool:
        """Whether the rows of the values of facets are at hand, as somebody has filtered by one."""
        return "_rows_of_profiles" in vars(self)

    @cached_property
    def _rows_of_profiles(self) -> Sequence[BitMap]:
        postings = self.columns.posting("profile")
        return [BitMap(array("I", postings[number].tobytes())) for number in range(len(self.profiles))]

    def tag_rows(self, tags: Iterable[str]) -> BitMap:
        """The rows of these tags, as far as they are there."""
        rows, start = BitMap(), self.columns.page_start
        pages = self.columns.posting("page_tag")
        for tag in tags:
            if tag in self.tags:
                for page in pages[self.tags.index(tag)]:
                    rows.add_range(start[page], start[page + 1])
        return rows

    # Queries

    def rows(self, query: Query) -> BitMap:
        """The rows that every part of the query takes; a screen asks this of a query several times."""
        found = self._query_rows.get(query)
        if found is None:
            if len(self._query_rows) >= QUERIES_KEPT:
                self._query_rows.clear()
            found = self._query_rows[query] = self._rows(query)
        return found

    def _rows(self, query: Query) -> BitMap:
        rows: BitMap | None = None
        late = []
        for part in query.parts:
            if part.column in NARROWED and part not in self._part_rows:
                late.append(part)
            else:
                rows = self.part_rows(part) if rows is None else rows & self.part_rows(part)
        for part in late:
            rows = self.part_rows(part) if rows is None else narrowed(self, rows, part)
        return self.all_rows if rows is None else rows

    def part_rows(self, part: Part) -> BitMap:
        """The rows that one part of a query takes by itself."""
        found = self._part_rows.get(part)
        if found is None:
            if len(self._part_rows) >= PARTS_KEPT:
                self._part_rows.clear()
            found = self._part_rows[part] = resolved(self, part)
        return found

    def named_like(self, typed: str) -> Sequence[NameMatch]:
        """The packages whose names match fuzzily, best first."""
        from cachetui.search.names import matches  # late, as commands have exact names

        return matches(typed, self.packages)

    def packages_meant(self, name: str) -> Sequence[int]:
        """The numbers of the packages that a fuzzy name means: the one that has it, else those like it, best first."""
        number = self.package_number(name)
        return [match.number for match in self.named_like(name)] if number is None else [number]

    def exact(self, query: Query) -> Query:
        """The query as a command reads it: with an exact name where a package has it."""
        named = query.package
        known = named is not None and self.package_number(named.name) is not None
        return query.spelled_for(fuzzy_name=False) if known else query

    def scope(self, query: Query) -> BitMap | None:
        """The rows of the tags that the query asks for; None where it asks for none."""
        parts = query.parts_of("tag")
        return BitMap.intersection(*map(self.part_rows, parts)) if parts else None

    @cached_property
    def value_counts(self) -> ValueCounts:
        """What counts the values of facets."""
        return ValueCounts(self)

    def counter(self, query: Query) -> Callable[[BitMap], int]:
        """What counts the specs of rows that the query takes, or of some of them.

        In one tag each row is a spec; over several each distinct hash.
        """
        if query.tag is not None or len(self.tags) < 2:
            return len
        by_tag = any(part.column in ("tag", "complete") for part in query.parts)
        return self._distinct.count if by_tag else self._distinct.count_whole

    @cached_property
    def _distinct(self) -> DistinctHashes:
        from cachetui.search.distinct import DistinctHashes  # late: counts of several tags alone need it

        return DistinctHashes(self.columns)

    # One row

    def spec(self, row: int) -> Spec:
        """Everything the catalogue knows of a row."""
        columns = self.columns
        page = self.page(row)
        profile = self.profile(columns.rows["profile"][row])
        size, tarball, _ = columns.extra(row)
        hash_number = columns.hash[row]
        tag = self.tags[columns.page_tag[page]]
        return Spec(
            package=columns.packages[columns.page_package[page]],
            version=columns.tables["version"][columns.rows["version"][row]] or None,
            hash=columns.hashes[hash_number] or None,
            tag=tag,
            tags=self.tags_of(hash_number) or (tag,),
            compiler=profile.compiler,
            os=profile.os,
            platform=profile.platform,
            target=profile.target,
            variants=decode_variants(columns.tables["variants"][columns.rows["variants"][row]]),
            stacks=profile.stacks,
            size=size,
            tarball=tarball,
        )

    def page(self, row: int) -> int:
        """The number of the page that a row stands on."""
        return self.columns.page(row)

    def package_of(self, row: int) -> int:
        return self.columns.package_of(row)

    def tag_of(self, row: int) -> str:
        return self.tags[self.columns.page_tag[self.page(row)]]

    def tags_of(self, hash_number: int) -> tuple[str, ...]:
        """The tags that hold a hash, in their true order; none for the empty hash."""
        if not self.columns.hashes.raw(hash_number):
            return ()
        numbers = {self.columns.page_tag[self.page(row)] for row in self.hash_rows(hash_number)}
        return tuple(self.tags[number] for number in sorted(numbers))

    def dependencies(self, row: int) -> tuple[str, ...]:
        """The dependencies as spec strings, where the page has them (2021 and 2022)."""
        return self.columns.extra(row)[2]


def _span(start: int, end: int) -> BitMap:
    rows = BitMap()
    rows.add_range(start, end)
    return rows
