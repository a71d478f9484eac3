"""Two specs side by side: every field that differs, and the dependencies that make their hashes differ.

Where there are several pairs of specs to compare, one goes from pair to pair.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from cachetui.analysis.comparison import Comparison
from cachetui.report.comparison import ComparisonReport, Side, labelled_sides, remark
from cachetui.report.formats import exported
from cachetui.safe_text import FEW, visible
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, measure
from cachetui.tui.rows.tones import Tone
from cachetui.tui.screens.copies import CopyScreen
from cachetui.tui.screens.export import ExportScreen
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SCROLL, ListScreen, list_help
from cachetui.tui.widgets.text_pane import TextPane

HINTS = (Hint("comparison.copy", "y", "copy"), Hint("comparison.export", "e", "export this pair"), SCROLL, BACK)

PAIRS = Hint("comparison.before comparison.after", ", .", "other pairs")

TITLE = "What differs: "

LABEL = 16
"""Cells for what a line is about."""

AROUND = 2
"""Lines around the text: the title and the last line."""


class Pair(NamedTuple):
    """Two specs as they are compared."""

    found: Comparison
    command: str
    """Gives the same comparison; empty where there is none."""
    names: str
    which: str
    """Which ones of those that are marked."""


class ComparisonScreen(ListScreen):
    """What differs, old at the left and new at the right; values are wrapped to the width at hand."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="comparison.copy", tooltip="Copy this comparison as a command"),
        Binding("e", "export", "Export", id="comparison.export", tooltip="Write this comparison to a file"),
        Binding("comma", "step(-1)", "Pair before", id="comparison.before", tooltip="The pair of marked specs before"),
        Binding("full_stop", "step(1)", "Next pair", id="comparison.after", tooltip="The next pair of marked specs"),
    ]

    KEYS = list_help(
        "Two specs",
        "every field that differs; of their dependencies (^) first those that differ by themselves",
        ("y", "copy this comparison as a command"),
        ("e", "export it"),
        (", .", "where more than two specs are marked: the pair before, the next pair"),
    )

    def __init__(
        self, compare: Callable[[int], Pair], count: int, export_marked: Callable[[Callable[[object], None]], None]
    ) -> None:
        """`compare` gives each of `count` pairs, from 0; `export_marked` is called with what says where the marked
        specs were written."""
        self._text = TextPane((), header=False)
        super().__init__("", self._text, (PAIRS, *HINTS) if count > 1 else HINTS)
        self._compare, self._count, self._at = compare, count, 0
        self._export_marked = export_marked
        self._pair = compare(0)

    @property
    def _found(self) -> Comparison:
        return self._pair.found

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        names, which = visible(self._pair.names), self._pair.which
        has_room = measure(f"{TITLE}{names} {which}") <= self.app.size.width
        self._heading.show([Cell(f"{TITLE}{names}" if has_room else names, "title")], [which])
        room = max(10, (self.app.size.width - LABEL - 4) // 2)
        below = _remark_lines(remark(self._found), self.app.size.width - 2)
        lines = [*_lines(labelled_sides(self._found), room), *below]
        if len(lines) > self.app.size.height - AROUND:
            lines = [*_lines(labelled_sides(self._found, FEW), room), *below]
        self._text.show(FixedRows(lines), [Column("", LABEL), *[Column("", room)] * 2])

    def action_step(self, delta: int) -> None:
        """Shows the next pair, or the one before; after the last comes the first."""
        if self._count > 1:
            self._at = (self._at + delta) % self._count
            self._pair = self._compare(self._at)
            self._text.go(0)
            self._show()
        else:
            self.say_done("these two are the only pair: of more marked specs there are others")

    def action_copy(self) -> None:
        if not self._pair.command:
            self.hint("no command gives this comparison, as not both have a whole hash")
            return
        self.app.push_screen(CopyScreen([("this comparison", self._pair.command)]), self.say_done)

    def action_export(self) -> None:
        name = "-".join(["comparison", *((spec.hash or "none")[:7] for spec in (self._found.old, self._found.new))])
        writers = exported(lambda: ComparisonReport(self._found))
        instead = partial(self._export_marked, self.say_done)
        self.app.push_screen(ExportScreen(name, "the comparison of 2 specs", writers, instead), self.say_done)


def _lines(found: list[Side], room: int) -> Iterator[Line]:
    for k, side in enumerate(found):
        columns = [textwrap.wrap(visible(text), room) or ["-"] for text in (side.old, side.new)]
        labels = textwrap.wrap(visible(side.label), LABEL)
        tone: Tone = "changed" if side.label.startswith("^") else "key"
        for label, old, new in zip_longest(labels, *columns, fillvalue=""):
            yield Line((Cell(label, tone), Cell(old, "" if k else "title"), Cell(new, "" if k else "title")))


def _remark_lines(said: str, room: int) -> Iterator[Line]:
    """An empty line and what is said below the fields, over the whole width."""
    if said:
        yield from (Line((text,)) for text in ("", *textwrap.wrap(visible(said), room)))
