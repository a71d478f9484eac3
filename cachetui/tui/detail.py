"""A spec or a package in full, as text to read: beside the list, and on a screen of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from cachetui.report import Field
from cachetui.tui.columns import Cell, Column, FixedRows, Line
from cachetui.tui.table import Table

LABEL = 9
"""Cells that the label of a field takes."""


class DetailPane(Table):
    """The fields of one spec; long values are wrapped to the width at hand."""

    DEFAULT_CSS = ""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__([Column("", LABEL, right=True), Column("", 10, share=1)], header=False, cursor="none", id=id)
        self._fields: Sequence[Field] = ()
        self._wrapped = 0

    def show_fields(self, fields: Sequence[Field]) -> None:
        """Shows other fields, from their first line."""
        if fields != self._fields:
            self._fields = fields
            self._wrap()
            self.go(0)

    def on_resize(self) -> None:
        super().on_resize()
        if self.size.width != self._wrapped:
            self._wrap()

    def _wrap(self) -> None:
        self._wrapped = self.size.width
        room = max(20, self.size.width - LABEL - 2)
        self.show(FixedRows(_lines(self._fields, room)))


def _lines(fields: Sequence[Field], room: int) -> Iterator[Line]:
    for field in fields:
        label = field.label
        for text in field.lines:
            for piece in _pieces(text, room, whole_words=not field.is_command):
                yield Line((label, Cell(piece, "title" if field is fields[0] else "")))
                label = ""


def _pieces(text: str, room: int, *, whole_words: bool) -> list[str]:
    """The text in lines of at most `room` characters; a command is cut wherever a line is full."""
    if whole_words:
        return textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    return [text[at : at + room] for at in range(0, len(text), room)]
