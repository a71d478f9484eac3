"""The diff screen: the changes between two tags. Enter opens the specs of a change."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.diff import Change, TagDiff, diff
from cachetui.mappings import grouped, latest
from cachetui.model.tags import line_of, tag_before
from cachetui.query.query import Query
from cachetui.query.terms import NameTerm, ValueTerm
from cachetui.report.diff import DiffReport, in_order, label
from cachetui.report.specs import Field, spec_text
from cachetui.safe_text import containing, plural, visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.tui.dialogs.choices import TagDialog
from cachetui.tui.frame import Answer, ListScreen, TagAsked, query_text, without_word
from cachetui.tui.keymap import Actions, KeyLabel, labelled
from cachetui.tui.lines import (
    ARROW,
    BAR_CELLS,
    BAR_RANK,
    CHOICE,
    DOT,
    FOLDED,
    UNFOLDED,
    Cell,
    Column,
    Line,
    SectionRows,
    Text,
    as_wide_as,
    bar,
    measure,
)
from cachetui.tui.view.rows import spec_key
from cachetui.tui.view.saved import GivenOptions, saved_view
from cachetui.tui.view.view import ListState, View

MAX_SPECS = 40
"""Maximum number of specs of each tag in the details."""

SECTIONS = {
    "added": "builds added",
    "removed": "builds removed",
    "count": "more/fewer builds",
    "stacks": "other stacks",
}
"""The titles of sections, by kind of change. For a kind that is not listed, the title is the label of the kind."""


class DiffItem(NamedTuple):
    """One change between two tags. Each change has one line in the list."""

    section: str
    name: str
    """The name of the package or of the stack."""
    words: str = ""
    old: int = 0
    new: int = 0
    """`old` and `new` are the numbers of specs in the two tags. They are 0 for stacks."""
    symbol: str = ""
    """`+` if specs were added, `-` if specs were removed."""
    change: Change | None = None


def items(found: TagDiff) -> Iterator[DiffItem]:
    """Yield all changes, grouped by section."""
    for kind, packages in found.packages.items():
        for name, builds in packages.items():
            sides = (0, len(builds), "+") if kind.startswith("new") else (len(builds), 0, "-")
            yield DiffItem(found.headings[kind], name, "", *sides)
    for section, names, symbol, other in (
        ("stacks gained", found.stacks_gained, "+", found.old),
        ("stacks lost", found.stacks_lost, "-", found.new),
    ):
        for name in names:
            yield DiffItem(section, name, f"not in {other} at all" * (name in found.stacks_absent), symbol=symbol)
    for change in in_order(found.changes):
        symbol = {"removed": "-", "added": "+", "count": "+" if change.is_rise else "-"}.get(change.kind, "")
        sides = len(change.old_rows), len(change.new_rows), symbol
        yield DiffItem(SECTIONS.get(change.kind, label(change)), change.package, in_words(change), *sides, change)


def in_words(change: Change) -> str:
    """Return the old and the new value of a change in one line, such as `3 → 5`."""
    old, new = ("" if value is None else str(value) for value in (change.old, change.new))
    if change.kind in ("added", "removed"):
        return old or new
    return f"{old or 'none'} {ARROW} {new or 'none'}  {change.build}".rstrip()


class DiffRows(SectionRows[DiffItem], frozen=True, dict=True):
    """The lines of the list: a heading for each section, followed by the section's items if it is unfolded."""

    items: Sequence[DiffItem]
    unfolded: frozenset[str]
    word: str
    """The search word for packages, stacks and sections. With a search word, all sections are unfolded."""

    @cached_property
    def sections(self) -> Mapping[str, Sequence[DiffItem]]:
        return grouped(
            (item.section, item)
            for item in self.items
            if containing(self.word, item.section, item.name, *(item.change.stacks if item.change else ()))
        )

    def is_open(self, section: str) -> bool:
        return bool(self.word) or section in self.unfolded

    def _totals(self, section: str) -> tuple[int, int]:
        own = self.sections[section]
        return sum(item.old for item in own), sum(item.new for item in own)

    @cached_property
    def _most(self) -> tuple[int, int]:
        """The largest number of specs in a heading, and the largest number in an item.

        The bars for these two numbers have full length.
        """
        of_sections = [count for section in self.sections for count in self._totals(section)]
        of_items = [count for own in self.sections.values() for item in own for count in (item.old, item.new)]
        return max(of_sections, default=0), max(of_items, default=0)

    def make_line(self, k: int) -> Line:
        section, item = self.places[k]
        if item is None:
            symbol = UNFOLDED if self.is_open(section) else FOLDED
            name = Cell(f"{visible(section)} {len(self.sections[section]):,}", "bold")
            return Line((name, "", *_counts(*self._totals(section), self._most[0])), symbol=symbol)
        return Line(
            (f"  {visible(item.name)}", visible(item.words), *_counts(item.old, item.new, self._most[1])),
            symbol=item.symbol,
        )

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns, wide enough for all items, including those in folded sections."""
        own = [item for section in self.sections.values() for item in section]
        headings = (1 + measure(visible(section)) + len(f"{len(own):,}") for section in self.sections)
        names = [*headings, *(2 + measure(visible(item.name)) for item in own)]
        count = max(3, len(f"{self._most[0]:,}"))
        return (
            as_wide_as(Column("name", 20, weight=1, middle=True), names),
            as_wide_as(Column("change", 24, weight=3), (measure(visible(item.words)) for item in own)),
            Column("old", count, right=True),
            Column("new", count, right=True),
            Column("", 2 * BAR_CELLS + 1, rank=BAR_RANK),
        )


def _counts(old: int, new: int, most: int) -> Sequence[Cell | str]:
    """Return three cells: the old number, the new number, and their two bars. The bar for `most` has full length."""
    if not old and not new:
        return "", "", ""
    numbers = [f"{count:,}" if count else Cell(DOT, "muted") for count in (old, new)]
    return *numbers, Cell(f"{bar(old, most):<{BAR_CELLS}} {bar(new, most)}", "bar")


class Changes(Struct, frozen=True, eq=False, dict=True):
    """The changes between two tags, and a cache of the lists that show these changes."""

    found: TagDiff

    @cached_property
    def items(self) -> Sequence[DiffItem]:
        return tuple(items(self.found))

    @property
    def verdict(self) -> str:
        """A message with the number of changes. If there are none, the message says why."""
        if self.found:
            return plural(len(self.items), "change")
        if self.found.rebuilt:
            return "only hashes changed"
        return "nothing changed" if self.found.unchanged else "no spec of the two tags matches"

    @latest
    def rows_by(self, key: tuple[frozenset[str], str]) -> DiffRows:
        """Return the lines of the list. `key` has the unfolded sections and the search word."""
        return DiffRows(self.items, *key)


class DiffState(ListState[Changes], frozen=True, kw_only=True):
    """The changes from an older tag to a newer one."""

    old: str
    """The older tag; empty if `new` is the oldest tag."""
    new: str
    unfolded: frozenset[str] = frozenset()

    @classmethod
    def of(cls, view: View) -> "DiffState":
        """Compare the tag of the view with the previous tag."""
        tags = view.index.tags
        new = view.shown_tag or view.index.default_tag or next(iter(tags), "")
        return cls(view=view, old=tag_before(tags, new), new=new)

    # Values computed from the view and the results

    @property
    def query(self) -> Query:
        """The filters of the view, without its tag."""
        return self.view.query.without_key("tag")

    @property
    def asks(self) -> tuple[Index, str, str, Query] | None:
        """The input of the comparison: the index, the older and the newer tag, and the filters.

        None if one of the tags is missing.
        """
        are_read = {self.old, self.new} <= set(self.view.index.tags)
        return (self.view.index, self.old, self.new, self.query) if are_read else None

    @property
    def compared(self) -> Index:
        """The index that was used to compute the changes. Row numbers in the changes refer to this index."""
        return self.view.index if self.answer is None else self.answer[0][0]

    @property
    def rows(self) -> DiffRows | None:
        """The list of changes; None until the changes have been computed."""
        return None if self.found is None else self.found.rows_by[self.unfolded, self.word]

    @property
    def difference(self) -> TagDiff | None:
        """The changes; None until they have been computed."""
        return None if self.found is None else self.found.found

    @property
    def current(self) -> tuple[str, DiffItem | None]:
        """The section and the item under the cursor. On a heading, the item is None."""
        rows = self.rows
        return rows.places[self.cursor.on(rows)] if rows is not None and len(rows) else ("", None)

    # Changes of the state

    def on_view(self, view: View) -> "DiffState":
        """Return the state with another view. If the index of that view lacks a tag, choose new tags to compare."""
        if {self.old, self.new} <= set(view.index.tags):
            return replace(self, view=view)
        return replace(DiffState.of(view), unfolded=self.unfolded, word=self.word)

    def fold(self) -> "DiffState":
        """Fold or unfold the section under the cursor, and move the cursor to the section's heading."""
        section, rows = self.current[0], self.rows
        if rows is None or not section:
            return self
        return replace(self, unfolded=self.unfolded ^ {section}).move((section, None), rows.find((section, None)) or 0)

    def step(self, delta: int) -> "DiffState":
        """Select the next tag (`delta` is 1) or the previous tag (`delta` is -1) as the newer tag.

        The tag before the selected tag becomes the older tag.
        """
        line = line_of(self.view.index.tags, self.new)
        at = line.index(self.new) - delta if self.new in line else -1
        old = tag_before(self.view.index.tags, line[at]) if 0 <= at < len(line) else ""
        return replace(self, old=old, new=line[at]) if old else self

    def opened(self) -> View | None:
        """Return a view of the changed specs under the cursor; None on a heading."""
        item, found = self.current[1], self.difference
        if item is None or found is None:
            return None
        if item.change is not None:
            rows = (*item.change.new_rows, *item.change.old_rows)
            return self.view.of_specs([spec_key(self.compared, row) for row in rows])
        tag = found.new if item.symbol == "+" else found.old
        term = NameTerm(item.name) if item.old or item.new else ValueTerm.of("stack", [item.name])
        return self.view.opened(found.query.with_term(term).with_term(ValueTerm.of("tag", [tag])))

    # Texts of the list and of the details

    @property
    def verdict(self) -> str:
        return self.found.verdict if self.found else ""

    @property
    def fields(self) -> Sequence[Field]:
        """The details of the change under the cursor. On a heading, the names of the section's packages or stacks."""
        (section, item), found = self.current, self.difference
        if item is None or found is None:
            own = self.rows.sections.get(section, ()) if self.rows else ()
            names = dict.fromkeys(visible(item.name) for item in own)
            return [Field("names", tuple(names), is_list=True)] if names else []
        texts = {"change": item.words, "stacks": ", ".join(item.change.stacks) if item.change else ""}
        builds = found.packages.get(section, {}).get(item.name, ())
        rows = (item.change.old_rows, item.change.new_rows) if item.change else (builds, ())[:: -1 if item.new else 1]
        sides = zip(("old", "new"), (found.old, found.new), rows, strict=True)
        return [
            *(Field(label, (visible(text),)) for label, text in texts.items() if text),
            *(Field(side, _specs(self.compared, tag, own)) for side, tag, own in sides if own),
        ]

    @property
    def saved(self) -> SavedView | None:
        words = [f"{self.old}..{self.new}", *[f"--search={self.word}"] * bool(self.word)]
        return saved_view(self.view, "diff", words) if self.old else None

    def with_words(self, words: Sequence[str]) -> "DiffState":
        given = GivenOptions(words)
        old, _, new = given[""].partition("..")
        return replace(self, old=old or self.old, new=new or self.new, word=given["--search"])


