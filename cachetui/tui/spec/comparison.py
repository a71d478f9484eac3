"""Two specs side by side: what differs, and the dependencies that make their hashes differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar

from msgspec.structs import replace

from cachetui.analysis.comparison import Comparison, compare
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.report.comparison import ComparisonReport, Side, remark, sides
from cachetui.report.find import spec_name
from cachetui.report.formats import Document
from cachetui.report.paste import command, hash_word
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.tui.column_widths import GAP, Column
from cachetui.tui.frame import StateScreen
from cachetui.tui.glyphs import ARROW
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, FixedRows, Line, Text
from cachetui.tui.view.copies import VIEW
from cachetui.tui.view.rows import SpecKey, row_of
from cachetui.tui.view.view import ListState, View
from cachetui.tui.widgets.list_pane import TextPane
from cachetui.workers.cancelling import Cancelled

LABEL = 16
"""Cells for what a line is about."""

Question = tuple[Index, int, int]
"""The rows that are compared."""


class ComparisonState(ListState, frozen=True, kw_only=True):
    """Two specs, the older one first."""

    keys: tuple[SpecKey, ...]
    found: Comparison | None = None

    @classmethod
    def of(cls, view: View) -> ComparisonState:
        """The two specs that are marked."""
        index = view.index
        specs = {key: index.spec(row) for key in view.marks if (row := row_of(index, key)) is not None}
        keys = sorted(specs, key=lambda key: (-index.tags.index(key[0]), sort_key(specs[key].version or ""), key))
        return cls(view=view, keys=tuple(keys[:2]))

    @property
    def question(self) -> Question | None:
        """The rows that are to be compared; None where they are, or one is gone."""
        rows = [row for key in self.keys if (row := row_of(self.view.index, key)) is not None]
        return (self.view.index, rows[0], rows[1]) if self.found is None and len(rows) == 2 else None

    def answered(self, question: Question, answer: Comparison) -> ComparisonState:
        """The same with an answer, if it is still asked."""
        return replace(self, found=answer) if question == self.question else self

    def on_view(self, view: View) -> ComparisonState:
        """The same two specs in a newer index."""
        return replace(self, view=view, found=self.found if view.index is self.view.index else None)


class ComparisonScreen(StateScreen[ComparisonState]):
    """What differs, old at the left and new at the right; values are wrapped to the width at hand."""

    FOOTER: ClassVar[Footer] = (
        *(("rows.down", "scroll"), ("browse.filter", "filter"), ("browse.copy", "copy"), ("browse.export", "export")),
        *(("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "a part of a label or a value"

    state_of = ComparisonState.of

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.home = self.text = TextPane(title="What differs", heads=False, id="differences")
        self.body = (self.text,)

    def work(self, question: Question, cancelled: Cancelled) -> Comparison:
        return compare(*question)

    def show(self, state: ComparisonState, before: ComparisonState | None) -> None:
        self.show_heading()
        found = state.found
        if found is None:
            self.text.explain("comparing" if state.question else "Not both specs are here any more.")
            self.text.show(FixedRows(()))
            return
        own = [each for each in found.dependencies or () if each.by_itself]
        self.text.entitle("What differs", f"{plural(len(found.differs), 'field')}, {len(own)} of what they need")
        room = max(10, (self.text.body_width - LABEL - 2 * GAP) // 2)
        said = textwrap.wrap(visible(remark(found)), max(10, self.text.body_width))
        lines = [*side_lines(sides(found), room, state.word), *(Line((text,)) for text in ("", *said) if said)]
        self.text.use_columns([Column("", LABEL), Column("", room), Column("", room)])
        self.text.show(FixedRows(lines))

    def heading_of(self, state: ComparisonState) -> tuple[Text, Text]:
        found = state.found
        if found is None:
            return [], []
        return [visible(f" {ARROW} ".join(spec_name(spec) for spec in (found.old, found.new)))], []

    def here(self) -> View | None:
        return self.state.view.of_specs(self.state.keys) if self.state.keys else None

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self.state.found
        words = [word for spec in (found.old, found.new) if (word := hash_word(spec))] if found else []
        pair = "..".join(words)
        return [(VIEW, command("diff", self.status.words, [pair], Query()))] if len(words) == 2 else ()

    def document(self) -> Document | None:
        return None if self.state.found is None else ComparisonReport(self.state.found)


def side_lines(sides: Sequence[Side], room: int, word: str) -> Iterator[Line]:
    """The lines of what differs that have a word, with values in so many cells each; a dependency begins with `^`."""
    for k, side in enumerate(sides):
        texts = [visible(text) for text in side]
        if any(word.lower() in text.lower() for text in texts):
            widths = zip(texts, (LABEL, room, room), strict=True)
            label, old, new = (textwrap.wrap(text, width, break_on_hyphens=False) or ["-"] for text, width in widths)
            for cells in zip_longest(label, old, new, fillvalue=""):
                yield Line((Cell(cells[0], "muted"), *(Cell(cell, "" if k else "bold") for cell in cells[1:])))
