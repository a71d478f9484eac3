"""The index: every row of a content, the rows that a query matches, and how many have each value of each facet.

A row is one binary in one tag. The values of its five facets are one number, its profile: a facet needs a test for
the few hundred distinct profiles instead of all rows. Likewise a term of a query tests the distinct values of its
column.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, singledispatch
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace
from pyroaring import BitMap

from cachetui.mappings import Once, grouped
from cachetui.model.installed import HIDDEN, STATES, recorded
from cachetui.model.libc import Libc
from cachetui.model.problem import Problem
from cachetui.model.spec import FACETS, VALUE_KEYS, Profile, Spec
from cachetui.model.tags import first_of_tags
from cachetui.query.parts import (
    CompilerPart,
    DependencyPart,
    FacetPart,
    FitsPart,
    FlagPart,
    HashPart,
    NamePart,
    Part,
    ValuePart,
    VariantPart,
    VersionPart,
)
from cachetui.query.query import Query
from cachetui.query.tokens import AnyValue
from cachetui.search.computed import ROWS_BY_VALUE
from cachetui.search.counts import DistinctHashes
from cachetui.search.hashes import prefixed
from cachetui.store.arrays import Postings
from cachetui.store.columns import Columns
from cachetui.store.graph import Graph, as_libc, built_with_libc, libc_of, providers, virtual_packages
from cachetui.store.string_table import decode_variants

if TYPE_CHECKING:
    from cachetui.model.host import Fit, Host
    from cachetui.search.names import NameMatch

PARTS_KEPT, QUERIES_KEPT, TOTALS_KEPT = 200, 50, 200
"""Maximum number of parts and queries whose rows are kept, and most totals; of more all are forgotten."""

EVERY_STATE = ValuePart.of("installed", [""], excluded=True)
"""`installed!=,` matches every row."""

ANSWERS_KEPT = 16
"""Maximum number of typed names whose packages are kept."""

QUICK_ROWS = 20_000
"""Rows up to which any query is quick, even on a slow machine."""

FEW = 20
"""If one in so many rows or fewer are left, terms about dependencies see only the graph of these."""

MANY = 10
"""With more rows than so many for each distinct value of a column, it is faster to ask about all values."""


class Index:
    """Every row of a catalogue, ready for queries."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._value_rows: Once[tuple[str, str], BitMap] = Once(self._rows_of_value)
        self._computed: Once[str, Mapping[str, BitMap]] = Once(lambda key: ROWS_BY_VALUE[key](columns))
        self.names_like: Once[str, Sequence[NameMatch]] = Once(self._names_like, ANSWERS_KEPT)
        """The packages with names like a typed one; the last answers are kept: a letter asks several times."""
        self._part_rows: Once[Part, BitMap] = Once(lambda part: resolved(part, self), PARTS_KEPT)
        self._query_rows: Once[Query, BitMap] = Once(self._rows, QUERIES_KEPT)
        self._totals: Once[tuple[str, Query], Sequence[int]] = Once(self._total, TOTALS_KEPT)

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

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles of all numbers."""
        return self.columns.profiles

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
        if facet in ROWS_BY_VALUE:
            return tuple(self._computed[facet])
        return self.tags if facet == "tag" else tuple(self.profiles_of[facet])

    def has_values(self, facet: str) -> bool:
        """Return whether a facet has any value, without working out which."""
        if facet in ROWS_BY_VALUE:
            return bool(self.graph.trees if VALUE_KEYS[facet].needs == "tree" else self.graph)
        return bool(self.values(facet))

    @cached_property
    def stacks(self) -> Sequence[str]:
        """All stacks, also of build caches that could not be read."""
        return sorted({*self.values("stack"), *chain.from_iterable(self.graph.mirrors)} - {""})

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
        return self.all_rows - self.columns.rows_of_states(HIDDEN) if self.graph.trees else self.all_rows

    @cached_property
    def tree_rows(self) -> BitMap:
        """The records of installations."""
        return self.columns.rows_of_states(STATES)

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
        if facet in ROWS_BY_VALUE:
            return self._computed[facet].get(value, BitMap())
        if facet == "tag":
            return self.columns.rows_of_tags((value,))
        return self.columns.rows_of_profiles(self.profiles_of[facet].get(value, ()))

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

    # Whether rows run on a host: by their profile, and by the C library that the dependency graph records

    def fit_rows(self, host: Host, among: BitMap) -> Iterator[tuple[Fit, BitMap]]:
        """Yield some rows, grouped by platform, os, target and libc, with the verdict whether they run on the host."""
        if len(among) <= MANY * len(self.profiles):
            machines = grouped((self._built_for(row), row) for row in among)
            yield from ((host.fit(*machine), BitMap(own)) for machine, own in machines.items())
            return
        alike = grouped(((each.platform, each.os, each.target), number) for number, each in enumerate(self.profiles))
        for machine, numbers in alike.items():
            rows = self.columns.rows_of_profiles(numbers) & among
            for libc, built in self.libc_rows.items():
                own = rows & built
                if own:
                    rows = rows - own
                    yield host.fit(*machine, libc), own
            if rows:
                yield host.fit(*machine), rows

    def libc(self, row: int) -> Libc | None:
        """Return the C library that the graph records for a row, if any."""
        nodes = self.columns.nodes_of_hash(self.columns.hash[row]) if self.graph else ()
        built_with = libc_of(self.graph, nodes[0]) if nodes else None
        return None if built_with is None else as_libc(self.graph, built_with)

    def fit(self, row: int, host: Host) -> Fit:
        """Return whether one row runs on the host."""
        return host.fit(*self._built_for(row))

    def _built_for(self, row: int) -> tuple[str | None, str | None, str | None, Libc | None]:
        profile = self.profiles[self.columns.rows["profile"][row]]
        return profile.platform, profile.os, profile.target, self.libc(row)

    @cached_property
    def libc_rows(self) -> Mapping[Libc, BitMap]:
        """The rows that were built with each C library, as far as the dependency graph records that."""
        found = grouped((libc, self.columns.rows_of_nodes(built)) for libc, built in built_with_libc(self.graph))
        return {libc: BitMap.union(*rows) for libc, rows in found.items()}

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
            **(asdict(columns.profiles[columns.rows["profile"][row]]) | recorded(extra.record)),
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

    # Queries

    def rows(self, query: Query) -> BitMap:
        """Return the rows that every part of the query matches.

        Like Spack, this drops records of specs that are not installed, unless the query asks for states.
        """
        return self._query_rows[query]

    def is_quick(self, query: Query) -> bool:
        """Return whether the rows of a query are known, or take less than a tenth of a second to find."""
        return len(self) < QUICK_ROWS or query in self._query_rows or all(map(self._is_quick, query.parts))

    def _is_quick(self, part: Part) -> bool:
        if part.key in ROWS_BY_VALUE:
            return part.key in self._computed
        asks_graph = lateness(part) == ASKS_GRAPH or (isinstance(part, NamePart) and self.is_virtual(part.name))
        return part in self._part_rows or not (asks_graph or isinstance(part, FitsPart))

    def _rows(self, query: Query) -> BitMap:
        query = self.meant(query)
        rows = everything = self.all_rows if query.parts_of("installed") else self.shown_rows
        few: Index | None = None
        for late, part in sorted(
            ((0 if part in self._part_rows else lateness(part), part) for part in query.parts), key=itemgetter(0)
        ):
            if late == ASKS_GRAPH:
                few = few or self.among(rows)
                rows = rows & few.part_rows(part)
            elif late and rows is not everything and not has_many_rows(self, rows, part):
                rows = narrowed(self, rows, part)
            else:
                rows = rows & self.part_rows(part)
        return rows

    def among(self, rows: BitMap) -> Index:
        """Return an index that answers for these rows; if they are few, only for them and their dependencies."""
        if not self.graph or len(rows) * FEW > len(self):
            return self
        few = Index(self.columns.among(rows))
        few.shown_rows = self.shown_rows & few.columns.rows_of_nodes(range(len(few.graph)))
        return few

    def meant(self, query: Query) -> Query:
        """Return the query with versions of a virtual package, which are none of its providers' own, in its name."""
        named = query.package
        versions = [part.versions for part in query.parts_of("version") if isinstance(part, VersionPart)]
        if named is None or not versions or not self.is_virtual(named.name):
            return query
        return query.without_key("version").with_part(replace(named, versions=versions[0], typed=""))

    def hidden(self, query: Query) -> dict[str, int]:
        """Return how many records of each state a query leaves out because it asks for none."""
        if not self.graph.trees or query.parts_of("installed"):
            return {}
        found = self.open_to("installed", query) - self.rows(query)
        counts = {state: len(found & self.value_rows("installed", state)) for state in HIDDEN if found}
        return {state: count for state, count in counts.items() if count}

    def part_rows(self, part: Part) -> BitMap:
        """Return the rows that one part matches by itself."""
        return self._part_rows[part]

    def exact(self, query: Query) -> Query:
        """Return the query with an exact name where a package has it."""
        named = query.package
        if named is None or (self.package_number(named.name) is None and not self.is_virtual(named.name)):
            return query
        return query.with_part(replace(named, fuzzy=False))

    def scope(self, query: Query) -> BitMap | None:
        """Return the rows of the tags that the query asks for, if it asks for any."""
        parts = query.parts_of("tag")
        return BitMap.intersection(*map(self.part_rows, parts)) if parts else None

    def value_counts(self, facet: str, rows: BitMap, count: Callable[[BitMap], int] = len) -> Sequence[int]:
        """Return how many of these rows have each of the `values` of a facet or of `tag`.

        `count`: what counts some rows; `len` counts rows, `counter` gives one that counts specs.
        """
        each = (self.value_rows(facet, value) for value in self.values(facet))
        if count is len:
            return list(map(rows.intersection_cardinality, each))
        return [count(rows & own) for own in each]

    def value_totals(self, facet: str, query: Query) -> Sequence[int]:
        """Return how many specs each value of a facet has in the tags of the query; for `tag` the rows of each."""
        return self._totals[facet, Query() if facet == "tag" else query.only_key("tag")]

    def _total(self, key: tuple[str, Query]) -> Sequence[int]:
        facet, scope = key
        return self.value_counts(facet, self.open_to(facet, scope), len if facet == "tag" else self.counter(scope))

    def open_to(self, facet: str, query: Query) -> BitMap:
        """Return the rows that every part of the query but those about a facet matches."""
        rest = query.without_key(facet)
        return self.rows(rest.with_part(EVERY_STATE) if facet == "installed" else rest)

    def counter(self, query: Query) -> Callable[[BitMap], int]:
        """Return what counts the specs of rows that the query matches: in one tag rows, else distinct hashes."""
        if query.tag is not None or len(self.tags) < 2:
            return len
        by_tag = any(part.key == "tag" or part.key in ROWS_BY_VALUE for part in query.parts)
        return self.distinct.count if by_tag else self.distinct.count_whole

    @cached_property
    def distinct(self) -> DistinctHashes:
        """Counts the distinct hashes of rows."""
        return DistinctHashes(self.columns)


