"""Texts to copy, each of them shown in full before."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.geometry import Size

from cachetui.report.detail import Field
from cachetui.report.paste import INSTALL
from cachetui.safe_text import plural, visible
from cachetui.tui.painter.painter import PaintedApp
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, measure
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SheetScreen, list_help
from cachetui.tui.terminal.clipboard import NOT_SENT, send
from cachetui.tui.widgets.bar import in_two_lines
from cachetui.tui.widgets.detail import LABEL, DetailPane, lines_of
from cachetui.tui.widgets.table import Table

USES = {
    "hash": "to search for",
    "/hash": "as Spack's commands take it",
    "name/hash": "says which package, too",
    "spec": "as Spack writes it, with all that is known",
    INSTALL: "to install it, from binaries only; most copy this one",
    "mirror": "once before that, so that Spack finds the binaries",
    "this view": "a command that gives the same",
}
"""What a text is for, by its name; what follows a comma in that says whose it is."""


class CopyScreen(SheetScreen):
    """Texts that can be copied; ends with a message that has the text, so that it can be selected by hand too.

    Of a text that a message has no room for it has the beginning, and says where all of it is to be seen. What no way
    takes stays on this screen.
    """

    KEYS = list_help("Copy", "each text stands in full below the list", enter="copy it to the clipboard")

    def __init__(self, texts: Sequence[tuple[str, str]], what: str = "") -> None:
        """`what`: whose texts they are. The cursor begins on the one that installs, if there is one."""
        labels = max((len(label) for label, _ in texts), default=0)
        table = Table([Column("what", max(14, labels)), Column("text", 30, share=1, words=True)])
        names = [label for label, _ in texts]
        lines = [Line((Cell(label, "key"), _in_a_line(text))) for label, text in texts]
        table.show(FixedRows(lines, names), key=INSTALL)
        super().__init__(f"Copy {what}".rstrip(), table, (Hint("table.choose", "Enter", "copy"), BACK))
        self._table = table
        self._texts = texts
        self._whole = WholeText(texts)

    def body(self) -> ComposeResult:
        yield from super().body()
        yield self._whole

    def on_mount(self) -> None:
        self.show_whole()

    @on(Table.Moved)
    def show_whole(self) -> None:
        self._whole.show_text(self._table.cursor_row or 0)
        self.hint("")

    def choose(self, event: Table.Chosen) -> None:
        label, text = self._texts[event.row or 0]
        sent = send(text, os.environ, cast(PaintedApp[Any], self.app).send_to_terminal)
        way, width = f"{label}: {sent}", self.app.size.width
        whole = f"{way}: {text}"
        if sent.startswith(NOT_SENT):
            self.hint(way)
        elif "\n" not in text and max(map(measure, in_two_lines(visible(whole), width))) <= width:
            self.dismiss(whole)
        else:
            self.dismiss(f"{way}; {self.key_of('browse.copy', 'y')} shows all of it: {_in_a_line(text)}")


def _title(label: str) -> str:
    """What stands above a text in full: what it is for, where that is known."""
    use = USES.get(label.partition(",")[0])
    return f"in full: {use}" if use else "in full"


def _in_a_line(text: str) -> str:
    """The first line of a text, and how many more it has."""
    first, *more = text.splitlines()
    return f"{visible(first)} (+{plural(len(more), 'line')})" if more else visible(first)


class WholeText(DetailPane):
    """One of some texts in full, where there is room for the longest."""

    DEFAULT_CSS = ""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        super().__init__(id="whole")
        self._titles = [_title(label) for label, _ in texts]
        # the list above names it whole
        labels = [label if len(label) <= LABEL else "" for label, _ in texts]
        self._of = [
            [Field(label, tuple(map(visible, text.splitlines())), True)]
            for label, (_, text) in zip(labels, texts, strict=True)
        ]

    def show_text(self, k: int) -> None:
        """Shows the k-th."""
        self.border_title = self._titles[k]
        self.show_fields(self._of[k])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines of the longest, as far as a screen has them beside the list of the texts."""
        most = max(1, viewport.height - min(len(self._of) + 1, viewport.height // 2) - AROUND_TEXT)
        return max(lines_of(fields, width, most) for fields in self._of)


AROUND_TEXT = 3
"""Lines around a text in full and the list above it: the title, the border between them, the last line."""
