"""Rows and columns for three lists: packages, specs and facets. Specs that differ only in the hash share a row.

`IndexViews` caches the rows for each index. All texts are escaped with `visible`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter
from typing import Any, NamedTuple

from pyroaring import BitMap

from cachetui.mappings import Once, grouped, latest
from cachetui.model.host import Fit, Host
from cachetui.model.installed import age
from cachetui.model.spec import FACETS, ROOT, Spec, normal_variant, read_variant
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.query.terms import FitsTerm
from cachetui.report.specs import Field, detail, package_detail
from cachetui.safe_text import visible
from cachetui.search.hashes import TypedTable, prefixed
from cachetui.search.index import Index, newest_first, newest_tag_order
from cachetui.search.names import matched_spans
from cachetui.search.results import FacetValue, Results
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import seems_signed
from cachetui.store.arrays import decode_variants
from cachetui.suggest.completion import Completion, completions
from cachetui.suggest.no_match import HostFit, NoMatch, WithoutTerm, host_fit, unmatched, without_each
from cachetui.tui.lines import (
    CUT,
    FALLING,
    RISING,
    SYMBOL_STYLES,
    Cell,
    Column,
    FixedRows,
    KeyedRows,
    Line,
    Rows,
    Style,
    as_wide_as,
    measure,
)

SpecKey = tuple[str, str, str]
"""The key of a spec, which is valid in newer indexes too: tag, package and hash.

