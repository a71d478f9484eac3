"""Two specs side by side: the differences of fields and variants, and of the dependencies that make other hashes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from msgspec.structs import replace
from textual import on

from cachetui.analysis.comparison import Comparison, compare
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.report.comparison import EQUAL, FOLDED, ComparisonReport, Side, sides, verdict
from cachetui.report.detail import Field
from cachetui.report.formats import Document
from cachetui.report.paste import command, hash_word
from cachetui.safe_text import containing, visible
from cachetui.search.index import Index
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.frame import ListScreen
from cachetui.tui.glyphs import ARROW, UNFOLDED
from cachetui.tui.glyphs import FOLDED as FOLDED_SIGN
from cachetui.tui.keymap import Footer
from cachetui.tui.lines import Cell, Line, SectionRows, Text, by_section, measure
from cachetui.tui.view.copies import VIEW
from cachetui.tui.view.rows import SpecKey, row_of
from cachetui.tui.view.view import ListState, View
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled

ComparisonQuestion = tuple[Index, int, int]
"""The rows that are compared."""


class ComparisonRows(SectionRows[Side], frozen=True, dict=True):
    """The sections of differences, then, folded, those of equal values."""

    items: Sequence[Side]
    unfolded: frozenset[str]

    @cached_property
    def sections(self) -> Mapping[str, Sequence[Side]]:
        return by_section(self.items)

    def is_open(self, section: str) -> bool:
        return section not in FOLDED or section in self.unfolded

    def made(self, k: int) -> Line:
        section, item = self.places[k]
        if item is not None:
            return Line((Cell(visible(item.label), "muted"), *map(visible, item[2:])))
        own = self.sections[section]
        names = "" if self.is_open(section) else visible(", ".join(side.label for side in own))
        sign = "" if section not in FOLDED else UNFOLDED if self.is_open(section) else FOLDED_SIGN
        return Line((Cell(f"{section} {len(own):,}", "bold"), Cell(names, "muted"), ""), sign=sign)


class ComparisonState(ListState[Comparison], frozen=True, kw_only=True):
    """Two specs, the older one first, and the line under the cursor."""

    keys: tuple[SpecKey, ...]
    unfolded: frozenset[str] = frozenset()

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
        """The lines that have the word."""
        return [side for side in (sides(self.found) if self.found else ()) if containing(self.word, *side)]

    @property
    def rows(self) -> ComparisonRows:
        return ComparisonRows(self.sides, self.unfolded | set(FOLDED if self.word else ()))

    @property
    def heads(self) -> Sequence[str]:
        """The hash and the version of each spec."""
        specs = (self.found.old, self.found.new) if self.found else ()
        return [visible(f"{(spec.hash or '')[:7]} {spec.version or ''}").strip() for spec in specs] or ["", ""]

    @property
    def columns(self) -> Sequence[Column]:
        labels, *values = ([measure(visible(side[k])) for side in self.sides] for k in (1, 2, 3))
        heads = zip(self.heads, values, strict=True)
        sections = (len(f"{section} {len(own):,}") for section, own in self.rows.sections.items())
        return (
            as_wide_as(Column("", 16), [*labels, *sections]),
            *(as_wide_as(Column(title, 20, weight=1), own) for title, own in heads),
        )

    @property
    def fields(self) -> Sequence[Field]:
        """The line under the cursor."""
        item = self.rows.places[self.cursor.on(self.rows)][1] if self.sides else None
        texts = zip(("what", "first", "second"), item[1:], strict=True) if item else ()
        return [Field(label, (visible(text),)) for label, text in texts if text]

    @property
    def verdict(self) -> str:
        return verdict(self.found) if self.found else ""

    def fold(self) -> "ComparisonState":
        """Unfold the section under the cursor, or fold it."""
        rows = self.rows
        return replace(self, unfolded=self.unfolded ^ {rows.places[self.cursor.on(rows)][0]}) if len(rows) else self


class ComparisonScreen(ListScreen[ComparisonState]):
    """The differences, old at the left and new at the right."""

    FOOTER: ClassVar[Footer] = (
        *(("table.choose", "fold"), ("browse.filter", "filter"), ("browse.copy", "copy"), ("browse.export", "export")),
        *(("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "a part of a label or a value"

    TITLE = "Differences"

    IS_WHOLE = True

    state_of = ComparisonState.of

    def work(self, question: ComparisonQuestion, cancelled: Cancelled) -> Iterator[Comparison]:
        yield compare(*question)

    def nothing(self, state: ComparisonState) -> Sequence[str]:
        return [f"Nothing has {visible(state.word)}." if state.found else "Not both specs are here any more."]

    def heading_of(self, state: ComparisonState) -> tuple[Text, str]:
        found, sections = state.found, state.rows.sections
        if found is None:
            return [], ""
        equal, differ = len(sections.get(EQUAL, ())), sum(map(len, sections.values()))
        packages = dict.fromkeys((found.old.package, found.new.package))
        return [visible(f" {ARROW} ".join(packages))], f"{differ - equal:,} of {differ:,} values differ"

    @on(Table.Chosen)
    def fold(self) -> None:
        """Unfold a section, or fold it."""
        self.do(ComparisonState.fold)

    def here(self) -> View | None:
        return self.state.view.of_specs(self.state.keys) if self.state.keys else None

    def copies(self) -> Sequence[tuple[str, str]]:
        found = self.state.found
        words = [word for spec in (found.old, found.new) if (word := hash_word(spec))] if found else []
        pair = "..".join(words)
        return [(VIEW, command("diff", self.status.words, [pair], Query()))] if len(words) == 2 else ()

    def document(self) -> Document | None:
        return None if self.state.found is None else ComparisonReport(self.state.found)
