"""The matrix of coverage: its rows, its numbered columns, and the legend that says what the numbers mean.

Columns have their full names as heads where all of them fit, else numbers; the legend names those on screen.
Input: a `Coverage`, frozen like everything that is shown here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Literal

from textual.geometry import Size

from cachetui.analysis.coverage import Coverage, CoverageRow, Order
from cachetui.text import visible
from cachetui.tui.rows.layout import GAP, Cell, Column, FixedRows, Line, Tone, measure
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

FROZEN = 3
"""Name, specs and gaps stay in place."""

SPECS, GAPS = 6, 4
"""The widths of these two figures."""

TOTALS = 3
"""The characters of a total where columns are narrow."""

LEGEND_ENTRY = 26
"""The least cells for a number and a name in the legend."""


TOTAL = ("total",)
"""The key of the row that sums the columns up; those of the others are texts."""


@dataclass(frozen=True)
class MatrixRows:
    """The rows of a coverage below the totals of its columns."""

    coverage: Coverage
    absent: str
    """The sign of a column that does not exist."""
    room: int = TOTALS
    """So many characters a total may have before it is shown in thousands."""

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {TOTAL: 0} | {row.name: k for k, row in enumerate(self.coverage.rows, 1)}

    @cached_property
    def largest(self) -> int:
        """The largest count of a cell."""
        return max((max(row.counts, default=0) for row in self.coverage.rows), default=0)

    @property
    def label(self) -> str:
        """What the totals are of: more than the rows below them where some are hidden."""
        return f"all {len(self.coverage.whole):,}" if self.coverage.hidden else "all"

    @cached_property
    def totals(self) -> tuple[str, ...]:
        columns = self.coverage.columns
        return tuple(self.absent if column.absent else short(column.specs, self.room) for column in columns)

    def __len__(self) -> int:
        return len(self.coverage.rows) + 1 if self.coverage.rows else 0

    def row(self, k: int) -> Line:
        if k == 0:
            gaps = sum(row.gaps for row in self.coverage.whole)
            return Line((self.label, f"{self.coverage.specs}", short(gaps, GAPS + 1), *self.totals), tone="title")
        row = self.coverage.rows[k - 1]
        is_missing = row.expected and not row.specs
        name = Cell(f"! {visible(row.name)}", "fault") if is_missing else visible(row.name)
        return Line((name, str(row.specs), str(row.gaps or ""), *self._cells(row)))

    def _cells(self, row: CoverageRow) -> list[Cell | str]:
        columns = zip(row.counts, self.coverage.columns, strict=True)
        return [
            Cell(str(count), self._shade(count)) if count else self.absent if column.absent else ""
            for count, column in columns
        ]

    def _shade(self, count: int) -> Tone:
        """Few or many: the upper third of the largest count on a scale of powers is many."""
        return "title" if log(count + 1) >= log(self.largest + 1) * 2 / 3 else ""

    def key(self, k: int) -> Hashable:
        return self.coverage.rows[k - 1].name if k else TOTAL

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)


def short(number: int, room: int) -> str:
    """A number in full where it has at most so many digits, else in thousands, rounded."""
    text = str(number)
    return text if len(text) <= room else f"{round(number / 1000)}k"


def without_middle(text: str, width: int, cut: str, head: int | None = None) -> str:
    """The text in about so many characters: both ends stay, since names of a family differ at the end."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2 if head is None else head
    return f"{text[:head]}{cut}{text[len(text) - (width - 1 - head) :]}"


def told_apart(names: Sequence[str], width: int, cut: str) -> list[str]:
    """Each name without its middle; those that would read the same are cut elsewhere, if that helps."""
    texts = [without_middle(name, width, cut) for name in names]
    half = (width - 1) // 2
    for head in (*range(half - 1, 0, -1), *range(half + 1, width - 1)):
        same = {text for text, times in Counter(texts).items() if times > 1}
        if not same:
            break
        texts = [
            without_middle(name, width, cut, head) if text in same else text
            for name, text in zip(names, texts, strict=True)
        ]
    return texts


