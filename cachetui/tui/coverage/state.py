"""The state of the coverage screen, frozen: axes, order, marks and cursor, and the steps between states."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from functools import cached_property
from math import log
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.coverage import COLUMN_AXES, ORDERS, ROW_AXES, Coverage, column_names, coverage
from cachetui.analysis.coverage import Order as RowOrder
from cachetui.model.spec import VALUE_KEYS
from cachetui.safe_text import plural, visible
from cachetui.search.results import Results
from cachetui.settings.saved_views import AXES, SavedView
from cachetui.tui.column_widths import GAP, Column
from cachetui.tui.glyphs import CUT, DOT, LOWER_HALF
from cachetui.tui.lines import Cell, KeyedRows, Line, Style, fit, measure
from cachetui.tui.view.index_views import Latest
from cachetui.tui.view.rows import Order, spec_key
from cachetui.tui.view.saved import GivenOptions, saved_view
from cachetui.tui.view.view import Cursor, ListState, View

TOTAL = 0
"""The key of the row of totals; other rows have their names as keys."""

FROZEN = 3
"""Columns that do not scroll: the name, its specs, its gaps."""

SHADED = 3
"""Least cells of a number, all of which are shaded."""

MARGINS = 2
"""Cells beside a number: one at each side, for the brackets of the cursor."""

NARROWEST, WIDEST = 7, 9
"""Least and most cells of a column whose name is cut, without its margins."""

MOST_NAMED = 12
"""Most columns with cut names; where there are more, and no room for the names in full, they have numbers."""

HEAT: Sequence[Style] = ("heat-1", "heat-2", "heat-3")
"""The shades, the faintest first."""

NAMES = 24
"""Most cells for the names of rows."""


class CoverageRows(KeyedRows, frozen=True, dict=True):
    """The rows of the matrix: numbers, or with `is_map` one cell for each column."""

    found: Coverage
    is_map: bool = False

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        rows = self.found.rows if self.found.columns else ()
        return [TOTAL, *(row.name for row in rows)] if rows else []

    def made(self, k: int) -> Line:
        found = self.found
        if k == TOTAL:
            total, cells = found.total, self._cells(found.total.counts, shaded=False)
            return Line((total_name(found), f"{total.specs:,}", f"{total.gaps:,}", *cells), "bold")
        row = found.rows[k - 1]
        cells = self._cells(row.counts, shaded=True)
        return Line((visible(row.name), f"{row.specs:,}", f"{row.gaps:,}" if row.gaps else "", *cells))

    def _cells(self, counts: Sequence[int], *, shaded: bool) -> Iterator[Cell]:
        """Yield a cell for each column: in a map a sign, else a number with a blank behind it."""
        for count, column in zip(counts, self.found.columns, strict=True):
            nothing = "-" if column.absent else DOT
            if self.is_map:
                yield Cell(LOWER_HALF, "bar") if count else Cell(nothing, "muted")
            elif count:
                text = f"{count:{SHADED},} "
                yield Cell(text, "", [(0, len(text) - 1, shade(count, self._largest))] if shaded else ())
            else:
                yield Cell(f"{nothing:>{SHADED}} ", "muted")

    @cached_property
    def _largest(self) -> int:
        return max((max(row.counts) for row in self.found.rows), default=0)


def total_name(found: Coverage) -> str:
    """Return what the row of totals is called: of how many rows it is."""
    return f"{f'{len(found.rows):,} of' if found.hidden else 'all'} {len(found.whole):,}"


def shade(number: int, largest: int) -> Style:
    """Return the shade behind a number, on a logarithmic scale, so that small numbers differ, too."""
    step = int(3 * log(number) / log(largest)) if largest > 1 else 2
    return HEAT[min(step, 2)]


def coverage_columns(
    found: Coverage, marks: Collection[str], by: str, width: int, *, is_map: bool
) -> tuple[Sequence[Column], bool]:
    """Return the columns for a width in cells, and whether those that scroll have numbers in place of names.

    `by` is the title of the column that the rows are sorted by, which needs room for a sign.
    """
    longest = max((measure(visible(row.name)) for row in found.whole), default=0)
    figures = {"specs": found.specs, "gaps": sum(row.gaps for row in found.whole)}
    heads = {title: len(title) + 2 * (title == by) for title in (found.row_axis, *figures)}
    frozen = [Column(found.row_axis, max(heads[found.row_axis], min(longest, NAMES)), middle=True)]
    frozen += [Column(title, max(heads[title], len(f"{n:,}")), right=True) for title, n in figures.items()]
    if is_map:
        return [*frozen, *(Column(sign, 1) for sign in ruler(len(found.columns)))], True
    names = [visible(column.name) for column in found.columns]
    left = width - sum(column.width + GAP for column in frozen)
    shown, widths = _heads(names, left)
    numbered = shown is not names and len(names) > MOST_NAMED
    if numbered:
        shown, widths = [str(k) for k in range(1, len(names) + 1)], [len(str(len(names)))] * len(names)
    for name, column, own in zip(shown, found.columns, widths, strict=True):
        mark = "*" if column.name in marks else ""
        frozen.append(Column(f"{mark}{name} ", max(own, SHADED, len(f"{column.specs:,}")) + MARGINS, right=True))
    return frozen, numbered


def _heads(names: list[str], room: int) -> tuple[list[str], list[int]]:
    """Return the names, in full or cut so that they still differ, and the widths of their columns."""
    widths = [max(NARROWEST, measure(name)) for name in names]
    if sum(widths) + MARGINS * len(names) <= room:
        return names, widths
    width = WIDEST if (WIDEST + MARGINS) * len(names) <= room else NARROWEST
    cut_names = ([cut(name, width) for name in names] for cut in (_tail, fit, _middle))
    shown = next((each for each in cut_names if len({*each}) == len(names)), [_middle(name, WIDEST) for name in names])
    return shown, [max(map(measure, shown), default=0)] * len(names)


def _tail(name: str, width: int) -> str:
    return name if measure(name) <= width else f"{CUT}{name[len(name) - width + 1 :]}"


def _middle(name: str, width: int) -> str:
    return fit(name, width, middle=True)


def ruler(columns: int) -> str:
    """Return one sign for each column of one cell, as on a ruler: `1···5····10`."""
    signs = [DOT] * columns
    for number in (1, *range(5, columns + 2 - len(str(columns)), 5)):  # those that there is room for
        for k, digit in enumerate(str(number), number - 1):
            signs[k : k + 1] = digit
    return "".join(signs)[:columns]


CoverageQuestion = tuple[Results, str, str]
"""What to count: the specs of a result, by the axis of the rows and that of the columns."""


class Look(NamedTuple):
    """Which rows and columns are shown, in which order."""

    word: str
    compared: tuple[str, ...]
    only_gaps: bool
    order: RowOrder
    is_falling: bool


class Counted(Struct, frozen=True, eq=False, dict=True):
    """The counts, and what is shown of them."""

    whole: Coverage

    @cached_property
    def shown(self) -> Latest[Look, Coverage]:
        return Latest(self._shown)

    def _shown(self, look: Look) -> Coverage:
        found = self.whole.searched(look.word, look.compared, only_gaps=look.only_gaps)
        return found.ordered(look.order, descending=look.is_falling)

    @cached_property
    def rows(self) -> Latest[tuple[Look, bool], CoverageRows]:
        """The rows of the matrix, or with True those of the map."""
        return Latest(lambda key: CoverageRows(self.shown[key[0]], key[1]))

    @cached_property
    def columns(self) -> Latest[tuple[Look, tuple[str, ...], str, int, bool], tuple[Sequence[Column], bool]]:
        """The columns by what is shown, the marked ones, the title that is sorted by, and the width; of the map."""
        return Latest(lambda key: coverage_columns(self.shown[key[0]], *key[1:4], is_map=key[4]))


class CoverageState(ListState[Counted], frozen=True, kw_only=True):
    """The coverage of the specs of a view."""

    order: Order = Order()
    only_gaps: bool = False
    is_map: bool = False
    marks: tuple[str, ...] = ()
    """The marked columns."""
    compares: bool = False
    """Whether to show the marked columns alone, with the rows in which they differ."""
    column: Cursor = Cursor()

    @classmethod
    def of(cls, view: View) -> CoverageState:
        """Begin with the cursor on the package under the cursor of the view, with the usual axes for unknown ones."""
        rows, columns = view.axes
        is_known = rows in ROW_AXES and columns in COLUMN_AXES and rows != columns
        view = view if is_known else replace(view, axes=AXES)
        return cls(view=view, cursor=Cursor(view.package_here, 1))

    # What follows from it

    @property
    def row_axis(self) -> str:
        return self.view.axes[0]

    @property
    def column_axis(self) -> str:
        return self.view.axes[1]

    @property
    def scope(self) -> View:
        """The view whose specs are counted: where tags are an axis, over all of them, or those that the query names."""
        is_of_tags = "tag" in (self.row_axis, self.column_axis) and not self.view.query.parts_of("tag")
        return self.view.choose_tag(None) if is_of_tags else self.view

    @property
    def asks(self) -> CoverageQuestion:
        return self.scope.results, self.row_axis, self.column_axis

    @property
    def look(self) -> Look:
        compared = self.marks if self.compares else ()
        return Look(self.word, compared, self.only_gaps, self.sorted_by, self.is_falling)

    @property
    def coverage(self) -> Coverage | None:
        """The counts with the rows and columns to show, in order; None until there is an answer."""
        return None if self.found is None else self.found.shown[self.look]

    @property
    def sorted_by(self) -> RowOrder:
        """The column that the rows are sorted by."""
        return next((each for each in ORDERS if each == self.order.column), "name")

    @property
    def is_falling(self) -> bool:
        """Whether the rows are sorted from the greatest down."""
        return self.order.shown("name")[1]

    @property
    def rows(self) -> CoverageRows | None:
        """The rows of the matrix; None until there is an answer."""
        return None if self.found is None else self.found.rows[self.look, self.is_map]

    def columns_in(self, width: int) -> tuple[Sequence[Column], bool]:
        """Return the columns in a width, and whether those that scroll have numbers in place of names."""
        if self.found is None:
            return (), False
        return self.found.columns[self.look, self.marks, self.sorted_title, width, self.is_map]

    @property
    def sorted_title(self) -> str:
        """The title of the column that the rows are sorted by."""
        return self.row_axis if self.sorted_by == "name" else self.sorted_by

    @property
    def column_at(self) -> int:
        """The number of the column under the cursor, from 0."""
        names = [column.name for column in self.coverage.columns] if self.coverage else []
        if self.column.key in names:
            return names.index(self.column.key)
        return max(0, min(self.column.row, len(names) - 1))

    @property
    def cell(self) -> tuple[Hashable, str, int] | None:
        """The key of the row, the column and the number of specs under the cursor; None in an empty matrix."""
        found, rows = self.coverage, self.rows
        if found is None or not rows:
            return None
        k, column = self.cursor.on(rows), found.columns[self.column_at]
        specs = (found.total if k == TOTAL else found.rows[k - 1]).counts[self.column_at]
        return rows.key(k), column.name, specs

    @property
    def cell_text(self) -> str:
        """The cell under the cursor in words."""
        if self.cell is None or self.coverage is None:
            return ""
        row, column, specs = self.cell
        name = total_name(self.coverage) if row == TOTAL else visible(str(row))
        if self.coverage.columns[self.column_at].absent:
            return f"no {self.coverage.column_axis} {visible(column)} here"
        return f"{name} in {visible(column)}: {plural(specs, 'spec') if specs else 'a gap'}"

    def opened(self, *, row: bool = False) -> View | None:
        """Return a view of the specs of the cell, of those of the column in the row of totals; None for a gap.

        With `row` a gap gives the specs of its row.
        """
        if self.cell is None or self.coverage is None:
            return None
        name, column, specs = self.cell
        if not specs and (name == TOTAL or not row):
            return None
        if name == TOTAL and self.coverage.hidden and self.answer is not None:
            index = self.answer[0][0].index
            rows = self.coverage.total.rows & index.value_rows(self.coverage.column_axis, column)
            return self.view.of_specs([spec_key(index, row) for row in rows])
        if name == TOTAL:
            query = self.coverage.column_query(column)
        else:
            query = self.coverage.cell_query(str(name), column) if specs else self.coverage.row_query(str(name))
        return replace(self.view.opened(query), only=self.view.only)

    @property
    def words(self) -> Sequence[str]:
        """The options of the command `coverage` that shows the same."""
        words = [f"--rows={self.row_axis}"] if self.row_axis != AXES[0] else []
        words += [f"--cols={self.column_axis}"] if self.column_axis != AXES[1] else []
        words += ["--gaps"] * self.only_gaps + [f"--mark={mark}" for mark in self.marks] + ["--compare"] * self.compares
        words += [f"--search={self.word}"] * bool(self.word)
        return [*words, f"--sort={self.order.text('name')}"] if self.order != Order() else words

    @property
    def saved(self) -> SavedView:
        return saved_view(self.scope, "coverage", self.words)

    def with_words(self, words: Sequence[str]) -> CoverageState:
        given = GivenOptions(words)
        axes = given["--rows"] or AXES[0], given["--cols"] or AXES[1]
        state = CoverageState.of(replace(self.view, axes=axes))
        return replace(
            state,
            only_gaps="--gaps" in words,
            marks=tuple(given.all["--mark"]),
            compares="--compare" in words,
            word=given["--search"],
            order=Order.of(given["--sort"], ORDERS, "name"),
        )

    # Steps

    def move_column(self, column: int) -> CoverageState:
        """Put the cursor on a column."""
        return replace(self, column=Cursor(self.coverage.columns[column].name, column)) if self.coverage else self

    def turn_gaps(self) -> CoverageState:
        """Show only the rows with a gap, or all again."""
        return replace(self, only_gaps=not self.only_gaps)

    def turn_map(self) -> CoverageState:
        """Show a map in place of the numbers, or the numbers again."""
        return replace(self, is_map=not self.is_map)

    def next_columns(self) -> CoverageState:
        """Take the next axis for the columns."""
        axis = _next(COLUMN_AXES, self.column_axis, self.row_axis, self.scope.results)
        if axis == self.column_axis:
            return self
        view = replace(self.view, axes=(self.row_axis, axis))
        return replace(self, view=view, marks=(), compares=False, column=Cursor())

    def next_rows(self) -> CoverageState:
        """Take the next axis for the rows."""
        axis = _next(ROW_AXES, self.row_axis, self.column_axis, self.scope.results)
        if axis == self.row_axis:
            return self
        return replace(self, view=replace(self.view, axes=(axis, self.column_axis)), cursor=Cursor())

    def sort(self) -> CoverageState:
        """Sort by the next of name, specs and gaps; numbers from the greatest down."""
        return replace(self, order=self.order.next(ORDERS))

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
        return replace(self, marks=marks, compares=self.compares and len(marks) > 1)

    def compare(self) -> CoverageState:
        """Show the marked columns alone, with the rows in which they differ, or all again."""
        return replace(self, compares=not self.compares) if len(self.marks) > 1 else self


def figures_of(question: CoverageQuestion) -> Counted:
    """Answer a question."""
    results, rows, columns = question
    return Counted(coverage(results.index, results.query, rows, columns, among=results.rows))


def _next(axes: Sequence[str], axis: str, other: str, results: Results) -> str:
    """Return the axis after this one that some spec has a value of, without the one of the other side."""
    at = axes.index(axis) + 1
    free = (each for each in (*axes[at:], *axes[:at]) if each != other)
    return next((each for each in free if each not in VALUE_KEYS or _has_values(results, each)), axis)


def _has_values(results: Results, axis: str) -> bool:
    index = results.index
    return any(
        results.rows.intersect(index.value_rows(axis, name)) for name in column_names(index, results.query, axis)
    )
