"""The index: all rows of the content, with methods that find and count the rows that match a query.

A row is one binary in one tag. A profile is a combination of facet values that many rows share, and has a number. A
term about a facet therefore tests a few hundred profiles instead of all rows. Likewise, other terms test each distinct
value of a column once.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, pairwise

from msgspec.structs import asdict, replace
from pyroaring import BitMap

from cachetui.mappings import Once, grouped
from cachetui.model.host import Fit, Host
from cachetui.model.installed import HIDDEN, STATES, recorded
from cachetui.model.libc import Libc
from cachetui.model.problem import Problem
from cachetui.model.spec import FACETS, ROOT, VALUE_KEYS, Profile, Spec
from cachetui.model.tags import first_of_tags, series
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.query.terms import (
    AnyValue,
    CompilerTerm,
    DependencyTerm,
    FacetTerm,
    FitsTerm,
    FlagTerm,
    HashTerm,
    NameTerm,
    Term,
    ValueTerm,
    VariantTerm,
    VersionTerm,
)
from cachetui.search.computed import ROWS_BY_VALUE
from cachetui.search.dependencies import direct_dependents, nodes_breaking, nodes_of
from cachetui.search.hashes import prefixed
from cachetui.search.names import NameMatch, matches
from cachetui.store.arrays import Ints, Postings, decode_variants, numbered, values_at
from cachetui.store.columns import Columns
from cachetui.store.graph import Graph, as_libc, built_with_libc, libc_of, providers, virtual_packages

MAX_CACHED_TERMS, MAX_CACHED_QUERIES, MAX_CACHED_TOTALS = 200, 50, 200
"""Maximum number of cached results for terms, for queries and for totals."""

EVERY_STATE = ValueTerm.of("installed", [""], excluded=True)
"""The term `installed!=,`, which matches every row."""

MAX_CACHED_NAMES = 16
"""Maximum number of typed names whose similar packages are cached."""

QUICK_ROWS = 20_000
"""If the content has at most this number of rows, every query is quick, even on a slow machine."""

MANY = 10
"""If there are more than `MANY` rows for each distinct value of a column, it is faster to test all values."""


LARGE_SHARE = 20
"""Bitmaps for faster counts are computed when at least 1/`LARGE_SHARE` of all rows are counted for the first time."""


class Index:
    """All rows of the content, prepared for queries."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.value_rows = cache(self._value_rows)
        self._computed: Once[str, Mapping[str, BitMap]] = Once(lambda key: ROWS_BY_VALUE[key](columns))
        self.names_like: Once[str, Sequence[NameMatch]] = Once(
            lambda typed: matches(typed, self.packages), MAX_CACHED_NAMES
        )
        """The packages with names similar to a typed name.

        Results are cached, because each key press needs them several times.
        """
        self._term_rows: Once[Term, BitMap] = Once(lambda term: resolved(term, self), MAX_CACHED_TERMS)
        self._query_rows: Once[Query, BitMap] = Once(self._rows, MAX_CACHED_QUERIES)
        self._totals: Once[tuple[str, Query], Sequence[int]] = Once(self._total, MAX_CACHED_TOTALS)

    def __len__(self) -> int:
        return len(self.columns)

    # Content

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The names of all packages, sorted. The number of a package is its index in this tuple."""
        return tuple(self.columns.packages)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """All tags, in the order of `tag_order`."""
        return tuple(self.columns.tags)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The errors and warnings of the content, sorted by path and line."""
        found = [*self.columns.problems, *self.columns.duplicate_problems()]
        return tuple(sorted(found, key=lambda problem: (problem.path, problem.line or 0)))

    @property
    def default_tag(self) -> str | None:
        """The tag to show first, or None to show all tags (see `first_of_tags`)."""
        return first_of_tags(self.tags)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All profiles: the distinct combinations of facet values. The number of a profile is its index."""
        return self.columns.profiles

    @cached_property
    def profiles_of(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """The numbers of the profiles by facet, then by value. The values of a facet are in natural order."""
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
        """Return all values of a facet in natural order, with `root` last. For `tag`, return all tags."""
        if facet in ROWS_BY_VALUE:
            return tuple(self._computed[facet])
        return self.tags if facet == "tag" else tuple(self.profiles_of[facet])

    def has_values(self, facet: str) -> bool:
        """Return whether a facet has any value, without computing the values."""
        if facet in ROWS_BY_VALUE:
            return bool(self.graph.trees if VALUE_KEYS[facet].needs == "tree" else self.graph)
        return bool(self.values(facet))

    @cached_property
    def stacks(self) -> Sequence[str]:
        """All stacks, including stacks of build caches that could not be read."""
        return sorted({*self.values("stack"), *chain.from_iterable(self.graph.mirrors)} - {""})

    @cached_property
    def variants(self) -> Sequence[str]:
        """All distinct variants, in the spelling of the content."""
        table, count = self.columns.tables["variants"], self.columns.posting("variants").count
        texts = (table[number] for number in range(len(table)) if count(number))
        return list(dict.fromkeys(chain.from_iterable(map(decode_variants, texts))))

    # Rows by package, by value and by hash

    @cached_property
    def all_rows(self) -> BitMap:
        return _span(0, len(self))

    @cached_property
    def shown_rows(self) -> BitMap:
        """All rows except records of specs that are not installed. Like Spack, lists omit these records."""
        return self.all_rows - self.columns.rows_of_states(HIDDEN) if self.graph.trees else self.all_rows

    @cached_property
    def tree_rows(self) -> BitMap:
        """The rows that are records of installations."""
        return self.columns.rows_of_states(STATES)

    @cached_property
    def package_starts(self) -> tuple[int, ...]:
        """The first row of each package, followed by the total number of rows."""
        return tuple(map(self._package_start, range(len(self.columns.packages) + 1)))

    def _package_start(self, number: int) -> int:
        return self.columns.page_start[bisect_left(self.columns.page_package, number)]

    def package_number(self, name: str) -> int | None:
        """Return the number of the package with exactly this name, or None if the package is missing."""
        return self.columns.packages.number(name)

    def package_rows(self, number: int) -> BitMap:
        return _span(self._package_start(number), self._package_start(number + 1))

    def _value_rows(self, facet: str, value: str) -> BitMap:
        """Return the rows with this value of a facet or of `tag`. If the value is unknown, return no rows.

        `value_rows` caches the result.
        """
        if facet in ROWS_BY_VALUE:
            return self._computed[facet].get(value, BitMap())
        if facet == "tag":
            return self.columns.rows_of_tags((value,))
        return self.columns.rows_of_profiles(self.profiles_of[facet].get(value, ()))

    def stack_rows(self) -> dict[str, BitMap]:
        """Return the rows of each stack. Leave out `root`, which merges all stacks."""
        return {stack: self.value_rows("stack", stack) for stack in self.values("stack") if stack != ROOT}

    def hash_rows(self, number: int) -> Sequence[int]:
        """Return the rows that have the hash with this number, usually one row in each tag."""
        return self.columns.posting("hash")[number]

    @property
    def graph(self) -> Graph:
        """The dependency graph. Its truth value is false if the content has no graph."""
        return self.columns.graph

    def rows_of(self, spec_hash: str) -> Sequence[int]:
        """Return the rows with this full hash. If the hash is unknown, return no rows."""
        number = self.columns.hash_number(spec_hash)
        return () if number is None else self.hash_rows(number)

    def is_hidden(self, spec_hash: str) -> bool:
        """Return whether all rows with this full hash are records of specs that are not installed."""
        return bool(rows := self.rows_of(spec_hash)) and not any(row in self.shown_rows for row in rows)

    def cache_row(self, spec_hash: str) -> int | None:
        """Return the first row with this full hash in a build cache, or None if the hash is unknown."""
        return next((row for row in self.rows_of(spec_hash) if row not in self.tree_rows), None)

    # Whether rows run on a host, according to their profile and the C library in the dependency graph

    def fit_rows(self, host: Host, rows: BitMap) -> Iterator[tuple[Fit, BitMap]]:
        """Group the rows by platform, os, target and C library.

        For each group, yield whether its rows run on the host, and the rows.
        """
        if len(rows) <= MANY * len(self.profiles):
            yield from (
                (host.fit(*machine), BitMap(own))
                for machine, own in grouped((self._built_for(row), row) for row in rows).items()
            )
            return
        alike = grouped(((each.platform, each.os, each.target), number) for number, each in enumerate(self.profiles))
        for machine, numbers in alike.items():
            left = self.columns.rows_of_profiles(numbers) & rows
            for libc, built in self.libc_rows.items():
                own = left & built
                if own:
                    left = left - own
                    yield host.fit(*machine, libc), own
            if left:
                yield host.fit(*machine), left

    def libc(self, row: int) -> Libc | None:
        """Return the C library of a row, or None if the dependency graph lacks the library."""
        spec_hash = self.hash_of(row) if self.graph else ""
        number = self.graph.number(spec_hash) if spec_hash else None
        return None if number is None else self._libc_of_node(number)

    def _libc_of_node(self, number: int) -> Libc | None:
        built_with = libc_of(self.graph, number)
        return None if built_with is None else as_libc(self.graph, built_with)

    def node_fit(self, number: int, host: Host) -> Fit:
        """Return whether a node of the dependency graph runs on the host."""
        node = self.graph.node(number)
        return host.fit(node.platform, node.os, node.target, self._libc_of_node(number))

    def fit(self, row: int, host: Host) -> Fit:
        """Return whether one row runs on the host."""
        return host.fit(*self._built_for(row))

    def _built_for(self, row: int) -> tuple[str | None, str | None, str | None, Libc | None]:
        profile = self.profiles[self.columns.rows["profile"][row]]
        return profile.platform, profile.os, profile.target, self.libc(row)

    @cached_property
    def libc_rows(self) -> Mapping[Libc, BitMap]:
        """The rows by the C library with which they were built. Rows without a recorded library are omitted."""
        found = grouped((libc, self.columns.rows_of_nodes(built)) for libc, built in built_with_libc(self.graph))
        return {libc: BitMap.union(*rows) for libc, rows in found.items()}

    # Names

    def is_virtual(self, name: str) -> bool:
        """Return whether a name belongs to a virtual package in the dependency graph, but not to a package."""
        return bool(self.graph) and self.package_number(name) is None and name in self.virtuals

    @cached_property
    def virtuals(self) -> frozenset[str]:
        """The virtual packages in the dependency graph."""
        return frozenset(virtual_packages(self.graph))

    def packages_meant(self, name: str) -> Sequence[int]:
        """Return the number of the package with this name.

        If there is no such package, return the numbers of the packages with similar names, best first.
        """
        number = self.package_number(name)
        return [match.number for match in self.names_like[name]] if number is None else [number]

    # One row

    def spec(self, row: int) -> Spec:
        """Return the spec of a row."""
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
        """Return the tags that have the hash with this number, in the order of `tags`. The empty hash has no tags."""
        if not self.columns.hashes.raw(hash_number):
            return ()
        numbers = {self.columns.page_tag[self.columns.page(row)] for row in self.hash_rows(hash_number)}
        return tuple(self.tags[number] for number in sorted(numbers))

    # Queries

    def rows(self, query: Query) -> BitMap:
        """Return the rows that match every term of the query.

        Like Spack, omit records of specs that are not installed. A query with `installed=` includes them.
        """
        return self._query_rows[query]

    def is_quick(self, query: Query) -> bool:
        """Return whether the method `rows` needs less than a tenth of a second for this query."""
        return len(self) < QUICK_ROWS or query in self._query_rows or all(map(self._is_quick, query.terms))

    def _is_quick(self, term: Term) -> bool:
        if term.key in ROWS_BY_VALUE:
            return term.key in self._computed
        is_virtual = isinstance(term, NameTerm) and self.is_virtual(term.name)
        return term in self._term_rows or not (is_virtual or asks_graph(term) or isinstance(term, FitsTerm))

    def _rows(self, query: Query) -> BitMap:
        query = self.with_virtual_versions(query)
        rows = everything = self.all_rows if query.terms_of("installed") else self.shown_rows
        late = {term: type(term) in NARROWED and not asks_graph(term) for term in query.terms}
        late |= dict.fromkeys(late.keys() & self._term_rows.keys(), False)
        for term in sorted(query.terms, key=late.__getitem__):
            can_narrow = late[term] and rows is not everything
            if can_narrow and len(rows) <= MANY * len(self.columns.tables[NARROWED[type(term)]]):
                rows = narrowed(self, rows, term)
            else:
                rows = rows & self.term_rows(term)
        return rows

    def with_virtual_versions(self, query: Query) -> Query:
        """Adapt a query that names a virtual package, such as `mpi@3`. Return any other query unchanged.

        The version of `mpi@3` is a version of the virtual package, and not of a provider. So the versions are moved
        from the version term to the name term.
        """
        named = query.package
        versions = [term.versions for term in query.terms_of("version") if isinstance(term, VersionTerm)]
        if named is None or not versions or not self.is_virtual(named.name):
            return query
        return query.without_key("version").with_term(replace(named, versions=versions[0], typed=""))

    def hidden(self, query: Query) -> dict[str, int]:
        """Count the rows that the query omits because their specs are not installed, by installation state.

        If the query has a term `installed=`, it includes these rows, and the result is empty.
        """
        if not self.graph.trees or query.terms_of("installed"):
            return {}
        found = self.open_to("installed", query) - self.rows(query)
        counts = {state: len(found & self.value_rows("installed", state)) for state in HIDDEN if found}
        return {state: count for state, count in counts.items() if count}

    def term_rows(self, term: Term) -> BitMap:
        """Return the rows that match one term."""
        return self._term_rows[term]

    def exact(self, query: Query) -> Query:
        """If the fuzzy name in the query is the full name of a package, make the name exact. Return the query."""
        named = query.package
        if named is None or (self.package_number(named.name) is None and not self.is_virtual(named.name)):
            return query
        return query.with_term(replace(named, fuzzy=False))

    def scope(self, query: Query) -> BitMap | None:
        """Return all rows in the tags that the query names, or None if the query lacks tags."""
        terms = query.terms_of("tag")
        return BitMap.intersection(*map(self.term_rows, terms)) if terms else None

    def value_counts(self, facet: str, rows: BitMap, count: Callable[[BitMap], int] = len) -> Sequence[int]:
        """Count the rows with each value of a facet or of `tag`, in the order of `values`.

        To count specs instead of rows, pass the result of `counter` as `count`.
        """
        each = (self.value_rows(facet, value) for value in self.values(facet))
        if count is len:
            return list(map(rows.intersection_cardinality, each))
        return [count(rows & own) for own in each]

    def value_totals(self, facet: str, query: Query) -> Sequence[int]:
        """Count the specs with each value of a facet, in the tags that the query names. For `tag`, count rows."""
        return self._totals[facet, Query() if facet == "tag" else query.only_key("tag")]

    def _total(self, key: tuple[str, Query]) -> Sequence[int]:
        facet, scope = key
        return self.value_counts(facet, self.open_to(facet, scope), len if facet == "tag" else self.counter(scope))

    def open_to(self, facet: str, query: Query) -> BitMap:
        """Return the rows that match the query without its terms about this facet."""
        rest = query.without_key(facet)
        return self.rows(rest.with_term(EVERY_STATE) if facet == "installed" else rest)

    def counter(self, query: Query) -> Callable[[BitMap], int]:
        """Return a function that counts the specs in a set of rows. The rows must match the query."""
        if query.tag is not None or len(self.tags) < 2:
            return len
        by_tag = any(term.key == "tag" or term.key in ROWS_BY_VALUE for term in query.terms)
        return self.distinct.count if by_tag else self.distinct.count_whole

    @cached_property
    def distinct(self) -> "DistinctHashes":
        """The object that counts the specs in rows of several tags."""
        return DistinctHashes(self.columns)


def _span(start: int, end: int) -> BitMap:
    rows = BitMap()
    rows.add_range(start, end)
    return rows


# The rows of one term

NARROWED: dict[type[Term], str] = {
    VersionTerm: "version",
    VariantTerm: "variants",
    FlagTerm: "variants",
    FitsTerm: "profile",
}
"""For each kind of term that tests many distinct values, the column with these values.

