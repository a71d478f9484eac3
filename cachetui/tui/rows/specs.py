"""The specs of a package as rows of a table: one by one, or folded where all that names them is alike.

Each source is frozen and asks the index for a row only when it is first painted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice

from pyroaring import BitMap

from cachetui.model.host import Host
from cachetui.model.libc import Libc
from cachetui.model.spec import Spec
from cachetui.search.fits import row_libc
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index
from cachetui.settings.config import DEFAULT_COLUMNS
from cachetui.tui.rows.differences import NOT_OWN, alike
from cachetui.tui.rows.layout import Cell, LazyRows, Line, figure
from cachetui.tui.rows.spec_columns import COUNT, DIFFERS, TARGET, folded_titles, spec_cell
from cachetui.tui.rows.tones import Tone

SpecKey = tuple[str, str, str]
"""A row whatever index it is in: tag, package, and the hash or else the place on its page."""


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


class SpecRows(LazyRows, frozen=True, dict=True):
    """Some rows of an index, of one package, in the order that they have here."""

    index: Index
    rows: Sequence[int]
    marks: frozenset[SpecKey]
    differs: Mapping[int, str] = {}
    """What each row has beside those that it looks like; empty where none has anything."""
    titles: Sequence[str] = DEFAULT_COLUMNS
    """The columns that are shown, in their order."""
    count: Callable[[BitMap], int] = len
    """How many specs some of the rows are."""
    host: Host | None = None
    """The machine on which a spec runs or does not."""

    def __len__(self) -> int:
        return len(self.rows)

    def made(self, k: int) -> Line:
        spec, differs = self.index.spec(self.rows[k]), self._differs(self.rows[k])
        sign, tone = self.verdict(self.rows[k], spec)
        cells = [differs if title == DIFFERS else _toned(spec, title, tone) for title in self.titles]
        return Line(cells, marked=self.key(k) in self.marks, sign=sign)

    def _differs(self, row: int) -> Cell | str:
        """What tells a row apart; dim where nothing does."""
        differs = self.differs.get(row, "")
        return Cell(differs, "dim") if differs in NOT_OWN else differs

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
        return ("", "") if fit.is_certain else ("?", "unknown")
    return ("?", "unknown") if fit.kind == "unknown" else ("!", "fails")


class FoldedRows(LazyRows, frozen=True, dict=True):
    """Specs of one package, those that are alike in all that names them but the hash as one row with their number.

    The first of them stands for all, or one that is marked, or the first of those `kept` that is there. A row has the
    sign of a mark where the spec whose hash it shows is marked; how many of its specs are stands before their number,
    as `*2/6`.
    """

    single: SpecRows
    kept: Sequence[Hashable] = ()

    @cached_property
    def _folds(self) -> Mapping[tuple[object, ...], Sequence[int]]:
        """The rows by what they have in common."""
        equal: dict[tuple[int, int], list[int]] = {}
        version, profile = (self.single.index.columns.rows[name].__getitem__ for name in ("version", "profile"))
        rows = self.single.rows
        for both, row in zip(zip(map(version, rows), map(profile, rows), strict=True), rows, strict=True):
            equal.setdefault(both, []).append(row)
        folds: dict[tuple[object, ...], list[int]] = {}
        for of_both in equal.values():
            folds.setdefault(alike(self.single.index, of_both[0]), []).extend(of_both)
        return folds

    @cached_property
    def _in_order(self) -> Sequence[Sequence[int]]:
        """The same in the order in which they are shown."""
        return list(self._folds.values())

    @cached_property
    def _marked(self) -> frozenset[int]:
        here = self.single.key(0)[1] if len(self.single) else ""
        marks = (mark for mark in self.single.marks if mark[1] == here)
        return frozenset(row for mark in marks for row in _rows_with(self.single.index, mark))

    @cached_property
    def rows(self) -> Sequence[int]:
        """The row of the index that stands for each."""
        places = map(self.single.find, self.kept)
        row = next((self.single.rows[place] for place in places if place is not None), -1)
        return [
            row if row in fold else next((each for each in fold if each in self._marked), fold[0])
            for fold in self._folds.values()
        ]

    def __len__(self) -> int:
        return len(self._folds)

    def made(self, k: int) -> Line:
        spec, fold = self.single.index.spec(self.rows[k]), self._in_order[k]
        sign, tone = self.single.verdict(self.rows[k], spec)
        cells = (_toned(spec, title, tone) for title in folded_titles(self.single.titles))
        count, marked = self.single.count(BitMap(fold)), self._marked.intersection(fold)
        specs = f"*{self.single.count(BitMap(marked))}/{count}" if marked else figure(count, COUNT.width)
        return Line((*cells, specs), marked=self.rows[k] in marked, sign=sign)

    def key(self, k: int) -> SpecKey:
        return spec_key(self.single.index, self.rows[k])

    def find(self, key: Hashable) -> int | None:
        place = self.single.find(key)
        return None if place is None else list(self._folds).index(alike(self.single.index, self.single.rows[place]))
