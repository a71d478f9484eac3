"""Caches of values that screens compute from an index or from results. A cache exists as long as the index."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from pyroaring import BitMap

from cachetui.mappings import latest
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.query.terms import FitsTerm
from cachetui.report.detail import Field, detail, package_detail
from cachetui.search.hashes import TypedTable
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import seems_signed
from cachetui.suggest.completion import Completion, completions
from cachetui.suggest.no_match import HostFit, NoMatch, WithoutTerm, host_fit, unmatched, without_each
from cachetui.tui.lines import Column, FixedRows
from cachetui.tui.view.rows import (
    DIFFERS,
    Order,
    PackageRows,
    SpecKey,
    SpecRows,
    distinct_variants,
    facet_columns,
    facet_rows,
    folded,
    package_columns,
    row_of,
    shared_values,
    sorted_rows,
    spec_columns,
)


class SpecList(NamedTuple):
    """The choices that determine a list of the specs of one package."""

    number: int | None
    """The number of the package in the index."""
    order: Order
    titles: tuple[str, ...]
    """The titles of the columns. If specs differ only in the hash, they form a group and share a row."""
    group: int | None
    """A row of the open group. The list shows only this group, with a line for each spec. None to show all groups."""


class ShownResults(Results, frozen=True, eq=False, dict=True):
    """The results of a query, with cached values for screens, such as the rows of lists."""

    only: BitMap | None = None
    """If not None, the results contain only these rows of the index."""
    settings: Settings = Settings()

    @latest
    def package_rows_by(self, order: Order) -> PackageRows:
        return PackageRows(self, *order)

    @latest
    def sorted_by(self, key: tuple[int | None, Order]) -> list[int]:
        """Return the matching rows of a package, sorted."""
        return sorted_rows(self, key[0], *key[1])

    @latest
    def differs_by(self, key: tuple[int | None, Order]) -> Mapping[int, str]:
        """Return, for each matching row of a package, the variants that not all of these rows have."""
        return distinct_variants(self.index, self.sorted_by[key])

    @latest
    def folds_by(self, of: SpecList) -> Sequence[Sequence[int]]:
        """Return, for each line of a list, the rows of the index that the line stands for."""
        folds = folded(self.index, self.sorted_by[of.number, of.order], of.titles)
        opened = next((fold for fold in folds if of.group in fold), ())
        return [(row,) for row in opened] or folds

    @latest
    def shared_by(self, of: SpecList) -> Mapping[str, str]:
        """Return the common value of each column in which all rows of a list are equal."""
        rows, differs = [fold[0] for fold in self.folds_by[of]], self.differs_by[of.number, of.order]
        return shared_values(self.index, rows, of.titles, differs)

    @latest
    def spec_rows_by(self, key: tuple[SpecList, frozenset[SpecKey], Host]) -> SpecRows:
        """Return the rows of a list of specs. `key` is the list, the marked specs, and the host."""
        of, marks, host = key
        titles = [title for title in of.titles if title not in self.shared_by[of]]
        differs = self.differs_by[of.number, of.order]
        return SpecRows(self.index, self.folds_by[of], marks, host, titles, differs, self.count)

    @latest
    def facet_rows_in(self, room: int) -> FixedRows:
        """Return the rows of the facets, shortened to about `room` lines."""
        return facet_rows(self, room)

    @latest
    def details(self, key: tuple[int, int | None, Host]) -> Sequence[Field]:
        """Return the details of a package, or of one of its specs."""
        number, row, host = key
        if row is None:
            return package_detail(self, number, tags=self.query.tag is None)
        signed = seems_signed(self.index.graph, self.settings)
        fields = detail(self.index, row, host, self.settings.mirror, signed)
        caches = {mirror for own in self.index.graph.mirrors for mirror in own.values()}
        shared = ("mirror", "signed no") if len(caches) == 1 else ()  # one cache: these are the same for all specs
        return [each for each in fields if not {each.label, f"{each.label} {each.lines[0]}"} & {*shared}]

    @latest
    def fits_by(self, host: Host) -> HostFit | None:
        """Return the number of specs that run on a host."""
        return host_fit(self.index, self.query.with_term(FitsTerm.named(host)), self.only)

    @cached_property
    def unmatched(self) -> Sequence[NoMatch]:
        """The terms of the query that no spec matches."""
        return unmatched(self.index, self.query)

    def find_all(self, host: Host) -> None:
        """Compute and cache all slow values that screens show for a host."""
        self.fits_by[host]
        if self.rows:
            list(map(self.facet, self.facets))
        else:
            self.unmatched  # noqa: B018  # fill the cache

    @cached_property
    def without_each(self) -> Sequence[WithoutTerm]:
        """Each filter, with the number of specs that would match without it."""
        return without_each(self.index, self.query)


class IndexViews:
    """A cache of values that screens compute from an index."""

    def __init__(self, index: Index, settings: Settings | None = None) -> None:
        self.index, self._settings = index, settings or Settings()

    @latest
    def results(self, asked: tuple[Query, frozenset[SpecKey] | None]) -> ShownResults:
        """Return the results of a query. If `asked` has keys, the results contain only specs with these keys."""
        query, only = asked
        if only is None:
            return ShownResults(self.index, query, self.index.rows(query), settings=self._settings)
        rows = self.only_rows[only]
        return ShownResults(self.index, query, self.index.rows(query) & rows, rows, self._settings)

    @latest
    def only_rows(self, only: frozenset[SpecKey]) -> BitMap:
        """Return the rows of the specs with these keys."""
        return BitMap(row for key in only if (row := row_of(self.index, key)) is not None)

    @latest
    def completions(self, at: tuple[str, int]) -> Sequence[Completion]:
        """Return the completions for a typed text. `at` is the text, and the cursor's position in it."""
        return completions(self.index, *at, fuzzy_name=True, settings=self._settings)

    @latest
    def spec_columns(self, key: tuple[int | None, tuple[str, ...]]) -> Sequence[Column]:
        """Return the columns with these titles for a package. Filters do not change the widths."""
        number, titles = key
        rows = BitMap() if number is None else self.index.package_rows(number)
        differs = distinct_variants(self.index, list(rows)).values() if DIFFERS in titles else ()
        return spec_columns(self.index, rows, titles, differs)

    @latest
    def tag_counts(self, key: tuple[str, Query]) -> Sequence[int]:
        """Return how many specs of a tag match the filters (if there are any), and how many specs the tag has.

        An empty tag means all tags.
        """
        tag, filters = key
        found = [self.results[query, None] for query in ((filters, Query()) if filters else (Query(),))]
        rows = self.index.value_rows("tag", tag)
        return [each.rows.intersection_cardinality(rows) if tag else each.specs for each in found]

    @cached_property
    def facet_columns(self) -> Sequence[Column]:
        return facet_columns(self.index)

    @cached_property
    def package_columns(self) -> Sequence[Column]:
        return package_columns(self.index)

    @cached_property
    def typed_hashes(self) -> TypedTable:
        """A table of all hashes, for searching while the user types a hash."""
        return TypedTable(self.index.columns.hashes)

    @cached_property
    def hosts(self) -> Mapping[Host, int]:
        """The hosts that specs are built for, with the number of specs. The most frequent host comes first."""
        rows: dict[Host, BitMap] = {}
        for number, profile in enumerate(self.index.profiles):
            if profile.platform and profile.os and profile.target:
                host = Host(profile.platform, profile.os, profile.target)
                with suppress(ValueError):
                    if Host.parse(str(host)) == host:  # otherwise, its text in a query means another host
                        rows[host] = rows.get(host, BitMap()) | self.index.columns.rows_of_profiles([number])
        count = self.index.counter(Query())
        return dict(sorted(((host, count(each)) for host, each in rows.items()), key=lambda each: -each[1]))