A page may lack the hash of a spec. The key then contains `row N`: N is the position of the spec on the page.
"""

DIFFERS = "differs"
"""The title of the column with the variants in which a spec differs from other listed specs."""

TARGET, TAG, VERSION = "target", "tag", "version"


def spec_key(index: Index, row: int) -> SpecKey:
    """Return the key of the spec in a row of the index."""
    page = index.columns.page(row)
    text = index.columns.hashes[index.columns.hash[row]]
    place = f"row {row - index.columns.page_start[page]}"
    return index.tag_of(row), index.packages[index.columns.page_package[page]], text or place


def row_of(index: Index, key: SpecKey | None) -> int | None:
    """Return the index row of the spec with this key. If the key is None, or the index lacks the spec, return None."""
    return None if key is None else next(islice(_rows_with(index, key), 1), None)


def _rows_with(index: Index, key: SpecKey) -> Iterator[int]:
    """Yield the index rows of all specs with this key. There are several if a package has the same hash twice in a tag.

    An empty tag or package in the key matches every tag or package.
    """
    tag, package, place = key
    rows: Iterable[int] = [row for each in prefixed(index.columns.hashes, place) for row in index.hash_rows(each)]
    number = index.package_number(package)
    if not rows and place.startswith("row ") and number is not None:
        rows = index.package_rows(number) & index.value_rows("tag", tag)
    return (row for row in rows if all(part in ("", own) for part, own in zip(key, spec_key(index, row), strict=True)))


FALLING_COLUMNS = ("specs", "gaps", "newest", "version", "tag")
"""The columns that are sorted in descending order by default."""


class Order(NamedTuple):
    """The column that a list is sorted by, and whether the order is reversed."""

    column: str | None = None
    """The title of the column, or None for the default order of the list."""
    reverse: bool = False

    def next(self, columns: tuple[str, ...], title: str = "") -> "Order":
        """Return the order for the column `title`. If `title` is empty, use the column after the current one.

        If the list is already sorted by `title`, reverse the order. `columns` are the titles of all columns. The first
        column is the default.
        """
        at = columns.index(self.column) if self.column in columns else 0
        if title in columns and columns.index(title) == at:
            return self._replace(reverse=not self.reverse)
        at = columns.index(title) if title in columns else at + 1
        return Order(columns[at] if 0 < at < len(columns) else None)

    @classmethod
    def of(cls, text: str, columns: Sequence[str], default: str) -> "Order":
        """Parse a value of `--sort`. If the column does not exist, return the default order.

        `default` is the title of the default column.
        """
        column = text.removeprefix("-")
        if column not in columns:
            return cls()
        return cls(None if column == default else column, (column in FALLING_COLUMNS) != text.startswith("-"))

    def text(self, default: str) -> str:
        """Return the order as a value of `--sort`: the title of the column. If the order is descending, put `-` first.

        `default` is the title of the default column.
        """
        column, is_falling = self.shown(default)
        return f"{'-' * is_falling}{column}"

    def headed(self, columns: Iterable[Column], default: str) -> list[Column]:
        """Return the columns. Add an arrow to the title of the column by which the list is sorted."""
        title, is_falling = self.shown(default)
        symbol = FALLING if is_falling else RISING
        return [each._replace(title=f"{title} {symbol}") if each.title == title else each for each in columns]

    def shown(self, default: str) -> tuple[str, bool]:
        """Return the title of the column that the list is sorted by, and whether the order is descending.

        `default` is the title of the default column.
        """
        column = self.column or default
        return column, (column in FALLING_COLUMNS) != self.reverse


# Columns of specs


class SpecColumn(NamedTuple):
    """A column of the list of specs."""

    column: Column
    value: Callable[[Any], str | None]
    """Returns the value of a spec in this column. If `is_of_profile` is true, the argument may be a profile."""
    is_of_profile: bool = False
    """Whether the profile contains the value. A profile is a set of facet values that many specs share."""
    key: Callable[[str], Any] = sort_key
    """Returns the sort key of a value."""
    shown: Callable[[str], str] = str
    """Returns the text on screen for a value."""

    def key_of(self, of: Any) -> Any:
        """Return the value by which the list sorts a spec.

        `of` is the spec. If `is_of_profile` is true, `of` is the spec's profile instead. A profile contains the facet
        values of a spec. Many specs share a profile.
        """
        return self.key(self.value(of) or "")


_OF_FACETS = {
    "compiler": Column("compiler", 10, weight=3, middle=True),
    "os": Column("os", 11, weight=2, middle=True),
    TARGET: Column(TARGET, 9, weight=2, rank=1, middle=True),
    "stacks": Column("stacks", 12, weight=2, rank=3, middle=True),
}
"""The columns of the most important facets. On a narrow screen, these columns disappear last."""

SPEC_COLUMNS = {
    record.column.title: record
    for record in (
        SpecColumn(Column("hash", 7), lambda spec: spec.hash[:7] if spec.hash else None, key=str),
        SpecColumn(Column(VERSION, 9, weight=2, middle=True), attrgetter("version")),
        SpecColumn(Column(DIFFERS, 12, weight=4, rank=2), lambda spec: None),
        SpecColumn(Column(TAG, 12, weight=2, rank=2, middle=True), attrgetter("tag")),
        SpecColumn(Column("variants", 12, weight=4, rank=4), lambda spec: " ".join(spec.variants)),
        SpecColumn(Column("state", 10, rank=1), attrgetter("state"), is_of_profile=True),
        SpecColumn(Column("installed", 14, rank=1), attrgetter("installed"), key=str, shown=age),
        *(
            SpecColumn(_OF_FACETS.get(name, Column(name, 8, weight=2, rank=4, middle=True)), text, is_of_profile=True)
            for name, text in ((facet.field, facet.text) for facet in FACETS.values())
        ),
    )
}
"""All columns of specs, by title. The config file selects the visible columns."""

SPEC_COLUMNS["stacks"] = SPEC_COLUMNS["stacks"]._replace(
    value=lambda of: " ".join(stack for stack in of.stacks if stack != ROOT)
)

RECORDED = {"state", "installed", "explicit"}
"""The titles of the columns that have values only if the content is an installation."""


def sortable(titles: Sequence[str]) -> tuple[str, ...]:
    """Return the titles of the columns that can sort the list of specs. The version comes first, and the hash last.

    `titles` are the titles of the visible columns.
    """
    return (VERSION, *(title for title in titles if title not in (VERSION, DIFFERS, "hash")), "hash")


# Rows of specs


class SpecRows(Rows, frozen=True, dict=True):
    """The list of the specs of one package.

    Specs that differ only in the hash share a row. The row shows how many specs share it, such as `×60`.
    """

    index: Index
    groups: Sequence[Sequence[int]]
    """For each row of the list, the index rows of the specs that share it. The row shows the first of these specs."""
    marks: frozenset[SpecKey]
    host: Host
    titles: Sequence[str]
    differs: Mapping[int, str]
    """For each index row, the variants in which the spec differs from other listed specs."""
    count: Callable[[BitMap], int]
    """Returns the number of specs in a set of index rows."""

    def __len__(self) -> int:
        return len(self.groups)

    def make_line(self, k: int) -> Line:
        group = self.groups[k]
        row, spec = group[0], self.index.spec(group[0])
        symbol = host_symbol(self.index.fit(row, self.host))
        style: Style = "muted" if symbol == "!" else SYMBOL_STYLES.get(symbol, "")
        cells = {title: _cell(spec, title, style) for title in self.titles}
        if DIFFERS in cells:
            cells[DIFFERS] = self.differs.get(row, "")
        specs = self.count(BitMap(group))
        if specs > 1 and "hash" in cells:
            cells["hash"] = f"×{specs:,}"
        is_marked = bool(self.marks) and not self.marks.isdisjoint(self.builds(k))
        return Line(list(cells.values()), symbol=f"{'*' * is_marked}{symbol}")

    def key(self, k: int) -> SpecKey:
        return spec_key(self.index, self.groups[k][0])

    def builds(self, k: int) -> Sequence[SpecKey]:
        """Return the keys of all specs that share row `k`."""
        return [spec_key(self.index, row) for row in self.groups[k]]

    def find(self, key: Hashable) -> int | None:
        if not isinstance(key, tuple):
            return None
        return next((self._places[row] for row in _rows_with(self.index, key) if row in self._places), None)

    @cached_property
    def _places(self) -> Mapping[int, int]:
        return {row: k for k, group in enumerate(self.groups) for row in group}


def _cell(spec: Spec, title: str, style: Style) -> Cell | str:
    """Return the text of a spec in the column `title`. In the column `target`, the text has the style `style`."""
    record = SPEC_COLUMNS[title]
    text = visible(record.shown(record.value(spec) or "-"))
    return Cell(text, style) if style and title == TARGET else text


def host_symbol(fit: Fit) -> str:
    """Return `!` if a spec does not run on the host, `?` if that is unknown, or an empty string if it runs."""
    return "!" if fit.is_unfit else "" if fit.is_known else "?"


def grouped_specs(index: Index, rows: Iterable[int], titles: Sequence[str]) -> list[list[int]]:
    """Group specs of one package that have the same version and the same values in the columns `titles`.

    The column `hash` is ignored. Each group is a list of index rows. Within a version, the largest group comes first.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    version, profile, variants = (index.columns.rows[name] for name in (VERSION, "profile", "variants"))
    records = [SPEC_COLUMNS[title] for title in titles if SPEC_COLUMNS[title].is_of_profile]
    looks = Once[int, tuple[object, ...]](lambda number: tuple(each.value(index.profiles[number]) for each in records))
    by_tag, by_variants = TAG in titles, DIFFERS in titles or "variants" in titles
    places: dict[int, int] = {}
    for row in rows:
        places.setdefault(version[row], len(places))
        tag = index.tag_of(row) if by_tag else ""
        groups.setdefault((version[row], looks[profile[row]], by_variants and variants[row], tag), []).append(row)
    return sorted(groups.values(), key=lambda group: (places[version[group[0]]], -len(group)))


