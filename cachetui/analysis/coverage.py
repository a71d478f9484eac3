"""The coverage table. By default, a row is a package and a column is a stack. A cell has a number of specs.

Specs are counted by hash, so a spec in several tags counts once. Each spec without a hash counts as one. A column is
absent if its value does not occur in the examined tags. Other filters of the query never make a column absent.
Input: an index and a query.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, reduce
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.environments.wanted import Broken, Expectation, Expectations, Rules
from cachetui.mappings import Once, grouped
from cachetui.model.problem import Reason
from cachetui.model.spec import VALUE_KEYS
from cachetui.model.version import Exactly, VersionList, point, sort_key, split_git
from cachetui.query.query import Query
from cachetui.query.terms import NameTerm, Term, ValueTerm, VersionTerm
from cachetui.safe_text import containing
from cachetui.search.index import Index
from cachetui.suggest.nearest_build import NearestBuild, nearest_builds

ORDERS = ("name", "specs", "gaps")
"""The properties by which rows can be sorted. Rows can also be sorted by their numbers in a column."""


class CoverageColumn(Struct, frozen=True):
    name: str
    specs: int
    """The number of distinct hashes in the column."""
    absent: bool
    """Whether no examined tag has a spec with the value of the column."""


class CoverageRow(Struct, frozen=True):
    name: str
    """The value of the row axis, such as the name of the package."""
    specs: int
    """The number of distinct hashes in the row, including specs that are in no column."""
    counts: tuple[int, ...]
    """The number of distinct hashes in each column, in the order of the columns."""
    gaps: int
    """The number of empty cells in columns that are not absent."""
    expected: bool
    """Whether `--expect` names the package. Such a row exists even without specs."""
    position: int
    """The position of the row in the order by name."""
    rows: BitMap
    """The row numbers of the counted specs in the index."""


class Coverage(Struct, frozen=True, dict=True):
    """The coverage table. Expected packages without specs are always the first rows, in any sort order."""

    query: Query
    row_axis: str
    column_axis: str
    columns: tuple[CoverageColumn, ...]
    rows: tuple[CoverageRow, ...]
    specs: int
    """The number of distinct hashes in shown and hidden rows. The numbers of `columns` include hidden rows too."""
    count: Callable[[BitMap, str], int]
    """Returns the number of distinct hashes among these rows of the index, in one column or (`""`) in all columns."""
    hidden: tuple[CoverageRow, ...] = ()
    """The rows that filters hide."""

    @property
    def whole(self) -> tuple[CoverageRow, ...]:
        """The shown rows, then the hidden rows."""
        return self.rows + self.hidden

    @cached_property
    def total(self) -> CoverageRow:
        """The row with the totals of the shown rows.

        If no row is hidden, the totals include specs that are in no row.
        """
        rows = BitMap.union(BitMap(), *(row.rows for row in self.rows))
        specs, counts = self.specs, tuple(column.specs for column in self.columns)
        if self.hidden:
            specs, counts = self.count(rows, ""), tuple(self.count(rows, column.name) for column in self.columns)
        return CoverageRow("total", specs, counts, self.gaps, False, len(self.rows), rows)

    @cached_property
    def gaps(self) -> int:
        """The number of gaps in the shown rows. A gap is an empty cell. Stacks that lack specs do not count."""
        return sum(row.gaps for row in self.rows)

    def cell_query(self, row: str, column: str) -> Query:
        """Return the query that matches the specs of one cell."""
        return self.row_query(row).with_term(ValueTerm.of(self.column_axis, [column]))

    def row_query(self, row: str) -> Query:
        """Return the query that matches the specs of one row."""
        return self.query.with_term(_row_term(self.row_axis, row))

    def only(self, is_shown: Callable[[CoverageRow], bool]) -> "Coverage":
        """Show only the rows for which `is_shown` returns True."""
        hidden = tuple(row for row in self.rows if not is_shown(row))
        return replace(self, rows=tuple(filter(is_shown, self.rows)), hidden=self.hidden + hidden)

    def only_in(self, name: str) -> "Coverage":
        """Show only the rows that have specs in this column, and in no other column."""
        own = [column.name == name for column in self.columns]
        return self.only(lambda row: any(own) and [count > 0 for count in row.counts] == own)

    def with_columns(self, names: Collection[str]) -> "Coverage":
        """Show only these columns, and count gaps only in them."""
        places = [k for k, column in enumerate(self.columns) if column.name in names]
        existing = [k for k in places if not self.columns[k].absent]
        rows, hidden = (
            tuple(
                replace(row, counts=tuple(row.counts[k] for k in places), gaps=sum(not row.counts[k] for k in existing))
                for row in some
            )
            for some in (self.rows, self.hidden)
        )
        return replace(self, columns=tuple(self.columns[k] for k in places), rows=rows, hidden=hidden)

    def searched(
        self, word: str, compared: Collection[str] = (), only_in: str = "", *, only_gaps: bool = False
    ) -> "Coverage":
        """Show only rows whose names contain the search word.

        If the word occurs only in names of columns, show all rows. `compared`: show only these columns, and only rows
        whose numbers in these columns differ. `only_in`: show only rows that have specs in this column and in no other
        compared column. `only_gaps`: show only rows with a gap.
        """
        found = self.with_columns(compared) if compared else self
        if compared:
            found = found.only_in(only_in) if only_in else found.only(lambda row: len(set(row.counts)) > 1)
        if only_gaps:
            found = found.only(lambda row: row.gaps > 0)
        return found.only(lambda row: containing(word, row.name)) if self.row_word(word) else found

    def row_word(self, word: str) -> str:
        """Return the search word if it filters rows. Return an empty string if it occurs only in names of columns."""
        is_of_columns = any(containing(word, column.name) for column in self.columns)
        return "" if is_of_columns and not any(containing(word, row.name) for row in self.whole) else word

    def ordered(self, by: str, *, descending: bool = False) -> "Coverage":
        """Sort the rows by `name`, `specs` or `gaps`, or by their numbers in a column. Sort equal rows by name."""
        names = [column.name for column in self.columns]
        rows = sorted(self.rows, key=lambda row: row.position)
        if by in ORDERS[1:]:
            rows.sort(key=lambda row: getattr(row, by), reverse=descending)
        elif by in names:
            rows.sort(key=lambda row: row.counts[names.index(by)], reverse=descending)
        elif descending:
            rows.reverse()
        rows.sort(key=lambda row: not (row.expected and not row.specs))
        return replace(self, rows=tuple(rows))


def with_default_tag(index: Index, query: Query, *axes: str) -> Query:
    """Add the default tag to the query. If the query names a tag or an axis shows tags, return the query unchanged."""
    if index.default_tag is None or "tag" in axes or query.terms_of("tag"):
        return query
    return query.with_term(ValueTerm.of("tag", [index.default_tag]))


def coverage(
    index: Index,
    query: Query,
    rows: str = "package",
    columns: str = "stack",
    *,
    stacks: Sequence[str] = (),
    expected: Collection[str] = (),
    only_rows: BitMap | None = None,
) -> Coverage:
    """Return the coverage table of the specs that match the query.

    The table has no columns for values that the query excludes. It has a column `root` only if the query names `root`.
    `stacks`: show only these stacks, and count only their specs. `expected`: packages with a row even if they have no
    specs. `only_rows`: count only these rows of the index; None for all rows.
    """
    if stacks and columns == "stack":
        names = list(dict.fromkeys(stacks))
        query = query.with_term(ValueTerm.of("stack", names))
    else:
        names = existing(index, query, columns, _allowed_values(index, query, columns))
    matching = index.rows(query) if only_rows is None else index.rows(query) & only_rows
    count = index.distinct.count
    existing_names = existing(index, query, columns, names)
    column_rows = [matching & index.value_rows(columns, name) for name in names]
    found = tuple(
        CoverageColumn(name, count(rows), absent=name not in existing_names)
        for name, rows in zip(names, column_rows, strict=True)
    )
    by_name = dict(zip(names, column_rows, strict=True))

    def count_in(rows: BitMap, column: str) -> int:
        return count(rows & by_name[column] if column else rows)

    expected_packages = frozenset(expected) if rows == "package" else frozenset()
    lines: list[CoverageRow] = []
    for name, own in _row_values(index, query, rows, matching):
        counts = tuple(count(own & each) for each in column_rows)
        gaps = len(existing_names) - sum(map(bool, counts))
        lines.append(CoverageRow(name, count(own), counts, gaps, name in expected_packages, len(lines), own))
    missing = sorted(expected_packages.difference(line.name for line in lines))
    nothing = (0,) * len(names)
    first = [
        CoverageRow(name, 0, nothing, len(existing_names), True, k - len(missing), BitMap())
        for k, name in enumerate(missing)
    ]
    return Coverage(query, rows, columns, found, (*first, *lines), count(matching), count_in)


def excluded_names(index: Index, query: Query, axis: str, names: Iterable[str]) -> list[str]:
    """Return the values in `names` that exist, but that the query excludes."""
    filters = query.terms_of(axis)
    return existing(index, query, axis, (name for name in names if not all(term.matches(name) for term in filters)))


def existing(index: Index, query: Query, axis: str, names: Iterable[str]) -> list[str]:
    """Return the values in `names` that occur in the tags of the query.

    If the axis is `tag`, include snapshots without specs.
    """
    scope = index.scope(query)
    rows = ((name, index.value_rows(axis, name)) for name in names)
    is_tag = axis == "tag"  # a snapshot may have no row with these filters
    return [name for name, own in rows if (own if scope is None else own.intersect(scope)) or (is_tag and not own)]


def _allowed_values(index: Index, query: Query, axis: str) -> Iterator[str]:
    """Yield the values of an axis that the query allows. `root` is included only if the query names `root`."""
    facet, values = VALUE_KEYS[axis], index.values(axis)
    selected, excluded = query.selected(axis, values), query.excluded(axis, values)
    for value in values:
        is_allowed = value not in excluded and (not selected or value in selected)
        if is_allowed and (value != facet.last or value in selected):
            yield value


def _row_values(index: Index, query: Query, axis: str, matching: BitMap) -> Iterator[tuple[str, BitMap]]:
    """Yield each value of the row axis, and its rows in the index. The values are in the order of the table."""
    if axis == "version":
        yield from _version_rows(index, matching)
        return
    if axis == "package":
        found = ((name, index.package_rows(number)) for number, name in enumerate(index.packages))
    else:
        found = ((value, index.value_rows(axis, value)) for value in _allowed_values(index, query, axis))
    for name, of_value in found:
        rows = matching & of_value
        if rows or (axis == "tag" and not of_value):
            yield name, rows


def _version_rows(index: Index, matching: BitMap) -> Iterator[tuple[str, BitMap]]:
    """Yield each version, newest first, and its rows in the index.

    Spellings of one version, such as `4-6` and `4.6`, are merged under the first spelling.
    """
    column, table = index.columns.rows["version"], index.columns.tables["version"]
    posting = index.columns.posting("version")
    numbers = set(map(column.__getitem__, matching.to_array()))
    spellings = grouped((version, posting[number]) for number in numbers for version in table[number].split(","))
    merged: dict[object, tuple[str, BitMap]] = {}
    for version in sorted(filter(None, spellings), key=sort_key, reverse=True):
        ref, ordered_as = split_git(version)
        _, rows = merged.setdefault((ref, point(ordered_as)), (version, BitMap()))
        rows.update(*spellings[version])
    return ((version, rows & matching) for version, rows in merged.values())


def _row_term(axis: str, value: str) -> Term:
    if axis == "package":
        return NameTerm(value)
    if axis == "version":
        ref, _ = split_git(value)
        version = value if ref is None else value.partition("=")[2]
        return VersionTerm(VersionList((Exactly(ref, version),)))
    return ValueTerm.of(axis, [value])


# The expected specs


VerdictKind = Literal["covered", "differs", "missing", "unreadable"]


class Judgement(Struct, frozen=True):
    """The verdict on one expected spec."""

    expectation: Expectation
    kind: VerdictKind
    """`covered`: a build meets the expectation. `differs`: the package has only other builds. `missing`: no build."""
    specs: int
    """The number of distinct hashes that meet the expectation."""
    stacks: dict[str, int] = field(default_factory=dict)
    """The number of distinct hashes that meet the expectation, by stack."""
    reason: Reason | None = None
    """The reason why the expectation is not met; None if it is met."""
    nearest: NearestBuild | None = None
    """The build that is nearest to the expectation, even in another tag; None if a build meets the expectation."""


def verdicts(index: Index, query: Query, expectations: Expectations) -> tuple[Judgement, ...]:
    """Return, for each expected spec, whether a spec that matches the query meets the expectation."""
    matching = index.rows(query)
    held = {stack: own for stack, rows in index.stack_rows().items() if (own := matching & rows)}
    asked = expectations.answerable(has_graph=bool(index.graph))
    broken = Once[Rules, Broken](lambda rules: rules.broken(index))
    return tuple(_verdict(index, query, matching, held, entry, broken[entry.rules]) for entry in asked.entries)


def _verdict(
    index: Index, query: Query, matching: BitMap, stacks: dict[str, BitMap], entry: Expectation, broken: Broken
) -> Judgement:
    if entry.query is None:
        return Judgement(entry, "unreadable", 0, reason="unreadable")
    found = entry.rows(index, broken) & matching
    in_stacks = {stack: index.distinct.count(found & rows) for stack, rows in stacks.items()}
    if found:
        return Judgement(entry, "covered", index.distinct.count(found), in_stacks)
    own = index.rows(Query(entry.query.terms_of("name")))
    kind: VerdictKind = "differs" if matching.intersect(own) else "missing"
    reason: Reason = "no_build" if own else "no_package"
    if matching.intersect(index.rows(entry.query)):
        reason = "excluded_by_require"
    expected = Query((*entry.query.terms, *entry.rules.first_choice(entry.package or "")))
    # ignore terms of `query` that contradict the expected spec
    nearest = nearest_builds(index, reduce(Query.with_term, expected.terms, query), 1)
    return Judgement(entry, kind, 0, in_stacks, reason, next(iter(nearest), None))
