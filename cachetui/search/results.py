"""The results of a query: packages, sorted rows, and the number of specs for each value of each facet."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.spec import FACETS, ROOT, VALUE_KEYS
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.index import Index, newest_first, newest_tag_order, versions_of


class FacetValue(Struct, frozen=True):
    """A value of a facet, and the number of specs that remain if the user selects only this value."""

    value: str
    specs: int
    """The number of specs with this value that match the query. The terms about this facet are ignored."""
    selected: bool
    excluded: bool


class Results(Struct, frozen=True, eq=False, dict=True):
    """The rows that match a query. Counts and orders are computed when they are first needed."""

    index: Index
    query: Query
    rows: BitMap

    @classmethod
    def of(cls, index: Index, query: Query) -> "Results":
        """Return the results of a query."""
        return cls(index, query, index.rows(query))

    def __len__(self) -> int:
        """Return the number of rows. A spec has one row in each tag that contains the spec."""
        return len(self.rows)

    @cached_property
    def specs(self) -> int:
        """The number of specs. In one tag, each row counts. In several tags, each distinct hash counts once."""
        return self.count(self.rows)

    @cached_property
    def count(self) -> Callable[[BitMap], int]:
        """The function that returns the number of specs in a subset of these rows."""
        return self.index.counter(self.query)

    def specs_of(self, number: int) -> int:
        """Return the number of specs that a package has in these results."""
        return self.count(self.rows & self.index.package_rows(number))

    @cached_property
    def packages(self) -> tuple[int, ...]:
        """The numbers of the packages with matching rows, sorted by name. For a fuzzy name, best matches come first."""
        if self.rows:
            first, last = map(self.index.columns.package_of, (self.rows.min(), self.rows.max()))
            if first == last:  # most queries name a package, so the other packages have no rows
                return (first,)
        rank = self.rows.rank
        # `rank` counts the rows up to and including the given row
        below = [rank(start - 1) if start else 0 for start in self.index.package_starts]
        found = [number for number, (before, after) in enumerate(pairwise(below)) if after > before]
        named = self.query.package
        if named is not None and named.fuzzy:
            found.sort(key={number: at for at, number in enumerate(self.index.packages_meant(named.text))}.__getitem__)
        return tuple(found)

    def package_rows(self, number: int) -> Iterable[int]:
        """Yield the rows of one package, newest version first, then by hash.

        If the query has a host, rows with the nearest target come first, then the newest version, then the newest tag.
        """
        rows = self.rows & self.index.package_rows(number)
        if not self._distances:
            return newest_first(self.index, rows)
        profile, distances = self.index.columns.rows["profile"], self._distances
        return sorted(
            newest_first(self.index, rows, before_hash=self._newest_tag), key=lambda row: distances[profile[row]]
        )

    @cached_property
    def _newest_tag(self) -> Callable[[int], tuple[int, int]]:
        return newest_tag_order(self.index)

    @cached_property
    def _distances(self) -> Sequence[int]:
        """For each profile, the distance between its target and the host's target. Empty if the query has no host."""
        host = self.query.host
        if host is None:
            return ()
        return [host.distance(each.platform, each.target) or 0 for each in self.index.profiles]

    def in_order(self) -> Iterator[int]:
        """Return all rows, by package, then in the order of `package_rows`."""
        return chain.from_iterable(map(self.package_rows, self.packages))

    def versions(self, number: int) -> list[str]:
        """Return the distinct versions of one package, newest first."""
        return versions_of(self.index, self.rows & self.index.package_rows(number))

    @property
    def facets(self) -> tuple[str, ...]:
        """The facets whose values are counted.

        These are the facets that every row has, `installed` if the content has an installation, and each computed query
        key, such as `unused`, if the query contains this key.
        """
        asked = (name for name, each in VALUE_KEYS.items() if each.source == "computed" and self.query.terms_of(name))
        of_trees = ("installed",) if self.index.graph.trees else ()
        return tuple(dict.fromkeys((*FACETS, *of_trees, *asked)))

    def facet(self, facet: str) -> tuple[FacetValue, ...]:
        """Return the values of a facet (or `tag`) in the tags of the query, and values that only the query names.

        The values with most specs in these tags are first. Values with the same number of specs are in natural order.
        The value `root` is always last. The order depends only on the tags, so that values keep their places when the
        user changes other terms of the query.
        """
        index, query = self.index, self.query
        values = index.values(facet)
        unknown = self._unknown(facet, values)
        named = VALUE_KEYS[facet].ordered((*values, *unknown)) if unknown else values
        selected, excluded = query.selected(facet, named), query.excluded(facet, named)
        counts = totals = dict(zip(values, index.value_totals(facet, query), strict=True))
        if query != query.only_key("tag"):
            count = len if facet == "tag" else self.count
            counts = dict(zip(values, index.value_counts(facet, index.open_to(facet, query), count), strict=True))
        found = [
            FacetValue(value, counts.get(value, 0), value in selected, value in excluded)
            for value in named
            if totals.get(value) or value in selected or value in excluded
        ]
        return tuple(sorted(found, key=lambda each: (each.value == ROOT, -totals.get(each.value, 0))))

    def _unknown(self, facet: str, values: Sequence[str]) -> list[str]:
        """Return the words in the terms of this facet that are not values of the facet."""
        own = (term for term in self.query.terms if isinstance(term, ValueTerm) and term.key == facet)
        return list(dict.fromkeys(word for term in own for word in term.unknown_words(values)))
