"""The stacks screen: the size of each stack, compared with its usual size. The largest loss comes first.

The usual size is the median size of the stack in all tags that have the stack.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cachetui.analysis.stacks import StackSizeRecord, stack_sizes
from cachetui.mappings import latest
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.report.specs import Field, Places
from cachetui.report.stacks import StacksReport, bars, verdict
from cachetui.safe_text import containing, plural, visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.tui.frame import ListScreen, tag_text, without_word
from cachetui.tui.keymap import KeyLabel, labelled
from cachetui.tui.lines import (
    BAD,
    GOOD,
    Cell,
    Column,
    FixedRows,
    Line,
    Style,
    Text,
    as_wide_as,
    lay_out,
    measure,
    title_answer,
)
from cachetui.tui.view.saved import saved_view
from cachetui.tui.view.view import ListState, View


class Stacks(Struct, frozen=True, eq=False, dict=True):
    """The sizes of the stacks, and a cache of the list's rows."""

    found: Sequence[StackSizeRecord]

    @latest
    def rows(self, key: tuple[str, int]) -> FixedRows:
        """Return the rows of the list. `key` contains the search word and the number of tags in the bar charts."""
        return FixedRows({(size.tag, size.stack): _line(size, key[1]) for size in self.with_word(key[0])})

    def with_word(self, word: str) -> Sequence[StackSizeRecord]:
        """Return the stacks whose name or tag contains a word."""
        return [size for size in self.found if containing(word, size.stack, size.tag)]


class StacksState(ListState[Stacks], frozen=True, kw_only=True):
    """The stacks in the tag of the view. If the view shows all tags, the stacks in the newest tag of each series."""

    @classmethod
    def of(cls, view: View) -> "StacksState":
        """Return the initial state, with the cursor on the stack with the largest loss."""
        return cls(view=view.of_host())

    @property
    def asks(self) -> tuple[Index, tuple[str, ...], Query]:
        """The input of the computation: the index, the tag (or an empty tuple for the newest tags), and the filters."""
        tag = self.view.shown_tag
        return self.view.index, (tag,) if tag else (), self.view.query.without_key("tag")

    @property
    def saved(self) -> SavedView | None:
        words = [*(f"--tag={tag}" for tag in self.asks[1]), *[f"--fits={self.view.host}"] * bool(self.view.query.fits)]
        return None if self.word else saved_view(self.view, "stacks", words)

    @property
    def columns(self) -> Sequence[Column]:
        if self.found is None:
            return ()
        names = (measure(visible(size.stack or size.tag)) for size in self.found.found)
        return (
            as_wide_as(Column("stack", 12, weight=2, middle=True), names),
            Column("usual", 5, right=True),
            Column("now", 5, right=True),
            Column("change", 6, right=True),
            Column("removed", 7, right=True),
            Column("new", 4, right=True),
            as_wide_as(Column("tags", 6, weight=1), (len(size.tags) for size in self.found.found)),
        )

    @property
    def rows(self) -> FixedRows | None:
        """The rows of the list; None until the sizes have been computed."""
        return None if self.found is None else self.found.rows[self.word, lay_out(self.columns, self.width)[-1].width]

    @property
    def current(self) -> StackSizeRecord | None:
        """The stack under the cursor; None if the list is empty."""
        rows = self.rows
        return self.found.with_word(self.word)[self.cursor.on(rows)] if self.found and rows else None

    @property
    def title_answer(self) -> Text:
        if self.found is None or not self.found.found:
            return ()
        number, _, rest = verdict(self.found.found).partition(" ")
        return title_answer(GOOD if number == "none" else BAD, number, f" {rest}")

    @property
    def fields(self) -> Sequence[Field]:
        size = self.current
        if size is None:
            return ()
        removed, new = (tuple(map(visible, names)) for names in (size.packages_removed, size.packages_new))
        return [
            Field("specs", (f"{size.specs:,} in {visible(size.tag)}; usually {size.usual:,}",)),
            *([Field(f"removed {len(removed):,}", removed, is_list=True, means="loss")] if removed else []),
            *([Field(f"new {len(new):,}", new, is_list=True, means="gain")] if new else []),
        ]

    def opened(self) -> View | None:
        """Return a view of the stack under the cursor. Return None if the list is empty."""
        size = self.current
        if size is None:
            return None
        query = self.view.query.with_term(ValueTerm.of("tag", [size.tag]))
        return self.view.opened(query.with_term(ValueTerm.of("stack", [size.stack])) if size.stack else query)


def _line(size: StackSizeRecord, tags: int) -> Line:
    low: Style = "bad" if size.is_low else "good" if size.percent > 100 else ""
    drawn = bars(size, tags)
    spans = [(k, k + 1, "bad") for k, is_low in enumerate(drawn.low) if is_low]  # type: list[tuple[int, int, Style]]
    return Line(
        (
            visible(size.stack or size.tag),
            f"{size.usual:,}",
            Cell(f"{size.percent} %", low),
            f"{size.change:+,}" if size.change else Cell("·", "muted"),
            *(f"{number:,}" if number else Cell("·", "muted") for number in (size.removed, size.new)),
            Cell(str(drawn), "bar", spans),
        ),
        symbol=BAD if size.is_low else "",
    )


class StacksScreen(ListScreen[StacksState]):
    """The screen with a row for each stack. The pane below lists the stack's removed and new packages."""

    FOOTER = (
        ("table.choose", "specs"),
        *labelled("browse.diff", "browse.tag_before", "browse.tag_after", "browse.filter", "browse.copy"),
        *labelled("browse.export", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "part of a stack's name"

    TITLE = "Stacks"

    state_of = StacksState.of

    def work(self, question: tuple[Index, tuple[str, ...], Query]) -> Iterator[Stacks]:
        index, tags, query = question
        yield Stacks(stack_sizes(index, tags, self.browser.catalogue, query))

    def show(self, state: StacksState, before: StacksState | None) -> None:
        super().show(state, before)
        current = state.current
        self.detail.entitle(visible(current.stack or current.tag) if current else self.TITLE)

    def title_of(self, state: StacksState) -> str:
        tags = dict.fromkeys(visible(size.tag) for size in state.found.found) if state.found else ()
        return f"{self.TITLE} in {', '.join(tags)}" if tags else self.TITLE

    def nothing(self, state: StacksState) -> Sequence[str | KeyLabel]:
        no_stack = (
            "No stack has a spec that runs on the host." if state.view.query.fits else "The content has no stacks."
        )
        return without_word(state.word) or [no_stack]

    def heading_of(self, state: StacksState) -> tuple[Text, str]:
        found = state.found.found if state.found else ()
        return [tag_text(state.view)], plural(len(found), "stack") if found else ""

    def document(self) -> StacksReport | None:
        found = self.state.found
        return None if found is None else StacksReport(found.found, places=Places(self.browser.catalogue.contents))
