"""The rows and columns of the facets: as many values as there is room for."""

from collections.abc import Sequence

from cachetui.model.spec import FACETS, ROOT
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.results import FacetValue, Results
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.glyphs import CUT
from cachetui.tui.lines import Cell, FixedRows, Line, Style, measure

HEADING = max(map(len, FACETS)) + 1
"""Cells of the name of a facet before its only value."""

FacetKey = tuple[str, str | None]
"""A facet and a value; with None its heading, with an empty text the line `… 5 more`."""


def facet_columns(index: Index) -> tuple[Column, ...]:
    """Return the columns, for any value and any count of an index."""
    widths = (HEADING + measure(visible(value)) for facet in FACETS for value in index.values(facet))
    value = as_wide_as(Column("value", 14, weight=1, middle=True), widths)
    return value, Column("specs", len(f"{len(index):,}"), right=True)


def facet_rows(results: Results, room: int, unfolded: frozenset[str]) -> FixedRows:
    """Return the facets, each a heading and its values; a facet with one value takes one line.

    Where `room`, in lines, is less than all values need, the longest facets are cut, but for those in `unfolded`.
    """
    found = {facet: facet_values(results, facet) for facet in results.facets}
    most = _most_shown([len(values) for values in found.values()], room)
    lines: dict[FacetKey, Line] = {}
    for facet, values in found.items():
        if len(values) == 1:
            lines[facet, values[0].value] = _line(values[0], facet)
        elif values:
            lines[facet, None] = Line((Cell(f"{facet} ({len(values)})", "bold"), ""))
            # a line that says "1 more" is no shorter
            is_whole = facet in unfolded or len(values) <= most + 1
            shown = [each for k, each in enumerate(values) if is_whole or k < most or each.ticked or each.excluded]
            lines |= {(facet, value.value): _line(value) for value in shown}
            if len(shown) < len(values):
                lines[facet, ""] = Line((Cell(f"  {CUT} {len(values) - len(shown)} more", "muted"), ""))
    return FixedRows(lines)


def facet_values(results: Results, facet: str) -> Sequence[FacetValue]:
    """Return the values that some spec has, but `root`, and those that the query names."""
    return [
        each for each in results.facet(facet) if each.ticked or each.excluded or (each.specs and each.value != ROOT)
    ]


def _most_shown(sizes: Sequence[int], room: int) -> int:
    """Return how many values each facet may show so that all facets have room; at least three."""

    def lines(most: int) -> int:
        return sum(1 if size == 1 else 1 + min(size, most) + (size > most) for size in sizes if size)

    return max((most for most in range(3, max(sizes, default=0) + 1) if lines(most) <= room), default=3)


def _line(value: FacetValue, facet: str = "") -> Line:
    """Return the line of a value, with its count; `facet` is before the only value of one."""
    sign = "+" if value.ticked else "-" if value.excluded else ""
    name = f"{facet} {visible(value.value)}"
    spans: Sequence[tuple[int, int, Style]] = ((0, len(facet), "bold"),) if facet else ()
    return Line((Cell(name, "", spans), f"{value.specs:,}"), sign=sign)
