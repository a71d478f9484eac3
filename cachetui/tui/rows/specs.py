"""The specs of a package as rows of a table: one by one, or folded where all that names them is alike.

Each source is frozen and asks the index for a row only when it is painted. Text of a page goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

from pyroaring import BitMap

from cachetui.model.host import Host
from cachetui.model.libc import Libc
from cachetui.model.spec import Spec, normal_compiler
from cachetui.model.version import sort_key
from cachetui.search.fits import row_libc
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.settings.config import DEFAULT_COLUMNS
from cachetui.text import visible
from cachetui.tui.rows.differences import alike
from cachetui.tui.rows.layout import Cell, Column, Line, lay_out, measure
from cachetui.tui.rows.tones import Tone

SpecKey = tuple[str, str, str]
"""A row whatever index it is in: tag, package, and the hash or else the place on its page."""

NAMING = ("hash", "version", "compiler", "os", "target")
"""The titles of what names a spec of a package."""

TARGET = "target"
"""The title of the column that says by its look whether a spec runs on the host; so does the sign before the row."""

DIFFERS = "differs"
"""The title of the column that tells specs apart that look alike."""

SPEC_COLUMNS = {
    column.title: column
    for column in (
        Column("hash", 7),
        Column("version", 10, share=1, ends=True),
        Column("compiler", 12, share=6, ends=True),
        Column("os", 11, ends=True),
        Column("target", 11, share=1, drop=1, ends=True),
        Column(DIFFERS, 14, share=3, drop=1, ends=True),
        Column("stacks", 30, share=2, drop=2),
        Column("tag", 12, share=1, ends=True),
        Column("platform", 8, drop=2),
        Column("variants", 30, share=3, drop=2),
    )
}
"""The columns that there are of specs, by their titles."""

FOLDED_COLUMNS = {
    column.title: column
    for column in (
        Column("hash", 7),
        Column("version", 10, share=1, ends=True),
        Column("compiler", 10, share=4, ends=True),
        Column("os", 9, share=4, ends=True),
        Column("target", 9, share=4, ends=True),
    )
}
"""The naming columns of specs that are alike, whatever the package."""

COUNT = Column("specs", 5, right=True)
"""How many specs are alike."""

LONGEST_VERSION = 20
"""Cells that a version takes at most, where others have it shorter."""


def spec_key(index: Index, row: int) -> SpecKey:
    """The key of a row, the same in every index of the catalogue as long as its page has it."""
    page = index.page(row)
    text = index.columns.hashes[index.columns.hash[row]]
    place = f"row {row - index.columns.page_start[page]}"
    return index.tag_of(row), index.packages[index.columns.page_package[page]], text or place


def rows_of_key(index: Index, key: SpecKey) -> list[int]:
    """The rows with this key: one, or none if the catalogue no longer has it."""
    return list(islice(_rows_with(index, key), 1))


def _rows_with(index: Index, key: SpecKey) -> Iterator[int]:
    """Every row with this key: where a page has a hash twice, several."""
    tag, package, place = key
    number = index.package_number(package)
    if number is None:
        return
    rows: Iterable[int] = [row for each in prefixed(index.columns.hashes, place) for row in index.hash_rows(each)]
    if not rows and place.startswith("row "):
        rows = index.package_rows(number) & index.value_rows("tag", tag)
    for row in rows:
        if spec_key(index, row) == key:
            yield row


@dataclass(frozen=True)
class SpecRows:
    """Some rows of an index, of one package, in the order that they have here."""

    index: Index
    rows: Sequence[int]
    marks: frozenset[SpecKey]
    differs: Mapping[int, str] = field(default_factory=dict)
    """What tells rows apart that look alike; empty where none do."""
    titles: Sequence[str] = DEFAULT_COLUMNS
    """The columns that are shown, in their order."""
    count: Callable[[BitMap], int] = len
    """How many specs some of the rows are."""
    host: Host | None = None
    """The machine on which a spec runs or does not."""

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, k: int) -> Line:
        spec, differs = self.index.spec(self.rows[k]), self.differs.get(self.rows[k], "")
        sign, tone = self.verdict(self.rows[k], spec)
        cells = [differs if title == DIFFERS else _toned(spec, title, tone) for title in self.titles]
        return Line(cells, marked=self.key(k) in self.marks, sign=sign)

    def verdict(self, row: int, spec: Spec) -> tuple[str, Tone]:
        """The sign of a spec that does not run on the host or of which that is not known, and how its target looks."""
        if self.host is None:
            return "", ""
        return _verdict(self.host, spec.platform, spec.os, spec.target, row_libc(self.index, row))

    def key(self, k: int) -> SpecKey:
        return spec_key(self.index, self.rows[k])

    def find(self, key: Hashable) -> int | None:
        if not isinstance(key, tuple):
            return None
        return next((self.rows.index(row) for row in _rows_with(self.index, key) if row in self.rows), None)


def _toned(spec: Spec, title: str, tone: Tone) -> Cell | str:
    """A cell of a spec; the target has the tone, if there is any."""
    text = spec_cell(spec, title)
    return Cell(text, tone) if tone and title == TARGET else text


@lru_cache(1024)
def _verdict(
    host: Host, platform: str | None, os: str | None, target: str | None, libc: Libc | None
) -> tuple[str, Tone]:
    fit = host.fit(platform, os, target, libc)
    if fit.distance is not None:
        return "", ""
    return ("?", "unknown") if fit.kind == "unknown" else ("!", "fails")


def spec_cell(spec: Spec, title: str) -> str:
    """What a spec has in one of `SPEC_COLUMNS`, but for what differs."""
    match title:
        case "hash":
            return visible(spec.hash[:7]) if spec.hash else "no hash"
        case "compiler":
            return visible(normal_compiler(spec.compiler)) if spec.compiler else "-"
        case "stacks":
            return visible(",".join(spec.stacks)) or "-"
        case "variants":
            return visible(" ".join(spec.variants)) or "-"
    return visible(getattr(spec, title) or "-")


@dataclass(frozen=True)
class FoldedRows:
    """Specs of one package, those that are alike in all that names them but the hash as one row with their number.

    The first of them stands for all, or one that is marked, or the one that is `kept`.
    """

    single: SpecRows
    kept: Hashable = None

    @cached_property
    def _folds(self) -> Mapping[tuple[object, ...], Sequence[int]]:
        """The rows by what they have in common."""
        equal: dict[tuple[int, int], list[int]] = {}
        columns = self.single.index.columns.rows
        for row in self.single.rows:
            equal.setdefault((columns["version"][row], columns["profile"][row]), []).append(row)
        folds: dict[tuple[object, ...], list[int]] = {}
        for rows in equal.values():
            folds.setdefault(alike(self.single.index, rows[0]), []).extend(rows)
        return folds

    @cached_property
    def _marked(self) -> frozenset[int]:
        here = self.single.key(0)[1] if len(self.single) else ""
        marks = (mark for mark in self.single.marks if mark[1] == here)
        return frozenset(row for mark in marks for row in _rows_with(self.single.index, mark))

    @cached_property
    def rows(self) -> Sequence[int]:
        """The row of the index that stands for each."""
        kept = self.single.find(self.kept)
        row = -1 if kept is None else self.single.rows[kept]
        return [
            row if row in fold else next((each for each in fold if each in self._marked), fold[0])
            for fold in self._folds.values()
        ]

    def __len__(self) -> int:
        return len(self._folds)

    def row(self, k: int) -> Line:
        spec, fold = self.single.index.spec(self.rows[k]), list(self._folds.values())[k]
        sign, tone = self.single.verdict(self.rows[k], spec)
        cells = (_toned(spec, title, tone) for title in folded_titles(self.single.titles))
        specs = str(self.single.count(BitMap(fold)))
        return Line((*cells, specs), marked=not self._marked.isdisjoint(fold), sign=sign)

    def key(self, k: int) -> SpecKey:
        return spec_key(self.single.index, self.rows[k])

    def find(self, key: Hashable) -> int | None:
        place = self.single.find(key)
        return None if place is None else list(self._folds).index(alike(self.single.index, self.single.rows[place]))


def fitted(titles: Sequence[str], index: Index, rows: Iterable[int], differs: Mapping[int, str]) -> list[Column]:
    """The columns of these titles, each as wide as its longest value in these rows at most."""
    rows = list(rows)
    version, table = index.columns.rows["version"], index.columns.tables["version"]
    profiles = [index.profiles[number] for number in set(map(index.columns.rows["profile"].__getitem__, rows))]
    values: Mapping[str, Iterable[str | None]] = {
        "version": (table[number] for number in set(map(version.__getitem__, rows))),
        "compiler": (normal_compiler(profile.compiler) for profile in profiles if profile.compiler),
        "os": (profile.os for profile in profiles),
        "platform": (profile.platform for profile in profiles),
        "target": (profile.target for profile in profiles),
        "stacks": (",".join(profile.stacks) for profile in profiles),
        "tag": index.tags,
        DIFFERS: differs.values(),
    }
    return [_fitted(SPEC_COLUMNS[title], values.get(title, ())) for title in titles]


def folded_columns(titles: Sequence[str], index: Index) -> list[Column]:
    """The columns of folded specs, each as wide as its longest value in the catalogue at most: none moves with the
    package that the cursor is on."""
    versions = (version[:LONGEST_VERSION] for version in index.columns.tables["version"])
    values = {"version": versions} | {name: index.values(name) for name in ("compiler", "os", "target")}
    return [_fitted(FOLDED_COLUMNS[title], values.get(title, ())) for title in folded_titles(titles)]


def folded_titles(titles: Sequence[str]) -> Sequence[str]:
    """Those of the titles that folded specs have, at least the hash."""
    return [title for title in titles if title in FOLDED_COLUMNS] or ["hash"]


def _fitted(column: Column, values: Iterable[str | None]) -> Column:
    longest = max((measure(visible(value)) for value in values if value), default=0)
    most = max(longest, len(column.title) + 1)
    return column._replace(width=min(column.width, most), most=most) if longest else column


def are_whole(columns: Sequence[Column], width: int) -> bool:
    """Whether a row of this width has room for all that names a spec, from its hash to its target."""
    slots = {columns[slot.column].title: slot for slot in lay_out(columns, width)}
    return all(title in slots and slots[title].width >= columns[slots[title].column].most for title in NAMING)


def sorted_specs(results: Results, rows: Sequence[int], field: str | None, reverse: bool) -> list[int]:
    """Rows that stand as the results have them, sorted by a column of `SPEC_COLUMNS` where one is given."""
    index = results.index
    found = list(rows) if field is None else index.newest_first(rows)
    if field is not None and field != "version":
        place = {tag: k for k, tag in enumerate(index.tags)}
        texts = {row: getattr(index.spec(row), field) for row in found}
        if field == "compiler":
            texts = {row: normal_compiler(text) for row, text in texts.items()}
        if field == "tag":
            found.sort(key=lambda row: place[texts[row]])
        else:
            found.sort(key=lambda row: texts[row] or "" if field == "hash" else sort_key(str(texts[row] or "")))
    return found[::-1] if reverse else found
