"""The results of a query: packages, their rows in order, and how many specs each value of each facet has."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.spec import FACETS, ROOT, VALUE_KEYS
from cachetui.query.parts import ValuePart
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.row_values import newest_first, newest_tag_order, versions_of


class FacetValue(Struct, frozen=True):
    """One value of a facet, and how many specs picking it would give."""

    value: str
    specs: int
    """Specs with this value that match all parts of the query but those about this facet."""
    ticked: bool
    excluded: bool


class Results(Struct, frozen=True, eq=False, dict=True):
    """The rows that a query matches; counts and orders are computed when they are first needed."""

    index: Index
    query: Query
    rows: BitMap

    @classmethod
    def of(cls, index: Index, query: Query) -> "Results":
        """Return the results of a query."""
        return cls(index, query, index.rows(query))

    def __len__(self) -> int:
        """Return the number of rows: a spec has one in each tag that holds it."""
        return len(self.rows)

    @cached_property
    def specs(self) -> int:
        """The number of specs: in one tag that of rows, in several that of distinct hashes."""
        return self.count(self.rows)

    @cached_property
    def count(self) -> Callable[[BitMap], int]:
        """What counts the specs of some of these rows."""
        return self.index.counter(self.query)

    def specs_of(self, number: int) -> int:
        """Return how many specs a package has here."""
        return self.count(self.rows & self.index.package_rows(number))

    @cached_property
    def packages(self) -> tuple[int, ...]:
        """The numbers of the packages with a row, by name; for a fuzzy name the best match first."""
        if self.rows:
            first, last = map(self.index.columns.package_of, (self.rows.min(), self.rows.max()))
            if first == last:  # usually a query names a package, and then the others do not matter
                return (first,)
        rank = self.rows.rank
        # rank counts the rows up to the one given, which is included
        below = [rank(start - 1) if start else 0 for start in self.index.package_starts]
        found = [number for number, (before, after) in enumerate(pairwise(below)) if after > before]
        named = self.query.package
        if named is not None and named.fuzzy:
            place = {number: at for at, number in enumerate(self.index.packages_meant(named.text))}
            found.sort(key=place.__getitem__)
        return tuple(found)

    def package_rows(self, number: int) -> Iterable[int]:
        """Yield the rows of one package, the newest version first, then by hash; sorted only as far as needed.

        With a host the rows nearest to its target come first, and of a version those of the newest tag.
        """
        rows = self.rows & self.index.package_rows(number)
        if not self._distances:
            return newest_first(self.index, rows)
        profile, distances = self.index.columns.rows["profile"], self._distances
        found = newest_first(self.index, rows, before_hash=self._newest_tag)
        return sorted(found, key=lambda row: distances[profile[row]])

    @cached_property
    def _newest_tag(self) -> Callable[[int], tuple[int, int]]:
        return newest_tag_order(self.index)

    @cached_property
    def _distances(self) -> Sequence[int]:
        """The steps from the target of the query's host up to that of each profile; empty without a host."""
        host = self.query.host
        if host is None:
            return ()
        return [host.distance(each.platform, each.target) or 0 for each in self.index.profiles]

    def in_order(self) -> Iterator[int]:
        """Return all rows, by package, then as `package_rows` orders them."""
        return chain.from_iterable(map(self.package_rows, self.packages))

    def versions(self, number: int) -> list[str]:
        """Return the distinct versions of one package, the newest first."""
        return versions_of(self.index, self.rows & self.index.package_rows(number))

    @property
    def facets(self) -> tuple[str, ...]:
        """The facets to count: all, the states of an installation, and the computed ones that the query asks for."""
        asked = (name for name, each in VALUE_KEYS.items() if each.source == "computed" and self.query.parts_of(name))
        of_trees = ("installed",) if self.index.graph.trees else ()
        return tuple(dict.fromkeys((*FACETS, *of_trees, *asked)))

    def facet(self, facet: str) -> tuple[FacetValue, ...]:
        """Return the values of a facet (or `tag`) in the tags of the query, and all values that the query names.

        Their counts are under all parts of the query but those about the facet. Their order is that of their counts
        under the tag only, so that a change of the query moves nothing; equal counts in natural order, `root` last.
        """
        index, query = self.index, self.query
        values = index.values(facet)
        unknown = self._unknown(facet, values)
        named = VALUE_KEYS[facet].ordered((*values, *unknown)) if unknown else values
        ticked, excluded = query.ticked(facet, named), query.excluded(facet, named)
        counts = totals = dict(zip(values, index.value_totals(facet, query), strict=True))
        if query != query.only_key("tag"):
            count = len if facet == "tag" else self.count
            open_to = index.open_to(facet, query)
            counts = dict(zip(values, index.value_counts(facet, open_to, count), strict=True))
        found = [
            FacetValue(value, counts.get(value, 0), value in ticked, value in excluded)
            for value in named
            if totals.get(value) or value in ticked or value in excluded
        ]
        return tuple(sorted(found, key=lambda each: (each.value == ROOT, -totals.get(each.value, 0))))

    def _unknown(self, facet: str, values: Sequence[str]) -> list[str]:
        """Return the words of the query about this facet that name none of its values."""
        own = (part for part in self.query.parts if isinstance(part, ValuePart) and part.key == facet)
        return list(dict.fromkeys(word for part in own for word in part.unknown_words(values)))
