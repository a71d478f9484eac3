"""The coverage screen: a table with the number of specs in each cell. Enter opens the specs of a cell."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations, groupby

from msgspec import Struct
from msgspec.structs import replace
from textual import on

from cachetui.analysis.coverage import Coverage, CoverageColumn, CoverageRow, coverage
from cachetui.mappings import latest
from cachetui.model.spec import AXES, COLUMN_AXES, ROW_AXES
from cachetui.report.coverage import CoverageReport, verdict
from cachetui.report.specs import Field
from cachetui.safe_text import containing, plural, visible
from cachetui.search.results import Results
from cachetui.settings.saved_views import SavedView
from cachetui.tui.frame import ListScreen
from cachetui.tui.keymap import Actions, Footer, KeyLabel, labelled
from cachetui.tui.lines import (
    BAD,
    DOT,
    FALLING,
    GOOD,
    RISING,
    Cell,
    Column,
    KeyedRows,
    Line,
    Text,
    fit,
    measure,
    title_answer,
)
from cachetui.tui.view.rows import Order
from cachetui.tui.view.saved import GivenOptions, saved_view
from cachetui.tui.view.view import Cursor, ListState, View
from cachetui.tui.widgets.list_pane import Table
from cachetui.tui.widgets.matrix import Matrix

BLOCKS = "▁▂▃▅▇"
"""The blocks of the bar chart: one for each fifth of the largest number."""

MIN_NUMBER_CELLS = 3
"""Minimum width of a number with its block, in cells, without the space before the number."""

MAX_NAME_CELLS = 24
"""Maximum width of a row's name, and of a key's label, in cells."""


class CoverageRows(KeyedRows, frozen=True, dict=True):
    """The rows of the table, and its columns."""

    found: Coverage

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        return [row.name for row in self.found.rows] if self.found.columns else []

    def make_line(self, k: int) -> Line:
        row, (_, _, widths) = self.found.rows[k], self._layout
        return Line((visible(row.name), f"{row.gaps:,}" if row.gaps else "", *map(self._cell, row.counts, widths)))

    def _cell(self, count: int, width: int) -> Cell:
        """Return the text of a cell: a space for the cursor, the number, and a block whose height shows the number."""
        if not count:
            return Cell(f" {DOT:>{width}}", "muted")
        block = BLOCKS[(5 * count - 1) // self._largest]
        return Cell(f" {short(count):>{width - 1}}{block}", "", [(width, width + 1, "bar")])

    @cached_property
    def _largest(self) -> int:
        return max((max(row.counts, default=0) for row in self.found.whole), default=0)

    @cached_property
    def _layout(self) -> tuple[int, Sequence[Sequence[str]], Sequence[int]]:
        """The width of the first column. Then the head lines of each other column, then the widths of these columns."""
        longest = max((measure(visible(row.name)) for row in self.found.whole), default=0)
        least = max(MIN_NUMBER_CELLS, 1 + len(short(min(self._largest, 1000))))
        return min(longest, MAX_NAME_CELLS), *heads([visible(column.name) for column in self.found.columns], least)

    def columns_for(self, marks: Collection[str], by: str, symbol: str) -> Sequence[Column]:
        """Return the columns. In the head of the column `by`, `symbol` shows the direction of sorting.

        The heads of the marked columns contain `*`.
        """
        found, (named, lines, widths) = self.found, self._layout
        above = "\n" * (len(lines[0]) - 1)
        symbols = {by: symbol, **dict.fromkeys(marks, "*")}
        numbers = zip(found.columns, lines, widths, strict=True)
        return [
            Column(
                f"{above}{found.row_axis} {symbols.get('name', '')}", max(len(found.row_axis) + 2, named), middle=True
            ),
            Column(f"{above}{symbols.get('gaps', '')}gaps", 5, right=True),
            *(
                Column("\n".join((*upper, symbols.get(column.name, "") + last)), width + 1, right=True)
                for column, (*upper, last), width in numbers
            ),
        ]


def short(number: int) -> str:
    """Return a number in at most four characters: `999`, `1.2k`, `12k`."""
    return str(number) if number < 1000 else f"{number / 1000:.1f}k" if number < 9950 else f"{number / 1000:.0f}k"


TableOptions = tuple[tuple[str, tuple[str, ...], str], bool, tuple[str, bool]]
"""The rows to show, and their order.