def _specs(index: Index, tag: str, rows: Sequence[int]) -> tuple[str, ...]:
    shown = [f"- {spec_text(index.spec(row))}" for row in rows[:MAX_SPECS]]
    more = [f"and {len(rows) - MAX_SPECS:,} more"] if len(rows) > MAX_SPECS else []
    return (f"{visible(tag)}: {plural(len(rows), 'spec')}", *shown, *more)


class DiffScreen(ListScreen[DiffState], keys="diff"):
    """The screen with the changes in sections, and the details of the change under the cursor."""

    FOOTER = (
        ("table.choose", "specs"),
        *labelled("diff.fold", "diff.step_before", "diff.step_after", "diff.new", "diff.old", "browse.filter"),
        *labelled("browse.lookup", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "a package, a stack or a kind of change"

    TITLE = "Changes"

    state_of = DiffState.of

    def work(self, question: tuple[Index, str, str, Query]) -> Iterator[Changes]:
        yield Changes(diff(*question))

    # Show the state

    def nothing(self, state: DiffState) -> Sequence[str | KeyLabel]:
        if state.old:
            return without_word(state.word) or [state.verdict, ("diff.old", "older tag")]
        if len(state.view.index.tags) < 2:
            return ["There is only one tag."]
        return ["There is no older tag to compare with.", ("diff.old", "older tag")]

    def heading_of(self, state: DiffState) -> tuple[Text, str]:
        pair = self.title_of(state)
        found = state.difference
        right = f"{found.rebuilt:,} rebuilt" if found and found.rebuilt else ""
        return [Cell(f"{pair} {CHOICE}", "", (), "diff.new"), query_text(state.query)], right

    def title_of(self, state: DiffState) -> str:
        return f" {ARROW} ".join(visible(tag) for tag in (state.old, state.new) if tag)

    # Keys

    def actions(self) -> Actions:
        no_tag = "there is no other tag to compare"
        return {
            **super().actions(),
            "diff.new": partial(self.choose_tag, "new"),
            "diff.old": partial(self.choose_tag, "old"),
            "diff.step_before": self.own_step(lambda state: state.step(-1), no_tag),
            "diff.step_after": self.own_step(lambda state: state.step(1), no_tag),
            "diff.fold": self.own_step(DiffState.fold),
        }

    def choose_tag(self, side: Literal["old", "new"]) -> None:
        """Open the dialog to select the older or the newer tag."""
        title, tag = ("Older tag", self.state.old) if side == "old" else ("Newer tag", self.state.new)
        self.app.push_screen(TagDialog(self, title, tag), partial(self._compare, side))

    def _compare(self, side: Literal["old", "new"], tag: Answer) -> None:
        if isinstance(tag, str):
            self.do(lambda state: replace(state, old=tag) if side == "old" else replace(state, new=tag))
            if tag not in self.state.view.index.tags:
                self.post_message(TagAsked([tag]))

    def open_row(self) -> None:
        """Open the specs of the change under the cursor. On a heading, fold or unfold the section."""
        if self.state.current[1] is None:
            self.do(DiffState.fold)
        else:
            super().open_row()

    def document(self) -> DiffReport | None:
        found = self.state.difference
        return None if found is None else DiffReport(found, self.state.compared)