def distinct_variants(index: Index, rows: Iterable[int]) -> Mapping[int, str]:
    """Return the variants in which specs differ. The keys are the index rows of the specs.

    If all specs have the same variants, the result is empty. In each text, `+x` and `~x` come before `x=y`, and rare
    values come first, because a narrow column cuts off the end of the text.
    """
    column, table = index.columns.rows["variants"], index.columns.tables["variants"]
    variants = {
        number: {normal_variant(each): each for each in decode_variants(table[number])}
        for number in {column[row] for row in rows}
    }
    if len(variants) < 2:
        return {}
    common = frozenset.intersection(*map(frozenset, variants.values()))
    users = Counter(chain.from_iterable(variants.values()))
    counts = grouped((read_variant(text)[0], count) for text, count in users.items())

    def order(text: str) -> tuple[bool, int, int, str]:
        return "=" in text, max(counts[read_variant(text)[0]]), len(text), text

    own = {
        number: " ".join(visible(each[text]) for text in sorted(each.keys() - common, key=order))
        for number, each in variants.items()
    }
    return {row: own[column[row]] for row in rows}


# Packages


PACKAGE_ORDERS = ("package", "specs", "newest")
"""The columns that packages can be sorted by. The first is the default order."""


class PackageRows(KeyedRows, frozen=True, dict=True):
    """The list of the packages that have specs in the results of a query."""

    results: Results
    order: str | None = None
    """A column of `PACKAGE_ORDERS`; None to sort by name, or by the best match for a fuzzy name."""
    reverse: bool = False

    @cached_property
    def packages(self) -> Sequence[int]:
        """The numbers of the packages in the index, in the order of the list."""
        packages = list(self.results.packages)
        if self.order == "specs":
            packages.sort(key=lambda number: -self.results.specs_of(number))
        elif self.order == "newest":
            packages.sort(key=lambda number: sort_key(self._newest(number)), reverse=True)
        elif self.order == "package":
            packages.sort()
        return packages[::-1] if self.reverse else packages

    @cached_property
    def keys(self) -> Sequence[str]:
        return list(map(self.results.index.packages.__getitem__, self.packages))

    def _newest(self, number: int) -> str:
        return next(iter(self.results.versions(number)), "")

    def make_line(self, k: int) -> Line:
        number = self.packages[k]
        return Line((self._name(self.keys[k]), f"{self.results.specs_of(number):,}", visible(self._newest(number))))

    def _name(self, name: str) -> Cell | str:
        """Return the name of a package.

        If the user typed at least two characters of a name, highlight the matching characters.
        """
        named, shown = self.results.query.package, visible(name)
        if named is None or not named.fuzzy or len(named.text) < 2 or shown != name:
            return shown
        return Cell(shown, "", [(start, end, "match") for start, end in matched_spans(named.text, name)])