def _span(start: int, end: int) -> BitMap:
    rows = BitMap()
    rows.add_range(start, end)
    return rows


##RES
# The rows of one term. What needs a dependency graph is imported late, because few queries ask for it.

NARROWED: dict[type[Part], str] = {
    VersionPart: "version",
    VariantPart: "variants",
    FlagPart: "variants",
    FitsPart: "profile",
}
"""Kinds of terms about columns of many distinct values: if others leave few rows, only the values of these count."""


ASKS_GRAPH = 2
"""The `lateness` of parts that ask the dependency graph, if there is one."""


def lateness(part: Part) -> int:
    """Return the place of a term in the order: first those quick over all rows, then `NARROWED`, then the graph."""
    if isinstance(part, _OF_GRAPH) or (isinstance(part, VariantPart) and part.propagated):
        return ASKS_GRAPH
    return int(type(part) in NARROWED)


_OF_GRAPH = (CompilerPart, DependencyPart)


def has_many_rows(index: Index, rows: BitMap, part: Part) -> bool:
    """Return whether there are so many rows that it is faster to ask a part about all values of its column."""
    return len(rows) > MANY * len(index.columns.tables[NARROWED[type(part)]])


def narrowed(index: Index, rows: BitMap, part: Part) -> BitMap:
    """Return those of the rows that a part matches, whose kind is `NARROWED`."""
    if isinstance(part, FitsPart):
        return _running(index, rows, part)
    column = index.columns.rows[NARROWED[type(part)]]
    numbers = rows.to_array()
    values = list(map(column.__getitem__, numbers))
    matched = {value for value in set(values) if _is_matched(index, part, value)}
    return BitMap(array("I", [row for row, value in zip(numbers, values, strict=True) if value in matched]))


