"""The index: which rows a query matches, and how many rows have each value of each facet."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from operator import itemgetter

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.mappings import Once
from cachetui.model.installed import HIDDEN
from cachetui.model.spec import FACETS, VALUE_KEYS
from cachetui.query.parts import FitsPart, Part, ValuePart, VersionPart
from cachetui.query.query import Query
from cachetui.search.computed import ROWS_BY_VALUE
from cachetui.search.counts import DistinctHashes
from cachetui.search.resolver import ASKS_GRAPH, has_many_rows, lateness, narrowed, resolved
from cachetui.search.rows import RowIndex
from cachetui.store.columns import Columns

PARTS_KEPT, QUERIES_KEPT, TOTALS_KEPT = 200, 50, 200
"""Maximum number of parts and queries whose rows are kept, and most totals; of more all are forgotten."""

EVERY_STATE = ValuePart.of("installed", [""], excluded=True)
"""`installed!=,` matches every row."""

QUICK = 20_000
"""Rows up to which any query is quick, even on a slow machine."""

FEW = 20
"""If one in so many rows or fewer are left, terms about dependencies see only the graph of these."""

RUN = 10
"""Average length of runs of neighbouring rows from which on it is faster to count rows than to make bitmaps."""


class Index(RowIndex):
    """Every row of a catalogue, ready for queries."""

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self._computed: Once[str, Mapping[str, BitMap]] = Once(lambda key: ROWS_BY_VALUE[key](self))
        self._part_rows: Once[Part, BitMap] = Once(lambda part: resolved(part, self), PARTS_KEPT)
        self._query_rows: Once[Query, BitMap] = Once(self._rows, QUERIES_KEPT)
        self._totals: Once[tuple[str, Query], Sequence[int]] = Once(self._total, TOTALS_KEPT)
        self._tally: tuple[BitMap, Counter[int]] | None = None
        """The rows that were last counted by profile, and the counts: one serves all facets."""

    def rows(self, query: Query) -> BitMap:
        """Return the rows that every part of the query matches.

        Like Spack, this drops records of specs that are not installed, unless the query asks for states.
        """
        return self._query_rows[query]

    def is_quick(self, query: Query) -> bool:
        """Return whether the rows of a query are known, or take less than a tenth of a second to find."""
        return len(self) < QUICK or query in self._query_rows or all(map(self._is_quick, query.parts))

    def _is_quick(self, part: Part) -> bool:
        if part.key in ROWS_BY_VALUE:
            return part.key in self._computed
        return part in self._part_rows or not (isinstance(part, FitsPart) or lateness(part) == ASKS_GRAPH)

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

    def among(self, rows: BitMap) -> "Index":
        """Return an index that answers for these rows; if they are few, only for them and their dependencies."""
        if not self.graph or len(rows) * FEW > len(self):
            return self
        few = Index(self.columns.among(rows))
        few.shown_rows = self.shown_rows & few.rows_of_nodes(range(len(few.graph)))
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

    def has_values(self, facet: str) -> bool:
        """Return whether a facet has any value, without working out which."""
        if facet in ROWS_BY_VALUE:
            return bool(self.graph.trees if VALUE_KEYS[facet].needs == "tree" else self.graph)
        return bool(super().values(facet))

    def values(self, facet: str) -> tuple[str, ...]:
        """Return all values of a facet, of `tag` or of a `ROWS_BY_VALUE` facet; see `RowIndex`."""
        return tuple(self._computed[facet]) if facet in ROWS_BY_VALUE else super().values(facet)

    @cached_property
    def stacks(self) -> Sequence[str]:
        """All stacks, also of build caches that could not be read."""
        return sorted({*self.values("stack"), *chain.from_iterable(self.graph.mirrors)} - {""})

    def value_rows(self, facet: str, value: str) -> BitMap:
        """Return the rows with this value; an empty set for an unknown value."""
        if facet in ROWS_BY_VALUE:
            return self._computed[facet].get(value, BitMap())
        return super().value_rows(facet, value)

    def value_counts(self, facet: str, rows: BitMap, count: Callable[[BitMap], int] = len) -> Sequence[int]:
        """Return how many of these rows have each of the `values` of a facet or of `tag`.

        `count`: what counts some rows; `len` counts rows, `counter` gives one that counts specs.
        """
        by_profile = self._by_profile(rows) if count is len and facet in FACETS else None
        if by_profile is not None:
            return [sum(map(by_profile.get, profiles, repeat(0))) for profiles in self.profiles_of[facet].values()]
        each = (self.value_rows(facet, value) for value in self.values(facet))
        if count is len:
            return list(map(rows.intersection_cardinality, each))
        return [count(rows & own) for own in each]

    def _by_profile(self, rows: BitMap) -> Counter[int] | None:
        """Return how many rows have each profile, if these are in long runs like those of a tag; else None."""
        if self._tally is None or self._tally[0] != rows:
            after = rows.shift(1)
            starts, ends = rows - after, after - rows
            if len(starts) * RUN > len(rows):
                return None
            runs = map(self.columns.rows["profile"].__getitem__, map(slice, starts.to_array(), ends.to_array()))
            self._tally = rows, Counter(chain.from_iterable(runs))
        return self._tally[1]

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
