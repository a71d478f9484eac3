"""Two specs side by side: every field that differs, and the dependencies that make their hashes differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import ClassVar

from textual.binding import Binding, BindingType

from cachetui.analysis.comparison import Comparison
from cachetui.report.comparison import ComparisonReport, Side, labelled_sides, remark
from cachetui.report.formats import exported
from cachetui.text import visible
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line
from cachetui.tui.rows.tones import Tone
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SCROLL, ListScreen, list_help
from cachetui.tui.screens.output import CopyScreen, ExportScreen
from cachetui.tui.widgets.text_pane import TextPane

HINTS = (Hint("comparison.copy", "y", "copy"), Hint("comparison.export", "e", "export"), SCROLL, BACK)

LABEL = 16
"""Cells for what a line is about."""


class ComparisonScreen(ListScreen):
    """What differs, old at the left and new at the right; values are wrapped to the width at hand."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="comparison.copy", tooltip="Copy this comparison as a command"),
        Binding("e", "export", "Export", id="comparison.export", tooltip="Write this comparison to a file"),
    ]

    KEYS = list_help(
        "Two specs",
        "every field that differs; of their dependencies (^) first those that differ by themselves",
        ("y", "copy this comparison as a command"),
        ("e", "export it"),
    )

    def __init__(self, found: Comparison, command: str, title: str = "What differs") -> None:
        """`command` gives the same comparison."""
        self._text = TextPane((), header=False)
        super().__init__(title, self._text, HINTS)
        self._found = found
        self._command = command

    def on_resize(self) -> None:
        room = max(10, (self.app.size.width - LABEL - 4) // 2)
        below = _remark_lines(remark(self._found), self.app.size.width - 2)
        lines = [*_lines(labelled_sides(self._found), room), *below]
        self._text.show(FixedRows(lines), [Column("", LABEL), *[Column("", room)] * 2])

    def action_copy(self) -> None:
        self.app.push_screen(CopyScreen([("this comparison", self._command)]), self.say_done)

    def action_export(self) -> None:
        name = "-".join(["comparison", *((spec.hash or "none")[:7] for spec in (self._found.old, self._found.new))])
        writers = exported(lambda: ComparisonReport(self._found))
        self.app.push_screen(ExportScreen(name, "what differs", writers), self.say_done)


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