The first tuple and the boolean are the arguments of `Coverage.searched`, the last tuple those of `Coverage.ordered`.
"""


class Counted(Struct, frozen=True, eq=False, dict=True):
    """The complete table, and a cache of its filtered and sorted versions."""

    whole: Coverage

    @latest
    def rows(self, options: TableOptions) -> CoverageRows:
        """Return the filtered and sorted table."""
        searched, only_gaps, (by, is_falling) = options
        return CoverageRows(self.whole.searched(*searched, only_gaps=only_gaps).ordered(by, descending=is_falling))


class CoverageState(ListState[Counted], frozen=True, kw_only=True):
    """The table of the specs in a view, with the user's order, filters and marks."""

    order: Order = Order()
    only_gaps: bool = False
    marks: tuple[str, ...] = ()
    """The marked columns."""
    compared: str | None = None
    """The rows to show: None for all rows, or an empty string for the rows in which the marked columns differ.

    With the name of a marked column, show the rows with specs in this column and in no other marked column.
    """
    column: Cursor = Cursor()

    @classmethod
    def of(cls, view: View) -> "CoverageState":
        """Return the initial state, with the cursor on the current package. Replace invalid axes with default axes."""
        rows, columns = view.axes
        is_known = rows in ROW_AXES and columns in COLUMN_AXES and rows != columns
        view = view if is_known else replace(view, axes=AXES)
        return cls(view=view, cursor=Cursor(view.current_package))

    # Values computed from the view and the results

    @property
    def scope(self) -> View:
        """The view with the specs to count. If an axis is `tag`, count all tags, or the tags that the query names."""
        is_of_tags = "tag" in self.view.axes and not self.view.query.terms_of("tag")
        return self.view.choose_tag(None) if is_of_tags else self.view

    @property
    def asks(self) -> tuple[Results, str, str]:
        """The input of the computation: the specs to count, the axis of the rows, and the axis of the columns."""
        return self.scope.results, *self.view.axes

    @property
    def options(self) -> TableOptions:
        compared = () if self.compared is None else self.marks
        return (self.word, compared, self.compared or ""), self.only_gaps, (self.sorted_by, self.is_falling)

    @property
    def rows(self) -> CoverageRows | None:
        """The rows of the table; None until the specs have been counted."""
        return None if self.found is None else self.found.rows[self.options]

    @property
    def coverage(self) -> Coverage | None:
        """The filtered and sorted table; None until the specs have been counted."""
        return None if self.rows is None else self.rows.found

    @property
    def sorted_by(self) -> str:
        """The sort column: `name`, `specs`, `gaps` or the name of a column with numbers."""
        return self.order.column or "name"

    @property
    def is_falling(self) -> bool:
        """Whether the rows are sorted in descending order."""
        return (self.sorted_by != "name") != self.order.reverse

    @property
    def columns(self) -> Sequence[Column]:
        is_falling = self.is_falling != (
            self.sorted_by == "name" and self.view.axes[0] == "version"
        )  # the newest version comes first
        return self.rows.columns_for(self.marks, self.sorted_by, FALLING if is_falling else RISING) if self.rows else ()

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns that contain numbers of specs."""
        return [column.name for column in self.coverage.columns] if self.coverage else []

    @property
    def column_at(self) -> int:
        """The position of the column under the cursor in `names`.

        After a search, the cursor is on the first column whose name contains the search word.
        """
        names = self.names
        if self.column.key in names:
            return names.index(self.column.key)
        with_word = (k for k, name in enumerate(names) if self.word and containing(self.word, name))
        return next(with_word, max(0, min(self.column.row, len(names) - 1)))

    @property
    def cell(self) -> tuple[CoverageRow, CoverageColumn, int] | None:
        """The row, the column and the number of specs of the cell under the cursor. None if the table is empty."""
        found, rows = self.coverage, self.rows
        if found is None or not rows:
            return None
        row = found.rows[self.cursor.on(rows)]
        return row, found.columns[self.column_at], row.counts[self.column_at]

    @property
    def verdict(self) -> str:
        """A description of the cell under the cursor, such as `e4s: 3 specs`."""
        return f"{self.cell[1].name}: {plural(self.cell[2], 'spec') if self.cell[2] else 'a gap'}" if self.cell else ""

    @property
    def fields(self) -> Sequence[Field]:
        """The gaps of the row under the cursor: the names of the columns without specs."""
        if self.cell is None:
            return ()
        gaps = tuple(visible(name) for name, count in zip(self.names, self.cell[0].counts, strict=True) if not count)
        return [Field("gaps in", gaps, is_list=True)] if gaps else []

    @property
    def title_answer(self) -> Text:
        if self.coverage is None or not (self.coverage.rows or self.compared is not None):
            return ()
        text = verdict(self.coverage, self.compared)
        if self.compared is not None:
            return [visible(text)]
        gaps, _, where = text.partition(" in ")
        return title_answer(BAD, gaps, f" in {where}") if where else title_answer(GOOD, gaps)

    @property
    def causes(self) -> Mapping[str, Callable[["CoverageState"], "CoverageState"]]:
        return {
            **super().causes,
            **({} if self.compared is None else {_label(self.compared): lambda state: replace(state, compared=None)}),
            **({"only gaps": CoverageState.turn_gaps} if self.only_gaps else {}),
        }

    def opened(self, *, row: bool = False) -> View | None:
        """Return a view of the specs in the cell under the cursor.

        If the cell has no specs, return a view of all specs in its row if `row` is true, otherwise None.
        """
        if self.cell is None or self.coverage is None or not (self.cell[2] or row):
            return None
        name, column, specs = self.cell[0].name, self.cell[1].name, self.cell[2]
        query = self.coverage.cell_query(name, column) if specs else self.coverage.row_query(name)
        return replace(self.view.opened(query), only=self.view.only)

    @property
    def words(self) -> Sequence[str]:
        """The options for the equivalent `coverage` command."""
        rows, columns = self.view.axes
        return [
            *([f"--rows={rows}"] if rows != AXES[0] else []),
            *([f"--cols={columns}"] if columns != AXES[1] else []),
            *(["--gaps"] if self.only_gaps else []),
            *(f"--mark={mark}" for mark in self.marks),
            *(["--compare"] if self.compared is not None else []),
            *([f"--only-in={self.compared}"] if self.compared else []),
            *([f"--search={self.word}"] if self.word else []),
            *([f"--sort={'-' * self.is_falling}{self.sorted_by}"] if self.order != Order() else []),
        ]

    @property
    def saved(self) -> SavedView | None:
        return saved_view(self.scope, "coverage", self.words)

    def with_words(self, words: Sequence[str]) -> "CoverageState":
        given = GivenOptions(words)
        marks, only_in, by = tuple(given.all["--mark"]), given["--only-in"], given["--sort"].removeprefix("-")
        axes = given["--rows"] or AXES[0], given["--cols"] or AXES[1]
        return replace(
            CoverageState.of(replace(self.view, axes=axes)),
            only_gaps="--gaps" in words,
            marks=marks,
            compared=only_in if only_in in marks else "" if "--compare" in words else None,
            word=given["--search"],
            order=Order(by, (by != "name") != given["--sort"].startswith("-")) if by else Order(),
        )

    # Changes of the state

    def on_view(self, view: View) -> "CoverageState":
        """Return the state with another view. If the axes changed, return the initial state."""
        return CoverageState.of(view) if view.axes != self.view.axes else super().on_view(view)

    def find(self, word: str, cursor: int | None = None) -> "CoverageState":
        """Show only rows whose names contain a search word. Move to the first column whose name contains the word.

        If only names of columns contain the word, show all rows.
        """
        found = super().find(word)
        return found if found is self else replace(found, column=self.column._replace(key=None))

    def move_column(self, column: int) -> "CoverageState":
        """Put the cursor on a column."""
        return replace(self, column=Cursor(self.names[column], column)) if self.names else self

    def turn_gaps(self) -> "CoverageState":
        """Show only the rows with gaps, or all rows again."""
        return replace(self, only_gaps=not self.only_gaps)

    def sort(self) -> "CoverageState":
        """Select the next order: by name, by the column under the cursor, or by number of gaps."""
        return self if self.cell is None else replace(self, order=self.order.next(("name", self.cell[1].name, "gaps")))

    def turn_order(self) -> "CoverageState":
        """Reverse the order of the rows."""
        return replace(self, order=self.order._replace(reverse=not self.order.reverse))

    def mark(self) -> "CoverageState":
        """Mark or unmark the column under the cursor."""
        if self.cell is None:
            return self
        column, marks = self.cell[1].name, self.marks
        others = tuple(mark for mark in marks if mark != column)
        return replace(self, marks=others if column in marks else (*marks, column), compared=None)

    def unmark(self) -> "CoverageState":
        """Unmark all columns."""
        return replace(self, marks=(), compared=None) if self.marks else self

    def compare(self) -> "CoverageState":
        """Select the next filter for rows, and remove the search word.

        The first filter shows all rows. The second filter shows the rows in which the marked columns differ. Then there
        is a filter for each marked column. It shows the rows with specs in this column and in no other marked column.
        """
        filters = (None, "", *self.marks)
        after = filters[(filters.index(self.compared) + 1) % len(filters)]
        return replace(self, compared=after, word="") if self.marks[1:] else self


def count_specs(question: tuple[Results, str, str]) -> Counted:
    """Count the specs in each cell of the table. `question` has the specs, and the axes of the rows and columns."""
    results, rows, columns = question
    return Counted(coverage(results.index, results.query, rows, columns, only_rows=results.rows))


def _label(compared: str | None) -> str:
    """Return the label of a filter for marked columns, such as `only differences`."""
    return f"only in {visible(compared)}" if compared else "all rows" if compared is None else "only differences"


def _shown(shown: int, whole: int, name: str) -> str:
    """Return a text such as `2 of 13 stacks`. If all stacks are shown, return `13 stacks`."""
    return f"{shown:,} of " * (shown != whole) + plural(whole, name)


class CoverageScreen(ListScreen[CoverageState], keys="coverage"):
    """The screen with the table. The pane below shows the gaps of the row under the cursor."""

    FOOTER = (
        ("table.choose", "specs"),
        *labelled("coverage.mark", "coverage.compare", "coverage.gaps", "coverage.sort", "coverage.axes"),
        *labelled("browse.filter", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "part of a row or column name"

    state_of = CoverageState.of

    TITLE = "Coverage"

    NO_SPECS = "this cell is a gap: it has no specs to open"

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.table = self.matrix = Matrix(title=self.TITLE, id="matrix")
        self.body = self.matrix, self.detail

    def work(self, question: tuple[Results, str, str]) -> Iterator[Counted]:
        yield count_specs(question)

    # Show the state

    def show(self, state: CoverageState, before: CoverageState | None) -> None:
        super().show(state, before)
        self.matrix.show_column(state.column_at)
        self.detail.entitle(visible(state.verdict) or "Details")
        self.detail.set_class(state.cell is None, "-away")

    def title_of(self, state: CoverageState) -> str:
        return f"{self.TITLE}: specs by {' and '.join(state.view.axes)}" if state.compared is None else self.TITLE

    @property
    def pane_footer(self) -> Footer:
        """The keys of the table. The label of the key `=` names the next filter for marked columns."""
        after = self.state.compare()
        labels = (
            {}
            if after is self.state
            else {"coverage.compare": fit(_label(after.compared), MAX_NAME_CELLS, middle=True)}
        )
        return tuple((id, labels.get(id, label)) for id, label in self.FOOTER)

    def nothing(self, state: CoverageState) -> Sequence[str | KeyLabel]:
        if state.found is None or not state.found.whole.rows:
            return ["No spec matches.", ("browse.clear", "clear")]
        if hides := [cause for cause in state.causes if cause != state.word or state.found.whole.row_word(cause)]:
            return [f"No row matches: {', '.join(hides)}.", ("browse.why", "remove a filter")]
        return [f"No spec here has a {state.view.axes[1]}.", ("coverage.axes", "axes")]

    def heading_of(self, state: CoverageState) -> tuple[Text, str]:
        left, _ = super().heading_of(state)
        found = state.coverage
        if found is None or state.found is None:
            return left, ""
        with_word = sum(containing(state.word, name) for name in state.names)
        columns = _shown(with_word, len(state.found.whole.columns), found.column_axis)
        return left, f"{_shown(len(found.rows), len(found.whole), found.row_axis)} × {columns}"

    # Keys and messages of the matrix

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "coverage.gaps": self.own_step(CoverageState.turn_gaps),
            "coverage.axes": partial(self.open_dialog, "axes"),
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
        """Move the cursor to the clicked column, and sort by this column."""
        self.do(lambda state: state.move_column(max(0, event.column - Matrix.FROZEN)).sort())

    # Copy and export

    def current_view(self) -> View | None:
        return self.state.opened(row=True)

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self.state.coverage
        return (
            ()
            if found is None
            else ((plural(len(found.rows), "name"), "\n".join(visible(row.name) for row in found.rows)),)
        )

    def document(self) -> CoverageReport | None:
        return CoverageReport(self.state.coverage, self.state.view.index) if self.state.coverage else None


# The column heads. Adjacent heads share a common prefix: `e4s` above `rocm` and `oneapi`.

MAX_LINES = 3
"""Maximum number of lines in a head."""

MAX_HEAD_CELLS = 48
"""Maximum width of a column name, in cells. A longer name is cut in the middle."""

BREAK = re.compile(r"(?<!x86)[-_@]|(?<=[a-z]{2})(?=\d)")
"""A possible line break in a name: a symbol, or the boundary between a word and a number, as in `ubuntu22.04`."""


def heads(names: Sequence[str], least: int) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the lines of each column head, and the width of each column in cells (at least `least`).

    All heads have the same number of lines. If the names of adjacent columns have a common prefix, a line with this
    prefix may extend over these columns.
    """
    shown = [fit(name, MAX_HEAD_CELLS, middle=True) for name in names]
    sharing = Counter(name[: place.start()] for name in shown for place in BREAK.finditer(name))
    broken = [_broken(name, sharing, least) for name in shown]
    height = max(map(len, broken), default=1)
    tops = [len(each) > 1 and sharing[each[0]] > 1 for each in broken]  # shared lines come first, then the empty lines
    lines = [(*each[:top], *[""] * (height - len(each)), *each[top:]) for each, top in zip(broken, tops, strict=True)]
    widths = [max(least, measure(each[-1])) for each in lines]
    for k in range(height - 1):
        for upper, group in groupby(enumerate(each[: k + 1] for each in lines), lambda each: each[1]):
            columns = [column for column, _ in group]
            for lack in range(measure(upper[-1]) + 1 - sum(widths[column] + 1 for column in columns)):
                widths[columns[lack % len(columns)]] += 1
    return lines, widths


def _broken(name: str, sharing: Counter[str], least: int) -> tuple[str, ...]:
    """Split the name of a column into the lines that make the column narrowest.

    `sharing` contains the number of names with each prefix. If n columns share a line, only 1/n of the line's width
    counts. A line may end between a word and a number only if several columns share this line. `least` is the minimum
    width of the column.
    """
    places = [at.span() for at in BREAK.finditer(name) if at.group() or sharing[name[: at.start()]] > 1]
    ways: dict[tuple[str, ...], tuple[float, float]] = {}
    for some in (some for number in range(MAX_LINES) for some in combinations(places, number)):
        starts, ends = (0, *(end for _, end in some)), (*(start for start, _ in some), len(name))
        lines = tuple(name[start:end] for start, end in zip(starts, ends, strict=True))
        needed = [measure(line) / sharing[name[:end]] for line, end in zip(lines, ends[:-1], strict=False)]
        ways[lines] = max(least, measure(lines[-1]), *needed), len(needed) + sum(needed)
    return min(ways, key=ways.__getitem__)