# Facets


HEADING = max(map(len, FACETS)) + 1
"""Width of the longest facet name and a space, in cells."""

FacetKey = tuple[str, str | None]
"""The key of a row: a facet and a value. The value is None for a heading, and empty for the row `… 5 more`."""


def _most_shown(sizes: Sequence[int], room: int) -> int:
    """Return the maximum number of values for each facet, so that all facets fit into `room` lines. It is at least 3.

    `sizes` contains the number of values of each facet.
    """

    def lines(most: int) -> int:
        return sum(1 if size == 1 else 1 + min(size, most) + (size > most) for size in sizes if size)

    return max((most for most in range(3, max(sizes, default=0) + 1) if lines(most) <= room), default=3)


def _line(value: FacetValue, facet: str = "") -> Line:
    """Return the line for a value of a facet: the value, and the number of specs with this value.

    `facet` is the name of the facet. The line begins with this name, if it is not empty.
    """
    symbol = "+" if value.selected else "-" if value.excluded else ""
    name = f"{facet} {visible(value.value)}"
    spans: Sequence[tuple[int, int, Style]] = ((0, len(facet), "bold"),) if facet else ()
    return Line((Cell(name, "", spans), f"{value.specs:,}"), symbol=symbol)


# The cache


class SpecList(NamedTuple):
    """The parameters of a list with the specs of one package. They are the key of the list in a cache."""

    number: int | None
    """The number of the package in the index."""
    order: Order
    titles: tuple[str, ...]
    """The titles of the columns. Specs form a group if their values in these columns are equal. The hash is ignored."""
    group: int | None
    """An index row of the open group: the list shows each spec of this group in its own row.

    None: the list shows all groups, each in one row.
    """


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
        """Return the index rows of the matching specs of a package. By default, the newest version comes first.

        `key` contains the number of the package in the index, and the order.
        """
        number, (title, reverse) = key
        index = self.index
        rows = [] if number is None else list(newest_first(index, self.rows & index.package_rows(number)))
        if title == TAG:
            rows.sort(key=newest_tag_order(index))
        elif title is not None and title != VERSION:
            record, profile = SPEC_COLUMNS[title], index.columns.rows["profile"]
            keys = Once[int, Any](lambda number: record.key_of(index.profiles[number]))
            rows.sort(key=lambda row: keys[profile[row]] if record.is_of_profile else record.key_of(index.spec(row)))
        return rows[::-1] if reverse else rows

    @latest
    def differs_by(self, key: tuple[int | None, Order]) -> Mapping[int, str]:
        """Return the variants in which the matching specs of a package differ. The keys are the specs' index rows.

        `key` contains the number of the package in the index, and the order.
        """
        return distinct_variants(self.index, self.sorted_by[key])

    @latest
    def groups_by_row(self, of: SpecList) -> Sequence[Sequence[int]]:
        """Return the specs for each row of a list, as index rows. Several specs may share a row."""
        groups = grouped_specs(self.index, self.sorted_by[of.number, of.order], of.titles)
        opened = next((group for group in groups if of.group in group), ())
        return [(row,) for row in opened] or groups

    @latest
    def shared_by(self, of: SpecList) -> Mapping[str, str]:
        """Return the values that are equal in all rows of a list. The keys are the column titles.

        If the list has only one row, the result is empty.
        """
        rows, columns = [group[0] for group in self.groups_by_row[of]], self.index.columns
        profiles = [self.index.profiles[number] for number in {columns.rows["profile"][row] for row in rows}]
        found: dict[str, str] = {}
        for title in of.titles if rows[1:] else ():
            record = SPEC_COLUMNS[title]
            values: set[str | None] = {record.value(of) for of in profiles} if record.is_of_profile else set()
            if title == VERSION:
                values = {columns.tables[VERSION][number] for number in {columns.rows[VERSION][row] for row in rows}}
            elif title == DIFFERS:
                values = {self.differs_by[of.number, of.order].get(row, "") for row in rows}
            if len(values) == 1:
                value = values.pop()
                found[title] = visible(record.shown(value)) if value else ""
        return found

    @latest
    def spec_rows_by(self, key: tuple[SpecList, frozenset[SpecKey], Host]) -> SpecRows:
        """Return a list of specs. `key` contains the parameters of the list, the marked specs, and the host."""
        of, marks, host = key
        titles = [title for title in of.titles if title not in self.shared_by[of]]
        differs = self.differs_by[of.number, of.order]
        return SpecRows(self.index, self.groups_by_row[of], marks, host, titles, differs, self.count)

    @latest
    def facet_rows_in(self, room: int) -> FixedRows:
        """Return the rows of the facet list.

        A facet with one value has one row. Other facets have a heading, and a row for each value. The list contains the
        values of matching specs, and the values in the query. The list omits the stack `root`, because this build cache
        merges all stacks. If the list needs more than `room` lines, the longest facets show fewer values.
        """
        found = {
            facet: [
                each
                for each in self.facet(facet)
                if each.selected or each.excluded or (each.specs and each.value != ROOT)
            ]
            for facet in self.facets
        }
        most = _most_shown([len(values) for values in found.values()], room)
        lines: dict[FacetKey, Line] = {}
        for facet, values in found.items():
            if len(values) == 1:
                lines[facet, values[0].value] = _line(values[0], facet)
            elif values:
                lines[facet, None] = Line((Cell(f"{facet} ({len(values)})", "bold"), ""))
                # show the last value instead of a line "1 more"
                is_whole = len(values) <= most + 1
                shown = [
                    each for k, each in enumerate(values) if is_whole or k < most or each.selected or each.excluded
                ]
                lines |= {(facet, value.value): _line(value) for value in shown}
                if len(shown) < len(values):
                    lines[facet, ""] = Line((Cell(f"  {CUT} {len(values) - len(shown)} more", "muted"), ""))
        return FixedRows(lines)

    @latest
    def details(self, key: tuple[int, int | None, Host]) -> Sequence[Field]:
        """Return the details of a spec, or of its package if `key` contains None instead of an index row."""
        number, row, host = key
        if row is None:
            return package_detail(self, number, tags=self.query.tag is None)
        fields = detail(self.index, row, host, self.settings.mirror, seems_signed(self.index.graph, self.settings))
        caches = {mirror for own in self.index.graph.mirrors for mirror in own.values()}
        shared = ("mirror", "signed no") if len(caches) == 1 else ()  # in a single build cache, all specs share them
        return [each for each in fields if not {each.label, f"{each.label} {each.lines[0]}"} & {*shared}]

    @latest
    def fits_by(self, host: Host) -> HostFit | None:
        """Return how many of the specs run on a host, and why the other specs do not run.

        The result is never None, because this method adds the term `fits=` to the query.
        """
        return host_fit(self.index, self.query.with_term(FitsTerm.named(host)), self.only)

    @cached_property
    def unmatched(self) -> Sequence[NoMatch]:
        """The terms of the query that no spec matches."""
        return unmatched(self.index, self.query)

    def find_all(self, host: Host) -> None:
        """Compute all slow values that screens show for these results and this host. Store the values in the cache."""
        self.fits_by[host]
        if self.rows:
            list(map(self.facet, self.facets))
        else:
            self.unmatched  # noqa: B018  # fill the cache

    @cached_property
    def without_each(self) -> Sequence[WithoutTerm]:
        """For each filter, the number of specs that would match if the filter were removed."""
        return without_each(self.index, self.query)


