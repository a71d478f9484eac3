"""Why a query takes nothing, or so little: each part with the count without it, and the nearest builds."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from cachetui.explain.why import Explanation, why_nothing
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.text import visible
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line
from cachetui.tui.rows.specs import spec_key
from cachetui.tui.screens.lists import SheetScreen, list_help
from cachetui.tui.widgets.table import Table

MOST = 9
"""So many parts can be taken out by a key."""


def short_lines(explanation: Explanation) -> list[str]:
    """The explanation in a few lines, to stand where a list would."""
    parts = [f"{part.specs:>7,} without {part.part.text}" for part in explanation.without[:MOST] if part.specs]
    unknown = [value.phrase for value in explanation.unknown]
    return [visible(line) for line in (*unknown, *parts)]


class WhyScreen(SheetScreen):
    """Ends with the part that is to be taken out of the query, or the key of a build to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(number), f"take_out({number})", "Take out", id=f"why.{number}", tooltip="Take this part out")
        for number in range(1, MOST + 1)
    ]

    KEYS = list_help(
        "Why",
        "how many specs there would be without each part of the query",
        (f"1-{MOST}", "take that part out; u in the browser puts it back"),
        enter="take the part out, or go to the build",
    )

    def __init__(self, index: Index, query: Query) -> None:
        explanation = why_nothing(index, query)
        self._parts: list[Part] = [part.part for part in explanation.without[:MOST]]
        table = Table([Column("", 2), Column("", 9, right=True), Column("", 20, share=1)], header=False)
        count = len(index.rows(query))
        lines, keys = _lines(index, explanation, count)
        table.show(FixedRows(lines, keys), key=next(iter(self._parts), None))
        title = f"Why only {count:,} specs?" if count else "Why nothing?"
        super().__init__(title, table, "1-9, Enter take out, or go to a build   Esc back")

    def action_take_out(self, number: int) -> None:
        if number <= len(self._parts):
            self.dismiss(self._parts[number - 1])

    def choose(self, event: Table.Chosen) -> None:
        if not isinstance(event.key, str):
            self.dismiss(event.key)


def _lines(index: Index, explanation: Explanation, count: int) -> tuple[list[Line], list[object]]:
    """The lines and their keys; `count`: so many specs the query takes, so a part without more holds none back."""
    lines: list[Line] = []
    keys: list[object] = []

    def add(line: Line, key: object = None) -> None:
        lines.append(line)
        keys.append(f"line {len(lines)}" if key is None else key)

    for value in explanation.unknown:
        add(Line((Cell("!", "warn"), "", Cell(visible(value.phrase), "warn"))))
    add(Line((Cell("How many there would be without each part", "title"),)))
    for number, part in enumerate(explanation.without[:MOST], 1):
        said = part.phrase if part.specs > count else part.part.text
        add(Line((Cell(str(number), "key"), f"{part.specs:,}", visible(f"without {said}"))), part.part)
    nearest = [build for build in explanation.nearest if build.differences]
    if nearest:
        add(Line(("",)))
        add(Line((Cell("The nearest builds, and what they have instead", "title"),)))
    for build in nearest:
        spec = index.spec(build.row)
        said = ", ".join(difference.phrase for difference in build.differences)
        text = f"{spec.package}@{spec.version}  {said}  ({spec.tag})"
        add(Line(("", visible((spec.hash or "")[:7]), visible(text))), spec_key(index, build.row))
    return lines, keys