@singledispatch
def resolved(part: Part, index: Index) -> BitMap:
    """Return the rows that a part matches by itself; here for a kind that is `NARROWED`."""
    return _of_column(part, index)


def _of_column(part: Part, index: Index) -> BitMap:
    column = NARROWED[type(part)]
    matched = (value for value in range(len(index.columns.tables[column])) if _is_matched(index, part, value))
    return _union(index.columns.posting(column), matched)


@resolved.register(NamePart)
def _of_name(part: NamePart, index: Index) -> BitMap:
    if not part.namespace and index.is_virtual(part.name):
        return index.columns.rows_of_nodes(providers(index.graph, part.name, part.versions))
    if part.fuzzy:
        return BitMap.union(BitMap(), *map(index.package_rows, index.packages_meant(part.text)))
    number = index.package_number(part.name)
    rows = BitMap() if number is None else index.package_rows(number)
    return rows & index.value_rows("namespace", part.namespace) if part.namespace else rows


@resolved.register(HashPart)
def _of_hash(part: HashPart, index: Index) -> BitMap:
    return _union(index.columns.posting("hash"), prefixed(index.columns.hashes, part.prefix))


@resolved.register(FacetPart)
def _of_facet(part: FacetPart, index: Index) -> BitMap:
    if isinstance(part, ValuePart) and not index.graph:  # pages, of Spack 0.22, where `os=*` asks for an os named so
        part = replace(part, words=tuple(word for word in part.words if not isinstance(word, AnyValue)))
    if part.key in FACETS and part.holds(""):  # empty values that pages have are not among the values of a facet
        values = map(attrgetter(part.facet.field), index.profiles)
        return index.columns.rows_of_profiles(number for number, value in enumerate(values) if part.matches(value))
    held = (index.value_rows(part.key, value) for value in index.values(part.key) if part.holds(value))
    rows = BitMap.union(BitMap(), *held)
    return index.all_rows - rows if part.excluded else rows


