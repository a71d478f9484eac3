"""Finding in a coverage: which column or row a typed word means, and the cursor that goes there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cachetui.model.likeness import nearest_names
from cachetui.query.query import Query
from cachetui.safe_text import listed, visible
from cachetui.search.index import Index
from cachetui.search.names import EXACT, WORDS, is_written_in, matches
from cachetui.suggest.completion import Completion
from cachetui.tui.screens.coverage_hidden import why_hidden
from cachetui.tui.screens.hints import KeyOf
from cachetui.tui.state.coverage_view import CoverageView
from cachetui.tui.widgets.coverage_matrix import CoverageMatrix
from cachetui.tui.widgets.matrix import MatrixStanding

Asked = tuple[Index, CoverageView, Query]
"""What the figures are of: an index, how it is looked at and the query of the browse screen."""


class CellFinder:
    """Moves the cursor of one matrix while something is typed; what it returns is to be said of the words."""

    def __init__(self, matrix: CoverageMatrix, asked: Callable[[], Asked], key_of: KeyOf) -> None:
        """`asked`: what the figures are of."""
        self._matrix, self._asked, self._key_of = matrix, asked, key_of
        self._before: MatrixStanding | None = None
        """How the matrix stood before something was typed; None where there were no figures yet."""
        self._sought: Sequence[str] = ()
        """What was looked for before there were figures."""

    def begin(self) -> None:
        """Begins at the cell under the cursor."""
        self._before = None if self._matrix.coverage is None else self._matrix.cell_standing

    def go_back(self) -> None:
        """Goes back to where it began: cursor and view, as if nothing had been typed."""
        if self._before is None:
            self.begin()
        else:
            self._matrix.stand_at_cell_again(self._before)

    def follow(self, words: Sequence[str]) -> str:
        """Goes to what one word means; for more of them, which compare columns, to the column that the first one means.

        Where it means a column, the row is that where it began, though fewer letters meant another; and the other way.
        Where it means nothing, it is where it began.
        """
        self.go_back()
        if len(words) == 1:
            return self.go_to(words[0], names=True)
        columns = self._columns
        if not words:
            return ""
        for first in named_like(words[:1], columns):
            self._matrix.go_to_column(first)
        if said := no_comparison(words, columns):
            return said
        named, (index, view, query) = named_like(words, columns), self._asked()
        hiding = listed([*map(visible, view.filters_hiding(named, index, query))])
        without = f" without {hiding}" if hiding else ""
        like = 0 if words[-1] in columns else len(names_meant(words[-1], columns))
        others = f"; {self._key_of('prompt.complete', 'Tab')}: another of {like} like {words[-1]}" if like > 1 else ""
        return f"{_instead(words, columns)}Enter compares {', '.join(named)}{without}{others}"

    def completions(self, text: str, cursor: int) -> Sequence[Completion]:
        """The names that the word at the cursor may mean: of columns, and in the first word of rows too.

        The best one, which it is taken for anyway, comes last. For a word that means none these are the nearest.
        """
        start = text.rfind(" ", 0, cursor) + 1
        names = self._columns if start else self._names
        typed = text[start:cursor]
        first, *others = names_meant(typed, names) or [typed, *nearest_names(typed, names)]
        return [Completion(start, cursor, name) for name in (*others, first) if name != typed]

    def go_to(self, word: str, *, names: bool = False) -> str:
        """Goes to the row or the column that a word means, and `names` it; stays where there are no figures yet."""
        matrix, found = self._matrix, self._matrix.coverage
        if found is None:
            return ""
        column, row = column_or_row(word, matrix.names, [row.name for row in found.rows])
        if column is None and row is None:
            return why_hidden(word, *self._asked(), self._key_of) or nothing_like(word, self._names)
        here = matrix.cell
        matrix.go_to_cell_of(here[0] if row is None else row, here[1] if column is None else column)
        return "" if not names else f"row {row}" if column is None else f"column {column}"

    def find_sought(self) -> str | tuple[str, ...]:
        """Finds what was looked for before there were figures."""
        return self.find(self._sought)

    def find(self, words: Sequence[str]) -> str | tuple[str, ...]:
        """Goes to what one word means; for more of them back to where it began, and returns the columns to compare, or
        why there are none.

        As long as there are no figures it only remembers the words.
        """
        if self._matrix.coverage is None:
            self._sought = words
            return ""
        self._sought = ()
        if len(words) > 1:
            self.go_back()
            columns = self._columns
            return no_comparison(words, columns) or named_like(words, columns)
        return self.go_to(words[0]) if words else ""

    @property
    def _columns(self) -> Sequence[str]:
        """The columns that can be named: those on screen, then those that are not here."""
        shown, (index, view, _) = self._matrix.names, self._asked()
        return [*shown, *(name for name in index.values(view.column_axis) if name not in shown)]

    @property
    def _names(self) -> Sequence[str]:
        """The columns that can be named, then the rows."""
        found = self._matrix.coverage
        return [*self._columns, *(row.name for row in found.rows)] if found else self._columns


def names_meant(word: str, names: Sequence[str]) -> Sequence[str]:
    """The names that a word may mean, each once, best first: where some have it written in them, these alone."""
    found = matches(word, names)
    written = [match for match in found if match.score >= WORDS]
    return list(dict.fromkeys(names[match.number] for match in written or found))


def named_like(words: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """For each word the name that is most like it, each name once."""
    best = (matches(word, names)[:1] for word in words)
    return tuple(dict.fromkeys(names[match.number] for found in best for match in found))


def _instead(words: Sequence[str], columns: Sequence[str]) -> str:
    """Which of the words are in the name of no column, so that one that is like it is compared; empty without one."""
    unknown = [word for word in words if not any(is_written_in(word, name) for name in columns)]
    return f"no column {' or '.join(unknown)}: " if unknown else ""


def no_comparison(words: Sequence[str], columns: Sequence[str]) -> str:
    """Why these words name no columns to compare: which one is not there, and the nearest; empty where they do."""
    unknown = [word for word in words if not matches(word, columns)]
    if unknown:
        near = nearest_names(unknown[0], columns) if len(unknown) == 1 else ()
        return f"no column like {' or '.join(unknown)}{_nearest_text(near)}"
    found = named_like(words, columns)
    return f"{' and '.join(words)} are one column, {found[0]}" if len(words) > len(found) == 1 else ""


def nothing_like(word: str, names: Sequence[str]) -> str:
    """That nothing has a name like this one, and the names that are spelled most like it."""
    return f"no column and no row like {word}{_nearest_text(nearest_names(word, names))}"


def _nearest_text(near: Sequence[str]) -> str:
    return f"; nearest: {', '.join(map(visible, near))}" if near else ""


def column_or_row(word: str, columns: Sequence[str], rows: Sequence[str]) -> tuple[str | None, str | None]:
    """The column of this name, else the row that is named most like it, else the column.

    A row with the same letters scattered in its name, or a name spelled nearly so, comes after a column that has it.
    """
    in_columns, in_rows = matches(word, columns), matches(word, rows)
    best_row = in_rows[0].score if in_rows else 0.0
    if in_columns and (in_columns[0].score >= EXACT or best_row < min(WORDS, in_columns[0].score)):
        return columns[in_columns[0].number], None
    return None, rows[in_rows[0].number] if in_rows else None
