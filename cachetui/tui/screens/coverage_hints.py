"""What the last line of the coverage screen says: which of its keys are of use, and what to press first for one that
is of none yet. Text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from cachetui.analysis.coverage import Coverage
from cachetui.query.query import Query
from cachetui.safe_text import listed, plural, visible
from cachetui.search.index import Index
from cachetui.tui.screens.hints import Hint, KeyOf
from cachetui.tui.screens.survey_base import CLEAR, COPY, EXPORT
from cachetui.tui.state.coverage_view import CoverageView

ENTER = Hint("table.choose", "Enter", "specs")
GAPS = Hint("coverage.gaps", "o", "gaps")
MAP = Hint("coverage.map", "z", "map")
SORT = Hint("coverage.sort", "s", "sort")
SIDE = Hint("coverage.side", "i", "only what one has")
OTHER_SIDE = Hint("coverage.side", "i", "other side")
MARK = Hint("coverage.mark", "Space", "mark")
COMPARE = Hint("coverage.compare", "=", "compare")
ALL_COLUMNS = Hint("coverage.compare", "=", "all columns")
TWO_OTHERS = Hint("coverage.find", "/", "two others")

HINTS = (
    ENTER,
    GAPS,
    MAP,
    Hint("coverage.find", "/", "find or compare"),
    MARK,
    Hint("coverage.columns", "m", "columns"),
    Hint("coverage.rows", "M", "rows"),
    SORT,
    COPY,
    EXPORT,
)

COMPARED_HINTS = (
    ENTER,
    SIDE,
    COPY,
    EXPORT,
    ALL_COLUMNS,
    TWO_OTHERS,
    GAPS,
    SORT,
    MAP,
)
"""Where columns are compared, which gives names to take along."""

LACKING_HINTS = (
    ENTER,
    OTHER_SIDE,
    COPY,
    EXPORT,
    ALL_COLUMNS,
    TWO_OTHERS,
    SORT,
    MAP,
)
"""Where only what one of them lacks is shown."""


class CellHere(NamedTuple):
    """What is under the cursor."""

    column: str | None
    rows: int
    """How many rows share it; 0 for a total."""
    is_gap: bool
    """Whether there are no specs to go to."""
    is_none: bool
    """Whether there are figures and no cell in them."""


def hints(view: CoverageView, query: Query, here: CellHere) -> Sequence[Hint]:
    """The keys that matter, the most wanted first; `query`: what was filtered."""
    words = {OTHER_SIDE: _next_side(view)}
    wanted = _wanted(view, here)
    if len(view.marks) == 2:
        words[SIDE] = f"only in {visible(view.marks[0])}"
    if len(view.marks) > 1:
        words[COMPARE] = f"compare {len(view.marks)} marked"
    if view.dense:
        words[MAP] = "numbers"
    if here.rows > 1:
        words[ENTER] = "numbers"
    if view.only_gaps and GAPS in wanted:
        words[GAPS] = "all rows"
        wanted = (ENTER, GAPS, *(hint for hint in wanted[1:] if hint != GAPS))  # the way back is always said
    if query.without_key("tag"):
        at = wanted.index(ALL_COLUMNS if view.compared else MARK)
        wanted = (CLEAR, *wanted) if here.is_none else (*wanted[:at], CLEAR, *wanted[at:])
    of_no_use = _of_no_use(view, here)
    return [hint._replace(word=words.get(hint, hint.word)) for hint in wanted if hint not in of_no_use]


def _wanted(view: CoverageView, here: CellHere) -> Sequence[Hint]:
    """The keys in their order; that which compares is among them where it can act, and then is what marks are for."""
    if view.compared:
        return COMPARED_HINTS if view.lacking is None else LACKING_HINTS
    columns = {*view.marks, here.column} - {None} if view.marks else set()
    if len(columns) < 2:
        return HINTS
    return (ENTER, COMPARE, MARK, *(hint for hint in HINTS if hint not in (ENTER, MARK)))


def _of_no_use(view: CoverageView, here: CellHere) -> Sequence[Hint]:
    """The keys that have nothing to act on here, or do what another one says that it does."""
    if here.is_none:
        nothing = (ENTER, COPY, EXPORT) if view.compared else (ENTER,)
        return nothing if view.lacking is not None else (*nothing, SIDE)
    if here.is_gap:
        return (ENTER,)
    return (MAP,) if here.rows > 1 else ()


def _next_side(view: CoverageView) -> str:
    """What is shown next where only what one of the compared columns lacks is shown."""
    is_pair = len(view.marks) == 2
    if view.next_lacking is None:
        return "both" if is_pair else "all that differs"
    return "other side" if is_pair else "next side"


def gaps_text(found: Coverage, view: CoverageView) -> str:
    """How many rows are left out, or are there again, after the key that leaves only those with gaps; `found`: all that
    were counted."""
    everything = replace(view, only_gaps=False).arranged(found)
    rows, gaps = plural(len(everything.rows), found.row_axis), len(everything.with_gaps().rows)
    if not view.only_gaps:
        return f"all {rows} again"
    if not gaps:
        return ""  # it is said in place of the rows
    without = len(everything.rows) - gaps
    none = f"; {without:,} {'has' if without == 1 else 'have'} none"
    return f"only the {plural(gaps, found.row_axis)} with gaps{none}" if without else f"all {rows} have gaps"


def axes_text(view: CoverageView, key_of: KeyOf) -> str:
    """What the axes are now, and which ones the keys lead to that change them."""
    columns, rows = view.with_next_columns().column_axis, view.with_next_rows().row_axis
    on = f"{key_of('coverage.columns', 'm')} leads to columns of {_all_of(columns)}"
    down = f"{key_of('coverage.rows', 'M')} to rows of {_all_of(rows)}"
    return f"{_all_of(view.row_axis)} by {_all_of(view.column_axis)} now; {on}, {down}"


def _all_of(axis: str) -> str:
    """The values of an axis in one word: `stacks`."""
    return plural(2, axis).removeprefix("2 ")


def marked_before_text(marks: Sequence[str], key_of: KeyOf) -> str:
    """Which columns are marked since the coverage was left the last time; empty for none."""
    mark, _ = _mark_and_compare(key_of)
    return f"marked as before: {listed(marks)}; {mark} takes a mark away" if marks else ""


def how_to_mark_others(key_of: KeyOf) -> str:
    """What to do where columns are compared, of which none can be marked."""
    return f"{key_of('coverage.compare', '=')} shows all columns again, where others can be marked"


def how_to_compare(key_of: KeyOf) -> str:
    """What to do where too few columns are marked."""
    mark, compare = _mark_and_compare(key_of)
    return f"mark columns with {mark}, then {compare} compares them; or {key_of('coverage.find', '/')} and two names"


def how_to_turn_round(key_of: KeyOf) -> str:
    """What to do where no columns are compared."""
    mark, compare = _mark_and_compare(key_of)
    turn = key_of("coverage.side", "i")
    return f"mark two columns with {mark} and compare them with {compare}, then {turn} turns it round"


def _mark_and_compare(key_of: KeyOf) -> tuple[str, str]:
    return key_of("coverage.mark", "Space"), key_of("coverage.compare", "=")


def why_not_compared(view: CoverageView, index: Index, query: Query, key_of: KeyOf) -> str:
    """Why columns are compared no more: the filters that hide one of them, and the key that compares without these."""
    hiding = listed(view.filters_hiding(view.marks, index, query))
    return f"not compared: a column is hidden by {visible(hiding)}; {key_of('coverage.compare', '=')} compares without"
