"""The facets as rows of one table, as many of their values as there is room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cached_property

from msgspec import Struct

from cachetui.model.facets import COMPLETE, FACETS
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.results import FacetValue, Results
from cachetui.tui.rows.layout import Cell, Column, Line, fit, measure
from cachetui.tui.rows.pictures import UNICODE_BLOCKS, Blocks, bar
from cachetui.tui.rows.short_names import told_apart
from cachetui.tui.rows.tones import Tone

BAR = Column("", 2, drop=1)
"""The share of a value, as wide as it is at least."""

LONGEST_BAR = 12
"""Cells of a bar where names leave room."""

SIGN = 2
"""Cells before a value that say whether it is ticked or left out."""

HEADING = max(map(len, FACETS))
"""Cells of a facet before its only value: such values stand below each other."""

LEAST_NAME, LEAST_LONG = 14, 22
"""The room that names have at least, the second where there are such long ones: then bars go first."""

ALONE = ("counts as if ticked alone", "counts if ticked alone", "if ticked alone", "if alone")
"""What the numbers of a facet with a filter are of, in fewer and fewer words."""

ALONE_OR = (f"any that is ticked will do, {ALONE[0]}", *ALONE[1:])
"""The same where values are ticked."""

FacetKey = tuple[str, str | None]
"""A value of a facet, or with None its heading, or with an empty text the line that says that there are more."""


class FacetRows(Struct, frozen=True, dict=True):
    """The facets, each a heading and its values; a facet with one value takes one line."""

    results: Results
    room: int
    """Lines that there are: where they do not do for all values, the longest facets are folded."""
    unfolded: frozenset[str] = frozenset()
    wanted: str = ""
    """Only values that contain this text."""
    near: Sequence[str] = ()
    """The values that are taken for it where none contains it."""
    kept: FacetKey | None = None
    """The value under the cursor, which folding never hides."""
    blocks: Blocks = UNICODE_BLOCKS
    """What the bars are made of."""
    bar_width: int = BAR.width
    """Cells of a bar for all specs."""
    name_width: int = 0
    """Cells that names have, with the sign before them; 0 for as many as they want."""
    cut: str = "…"
    """What stands where some of a name is missing."""
    width: int = 0
    """Cells of a line."""

    @cached_property
    def lines(self) -> list[tuple[FacetKey, Line]]:
        lines: list[tuple[FacetKey, Line]] = []
        found = {facet: self._values(facet) for facet in self.results.facets}
        # The same for all, so that counts that are alike have bars that are.
        whole = max(map(self.results.open_to, found), default=0)
        for facet, values in found.items():
            if self.wanted and not values:
                continue
            if len(values) == 1 and not self.wanted:
                lines.append(
                    (
                        (facet, values[0].value),
                        self._line(values[0], f"{_sign(values[0])} {visible(values[0].value)}", 0, facet),
                    )
                )
                continue
            lines.append(((facet, None), self._heading(facet, values)))
            shown = values if facet in self.unfolded or self.wanted else self._few(facet, values)
            texts = [f"{_sign(value)} {name}" for value, name in zip(shown, self._names(shown), strict=True)]
            lines += [
                ((facet, value.value), self._line(value, text, whole)) for value, text in zip(shown, texts, strict=True)
            ]
            if len(shown) < len(values):
                more = f"    {len(values) - len(shown)} more"
                lines.append(((facet, ""), Line((more, "", ""))))
        return lines

    def _values(self, facet: str) -> list[FacetValue]:
        values = self.results.facet(facet)
        return [each for each in values if self.wanted in each.value.lower() or each.value in self.near]

    def _heading(self, facet: str, values: Sequence[FacetValue]) -> Line:
        """A facet and how many values it has; of one with a filter what its numbers are of, as far as there is room."""
        head = f"{facet} ({self._count(facet, values)})"
        if not any(value.ticked or value.excluded for value in values):
            return Line((Cell(head, "title"), "", ""))
        is_or = facet != COMPLETE and any(each.ticked for each in values)
        texts = [f"{head}, {said}" for said in (ALONE_OR if is_or else ALONE)]
        text = next((text for text in texts if measure(text) <= self.width), texts[-1])
        return Line((Cell(text, "", ((0, len(head), "title"),)),))

    def _count(self, facet: str, values: Sequence[FacetValue]) -> int:
        """How many of the values there are, without those that only the query names."""
        there = None if facet not in FACETS else set(self.results.index.values(facet))
        return len(values) if there is None else sum(value.value in there for value in values)

    @cached_property
    def _most(self) -> int:
        """How many values each facet shows at first."""
        return _most_of_each([len(self._values(facet)) for facet in self.results.facets], self.room)

    def _few(self, facet: str, values: Sequence[FacetValue]) -> Sequence[FacetValue]:
        """The first values, in their place whatever the filters leave of them, and of the others so many that give
        something; besides every one that is ticked, left out or under the cursor."""
        most = self._most
        if len(values) <= most + 1:  # a line that says "1 more" is no shorter
            return values
        wanted = [*values[:most], *(value for value in values[most:] if value.specs)]
        wanted = wanted[: 2 * most - sum(value.specs > 0 for value in values[:most])]
        return [
            value
            for value in values
            if value in wanted or value.ticked or value.excluded or (facet, value.value) == self.kept
        ]

    def _names(self, values: Sequence[FacetValue]) -> Sequence[str]:
        """The values as they stand below each other; of those that would read the same other parts are left out."""
        names, width = [visible(value.value) for value in values], self.name_width - SIGN
        if width <= 0 or all(measure(name) <= width for name in names):
            return names
        times = Counter(fit(name, width, self.cut, ends=True) for name in names)
        alike = [name for name in names if times[fit(name, width, self.cut, ends=True)] > 1]
        apart = dict(zip(alike, told_apart(alike, [width] * len(alike), self.cut), strict=True))
        return [apart.get(name, name) for name in names]

    def _line(self, value: FacetValue, text: str, whole: int, facet: str = "") -> Line:
        """A value, its count, and its share of so many specs as a bar; before an only one its facet."""
        tone: Tone = "tick" if value.ticked else "cross" if value.excluded else "" if leaves(value) else "dim"
        share = bar(value.specs, whole, self.bar_width, self.blocks.quarters, least=0)
        name = Cell(f"{facet:{HEADING}} {text}", tone, ((0, len(facet), "title"),)) if facet else Cell(text, tone)
        return Line((name, Cell(str(value.specs), "" if value.specs else "dim"), Cell(share, "bar")))

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: k for k, (key, _) in enumerate(self.lines)}

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, k: int) -> Line:
        return self.lines[k][1]

    def key(self, k: int) -> FacetKey:
        return self.lines[k][0]

    def folds(self, k: int) -> str:
        """What folding would do at a heading, or at the line of what is folded; empty where all have room."""
        facet = self.lines[k][0][0]
        values = self._values(facet)
        if (facet, "") in self._places:
            return f"shows all {len(values)}"
        return "shows fewer" if facet in self.unfolded and len(self._few(facet, values)) < len(values) else ""

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)


def leaves(value: FacetValue) -> bool:
    """Whether any spec would be left with this value: one may be there that another value leaves out."""
    return value.specs > value.hidden


def facet_columns(index: Index) -> list[Column]:
    """The columns of the facets: names have room for the longest in the catalogue, and before bars for most of it."""
    longest = {name: _longest(index, name) for name in FACETS}
    least = max(width for name, width in longest.items() if not FACETS[name].has_versions)
    names = Column(
        "facets", min(LEAST_LONG, max(LEAST_NAME, least)), share=1, most=max(LEAST_NAME, *longest.values()), ends=True
    )
    return [names, Column("specs", max(len("specs"), len(str(len(index)))), right=True), BAR]


def _longest(index: Index, facet: str) -> int:
    """Cells of the longest value of a facet with what stands before it: the sign, and the facet of an only value."""
    values = index.values(facet)
    before = SIGN + (HEADING + 1 if len(values) == 1 else 0)
    return max((measure(visible(value)) for value in values), default=0) + before


def _most_of_each(sizes: Sequence[int], room: int) -> int:
    """The greatest number of values of each facet, at least three, with which all of them have room."""

    def lines(most: int) -> int:
        folded = [min(size, most) + (size > most + 1) + (size == most + 1) for size in sizes]
        return sum(lines + (size != 1) for lines, size in zip(folded, sizes, strict=True))

    return max((most for most in range(3, max(sizes, default=0) + 1) if lines(most) <= room), default=3)


def _sign(value: FacetValue) -> str:
    return "+" if value.ticked else "-" if value.excluded else " "