If other terms leave few rows, a term tests only the values of these rows.
"""


def asks_graph(term: Term) -> bool:
    """Return whether a term of this kind searches the dependency graph."""
    return isinstance(term, CompilerTerm | DependencyTerm) or (isinstance(term, VariantTerm) and term.propagated)


def narrowed(index: Index, rows: BitMap, term: Term) -> BitMap:
    """Return only the rows that match the term. The kind of the term must be in `NARROWED`."""
    if isinstance(term, FitsTerm):
        return _running(index, rows, term)
    column = index.columns.rows[NARROWED[type(term)]]
    numbers = rows.to_array()
    values = list(map(column.__getitem__, numbers))
    matched = {value for value in set(values) if _is_matched(index, term, value)}
    return BitMap(array("I", [row for row, value in zip(numbers, values, strict=True) if value in matched]))


def resolved(term: Term, index: Index) -> BitMap:
    """Return the rows that match one term."""
    columns, graph = index.columns, index.graph
    match term:
        case NameTerm(namespace="") if index.is_virtual(term.name):
            return columns.rows_of_nodes(providers(graph, term.name, term.versions))
        case NameTerm(fuzzy=True):
            return BitMap.union(BitMap(), *map(index.package_rows, index.packages_meant(term.text)))
        case NameTerm():
            number = index.package_number(term.name)
            rows = BitMap() if number is None else index.package_rows(number)
            return rows & index.value_rows("namespace", term.namespace) if term.namespace else rows
        case HashTerm():
            return _union(columns.posting("hash"), prefixed(columns.hashes, term.prefix))
        case FitsTerm():
            return _running(index, index.all_rows, term)
        case CompilerTerm() if graph:
            nodes = direct_dependents(graph, DependencyTerm.of_compiler(term))
            return _of_facet(term, index) | columns.rows_of_nodes(nodes)
        case FacetTerm():
            return _of_facet(term, index)
        case VariantTerm(propagated=True) if graph:
            recorded = columns.rows_of_tags(graph.tags)
            others = _of_column(term, index) - recorded
            return others | (recorded - columns.rows_of_nodes(nodes_breaking(graph, term)))
        case DependencyTerm():
            return columns.rows_of_nodes(nodes_of(graph, term)) if graph else BitMap()
    return _of_column(term, index)


def _of_column(term: Term, index: Index) -> BitMap:
    column = NARROWED[type(term)]
    matched = (value for value in range(len(index.columns.tables[column])) if _is_matched(index, term, value))
    return _union(index.columns.posting(column), matched)


def _of_facet(term: FacetTerm, index: Index) -> BitMap:
    if isinstance(term, ValueTerm) and not index.graph:  # pages are from Spack 0.22, where `os=*` means an os named `*`
        term = replace(term, words=tuple(word for word in term.words if not isinstance(word, AnyValue)))
    if term.key in FACETS and term.holds(""):  # `values` omits the empty value, which pages may have
        values = (getattr(each, term.facet.field) for each in index.profiles)
        return index.columns.rows_of_profiles(number for number, value in enumerate(values) if term.matches(value))
    rows = BitMap.union(
        BitMap(), *(index.value_rows(term.key, value) for value in index.values(term.key) if term.holds(value))
    )
    return index.all_rows - rows if term.excluded else rows


def _running(index: Index, rows: BitMap, term: FitsTerm) -> BitMap:
    return BitMap.union(BitMap(), *(own for fit, own in index.fit_rows(term.host, rows) if fit.distance is not None))


def _is_matched(index: Index, term: Term, value: int) -> bool:
    """Return whether a term matches a version or a string of variants.

    `value`: the index of this string in its table.
    """
    text = index.columns.tables[NARROWED[type(term)]][value]
    if isinstance(term, VariantTerm | FlagTerm):
        return term.name in text and term.matches(decode_variants(text))
    return term.matches(text)


def _union(postings: Postings, values: Iterable[int]) -> BitMap:
    rows = array("I")
    for value in values:
        rows.frombytes(postings[value].tobytes())
    return BitMap(rows)


# Values of rows, and the order of rows


def newest_first(
    index: Index, rows: Iterable[int], *, before_hash: Callable[[int], tuple[int, int]] | None = None
) -> Iterator[int]:
    """Yield rows by version, newest first, then by hash, then by tag.

    With `before_hash`, the rows of a version are sorted by this key, then by hash. The rows of a version are
    sorted only when the caller reaches this version.
    """
    version, hash_number = index.columns.rows["version"], index.columns.hash
    table = index.columns.tables["version"]
    ordered = in_order(rows)
    by_version = grouped(zip(values_at(ordered)(version), ordered, strict=True))
    for value in sorted(by_version, key=lambda value: sort_key(table[value]), reverse=True):
        found = sorted(by_version[value], key=hash_number.__getitem__)
        if before_hash is not None and len(found) > 1:
            found.sort(key=before_hash)
        yield from found


def newest_tag_order(index: Index) -> Callable[[int], tuple[int, int]]:
    """Return a sort key that sorts rows by tag. Weekly tags come first, newest first, then all other tags.

    Rows in the same tag are sorted by the first tag, in this order, that contains the hash of the row. If the row is in
    a tag such as `develop`, which is not a weekly tag, the tag of the row itself is ignored.
    """
    columns, tags = index.columns, index.tags
    is_other = [series(tag) != "weekly" for tag in tags]
    place_of = numbered(sorted(range(len(tags)), key=is_other.__getitem__))
    weekly, nowhere = is_other.count(False), (len(tags), len(tags))
    hash_of, rows_of = columns.hash, columns.posting("hash")
    page_tag, page_start = columns.page_tag, columns.page_start.tolist()

    def own(row: int) -> int:
        return place_of[page_tag[bisect_right(page_start, row) - 1]]

    def newest_of(number: int) -> tuple[int, int]:
        rows = rows_of[number]
        places = sorted(set(map(own, rows))) if len(rows) > 1 else ()
        return (places[0], places[1]) if len(places) > 1 else nowhere

    newest_two = Once[int, tuple[int, int]](newest_of)
    if columns.hashes.find(b"")[1]:  # rows with the empty hash, number 0, are different specs
        newest_two[0] = nowhere

    def order(row: int) -> tuple[int, int]:
        here = own(row)
        newest, second = newest_two[hash_of[row]]
        other = second if newest == here else newest
        return here, here if here < weekly and here < other else other

    return order


def versions_of(index: Index, rows: Iterable[int]) -> list[str]:
    """Return the distinct versions of some rows, newest first."""
    table = index.columns.tables["version"]
    return newest_versions(map(table.__getitem__, set(values_at(in_order(rows))(index.columns.rows["version"]))))


def newest_versions(versions: Iterable[str]) -> list[str]:
    """Sort versions, newest first. Omit the empty version."""
    return sorted(filter(None, versions), key=sort_key, reverse=True)


def variant_counts(index: Index, rows: BitMap) -> Counter[str]:
    """Return the number of rows with each variant, in the spelling of the content."""
    table = index.columns.tables["variants"]
    counts: Counter[str] = Counter()
    for value, count in Counter(values_at(rows.to_array())(index.columns.rows["variants"])).items():
        for variant in decode_variants(table[value]):
            counts[variant] += count
    return counts


def tags_of(index: Index, rows: BitMap) -> list[str]:
    """Return the tags of some rows, in the order of `Index.tags`."""
    return [tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag))]


def in_order(rows: Iterable[int]) -> Sequence[int]:
    """Return the rows in ascending order."""
    return rows.to_array() if isinstance(rows, BitMap) else sorted(rows)


# The number of specs in a set of rows. A binary in several tags is one spec with a row in each tag. Each row without a
# hash is a separate spec.


class DistinctHashes:
    """Counts the specs in sets of rows: the distinct hashes, and the rows without a hash."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @cached_property
    def _bitmaps(self) -> tuple[BitMap, BitMap, BitMap]:
        """Three sets of rows: rows with a repeated hash, later rows, and differing rows.

        A hash is repeated if several rows have it. If these rows differ only in the tag, all of them after the first
        are later rows. If they differ in another value, such as the stacks, all of them are differing rows.
        """
        columns = self._columns
        profile, version, variants = (columns.rows[name] for name in ("profile", "version", "variants"))
        later: list[int] = []
        differing: list[int] = []
        repeated = list(_repeated(columns))
        for rows in repeated:
            described = {(profile[row], version[row], variants[row]) for row in rows}
            if len(described) == 1 and columns.package_of(rows[0]) == columns.package_of(rows[-1]):
                later += rows[1:]
            else:
                differing += rows
        return BitMap(chain.from_iterable(repeated)), BitMap(later), BitMap(differing)

    def count(self, rows: BitMap) -> int:
        """Return the number of specs in these rows."""
        if self._is_small(rows):
            return self._count_hashes(rows)
        repeated = rows & self._bitmaps[0]
        return len(rows) - len(repeated) + self._count_hashes(repeated)

    def count_whole(self, rows: BitMap) -> int:
        """Return the number of specs in these rows, faster than `count`.

        If some rows of the index have the same hash and differ only in the tag, `rows` must contain either all of them
        or none.
        """
        if self._is_small(rows):
            return self._count_hashes(rows)
        _, later, differing = self._bitmaps
        apart = rows & differing
        return len(rows) - rows.intersection_cardinality(later) - len(apart) + self._count_hashes(apart)

    def _is_small(self, rows: BitMap) -> bool:
        return "_bitmaps" not in vars(self) and len(rows) * LARGE_SHARE < len(self._columns)

    def _count_hashes(self, rows: BitMap) -> int:
        numbers = values_at(rows.to_array())(self._columns.hash)
        distinct = set(numbers)
        without = 0 in distinct and not self._columns.hashes.raw(0)  # the empty hash has number 0
        return len(distinct) - 1 + numbers.count(0) if without else len(distinct)


def _repeated(columns: Columns) -> Iterator[Ints]:
    """For each hash that several rows have, yield these rows in ascending order."""
    rows, offsets = columns.posting("hash").rows, columns.posting("hash").offsets
    first = 1 if len(columns.hashes) and not columns.hashes.raw(0) else 0
    for start, end in pairwise(offsets[first:]):
        if end - start > 1:
            yield rows[start:end]
