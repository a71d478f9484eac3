"""The timeline screen: the specs of one package in each tag, with the changes between the tags."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from cachetui.analysis.timeline import Moment, Timeline, timeline
from cachetui.model.tags import tag_before
from cachetui.query.query import Query
from cachetui.query.terms import NameTerm, ValueTerm
from cachetui.report.specs import Field
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import containing, plural, visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.tui.frame import ALL_TAGS, NOTHING, ListScreen, TagAsked, query_text, without_word
from cachetui.tui.keymap import KeyLabel, labelled
from cachetui.tui.lines import (
    BAD,
    BAR_CELLS,
    BAR_RANK,
    SYMBOL_STYLES,
    Cell,
    Column,
    FixedRows,
    Line,
    Style,
    Text,
    as_wide_as,
    bar,
    measure,
    title_answer,
)
from cachetui.tui.view.saved import GivenOptions, saved_view
from cachetui.tui.view.view import Cursor, ListState, ScreenName, View


class TimelineState(ListState[Timeline], frozen=True, kw_only=True):
    """The package of the timeline, and the tag under the cursor."""

    package: str
    """The name of the package, or empty."""

    @classmethod
    def of(cls, view: View) -> "TimelineState":
        """Show the current package, or the package that the query names. Put the cursor on the tag of the view."""
        return cls(
            view=view,
            package=view.current_package or (view.query.package.name if view.query.package else ""),
            cursor=Cursor(view.shown_tag),
        )

    # Values computed from the view and the results

    @property
    def query(self) -> Query:
        """The filters of the view, but without the package name and the tag."""
        return self.view.query.without_key("name").without_key("tag")

    @property
    def asks(self) -> tuple[Index, str, Query]:
        """The input of the computation: the index, the name of the package, and the filters."""
        return self.view.index, self.package, self.query

    @property
    def listed(self) -> Sequence[Moment]:
        """The listed tags. A search word limits the list to tags whose name, versions or stacks contain the word."""
        moments = self.found.tags if self.found else ()
        return [each for each in moments if containing(self.word, each.tag, *each.versions, *each.stacks)]

    @property
    def rows(self) -> FixedRows:
        listed = self.listed
        most = max((each.specs for each in listed), default=0)
        return FixedRows({each.tag: moment_line(each, most) for each in listed})

    @property
    def columns(self) -> Sequence[Column]:
        listed = self.listed
        return (
            as_wide_as(Column("tag", 20, weight=2, middle=True), (measure(visible(each.tag)) for each in listed)),
            Column("specs", 5, right=True),
            Column("", BAR_CELLS, rank=BAR_RANK),
            as_wide_as(Column("versions", 12, weight=2), (measure(_versions(each)) for each in listed)),
            Column("stacks", 6, right=True, rank=1),
            Column("since the previous tag", 16, weight=3),
        )

    @property
    def title_answer(self) -> Text:
        """The text next to the list's title: the last change, or a warning if the newest tag lacks the package."""
        moments = self.found.tags if self.found else ()
        if moments and not moments[0].specs:
            return title_answer(BAD, f"not in {visible(moments[0].tag)}")
        last = next((each for each in moments if each.appeared or each.vanished), None)
        if last is None:
            return ["no version or stack changed"] if moments[1:] else ()
        changes = {"new": len(last.appeared), "removed": len(last.vanished)}
        counts = ", ".join(f"{count:,} {word}" for word, count in changes.items() if count)
        return [f"last change in {visible(last.tag)}: {counts}"]

    @property
    def current(self) -> Moment | None:
        """The tag under the cursor; None if the list is empty."""
        listed = self.listed
        return listed[self.cursor.on(self.rows)] if listed else None

    @property
    def compared(self) -> Sequence[str]:
        """The tag under the cursor, then the previous tag in the same series."""
        current, tags = self.current, [moment.tag for moment in self.found.tags] if self.found else []
        return [current.tag, *filter(None, [tag_before(tags, current.tag)])] if current else []

    def opened(self) -> View | None:
        """Return a view of the package in the tag under the cursor. None if the tag lacks the package."""
        current = self.current
        if current is None or not current.specs:
            return None
        query = self.query.with_term(NameTerm(self.package)).with_term(ValueTerm.of("tag", [current.tag]))
        return self.view.opened(query)

    @property
    def fields(self) -> Sequence[Field]:
        """Details of the tag under the cursor: new and removed versions and stacks, then all versions and stacks."""
        current = self.current
        if current is None:
            return ()
        new, gone, versions, stacks = (
            tuple(map(visible, names))
            for names in (current.appeared, current.vanished, current.versions, current.stacks)
        )
        return [
            *([Field("new", new, is_list=True, means="gain")] if new else []),
            *([Field("removed", gone, is_list=True, means="loss")] if gone else []),
            Field("versions", versions or ("none",), is_list=True),
            Field("stacks", stacks or ("none",), is_list=True),
        ]

    @property
    def saved(self) -> SavedView | None:
        saved = saved_view(self.view, "timeline", [f"--search={self.word}"] if self.word else [])
        return replace(saved, package=self.package) if saved and self.package else None

    # Changes of the state

    def with_words(self, words: Sequence[str]) -> "TimelineState":
        return replace(self, word=GivenOptions(words)["--search"])

    def on_view(self, view: View) -> "TimelineState":
        """Return the state with another view. If the view shows another tag, move the cursor to this tag."""
        cursor = self.cursor if view.shown_tag == self.view.shown_tag else Cursor(view.shown_tag)
        return replace(self, view=view, cursor=cursor)


