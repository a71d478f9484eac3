"""Two specs side by side: what differs, and the dependencies that make their hashes differ."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from cachetui.analysis.comparison import Comparison, compare
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.report.comparison import ComparisonReport, Side, remark, sides
from cachetui.report.detail import Field
from cachetui.report.find import spec_name
from cachetui.report.formats import Document
from cachetui.report.paste import command, hash_word
from cachetui.safe_text import containing, plural, visible
from cachetui.search.index import Index
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.frame import ListScreen
from cachetui.tui.glyphs import ARROW
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, FixedRows, Line, Text, measure
from cachetui.tui.view.copies import VIEW
from cachetui.tui.view.rows import SpecKey, row_of
from cachetui.tui.view.view import ListState, View
from cachetui.workers.cancelling import Cancelled

ComparisonQuestion = tuple[Index, int, int]
"""The rows that are compared."""


class ComparisonState(ListState[Comparison], frozen=True, kw_only=True):
    """Two specs, the older one first, and the line under the cursor."""

    keys: tuple[SpecKey, ...]

    @classmethod
    def of(cls, view: View) -> "ComparisonState":
        """The two specs that are marked."""
        index = view.index
        specs = {key: index.spec(row) for key in view.marks if (row := row_of(index, key)) is not None}
        keys = sorted(specs, key=lambda key: (-index.tags.index(key[0]), sort_key(specs[key].version or ""), key))
        return cls(view=view, keys=tuple(keys[:2]))

    @property
    def asks(self) -> ComparisonQuestion | None:
        rows = [row for key in self.keys if (row := row_of(self.view.index, key)) is not None]
        return (self.view.index, rows[0], rows[1]) if len(rows) == 2 else None

    @property
    def sides(self) -> Sequence[Side]:
        """What differs and has the word; a dependency begins with `^`."""
        return [side for side in (sides(self.found) if self.found else ()) if containing(self.word, *side)]

    @property
    def rows(self) -> FixedRows:
        lines = [[visible(text) or "-" for text in side] for side in self.sides]
        return FixedRows({k: Line((Cell(label, "muted"), *values)) for k, (label, *values) in enumerate(lines)})

    @property
    def columns(self) -> Sequence[Column]:
        values = (Column(title, 20, weight=1) for title in ("first", "second"))
        return as_wide_as(Column("what", 16), (measure(visible(side.label)) for side in self.sides)), *values

    @property
    def fields(self) -> Sequence[Field]:
        here = self.sides[self.cursor.on(self.rows)] if self.sides else Side("", "", "")
        remarks = [("note", remark(self.found) if self.found else "")]
        texts = [*zip(("what", "first", "second"), here, strict=True), *remarks]
        return [Field(label, (visible(text),)) for label, text in texts if text]

    @property
    def verdict(self) -> str:
        if self.found is None:
            return ""
        fields, needed = plural(len(self.found.differs), "field"), self.found.dependencies
        return fields if needed is None else f"{fields}, {sum(each.by_itself for each in needed)} of what they need"


class ComparisonScreen(ListScreen[ComparisonState]):
    """What differs, old at the left and new at the right."""

    FOOTER: ClassVar[Footer] = (
        *(("browse.filter", "filter"), ("browse.copy", "copy"), ("browse.export", "export")),
        *(("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "a part of a label or a value"

    TITLE = "What differs"

    state_of = ComparisonState.of

    def work(self, question: ComparisonQuestion, cancelled: Cancelled) -> Iterator[Comparison]:
        yield compare(*question)

    def nothing(self, state: ComparisonState) -> Sequence[str]:
        return [f"Nothing has {visible(state.word)}." if state.found else "Not both specs are here any more."]

    def heading_of(self, state: ComparisonState) -> tuple[Text, str]:
        found = state.found
        if found is None:
            return [], ""
        return [visible(f" {ARROW} ".join(spec_name(spec) for spec in (found.old, found.new)))], ""

    def here(self) -> View | None:
        return self.state.view.of_specs(self.state.keys) if self.state.keys else None

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self.state.found
        words = [word for spec in (found.old, found.new) if (word := hash_word(spec))] if found else []
        pair = "..".join(words)
        return [(VIEW, command("diff", self.status.words, [pair], Query()))] if len(words) == 2 else ()

    def document(self) -> Document | None:
        return None if self.state.found is None else ComparisonReport(self.state.found)
