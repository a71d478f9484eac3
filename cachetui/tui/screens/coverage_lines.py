"""What the coverage screen says around its matrix: text alone, no widget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cachetui.analysis.coverage import Coverage, CoverageRow
from cachetui.query.query import Query
from cachetui.report.paste import command
from cachetui.safe_text import plural, visible
from cachetui.tui.rows.coverage import MapRows
from cachetui.tui.rows.layout import Cell, fit_words, measure
from cachetui.tui.rows.pictures import shades, stacked
from cachetui.tui.rows.tones import Tone
from cachetui.tui.screens.hints import KeyOf
from cachetui.tui.state.coverage_view import CoverageView
from cachetui.tui.widgets.signs import Signs

PLACEHOLDER = "a column or a row; two columns compare them: e4s neoverse"


ROOMY = 80
"""From this width on the heading says which column is left out."""

ORDINALS = ("first", "second", "third", "fourth")
"""The rows that share a line of a map."""


def heading(
    found: Coverage, view: CoverageView, query: Query, width: int, signs: Signs
) -> tuple[list[Cell | str], list[Cell | str]]:
    """The title at the left and the gaps at the right, on a screen so wide; `query`: what was filtered."""
    filters, dot = visible(str(query.without_key("tag"))), f" {signs.dot} "
    if view.compared:
        beside = f"{dot}{filters}" if filters else ""
        room = max(width - measure(beside), 2 * width // 3)  # the filters have up to a third of the line
        whole, short = (difference_text(found, view, short=is_short) for is_short in (False, True))
        text = whole if measure(whole) <= room else fit_words(short, room, signs.cut)
        return [Cell(text, "title"), beside], []
    gaps = Cell(plural(found.gaps, "gap"), "gap" if found.gaps else "")
    room = width - len("Coverage  ") - len(gaps.text) - 1
    without = f" (without {found.left_out})" if found.left_out and width >= ROOMY else ""
    size, tags = size_text(found, view), f"{dot}{_tags_text(found)}"
    least = f"{size}{tags}{dot if filters else ''}"
    if measure(f"{least}{without}{filters}") <= room:
        return [Cell("Coverage", "title"), f"  {size}{without}{tags}{dot if filters else ''}{filters}"], [gaps]
    shown = fit_words(filters, max(1, room - measure(least)), signs.cut)
    return [Cell("Coverage", "title"), f"  {least}{shown}"], [gaps]


def size_text(found: Coverage, view: CoverageView) -> str:
    """How many rows and columns there are, and whether these are only those with gaps."""
    rows = plural(len(found.rows), found.row_axis) + (" with gaps" if view.only_gaps else "")
    return f"{rows} by {plural(len(found.columns), found.column_axis)}"


def _tags_text(found: Coverage) -> str:
    tags = (part.text.removeprefix("tag=") for part in found.query.parts_of("tag"))
    return visible(" ".join(tags) or "all tags")


def map_legend(rows: MapRows, dot: str) -> list[Cell | str]:
    """How a map is read: which shade is for how many specs, or which part of a cell is for which row."""
    if rows.together > 1:
        places = range(rows.together)
        lines = [stacked([place == line for place in places], rows.together) for line in places]
        cells = [cell for sign, name in zip(lines, ORDINALS, strict=False) for cell in (Cell(sign, "bar"), f" {name} ")]
        return [f"{'two' if rows.together == 2 else 'four'} rows a line, filled where one has specs: ", *cells]
    found = [
        (f" {first}-{last} " if last > first else f" {first} ", tone) for first, last, tone in shades(rows.largest)
    ]
    absent = [f"  {dot} no such column"] if any(column.absent for column in rows.coverage.columns) else []
    most = f"  + over {10**rows.cells - 1}" if rows.largest >= 10**rows.cells else ""
    return ["specs: ", *(Cell(text, tone) for text, tone in found), f"{most}  blank: a gap", *absent]


def why_empty(found: Coverage, view: CoverageView, query: Query, key_of: KeyOf, *, has_pages: bool) -> str:
    """What stands in place of rows where there are none; `query`: what was filtered."""
    if not has_pages:
        return "There is no page here."
    if not found.columns and found.specs:
        columns, others = key_of("coverage.columns", "m"), view.with_next_columns().column_axis
        return f"No spec here has a {found.column_axis}, so there are no columns: {columns} shows them by {others}."
    if is_nothing_compared(found, view) and (filters := visible(str(query.without_key("tag")))):
        there = [visible(column.name) for column in found.columns if not column.absent]
        none = "Neither has a spec" if len(there) == len(found.columns) == 2 else "None of them has a spec"
        none = f"{there[0]} has no spec" if len(there) == 1 else none
        return f"{none} under {filters}: {key_of('survey.clear', 'x')} clears the filters."
    if view.compared and view.lacking is not None:
        return f"{visible(view.lacking)} lacks nothing that {_listed(view.holders)} has."
    if view.compared:
        return "The marked columns do not differ." if not view.only_gaps else "No marked column has a gap."
    clear, why = key_of("survey.clear", "x"), key_of("browse.why", "w")
    why_nothing = f"Nothing matches: {clear} clears all filters; Esc, then {why} takes one out."
    return "There is no gap." if view.only_gaps else why_nothing


def is_nothing_compared(found: Coverage, view: CoverageView) -> bool:
    """Whether columns are compared of which some exist and none has a spec."""
    return (
        view.compared
        and not any(column.specs for column in found.columns)
        and not all(column.absent for column in found.columns)
    )


def difference_text(found: Coverage, view: CoverageView, *, short: bool = False) -> str:
    """What each of the compared columns has and another lacks, in numbers; `short`: without what is to be seen below,
    and beside it."""
    if is_nothing_compared(found, view) and not any(column.absent for column in found.columns):
        return f"No spec in {_listed(view.marks)}"
    if view.lacking is not None:
        all_rows = replace(found, rows=found.whole, hidden=())
        differ = len(all_rows.differing(view.marks).rows)
        rows = f"{plural(differ, found.row_axis)} that {'differs' if differ == 1 else 'differ'}"
        return f"In {_listed(view.holders)}, not in {visible(view.lacking)}: {len(found.rows):,} of {rows}"
    for column in found.columns:
        if column.absent:
            return f"{found.column_axis} {visible(column.name)} does not exist here, so it has no gaps"
    if len(found.columns) != 2:
        return f"{plural(len(found.rows), found.row_axis)} in which {len(found.columns)} columns differ"
    one, other = (visible(column.name) for column in found.columns)
    if not all(column.specs for column in found.columns):
        empty, full = (other, one) if found.columns[0].specs else (one, other)
        where = "" if short else " under the filters"
        return f"{empty} has no spec{where}, {full} has {plural(len(found.rows), found.row_axis)}"
    lacking = [sum(not row.counts[at] for row in found.rows) for at in (0, 1)]
    both = len(found.rows) - sum(lacking)
    text = f"{other} lacks {lacking[1]:,} that {one} has, {one} lacks {lacking[0]:,}"
    return text if short or not both else f"{text}; {both:,} {'differs' if both == 1 else 'differ'} in number"


def column_text(found: Coverage, view: CoverageView, at: int, number: str) -> str:
    """The column under the cursor: its number, its name and its gaps; nothing for one that does not exist.

    Where only rows are shown that another column lacks, it is told of these alone.
    """
    column = found.columns[at]
    if column.absent:
        return ""
    if view.lacking is not None:
        specs, rows = sum(row.counts[at] for row in found.rows), plural(len(found.rows), found.row_axis)
        these = f"{'this' if len(found.rows) == 1 else 'these'} {rows}"
        return f"{number}{visible(column.name)}: {plural(specs, 'spec') if specs else 'none'} of {these}"
    gaps = sum(not row.counts[at] for row in found.whole)
    return f"{number}{visible(column.name)}: {plural(column.specs, 'spec')}, {plural(gaps, 'gap')}"


WHERE = {"os": "for", "platform": "for", "target": "for", "compiler": "with"}
"""What stands between a row and a column of such an axis; "in" before a stack or a tag."""


def cell_text(found: Coverage, rows: Sequence[CoverageRow], at: int, room: int) -> str:
    """The cell under the cursor in words: of one row, of those that share a line, or where there is none the totals.

    Without `room` for that it names neither its column, which the text beside it names, nor how many rows a total has.
    """
    column = found.columns[at]
    if column.absent:
        return f"no tag that is looked at has {found.column_axis} {visible(column.name)}"
    if not rows:
        whole = f"all {plural(len(found.whole), found.row_axis)}" if len(found.whole) > 1 else f"the {found.row_axis}"
        specs, shown = plural(column.specs, "spec"), f"{len(found.rows):,} shown"
        told = f"column total of {whole}{f' ({shown})' if found.hidden else ''}: {specs}"
        return told if measure(told) <= room else f"column total: {specs}{f', rows: {shown}' if found.hidden else ''}"
    if len(rows) > 1:
        held = sum(row.counts[at] > 0 for row in rows)
        return f"{visible(rows[0].name)} to {visible(rows[-1].name)}: {held} of {len(rows)} here"
    (row,) = rows
    if row.expected and not row.specs:
        return f"{visible(row.name)}: expected, and missing altogether"
    specs = plural(row.counts[at], "spec") if row.counts[at] else "a gap"
    whole = f"{visible(row.name)} {WHERE.get(found.column_axis, 'in')} {visible(column.name)}: {specs}"
    return whole if measure(whole) <= room else f"{visible(row.name)} here: {specs}"


def command_text(view: CoverageView, query: Query, content: str | None) -> str:
    """The command that gives the same rows; `query`: what it is to ask for; `content` as it stands in commands."""
    return command("coverage", content, view.words, query)


def copy_texts(found: Coverage, view: CoverageView, made_by: str) -> tuple[tuple[str, str], ...]:
    """What can be copied: the command that gives the same rows, and their names, in a comparison these first."""
    entries = [(plural(len(found.rows), "name"), _names(found.rows))]
    if view.compared and view.lacking is None and len(found.columns) == 2:
        for at, column in enumerate(found.columns):
            if lacking := [row for row in found.rows if not row.counts[at]]:
                entries.append((f"{len(lacking):,} not in {visible(column.name)}", _names(lacking)))
    # no command leaves out the rows in which columns hold the same number
    is_whole = not view.compared or view.only_gaps or view.lacking is not None
    view_entry = ("this view" if is_whole else "these columns", made_by)
    return (*entries, view_entry) if view.compared else (view_entry, *entries)


def file_name(found: Coverage, view: CoverageView) -> str:
    """What a file of these rows is called by itself: by its axes; where columns are compared, by these."""
    if view.lacking is not None:
        columns = f"{'-'.join(view.holders)}-not-{view.lacking}"
    else:
        columns = "-".join(view.marks) if view.compared else found.column_axis
    return f"coverage-{found.row_axis}-{columns}{'-gaps' if view.only_gaps else ''}"


def shown_rows(found: Coverage, view: CoverageView) -> Sequence[str]:
    """For a file which rows it has, where not all that were counted; and what the command gives beside them."""
    if not (view.compared or view.only_gaps):
        return ()
    rows = plural(len(found.rows), found.row_axis)
    gaps = " with a gap" if view.only_gaps else ""
    if view.lacking is not None:
        return (f"{rows} in {' or '.join(view.holders)}, not in {view.lacking}{gaps}",)
    if not view.compared:
        return (f"{rows}{gaps}",)
    differ = f"{rows}{gaps} in which {', '.join(view.marks)} differ in number"
    return (differ,) if view.only_gaps else (differ, "the command gives those rows too in which they do not differ")


def _names(rows: Iterable[CoverageRow]) -> str:
    return "\n".join(visible(row.name) for row in rows)


def count_entries(rows: Sequence[CoverageRow], at: int) -> list[tuple[str, str, Tone]]:
    """The numbers of the rows that share the cell under the cursor: the number, its row, what it means."""
    return [(str(row.counts[at] or "-"), row.name, "" if row.counts[at] else "gap") for row in rows]


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join(map(visible, names))
