"""The columns of the list of specs: one record for each, with what it shows, how wide it is and how it sorts.

A column that a user can choose has its title in `settings.config.COLUMNS` too, which knows nothing of the screen.
Text of a page goes through `visible`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Any, NamedTuple

from cachetui.model.facets import Profile
from cachetui.model.spec import Spec, normal_compiler
from cachetui.model.version import sort_key
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.newest_tags import NewestTags
from cachetui.search.results import Results
from cachetui.search.row_values import newest_first, versions_of
from cachetui.store.arrays import Once
from cachetui.tui.rows.layout import Column, measure

TARGET = "target"
"""The title of the column that says by its look whether a spec runs on the host; so does the sign before the row."""

TAG = "tag"
"""The title of the column that says in which tag a row is, where several are looked at."""

DIFFERS = "differs"
"""The title of the column that tells specs apart that look alike."""

WITH_TAG = 21
"""Cells that do for what differs where a tag stands first: a day, and the first variants; and so large is its share of
spare cells."""

MOST_ROWS = 0.9
"""The part of the rows that a column has to show whole before what tells specs apart is."""

LONGEST_VERSION = 20
"""Cells that a version takes at most, where others have it shorter."""


class SpecColumn(NamedTuple):
    """What there is to know of one column."""

    column: Column
    value: Callable[[Spec], str | None]
    """What a spec has there, whole."""
    of_profile: Callable[[Profile], str | None] | None = None
    """The same of a profile, for a column of facets."""
    nothing: str = "-"
    """What stands for no value."""
    letters: int | None = None
    """How much of the value is shown, for what its beginning tells apart."""
    key: Callable[[str], Any] = sort_key
    """What a value sorts by."""
    folded: Column | None = None
    """The column where specs that are alike are one row; None where these have it not in common."""


def _facet(
    column: Column, value: Callable[[Spec | Profile], str | None] | None = None, folded: Column | None = None
) -> SpecColumn:
    """The column of the facet that is called as its title, or of what `value` makes of the facets."""
    value = value or attrgetter(column.title)
    return SpecColumn(column, value, value, folded=folded)


def _compiler(of: Spec | Profile) -> str | None:
    return normal_compiler(of.compiler) if of.compiler else None


def _stacks(of: Spec | Profile) -> str:
    return ",".join(of.stacks)


_RECORDS = (
    SpecColumn(Column("hash", 7), attrgetter("hash"), nothing="no hash", letters=7, key=str, folded=Column("hash", 7)),
    SpecColumn(
        Column("version", 10, share=1, ends=True),
        attrgetter("version"),
        folded=Column("version", 10, share=1, ends=True),
    ),
    _facet(Column("compiler", 10, share=6, ends=True), _compiler, folded=Column("compiler", 10, share=4, ends=True)),
    _facet(Column("os", 11, ends=True), folded=Column("os", 9, share=4, ends=True)),
    _facet(Column(TARGET, 11, share=1, drop=1, ends=True), folded=Column(TARGET, 9, share=4, ends=True)),
    SpecColumn(Column(DIFFERS, 12, share=3, drop=1, words=True, fills=True), lambda spec: None),
    _facet(Column("stacks", 30, share=2, drop=2), _stacks),
    SpecColumn(Column(TAG, 18, share=1, ends=True), attrgetter("tag")),
    _facet(Column("platform", 8, drop=2)),
    SpecColumn(Column("variants", 30, share=3, drop=2), lambda spec: " ".join(spec.variants)),
)

SPEC_COLUMNS = {record.column.title: record for record in _RECORDS}
"""The columns that there are of specs, by their titles."""

NAMING = tuple(record.column.title for record in _RECORDS if record.folded)
"""The titles of what names a spec of a package."""

COUNT = Column("specs", 5, right=True)
"""How many specs are alike."""

COUNT_MARKED = COUNT._replace(width=7)
"""The same as long as any spec is marked: wide enough for `*2/129`, two of 129 that are."""


def spec_cell(spec: Spec, title: str) -> str:
    """What a spec has in one of `SPEC_COLUMNS`, but for what differs."""
    record = SPEC_COLUMNS[title]
    value = record.value(spec)
    return visible(value[: record.letters]) if value else record.nothing


def fitted(titles: Sequence[str], index: Index, rows: Iterable[int], differs: Mapping[int, str]) -> list[Column]:
    """The columns of these titles, each as wide as its longest value in these rows at most.

    Where few values are that long, what differs has the room first.
    """
    rows = list(rows)
    values = _values(titles, index, rows) | {DIFFERS: set(differs.values())}
    columns = [_fitted(SPEC_COLUMNS[title].column, values.get(title, ())) for title in titles]
    usual = _usual(titles, index, rows) if DIFFERS in titles else {}
    return [each._replace(usual=min(usual.get(each.title, each.most), each.most)) for each in columns]


def headed_with_tag(columns: Iterable[Column], headings: Sequence[str]) -> list[Column]:
    """The columns, that of what differs with headings that name the tag that stands first in it, and before all others
    with room for that and for what follows it."""
    return [
        column._replace(
            headings=tuple(headings),
            share=WITH_TAG,
            usual=min(WITH_TAG, column.most),
            most=max(column.most, measure(headings[0])),
        )
        if column.title == DIFFERS
        else column
        for column in columns
    ]


def _usual(titles: Sequence[str], index: Index, rows: Sequence[int]) -> dict[str, int]:
    """For each column of a facet the width that does for most of these rows."""
    profiles = Counter(map(index.columns.rows["profile"].__getitem__, rows))
    found = {}
    for title in titles:
        if (of_profile := SPEC_COLUMNS[title].of_profile) and SPEC_COLUMNS[title].folded:
            lengths = Counter[int]()
            for number, times in profiles.items():
                lengths[measure(visible(of_profile(index.profiles[number]) or ""))] += times
            ends = accumulate(lengths[each] for each in sorted(lengths))
            enough = (each for each, end in zip(sorted(lengths), ends, strict=True) if end >= MOST_ROWS * len(rows))
            found[title] = max(len(title) + 1, next(enough, 0))
    return found


def folded_columns(titles: Sequence[str], index: Index, rows: Iterable[int] | None = None) -> list[Column]:
    """The columns of folded specs, each as wide as its longest value in these rows at most, None: in the catalogue.

    The rows are those of all packages that the cursor goes over: no column moves with it.
    """
    titles = folded_titles(titles)
    values = _values_of_index(titles, index) if rows is None else _values(titles, index, rows)
    records = map(SPEC_COLUMNS.__getitem__, titles)
    return [_fitted(record.folded or record.column, values.get(record.column.title, ())) for record in records]


def _values(titles: Sequence[str], index: Index, rows: Iterable[int]) -> dict[str, Iterable[str | None]]:
    """What these rows have in some columns, each value once."""
    rows = list(rows)
    profiles = [index.profiles[number] for number in set(map(index.columns.rows["profile"].__getitem__, rows))]
    values: dict[str, Iterable[str | None]] = {"version": versions_of(index, rows), "tag": index.tags}
    for title in titles:
        if of_profile := SPEC_COLUMNS[title].of_profile:
            values[title] = map(of_profile, profiles)
    return values


def _values_of_index(titles: Sequence[str], index: Index) -> dict[str, Iterable[str | None]]:
    """What all rows have in some columns; of versions as much as a column shows where others are shorter."""
    versions = (version[:LONGEST_VERSION] for version in index.columns.tables["version"])
    return {"version": versions} | {title: index.values(title) for title in titles if SPEC_COLUMNS[title].of_profile}


def folded_titles(titles: Sequence[str]) -> Sequence[str]:
    """Those of the titles that folded specs have, at least the hash."""
    return [title for title in titles if title in NAMING] or ["hash"]


def _fitted(column: Column, values: Iterable[str | None]) -> Column:
    longest = max((measure(visible(value)) for value in values if value), default=0)
    most = max(longest, len(column.title) + 1)
    return column._replace(width=min(column.width, most), most=most) if longest else column


def _key_of_row(index: Index, record: SpecColumn) -> Callable[[int], Any]:
    """What a row sorts by in a column; that of a facet is worked out once for each profile."""
    key, of_profile, profile = record.key, record.of_profile, index.columns.rows["profile"]
    if of_profile is None:
        return lambda row: key(record.value(index.spec(row)) or "")
    keys = Once[int, Any](lambda number: key(of_profile(index.profiles[number]) or ""))
    return lambda row: keys[profile[row]]


def sorted_specs(results: Results, rows: Sequence[int], title: str | None, reverse: bool) -> list[int]:
    """Rows that stand as the results have them, sorted by a column of `SPEC_COLUMNS` where one is given."""
    index = results.index
    found = list(rows if title is None else newest_first(index, rows))
    if title == TAG:
        found.sort(key=NewestTags(index).order)
    elif title is not None and title != "version":
        found.sort(key=_key_of_row(index, SPEC_COLUMNS[title]))
    return found[::-1] if reverse else found