class Matrix(Table):
    """The table of a coverage; its columns follow its width."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__((), cursor="cell", frozen=FROZEN, id=id)
        self._marks: Collection[str] = ()
        self._order: tuple[Order, bool] = ("name", False)
        self._wanted: str | None = None
        """The column that the cursor goes to as soon as there is a size to lay it out in."""
        self.is_numbered = False
        """Whether the heads are numbers, since the names do not fit."""

    def show_coverage(
        self,
        coverage: Coverage,
        marks: Collection[str],
        order: tuple[Order, bool],
        *,
        row: Hashable = None,
        column: str | None = None,
    ) -> None:
        """Shows other figures; the cursor goes to this row and column, or stays on its own."""
        self._marks, self._order, self._wanted = marks, order, column
        self._lay_out(MatrixRows(coverage, signs_of(self).dot), row)

    @property
    def coverage(self) -> Coverage | None:
        return self.rows.coverage if isinstance(self.rows, MatrixRows) else None

    @property
    def column_name(self) -> str | None:
        """The name of the column under the cursor."""
        at, coverage = self.cursor_column, self.coverage
        return None if at is None or coverage is None else coverage.columns[at - FROZEN].name

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.coverage.columns] if self.coverage else []

    def go_to_column(self, name: str) -> None:
        """Puts the cursor on the column of this name."""
        if name in self.names:
            self.go_column(self.names.index(name) + FROZEN)

    @property
    def in_view(self) -> list[tuple[int, str]]:
        """The numbers, from 1, and names of the columns on screen."""
        names = self.names
        places = [slot.column - FROZEN for slot in self._slots() if slot.column >= FROZEN]
        return [(place + 1, names[place]) for place in places if place < len(names)]

    def on_resize(self) -> None:
        if isinstance(self.rows, MatrixRows):
            self._lay_out(self.rows)
        super().on_resize()

    def _lay_out(self, rows: MatrixRows, key: Hashable = None) -> None:
        if not self.size.width:
            self.show(rows, key=key)
            return
        axis = rows.coverage.row_axis
        widest = max([len(rows.label), *(measure(visible(row.name)) for row in rows.coverage.rows)])
        room = 28 if self.size.width >= 100 else 20 if self.size.width >= 80 else 15
        by, descending = self._order
        orders: list[Literal["", "rising", "falling"]] = ["", "", ""]
        orders[("name", "specs", "gaps").index(by)] = "falling" if descending else "rising"
        fixed = [
            Column(axis, max(len(axis) + 1, min(widest, room)), order=orders[0], ends=True),
            Column("specs", SPECS, right=True, order=orders[1]),
            Column("gaps", GAPS + 1, right=True, order=orders[2]),
        ]
        left = self.size.width - sum(column.width + GAP for column in fixed) - 3
        rows, heads = self._fitting(rows, left)
        self.show(rows, [*fixed, *heads], key=key)
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self.go_to_column(wanted)

    def _fitting(self, rows: MatrixRows, room: int) -> tuple[MatrixRows, list[Column]]:
        """Full names where all of them fit, else numbers; a star for a column that is marked."""
        names = [visible(column.name) for column in rows.coverage.columns]
        stars = ["*" if column.name in self._marks else "" for column in rows.coverage.columns]
        largest = len(str(rows.largest))
        full = max([largest, *(len(str(column.specs)) for column in rows.coverage.columns)])
        widths = [max(measure(name) + 1, full) for name in names]
        self.is_numbered = sum(width + GAP for width in widths) > room
        number = len(str(len(names))) + 1
        is_roomy = not self.is_numbered or (max(full, number) + GAP) * len(names) <= room
        rows = replace(rows, room=full if is_roomy else TOTALS)
        if not self.is_numbered:
            heads = zip(names, stars, widths, strict=True)
            return rows, [Column(star + name, width, right=True) for name, star, width in heads]
        width = max([number, largest, *map(len, rows.totals)])
        return rows, [Column(f"{star}{number}", width, right=True) for number, star in enumerate(stars, 1)]


class Legend(Table):
    """What the numbers of the columns on screen mean; takes no room where the heads are names."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__((), header=False, cursor="none", id=id)
        self.can_focus = False
        self._entries: Sequence[tuple[str, str, Tone]] = ()
        self._free = 0

    def show_entries(self, entries: Sequence[tuple[str, str, Tone]], free: int = 0) -> None:
        """Shows other entries (number, name and tone), downwards, as many beside each other as there is room for.

        With whole names where so many lines do that are free for it anyway.
        """
        self._entries, self._free = entries, free
        self._place()

    def on_resize(self) -> None:
        super().on_resize()
        self._place()

    def _place(self) -> None:
        before = len(self.rows)
        beside = max(2, self.app.size.width // LEGEND_ENTRY)
        deep = -(-len(self._entries) // beside)
        longest = max((measure(visible(name)) for _, name, _ in self._entries), default=0)
        roomy = min(beside, max(1, self.app.size.width // (longest + 4 + GAP)))
        if -(-len(self._entries) // roomy) <= max(deep, self._free):
            beside, deep = roomy, -(-len(self._entries) // roomy)
        width = self.app.size.width // beside - GAP
        cut = signs_of(self).cut
        names = told_apart([visible(name) for _, name, _ in self._entries], width - 4, cut)
        entries = zip(names, self._entries, strict=True)
        cells = [Cell(f"{number:>3} {name}", tone) for name, (number, _, tone) in entries]
        cells += [Cell("")] * (deep * beside - len(self._entries))
        columns = [Column("", LEGEND_ENTRY - GAP, share=1)] * beside
        self.show(FixedRows([Line(cells[k::deep]) for k in range(deep)]), columns)
        if deep != before:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.rows)
