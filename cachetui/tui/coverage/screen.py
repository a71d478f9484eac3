"""The coverage screen: a table of numbers of specs. The user selects its axes, order and marks; Enter opens a cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from textual import on
from textual.binding import BindingType

from cachetui.analysis.coverage import COLUMN_AXES, ROW_AXES, Coverage, CoverageColumn, column_names, coverage
from cachetui.model.spec import AXES, VALUE_KEYS
from cachetui.report.coverage import CoverageReport
from cachetui.report.formats import Document
from cachetui.safe_text import plural, visible
from cachetui.search.results import Results
from cachetui.settings.saved_views import SavedView
from cachetui.tui.column_widths import GAP_CELLS, Column
from cachetui.tui.frame import ListScreen
from cachetui.tui.glyphs import DOT, FALLING, RISING
from cachetui.tui.keymap import Actions, Footer, KeyLabel, bindings, labelled
from cachetui.tui.lines import Cell, KeyedRows, Line, Text, fit, measure
from cachetui.tui.view.index_views import latest
from cachetui.tui.view.rows import Order
from cachetui.tui.view.saved import GivenOptions, saved_view
from cachetui.tui.view.view import Cursor, ListState, View
from cachetui.tui.widgets.matrix import Matrix
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

FROZEN_COLUMNS = 2
"""Number of columns that do not scroll: the names of the rows and their gaps."""

BLOCKS = "▁▂▃▅▇"
"""The blocks of a bar chart; each step is a fifth of the largest number."""

MIN_NUMBER_CELLS = 3
"""Minimum width of a number and its block, in cells, without the space before the number."""

MAX_HEAD_CELLS = 4
"""Maximum width of a column head, in cells, if the full heads do not all fit."""

MAX_NAME_CELLS = 24
"""Maximum width of the names of rows, in cells."""

HEAD = re.compile(r"(.*[^-_@])[-_@](.+)|([A-Za-z]{2,})([\d.]+)")
"""Splits a column head into two lines: `x86_64` over `v3`, `ubuntu` over `22.04`."""


class CoverageRows(KeyedRows, frozen=True, dict=True):
    """The rows of the table."""

    found: Coverage

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        return [row.name for row in self.found.rows] if self.found.columns else []

    def made(self, k: int) -> Line:
        row = self.found.rows[k]
        cells = map(self._cell, row.counts, self.found.columns)
        return Line((visible(row.name), f"{row.gaps:,}" if row.gaps else "", *cells))

    def _cell(self, count: int, column: CoverageColumn) -> Cell:
        """Return the cell for a number, with its block. The cursor is drawn in the space before the number."""
        if not count:
            return Cell(f" {'-' if column.absent else DOT:>{self.width}}", "muted")
        block = BLOCKS[(5 * count - 1) // self._largest]
        return Cell(f" {short(count):>{self.width - 1}}{block}", "", [(self.width, self.width + 1, "bar")])

    @cached_property
    def width(self) -> int:
        """Width of a number and its block, in cells."""
        return max(MIN_NUMBER_CELLS, *(1 + len(short(count)) for row in self.found.rows for count in row.counts), 0)

    @cached_property
    def _largest(self) -> int:
        return max((max(row.counts) for row in self.found.rows), default=0)


def short(number: int) -> str:
    """Return a number in at most four characters: `999`, `1.2k`, `12k`."""
    return str(number) if number < 1000 else f"{number / 1000:.1f}k" if number < 9950 else f"{number / 1000:.0f}k"


def head(name: str) -> tuple[str, str]:
    """Return the two lines of the head of a column."""
    found = HEAD.fullmatch(name)
    return ("", name) if found is None else (found[1] or found[3], found[2] or found[4])


def coverage_columns(
    found: Coverage, marks: Collection[str], by: str, sign: str, least: int, width: int
) -> Sequence[Column]:
    """Return the columns for a table of `width` cells, with at least `least` cells for a number.

    `by` is the title of the sorted column, and `sign` shows its order.
    """
    longest = max((measure(visible(row.name)) for row in found.whole), default=0)
    named = max(len(found.row_axis) + 2 * (by == found.row_axis), min(longest, MAX_NAME_CELLS))
    gaps = max(len(f"{sum(row.gaps for row in found.whole):,}"), 4 + 2 * (by == "gaps"))
    frozen = [Column(found.row_axis, named, middle=True), Column("gaps", gaps, right=True)]
    heads = [head(visible(column.name)) for column in found.columns]
    uppers = Counter(upper for upper, _ in heads)
    widths = [max(least, measure(low), measure(up) if uppers[up] == 1 else 0) for up, low in heads]
    if sum(widths) + len(widths) + named + gaps + 2 * GAP_CELLS > width:
        widths = [max(least, min(MAX_HEAD_CELLS, each)) for each in widths]
    for column, (upper, lower), own in zip(found.columns, heads, widths, strict=True):
        mark = "*" if column.name in marks else sign if column.name == by else " "
        frozen.append(Column(f"{upper}\n{mark}{fit(lower, own, middle=True)}", own + 1, right=True))
    return frozen


CoverageQuestion = tuple[Results, str, str]
"""The results to count, the axis of the rows, and the axis of the columns."""


class CoverageLook(NamedTuple):
    """The choice and order of the shown rows and columns."""

    word: str
    compared: tuple[str, ...]
    only_in: str
    only_gaps: bool
    order: str
    is_falling: bool


class Counted(Struct, frozen=True, eq=False, dict=True):
    """The numbers of specs, and the tables that show these numbers."""

    whole: Coverage

    @latest
    def shown(self, look: CoverageLook) -> Coverage:
        found = self.whole.searched(look.word, look.compared, look.only_in, only_gaps=look.only_gaps)
        return found.ordered(look.order, descending=look.is_falling)

    @latest
    def rows(self, look: CoverageLook) -> CoverageRows:
        """Return the rows of the table."""
        return CoverageRows(self.shown[look])

    @latest
    def columns(self, key: tuple[CoverageLook, tuple[str, ...], str, int]) -> Sequence[Column]:
        """Return the columns for a look, marked columns, the title of the sorted column, and a width."""
        sign = FALLING if key[0].is_falling else RISING
        return coverage_columns(self.shown[key[0]], key[1], key[2], sign, self.rows[key[0]].width, key[3])


class CoverageState(ListState[Counted], frozen=True, kw_only=True):
    """The coverage of the specs of a view."""

    order: Order = Order()
    only_gaps: bool = False
    marks: tuple[str, ...] = ()
    """The marked columns."""
    compares: int = 0
    """0: all rows; 1: rows that differ between the marked columns; 2 or 3: rows only in the first or second of them."""
    column: Cursor = Cursor()

    @classmethod
    def of(cls, view: View) -> CoverageState:
        """Return the first state, with the cursor on the current package. The default axes replace unknown axes."""
        rows, columns = view.axes
        is_known = rows in ROW_AXES and columns in COLUMN_AXES and rows != columns
        view = view if is_known else replace(view, axes=AXES)
        return cls(view=view, cursor=Cursor(view.package_here))

    # Values computed from the view and the answer

    @property
    def row_axis(self) -> str:
        return self.view.axes[0]

    @property
    def column_axis(self) -> str:
        return self.view.axes[1]

    @property
    def scope(self) -> View:
        """The view of the counted specs. If tags are an axis, the view has all tags, or the tags in the query."""
        is_of_tags = "tag" in (self.row_axis, self.column_axis) and not self.view.query.terms_of("tag")
        return self.view.choose_tag(None) if is_of_tags else self.view

    @property
    def asks(self) -> CoverageQuestion:
        return self.scope.results, self.row_axis, self.column_axis

    @property
    def look(self) -> CoverageLook:
        compared = self.marks if self.compares else ()
        return CoverageLook(self.word, compared, self.only_in, self.only_gaps, self.sorted_by, self.is_falling)

    @property
    def only_in(self) -> str:
        """The marked column for the filter "only in"; empty if the filter is off."""
        return self.marks[self.compares - 2] if self.compares > 1 else ""

    @property
    def coverage(self) -> Coverage | None:
        """The table with the shown rows and columns, sorted; None until an answer arrives."""
        return None if self.found is None else self.found.shown[self.look]

    @property
    def sorted_by(self) -> str:
        """The sorted column: `name`, `specs`, `gaps` or the name of a column with numbers."""
        return self.order.column or "name"

    @property
    def is_falling(self) -> bool:
        """Whether the rows are sorted in descending order."""
        return (self.sorted_by != "name") != self.order.reverse

    @property
    def rows(self) -> CoverageRows | None:
        """The rows of the table; None until an answer arrives."""
        return None if self.found is None else self.found.rows[self.look]

    @property
    def columns(self) -> Sequence[Column]:
        return () if self.found is None else self.found.columns[self.look, self.marks, self.sorted_title, self.width]

    @property
    def sorted_title(self) -> str:
        """The title of the sorted column."""
        return self.row_axis if self.sorted_by == "name" else self.sorted_by

    @property
    def column_at(self) -> int:
        """The index of the column under the cursor, among the columns with numbers."""
        names = [column.name for column in self.coverage.columns] if self.coverage else []
        if self.column.key in names:
            return names.index(self.column.key)
        return max(0, min(self.column.row, len(names) - 1))

    @property
    def cell(self) -> tuple[str, str, int] | None:
        """The row, the column and the number of specs under the cursor; None if the table is empty."""
        found, rows = self.coverage, self.rows
        if found is None or not rows:
            return None
        row = found.rows[self.cursor.on(rows)]
        return row.name, found.columns[self.column_at].name, row.counts[self.column_at]

    @property
    def verdict(self) -> str:
        """A description of the cell under the cursor, in words."""
        if self.cell is None or self.coverage is None:
            return ""
        row, column, specs = map(visible, map(str, self.cell[:2])), self.cell[1], self.cell[2]
        if self.coverage.columns[self.column_at].absent:
            return f"no {self.coverage.column_axis} {visible(column)} here"
        return f"{' in '.join(row)}: {plural(specs, 'spec') if specs else 'a gap'}"

    @property
    def causes(self) -> Mapping[str, Callable[[CoverageState], CoverageState]]:
        ways = ("", "only rows that differ", *(f"only in {visible(mark)}" for mark in self.marks))
        compares = {ways[self.compares]: lambda state: replace(state, compares=0)} if self.compares else {}
        gaps = {"only gaps": CoverageState.turn_gaps} if self.only_gaps else {}
        return {**super().causes, **compares, **gaps}

    def opened(self, *, row: bool = False) -> View | None:
        """Return a view of the specs in the cell. For an empty cell, return None, or with `row` a view of its row."""
        if self.cell is None or self.coverage is None or not (self.cell[2] or row):
            return None
        name, column, specs = self.cell
        query = self.coverage.cell_query(name, column) if specs else self.coverage.row_query(name)
        return replace(self.view.opened(query), only=self.view.only)

    @property
    def words(self) -> Sequence[str]:
        """The options of the equivalent command `coverage`."""
        words = [f"--rows={self.row_axis}"] if self.row_axis != AXES[0] else []
        words += [f"--cols={self.column_axis}"] if self.column_axis != AXES[1] else []
        words += (
            ["--gaps"] * self.only_gaps
            + [f"--mark={mark}" for mark in self.marks]
            + ["--compare"] * bool(self.compares)
        )
        words += [f"--only-in={self.only_in}"] * bool(self.only_in)
        words += [f"--search={self.word}"] * bool(self.word)
        return [*words, f"--sort={'-' * self.is_falling}{self.sorted_by}"] if self.order != Order() else words

    @property
    def saved(self) -> SavedView | None:
        return saved_view(self.scope, "coverage", self.words)

    def with_words(self, words: Sequence[str]) -> CoverageState:
        given = GivenOptions(words)
        marks, only_in, by = tuple(given.all["--mark"]), given["--only-in"], given["--sort"].removeprefix("-")
        axes = given["--rows"] or AXES[0], given["--cols"] or AXES[1]
        state = CoverageState.of(replace(self.view, axes=axes))
        return replace(
            state,
            only_gaps="--gaps" in words,
            marks=marks,
            compares=2 + marks.index(only_in) if only_in in marks else int("--compare" in words),
            word=given["--search"],
            order=Order(by, (by != "name") != given["--sort"].startswith("-")) if by else Order(),
        )

    # Steps

    def move_column(self, column: int) -> CoverageState:
        """Put the cursor on a column."""
        return replace(self, column=Cursor(self.coverage.columns[column].name, column)) if self.coverage else self

    def turn_gaps(self) -> CoverageState:
        """Show only the rows with a gap, or all rows again."""
        return replace(self, only_gaps=not self.only_gaps)

    def next_columns(self) -> CoverageState:
        """Use the next axis for the columns."""
        axis = _next(COLUMN_AXES, self.column_axis, self.row_axis, self.scope.results)
        if axis == self.column_axis:
            return self
        view = replace(self.view, axes=(self.row_axis, axis))
        return replace(self, view=view, marks=(), compares=0, column=Cursor())

    def next_rows(self) -> CoverageState:
        """Use the next axis for the rows."""
        axis = _next(ROW_AXES, self.row_axis, self.column_axis, self.scope.results)
        if axis == self.row_axis:
            return self
        return replace(self, view=replace(self.view, axes=(axis, self.column_axis)), cursor=Cursor())

    def sort(self) -> CoverageState:
        """Sort by the column under the cursor, largest number first; the next time by gaps, then by name."""
        return self if self.cell is None else replace(self, order=self.order.next(("name", self.cell[1], "gaps")))

    def turn_order(self) -> CoverageState:
        """Reverse the order."""
        return replace(self, order=self.order._replace(reverse=not self.order.reverse))

    def mark(self) -> CoverageState:
        """Mark or unmark the column under the cursor."""
        if self.cell is None:
            return self
        column = self.cell[1]
        others = tuple(mark for mark in self.marks if mark != column)
        marks = others if column in self.marks else (*self.marks, column)
        return replace(self, marks=marks, compares=0)

    def unmark(self) -> CoverageState:
        """Unmark all columns."""
        return replace(self, marks=(), compares=0) if self.marks else self

    def compare(self) -> CoverageState:
        """Use the next filter: all rows, rows that differ between marked columns, rows only in one of two columns."""
        ways = {0: 1, 1: 1, 2: 4}.get(len(self.marks), 2)
        return self if ways == 1 else replace(self, compares=(self.compares + 1) % ways)


def figures_of(question: CoverageQuestion) -> Counted:
    """Return the numbers of specs for a question."""
    results, rows, columns = question
    return Counted(coverage(results.index, results.query, rows, columns, among=results.rows))


def _next(axes: Sequence[str], axis: str, other: str, results: Results) -> str:
    """Return the next axis after `axis` for which some spec has a value; skip the axis `other`."""
    at = axes.index(axis) + 1
    free = (each for each in (*axes[at:], *axes[:at]) if each != other)
    return next((each for each in free if each not in VALUE_KEYS or _has_values(results, each)), axis)


def _has_values(results: Results, axis: str) -> bool:
    index = results.index
    return any(
        results.rows.intersect(index.value_rows(axis, name)) for name in column_names(index, results.query, axis)
    )


NO_AXIS = "there is no other axis, because these specs have no other property"


class CoverageScreen(ListScreen[CoverageState]):
    """The table, and below it the names of the columns that have a number in the row under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("coverage")

    FOOTER: ClassVar[Footer] = (
        ("table.choose", "specs"),
        *labelled("coverage.gaps", "coverage.sort", "coverage.columns", "browse.filter", "coverage.mark"),
        *labelled("coverage.compare", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "a part of a row's or a column's name"

    state_of = CoverageState.of

    TITLE = "Coverage"

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.home = self.table = self.matrix = Matrix(title=self.TITLE, frozen=FROZEN_COLUMNS, id="matrix")
        self.body = (self.matrix,)

    def work(self, question: CoverageQuestion, cancelled: Cancelled) -> Iterator[Counted]:
        yield figures_of(question)

    # Show the state

    def show(self, state: CoverageState, before: CoverageState | None) -> None:
        super().show(state, before)
        by = state.sorted_title
        self.matrix.show_column(state.column_at)
        self.matrix.mark_order(by, state.is_falling != (by == "version"))  # versions start with the newest

    def title_of(self, state: CoverageState) -> str:
        return f"{self.TITLE} · {plural(state.coverage.gaps, 'gap')}" if state.coverage else self.TITLE

    def nothing(self, state: CoverageState) -> Sequence[str | KeyLabel]:
        found = state.coverage
        if found is None or not found.whole:
            return ["No spec matches.", ("browse.clear", "clear")]
        if state.word or found.columns:
            return [f"No row is left: {', '.join(state.causes)}.", ("browse.why", "remove what hides rows")]
        return [f"No spec here has a {found.column_axis}.", ("coverage.columns", "columns")]

    def heading_of(self, state: CoverageState) -> tuple[Text, str]:
        left, _ = super().heading_of(state)
        found = state.coverage
        if found is None:
            return left, ""
        return left, f"{plural(len(found.rows), found.row_axis)} × {plural(len(found.columns), found.column_axis)}"

    # Keys and messages of the matrix

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "coverage.gaps": self.own_step(CoverageState.turn_gaps),
            "coverage.columns": self.own_step(CoverageState.next_columns, NO_AXIS),
            "coverage.rows": self.own_step(CoverageState.next_rows, NO_AXIS),
            "coverage.sort": self.own_step(CoverageState.sort),
            "coverage.reverse": self.own_step(CoverageState.turn_order),
            "coverage.mark": self.own_step(CoverageState.mark),
            "browse.unmark": self.own_step(CoverageState.unmark, "no column is marked"),
            "coverage.compare": self.own_step(CoverageState.compare, "mark two columns or more to compare them"),
        }

    @on(Matrix.ColumnMoved)
    def follow_column(self, event: Matrix.ColumnMoved) -> None:
        self.do(lambda state: state.move_column(event.column))

    @on(Table.HeadClicked)
    def sort_by(self, event: Table.HeadClicked) -> None:
        """Sort by the clicked column, which has the cursor now."""
        self.do(lambda state: state.move_column(max(0, event.column - FROZEN_COLUMNS)).sort())

    @on(Table.Chosen)
    def open_cell(self) -> None:
        """Open the specs of the cell."""
        self.ask("browse", self.state.opened(), "this cell is a gap: it has no specs to open")

    # Copy and export

    def here(self) -> View | None:
        return self.state.opened(row=True)

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self.state.coverage
        if found is None:
            return ()
        return ((plural(len(found.rows), "name"), "\n".join(visible(row.name) for row in found.rows)),)

    def document(self) -> Document | None:
        found = self.state.coverage
        return None if found is None else CoverageReport(found, self.state.view.index)
