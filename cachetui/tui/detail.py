"""A spec or a package in full, as text to read: beside the list, and on a screen of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import accumulate

from textual.geometry import Size

from cachetui.report import Field
from cachetui.tui.columns import Cell, Column, FixedRows, Line, measure
from cachetui.tui.table import Table

LABEL = 9
"""Cells that the label of a field takes."""

BETWEEN = "  "
"""Stands between the values of a list."""


TIED = "\xa0"
"""A blank within a value, where no line ends."""


class DetailPane(Table):
    """The fields of one spec; long values are wrapped to the width at hand."""

    DEFAULT_CSS = ""

    def __init__(self, *, brief: bool = False, id: str | None = None) -> None:
        """`brief`: where there is no room for all of it, lists of values are cut to a line each."""
        super().__init__([Column("", LABEL, right=True), Column("", 10, share=1)], header=False, cursor="none", id=id)
        self._fields: Sequence[Field] = ()
        self._brief = brief
        self._wrapped = Size()

    def show_fields(self, fields: Sequence[Field]) -> None:
        """Shows other fields, from their first line."""
        if fields != self._fields:
            self._fields = fields
            self._wrap()
            self.go(0)

    def on_resize(self) -> None:
        super().on_resize()
        if self.size != self._wrapped:
            self._wrap()

    def _wrap(self) -> None:
        self._wrapped = self.size
        room = max(20, self.size.width - LABEL - 2)
        lines = list(_lines(self._fields, room))
        if self._brief and len(lines) > self.page:
            lines = list(_lines([_brief(field, room) if field.is_list else field for field in self._fields], room))
        self.show(FixedRows(lines))


def _lines(fields: Sequence[Field], room: int) -> Iterator[Line]:
    for field in fields:
        label = field.label
        for text in [BETWEEN.join(value.replace(" ", TIED) for value in field.lines)] if field.is_list else field.lines:
            for piece in _pieces(text, room, whole_words=not field.is_command):
                yield Line((label, Cell(piece.replace(TIED, " "), "title" if field is fields[0] else "")))
                label = ""


def _brief(field: Field, room: int) -> Field:
    """The first of the values, as many as have room beside the number of the others, but at least one."""
    last = len(field.lines)
    behind = {k: f"+{last - k} more" for k in range(1, last)}
    ends = accumulate(len(BETWEEN) + measure(text) for text in field.lines)
    needed = (end - len(BETWEEN) + len(BETWEEN + behind[k] if k < last else "") for k, end in enumerate(ends, start=1))
    shown = max((k for k, width in enumerate(needed, start=1) if width <= room), default=1)
    return field if shown == last else field._replace(lines=(*field.lines[:shown], behind[shown]))


def _pieces(text: str, room: int, *, whole_words: bool) -> list[str]:
    """The text in lines of at most `room` characters; a command is cut wherever a line is full."""
    if whole_words:
        return textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    return [text[at : at + room] for at in range(0, len(text), room)]