@resolved.register(CompilerPart)
def _of_compiler(part: CompilerPart, index: Index) -> BitMap:
    found = _of_facet(part, index)
    if not index.graph:
        return found
    from cachetui.search.dependencies import direct_dependents

    return found | index.columns.rows_of_nodes(direct_dependents(index.graph, DependencyPart.of_compiler(part)))


@resolved.register(VariantPart)
def _of_variant(part: VariantPart, index: Index) -> BitMap:
    rows = _of_column(part, index)
    if not part.propagated or not index.graph:
        return rows
    from cachetui.search.dependencies import nodes_breaking

    recorded = index.columns.rows_of_tags(index.graph.tags)
    return (rows - recorded) | (recorded - index.columns.rows_of_nodes(nodes_breaking(index.graph, part)))


@resolved.register(FitsPart)
def _of_host(part: FitsPart, index: Index) -> BitMap:
    return _running(index, index.all_rows, part)


def _running(index: Index, among: BitMap, part: FitsPart) -> BitMap:
    found = index.fit_rows(part.host, among)
    return BitMap.union(BitMap(), *(rows for fit, rows in found if fit.distance is not None))


@resolved.register(DependencyPart)
def _of_dependency(part: DependencyPart, index: Index) -> BitMap:
    from cachetui.search.dependencies import nodes_of

    return index.columns.rows_of_nodes(nodes_of(index.graph, part)) if index.graph else BitMap()


def _is_matched(index: Index, part: Part, value: int) -> bool:
    """Return whether the part matches this value of its column, a version or a list of variants."""
    text = index.columns.tables[NARROWED[type(part)]][value]
    if isinstance(part, VariantPart | FlagPart):
        return part.name in text and part.matches(decode_variants(text))
    return part.matches(text)


def _union(postings: Postings, values: Iterable[int]) -> BitMap:
    rows = array("I")
    for value in values:
        rows.frombytes(postings[value].tobytes())
    return BitMap(rows)
