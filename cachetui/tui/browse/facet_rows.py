"""The facets as rows of one list, as many of their values as there is room for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from msgspec import Struct

from cachetui.model.facets import FACETS
from cachetui.safe_text import visible
from cachetui.search.results import FacetValue, Results
from cachetui.tui.column_widths import Column
from cachetui.tui.glyphs import CUT, bar
from cachetui.tui.lines import Cell, Line
from cachetui.tui.styles import Style

HEADING = max(map(len, FACETS)) + 1
"""Cells of a facet before its only value."""

BAR = 8
"""Cells of a bar for all specs; where there is no room for it there is none."""

WITH_BARS = 40
"""Cells of the list from which on there are bars."""

FacetKey = tuple[str, str | None]
"""A value of a facet; with None its heading, with an empty text the line that says that there are more."""


def facet_columns(specs: int, width: int) -> tuple[Column, ...]:
    """The columns for counts of up to so many specs, in a list so wide."""
    columns = Column("value", 14, weight=1, middle=True), Column("specs", len(f"{specs:,}"), right=True)
    return (*columns, Column("", BAR)) if width >= WITH_BARS else columns


class FacetRows(Struct, frozen=True, dict=True):
    """The facets, each a heading and its values; a facet with one value takes one line."""

    results: Results
    room: int
    """Lines that there are: where they do not do for all values, the longest facets are cut."""
    unfolded: frozenset[str] = frozenset()
    """The facets that show all values."""
    word: str = ""
    """Only values that contain it, in small letters."""

    @cached_property
    def lines(self) -> list[tuple[FacetKey, Line]]:
        """Key and line of each row."""
        lines: list[tuple[FacetKey, Line]] = []
        whole = max(map(self.results.open_to, self.results.facets), default=0)
        for facet, values in self._values.items():
            if len(values) == 1 and not self.word:
                lines.append(((facet, values[0].value), self._line(values[0], whole, facet)))
                continue
            if not values:
                continue
            lines.append(((facet, None), Line((Cell(f"{facet} ({len(values)})", "bold"), "", ""))))
            shown = values if facet in self.unfolded or self.word else self._first(values)
            lines += [((facet, value.value), self._line(value, whole)) for value in shown]
            if len(shown) < len(values):
                lines.append(((facet, ""), Line((Cell(f"  {CUT} {len(values) - len(shown)} more", "muted"), "", ""))))
        return lines

    @cached_property
    def _values(self) -> dict[str, Sequence[FacetValue]]:
        """The values that leave something, or that the query names."""
        return {
            facet: [
                each
                for each in self.results.facet(facet)
                if (each.specs or each.ticked or each.excluded) and self.word in each.value.lower()
            ]
            for facet in self.results.facets
        }

    @cached_property
    def _most(self) -> int:
        """How many values each facet shows at first: as many as there is room for all of them, at least three."""
        sizes = [len(values) for values in self._values.values()]

        def lines(most: int) -> int:
            return sum(1 if size == 1 else 1 + min(size, most) + (size > most) for size in sizes if size)

        return max((most for most in range(3, max(sizes, default=0) + 1) if lines(most) <= self.room), default=3)

    def _first(self, values: Sequence[FacetValue]) -> Sequence[FacetValue]:
        """The first values, and every one that is ticked or left out."""
        if len(values) <= self._most + 1:  # a line that says "1 more" is no shorter
            return values
        return [value for k, value in enumerate(values) if k < self._most or value.ticked or value.excluded]

    def _line(self, value: FacetValue, whole: int, facet: str = "") -> Line:
        """A value, its count, and its share as a bar; before an only one its facet."""
        style: Style = "good" if value.ticked else "bad" if value.excluded else ""
        sign = "+" if value.ticked else "-" if value.excluded else ""
        name = f"{facet:{HEADING}}{visible(value.value)}" if facet else f" {visible(value.value)}"
        spans = ((0, len(facet), "bold"),) if facet else ()
        share = "" if facet else bar(value.specs, whole, BAR)
        return Line((Cell(name, style, spans), f"{value.specs:,}", Cell(share, "bar")), sign=sign)  # type: ignore[arg-type]

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: k for k, (key, _) in enumerate(self.lines)}

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, k: int) -> Line:
        """The k-th row."""
        return self.lines[k][1]

    def key(self, k: int) -> FacetKey:
        """The key of the k-th row."""
        return self.lines[k][0]

    def find(self, key: Hashable) -> int | None:
        """The place of a key."""
        return self._places.get(key)