def moment_line(moment: Moment, most: int) -> Line:
    """Return the line of a tag with its specs and changes. The bar is full if the tag has `most` specs."""
    style: Style = "" if moment.specs else "muted"
    tag, specs = Cell(visible(moment.tag), style), Cell(f"{moment.specs:,}" if moment.specs else "-", style)
    text, spans = "", list[tuple[int, int, Style]]()
    for symbol, name in [*(("+", name) for name in moment.appeared), *(("-", name) for name in moment.vanished)]:
        spans.append((len(text), len(text) + 1, SYMBOL_STYLES[symbol]))
        text += f"{symbol}{visible(name)} "
    share, stacks = Cell(bar(moment.specs, most), "bar"), str(len(moment.stacks) or "")
    return Line((tag, specs, share, _versions(moment), stacks, Cell(text, "", spans)))


def _versions(moment: Moment) -> str:
    return visible(", ".join(moment.versions))


class TimelineScreen(ListScreen[TimelineState]):
    """The screen with a row for each tag, newest first."""

    FOOTER = (
        ("table.choose", "specs"),
        *labelled("browse.filter", "browse.lookup", "browse.coverage", "browse.diff", "browse.copy"),
        *labelled("browse.help", "screen.back"),
    )

    TITLE = "Tags"

    NO_SPECS = "this tag does not have the package"

    state_of = TimelineState.of

    def work(self, question: tuple[Index, str, Query]) -> Iterator[Timeline]:
        index, package, query = question
        yield timeline(self.browser.catalogue.over_snapshots(index, package=package), package, query)

    def title_of(self, state: TimelineState) -> str:
        return f"Tags {len(state.rows):,}" if state.found else self.TITLE

    def nothing(self, state: TimelineState) -> Sequence[str | KeyLabel]:
        return without_word(state.word) or ["No tag has this package."]

    def heading_of(self, state: TimelineState) -> tuple[Text, str]:
        package = Cell(visible(state.package) or "no package", "bold")
        moments = () if state.found is None else state.found.tags
        held = sum(bool(moment.specs) for moment in moments)
        right = f"in {held:,} of {plural(len(moments), 'tag')}" if moments else ""
        return [package, f" · {ALL_TAGS}{query_text(state.query)}"], right

    # Keys

    def ask(self, name: ScreenName, view: View | None, hint: str = NOTHING) -> None:
        """Open a screen for the tag under the cursor. First, read this tag and the previous tag, if necessary."""
        if view is not None and any(tag not in view.index.tags for tag in self.state.compared):
            self.post_message(TagAsked(self.state.compared, name))
        else:
            super().ask(name, view, hint)

    def current_view(self) -> View | None:
        return self.state.opened() or self.state.view.choose_tag(next(iter(self.state.compared), None))

    def document(self) -> TimelineReport | None:
        return None if self.state.found is None else TimelineReport(self.state.found)
