"""The rows of a content: of packages, of the values of facets, of hashes; and the columns of each row.

A row is one binary in one tag. The values of its five facets are one number, its profile: a facet needs a test for
the few hundred distinct profiles instead of all rows.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from pyroaring import BitMap

from cachetui.mappings import Once, grouped
from cachetui.model.installed import HIDDEN, recorded
from cachetui.model.problem import Problem
from cachetui.model.spec import FACETS, Profile, Spec, decode_profile
from cachetui.model.tags import first_of_tags
from cachetui.store.columns import Columns
from cachetui.store.graph import Graph, built_with_libc, virtual_packages
from cachetui.store.string_table import decode_variants

if TYPE_CHECKING:
    from cachetui.model.libc import Libc
    from cachetui.search.names import NameMatch

ANSWERS_KEPT = 16


class RowIndex:
    """Every row of a catalogue."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._value_rows: Once[tuple[str, str], BitMap] = Once(self._rows_of_value)
        self.names_like: Once[str, Sequence[NameMatch]] = Once(self._names_like, ANSWERS_KEPT)
        """The packages with names like a typed one; the last answers are kept: a letter asks several times."""
        profiles = columns.tables["profile"]
        decoded: Once[int, Profile] = Once(lambda number: decode_profile(profiles[number]))
        self.profile = decoded.__getitem__
        """Returns the profile of a number; each is decoded when it is first asked for."""

    def __len__(self) -> int:
        return len(self.columns)

    # What there is

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The names of all packages, sorted; the number of a package is its place here."""
        return tuple(self.columns.packages)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """All tags, in the order of `tag_order`."""
        return tuple(self.columns.tags)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The errors and warnings of the pages, by path and line."""
        found = [*self.columns.problems, *self.columns.duplicate_problems()]
        return tuple(sorted(found, key=lambda problem: (problem.path, problem.line or 0)))

    @property
    def default_tag(self) -> str | None:
        """The tag to open on: develop, else the newest snapshot, else the newest release, else None for all."""
        return first_of_tags(self.tags)

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        return tuple(map(self.profile, range(len(self.columns.tables["profile"]))))

    @cached_property
    def profiles_of(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """For each facet, and each of its values in order, the numbers of the profiles that have it."""
        count = self.columns.posting("profile").count
        present = [(number, profile) for number, profile in enumerate(self.profiles) if count(number)]
        found: dict[str, dict[str, list[int]]] = {}
        for name, facet in FACETS.items():
            normal = Once(facet.normal)
            by_value = grouped(
                (value, number)
                for number, profile in present
                for held in [getattr(profile, facet.field)]
                for value in (dict.fromkeys(normal.of(held)) if facet.many else (normal[held],) if held else ())
            )
            found[name] = {value: by_value[value] for value in facet.ordered(by_value)}
        return found

    def values(self, facet: str) -> tuple[str, ...]:
        """Return all values of a facet in natural order, `root` last; of `tag` the tags."""
        return self.tags if facet == "tag" else tuple(self.profiles_of[facet])

    @cached_property
    def variants(self) -> Sequence[str]:
        """All distinct variants, as pages write them."""
        table, count = self.columns.tables["variants"], self.columns.posting("variants").count
        texts = (table[number] for number in range(len(table)) if count(number))
        return list(dict.fromkeys(chain.from_iterable(map(decode_variants, texts))))

    # Rows of a package, of a value, of a hash

    @cached_property
    def all_rows(self) -> BitMap:
        return _span(0, len(self))

    @cached_property
    def shown_rows(self) -> BitMap:
        """All rows, but only installed ones of an installation, like Spack's lists."""
        return self.all_rows - self.state_rows(HIDDEN) if self.graph.trees else self.all_rows

    @cached_property
    def tree_rows(self) -> BitMap:
        """The records of installations."""
        return self.profile_rows(number for number, profile in enumerate(self.profiles) if profile.state is not None)

    @cached_property
    def package_starts(self) -> tuple[int, ...]:
        """The first row of each package, then the number of all rows."""
        return tuple(map(self._package_start, range(len(self.columns.packages) + 1)))

    def _package_start(self, number: int) -> int:
        return self.columns.page_start[bisect_left(self.columns.page_package, number)]

    def package_number(self, name: str) -> int | None:
        """Return the number of the package of exactly this name, else None."""
        table = self.columns.packages
        at = table.bisect(name.encode("utf-8", "surrogatepass"))
        return at if at < len(table) and table[at] == name else None

    def package_rows(self, number: int) -> BitMap:
        return _span(self._package_start(number), self._package_start(number + 1))

    def value_rows(self, facet: str, value: str) -> BitMap:
        """Return the rows with this value of a facet or `tag`; an empty set for an unknown value."""
        return self._value_rows[facet, value]

    def _rows_of_value(self, key: tuple[str, str]) -> BitMap:
        facet, value = key
        if facet == "tag":
            return self.tag_rows((value,))
        return self.profile_rows(self.profiles_of[facet].get(value, ()))

    def hash_rows(self, number: int) -> Sequence[int]:
        """Return the rows of a hash by its number: one in each tag that holds it, unless a page has it twice."""
        return self.columns.posting("hash")[number]

    @property
    def graph(self) -> Graph:
        """The dependency graph; false for a content that records none."""
        return self.columns.graph

    def rows_of(self, spec_hash: str) -> Sequence[int]:
        """Return the rows of this whole hash; an empty set for an unknown hash."""
        number = self.columns.hash_number(spec_hash)
        return () if number is None else self.hash_rows(number)

    def is_hidden(self, spec_hash: str) -> bool:
        """Return whether all rows of this whole, known hash are records of specs that are not installed."""
        return bool(rows := self.rows_of(spec_hash)) and not any(row in self.shown_rows for row in rows)

    def cache_row(self, spec_hash: str) -> int | None:
        """Return the first row of this whole hash that is the binary of a cache, else None."""
        return next((row for row in self.rows_of(spec_hash) if row not in self.tree_rows), None)

    def rows_of_nodes(self, numbers: Iterable[int]) -> BitMap:
        """Return the rows of these nodes of the graph, as far as they have a binary."""
        return BitMap(self.columns.rows_of_nodes(numbers))

    @cached_property
    def libc_rows(self) -> Mapping[Libc, BitMap]:
        """The rows that were built with each C library, as far as the dependency graph records that."""
        found = grouped((libc, self.rows_of_nodes(built)) for libc, built in built_with_libc(self.graph))
        return {libc: BitMap.union(*rows) for libc, rows in found.items()}

    def profile_rows(self, profiles: Iterable[int]) -> BitMap:
        """Return the rows of the profiles of these numbers."""
        return BitMap.union(BitMap(), *map(self._rows_of_profiles.__getitem__, profiles))

    @cached_property
    def _rows_of_profiles(self) -> Sequence[BitMap]:
        postings = self.columns.posting("profile")
        return [BitMap(array("I", postings[number].tobytes())) for number in range(len(self.profiles))]

    def state_rows(self, states: Collection[str]) -> BitMap:
        """Return the rows of records of installations in one of these states."""
        return self.profile_rows(number for number, profile in enumerate(self.profiles) if profile.state in states)

    def tag_rows(self, tags: Iterable[str]) -> BitMap:
        """Return the rows of these tags; unknown tags have none."""
        rows, start = BitMap(), self.columns.page_start
        pages = self.columns.posting("page_tag")
        for tag in tags:
            if tag in self.tags:
                for page in pages[self.tags.index(tag)]:
                    rows.add_range(start[page], start[page + 1])
        return rows

    # Names

    def is_virtual(self, name: str) -> bool:
        """Return whether a name is that of no package, but of a virtual package that some build provides."""
        return bool(self.graph) and self.package_number(name) is None and name in self.virtuals

    @cached_property
    def virtuals(self) -> frozenset[str]:
        """The virtual packages that the dependency graph records."""
        return frozenset(virtual_packages(self.graph))

    def packages_meant(self, name: str) -> Sequence[int]:
        """Return the numbers of the packages of a fuzzy name: of exactly this, else of names like it, best first."""
        number = self.package_number(name)
        return [match.number for match in self.names_like[name]] if number is None else [number]

    def _names_like(self, typed: str) -> Sequence[NameMatch]:
        from cachetui.search.names import matches  # late, as commands have exact names

        return matches(typed, self.packages)

    # One row

    def spec(self, row: int) -> Spec:
        """Return everything that the catalogue knows of a row."""
        columns = self.columns
        page = columns.page(row)
        extra = columns.extra(row)
        hash_number = columns.hash[row]
        tag = self.tags[columns.page_tag[page]]
        return Spec(
            package=columns.packages[columns.page_package[page]],
            version=columns.tables["version"][columns.rows["version"][row]] or None,
            hash=columns.hashes[hash_number] or None,
            tag=tag,
            tags=self.tags_of(hash_number) or (tag,),
            variants=decode_variants(columns.tables["variants"][columns.rows["variants"][row]]),
            bytes=extra.size if isinstance(extra.size, int) else None,
            tarball=columns.tarball(row, extra.tarball),
            **(asdict(self.profile(columns.rows["profile"][row])) | recorded(extra.record)),
        )

    def hash_of(self, row: int) -> str:
        return self.columns.hashes[self.columns.hash[row]]

    def tag_of(self, row: int) -> str:
        return self.tags[self.columns.page_tag[self.columns.page(row)]]

    def tags_of(self, hash_number: int) -> tuple[str, ...]:
        """Return the tags that hold the hash of this number, in order; none for the empty hash."""
        if not self.columns.hashes.raw(hash_number):
            return ()
        numbers = {self.columns.page_tag[self.columns.page(row)] for row in self.hash_rows(hash_number)}
        return tuple(self.tags[number] for number in sorted(numbers))


def _span(start: int, end: int) -> BitMap:
    rows = BitMap()
    rows.add_range(start, end)
    return rows