class IndexViews:
    """A cache of values that screens compute from an index."""

    def __init__(self, index: Index, settings: Settings | None = None) -> None:
        self.index, self._settings = index, settings or Settings()

    @latest
    def results(self, key: tuple[Query, frozenset[SpecKey] | None]) -> ShownResults:
        """Return the results of a query.

        `key` contains the query and the keys of the specs to search (None: all specs).
        """
        query, only = key
        if only is None:
            return ShownResults(self.index, query, self.index.rows(query), settings=self._settings)
        rows = self.only_rows[only]
        return ShownResults(self.index, query, self.index.rows(query) & rows, rows, self._settings)

    @latest
    def only_rows(self, only: frozenset[SpecKey]) -> BitMap:
        """Return the index rows of the specs with these keys."""
        return BitMap(row for key in only if (row := row_of(self.index, key)) is not None)

    @latest
    def completions(self, at: tuple[str, int]) -> Sequence[Completion]:
        """Return the completions for a typed text. `at` is the text, and the cursor's position in it."""
        return completions(self.index, *at, fuzzy_name=True, settings=self._settings)

    @latest
    def spec_columns(self, key: tuple[int | None, tuple[str, ...]]) -> Sequence[Column]:
        """Return the columns for the specs of a package.

        `key` contains the number of the package in the index, and the column titles. A column is at most as wide as the
        longest value in the package. The filters do not change the widths.
        """
        (number, titles), columns = key, self.index.columns
        rows = BitMap() if number is None else self.index.package_rows(number)
        profiles = [self.index.profiles[each] for each in set(map(columns.rows["profile"].__getitem__, rows))]

        def values(title: str) -> Iterable[str | None]:
            record = SPEC_COLUMNS[title]
            if record.is_of_profile:
                return map(record.value, profiles)
            if title == VERSION:
                return map(columns.tables[VERSION].__getitem__, set(map(columns.rows[VERSION].__getitem__, rows)))
            if title == DIFFERS:
                return distinct_variants(self.index, rows).values()
            return self.index.tags if title == TAG else ()

        bounded = {title: [measure(visible(value)) for value in values(title) if value] for title in titles}
        return [
            as_wide_as(SPEC_COLUMNS[title].column, widths) if widths else SPEC_COLUMNS[title].column
            for title, widths in bounded.items()
        ]

    @latest
    def tag_counts(self, key: tuple[str, Query]) -> Sequence[int]:
        """Return two counts: the specs of a tag that match the filters, and all specs of the tag.

        `key` contains the tag (empty for all tags) and the filters. If there are no filters, return only the second
        count.
        """
        tag, filters = key
        found = [self.results[query, None] for query in ((filters, Query()) if filters else (Query(),))]
        rows = self.index.value_rows("tag", tag)
        return [each.rows.intersection_cardinality(rows) if tag else each.specs for each in found]

    @cached_property
    def facet_columns(self) -> Sequence[Column]:
        """The columns of the facet list, wide enough for all values and counts of the index."""
        widths = (HEADING + measure(visible(value)) for facet in FACETS for value in self.index.values(facet))
        value = as_wide_as(Column("", 14, weight=1, middle=True), widths)
        return value, Column("", len(f"{len(self.index):,}"), right=True)

    @cached_property
    def package_columns(self) -> Sequence[Column]:
        """The columns of the package list, no wider than the longest name and version in the index."""
        names, versions = self.index.packages, self.index.columns.tables[VERSION]
        return [
            as_wide_as(Column("package", 12, weight=3, middle=True), (measure(visible(name)) for name in names)),
            Column("specs", max(7, len(f"{len(self.index):,}")), right=True),
            as_wide_as(Column("newest", 8, weight=1, rank=1), (min(12, measure(visible(each))) for each in versions)),
        ]

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
