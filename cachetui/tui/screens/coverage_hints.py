"""What the last line of the coverage screen says: which of its keys are of use, and what to press first for one that
is of none yet. Text alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from cachetui.analysis.coverage import Coverage
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.text import listed, plural, visible
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
ALL_COLUMNS = Hint("coverage.compare", "=", "all columns")
TWO_OTHERS = Hint("coverage.find", "/", "two others")

HINTS = (
    ENTER,
    GAPS,
    MAP,
    Hint("coverage.find", "/", "find or compare"),
    MARK,
    Hint("coverage.compare", "=", "compare"),
    Hint("coverage.columns", "m", "columns"),
    Hint("coverage.rows", "M", "rows"),
    SORT,
    COPY,
    EXPORT,
)

COMPARED_HINTS = (
    ENTER,
    SIDE,
    ALL_COLUMNS,
    TWO_OTHERS,
    GAPS,
    COPY,
    EXPORT,
    SORT,
    MAP,
)
"""Where columns are compared."""

LACKING_HINTS = (
    ENTER,
    OTHER_SIDE,
    ALL_COLUMNS,
    COPY,
    EXPORT,
    TWO_OTHERS,
    SORT,
    MAP,
)
"""Where only what one of them lacks is shown, which is a list to take along."""


def hints(view: CoverageView, query: Query, *, is_gap: bool, is_empty: bool) -> Sequence[Hint]:
    """The keys that matter, the most wanted first; `query`: what was filtered.

    `is_gap`: the cursor is on a cell without specs to go to; `is_empty`: there is no cell.
    """
    words = {OTHER_SIDE: _next_side(view)}
    compared = COMPARED_HINTS if view.lacking is None else LACKING_HINTS
    wanted: Sequence[Hint] = compared if view.compared else HINTS
    if len(view.marks) == 2:
        words[SIDE] = f"only in {visible(view.marks[0])}"
    if view.only_gaps and GAPS in wanted:
        words[GAPS] = "all rows"
        wanted = (ENTER, GAPS, *(hint for hint in wanted[1:] if hint != GAPS))  # the way back is always said
    wanted = [hint._replace(word=words.get(hint, hint.word)) for hint in wanted]
    if query.without_key("tag"):
        at = wanted.index(COPY if view.compared else MARK)
        wanted = (CLEAR, *wanted) if is_empty else (*wanted[:at], CLEAR, *wanted[at:])
    if is_empty:
        of_no_use = {ENTER.id} if view.lacking is not None else {ENTER.id, SIDE.id}
        return [hint for hint in wanted if hint.id not in of_no_use]
    return wanted[1:] if is_gap else wanted


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
