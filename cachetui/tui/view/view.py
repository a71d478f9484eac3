"""What a browse screen shows, as one frozen value, and the steps from one view to the next.

A step is a function from a view to the next view, which the screen then shows. Results and the rows of lists are cached
on the index, so that a view with the same filters computes nothing again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from cachetui.model.host import Host
from cachetui.model.spec import AXES
from cachetui.model.tags import tag_meant
from cachetui.query.parts import FitsPart, ValuePart
from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.settings.config import DEFAULT_COLUMNS
from cachetui.settings.saved_views import SavedView
from cachetui.settings.settings import Settings
from cachetui.tui.column_widths import Column
from cachetui.tui.lines import Rows, Text, text_of
from cachetui.tui.view.index_views import IndexViews, ShownResults, SpecList
from cachetui.tui.view.rows import (
    DIFFERS,
    PACKAGE_ORDERS,
    RECORDED,
    TAG,
    VERSION,
    Order,
    PackageRows,
    SpecKey,
    SpecRows,
    row_of,
    sortable,
    spec_key,
)

Pane = Literal["facets", "packages", "specs", "detail"]

ScreenName = Literal["browse", "coverage", "diff", "timeline", "stacks", "check", "deps", "comparison"]
"""The screens, each made of a view."""

Step: TypeAlias = "Callable[[View], View]"

F = TypeVar("F")

FIRST_TAG = ""
"""Stands for a tag that nobody has chosen yet: the default tag of the index is shown."""


class Cursor(NamedTuple):
    """The place of the user's cursor in a list. It is kept while its row is hidden, because that may come back."""

    key: Hashable = None
    row: int = 0

    def on(self, rows: Rows) -> int:
        """Return the row to show it on: that of its key, else the same row number, at most the last one.

        Of several rows with its key, such as a hash that is twice on a page, it is the one with its row number.
        """
        row = max(0, min(self.row, len(rows) - 1))
        if self.key is None or (len(rows) and rows.key(row) == self.key):
            return row
        found = rows.find(self.key)
        return row if found is None else found


class Filters(NamedTuple):
    """What `u` and `U` go through."""

    query: Query
    tag: str | None
    """None for all of them."""


class View(Struct, frozen=True, kw_only=True, dict=True):
    """What is looked at, and where the user is in it."""

    index: Index
    host: Host
    """The one host of the view: `--fits`, the environment, the config, this machine, or chosen from a list."""
    settings: Settings = Settings()
    is_host_named: bool = False
    """Whether the user has chosen the host here."""
    query: Query = Query()
    """The filters as they were typed, without the chosen tag; a `tag=` typed in them takes its place."""
    tag: str | None = FIRST_TAG
    """The tag that was chosen, which may come with a newer index only; None for all."""
    only: frozenset[SpecKey] | None = None
    """Show only these specs, such as the marked ones; None for all."""
    pane: Pane = "packages"
    home: Pane = "packages"
    """The pane that the view was opened in: Esc goes no further."""
    package: str | None = None
    """The package gone into."""
    kind: SpecKey | None = None
    """One of the specs that differ only in the hash, after their one row was opened."""
    cursors: tuple[tuple[Pane, Cursor], ...] = ()
    package_order: Order = Order()
    spec_order: Order = Order()
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    """The titles of the columns of specs, from the config file."""
    axes: tuple[str, str] = AXES
    """What the rows and the columns of the coverage are."""
    marks: frozenset[SpecKey] = frozenset()
    past: tuple[Filters, ...] = ()
    future: tuple[Filters, ...] = ()
    shown: ShownResults | None = None
    """Earlier results, which stay on screen while a thread finds those of the query; None once they are known."""

    shared: IndexViews | None = None
    """See `views`."""

    def __post_init__(self) -> None:
        if self.shared is None or self.shared.index is not self.index:
            force_setattr(self, "shared", IndexViews(self.index, self.settings))

    # What follows from it

    @property
    def shown_tag(self) -> str | None:
        """The tag that is looked at; None for all of them, or for the several that the query names."""
        return self.scope.tag

    @cached_property
    def scope(self) -> Query:
        """The part of the query that names the tags; a chosen tag that is not there gives way to the default one."""
        tags, tag = self.index.tags, self.tag
        if typed := self.query.only_key("tag"):
            return typed.with_tags_meant(tags)
        if tag is not None:
            tag = tag_meant(tag, tags)
            tag = tag if tag in tags else self.index.default_tag
        return Query() if tag is None else Query((ValuePart.of("tag", [tag]),))

    @cached_property
    def asked(self) -> Query:
        """The whole query: the filters and the tag."""
        return Query((*self.query.without_key("tag").parts, *self.scope.parts))

    @property
    def views(self) -> IndexViews:
        """What is shown of the index; views of the same index share it."""
        assert self.shared is not None
        return self.shared

    @property
    def results(self) -> ShownResults:
        """The specs that match."""
        return self.views.results[self.asked, self.only] if self.shown is None else self.shown

    @property
    def whole(self) -> ShownResults:
        """The specs of the tag."""
        return self.views.results[self.scope, None]

    @property
    def packages(self) -> PackageRows:
        """The list of packages."""
        return self.results.package_rows_by[self.package_order]

    @property
    def package_here(self) -> str | None:
        """The package gone into, else the one under the cursor."""
        if self.package is not None:
            return self.package
        rows = self.packages
        return rows.keys[self.cursor("packages").on(rows)] if len(rows) else None

    @property
    def number_here(self) -> int | None:
        """The number of that package in the index."""
        package = self.package_here
        return None if package is None else self.index.package_number(package)

    @property
    def spec_list(self) -> SpecList:
        """The list of specs: next to the packages with few columns."""
        hidden = {TAG} if self.shown_tag is not None else set()
        hidden |= set() if self.index.graph.trees else RECORDED
        hidden |= {DIFFERS, "stacks"} if self.package is None else set()
        titles = tuple(title for title in self.columns if title not in hidden)
        return SpecList(self.number_here, self.spec_order, titles, row_of(self.index, self.kind))

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of its columns, without those in which all its rows have the same."""
        return tuple(title for title in self.spec_list.titles if title not in self.shared_values)

    @property
    def shared_values(self) -> Mapping[str, str]:
        """The value of each column in which all rows of the list of specs have the same."""
        return self.results.shared_by[self.spec_list]

    @property
    def sorted_specs(self) -> list[int]:
        """The rows of the index that match in the package, in the order of the list."""
        return self.results.sorted_by[self.number_here, self.spec_order]

    @property
    def specs(self) -> SpecRows:
        """The list of specs of the package, those that differ only in the hash in one row unless it is opened."""
        return self.results.spec_rows_by[self.spec_list, self.marks, self.host]

    @property
    def spec_here(self) -> SpecKey | None:
        """The spec under the cursor of the list of specs."""
        rows = self.specs
        return rows.key(self.cursor("specs").on(rows)) if len(rows) else None

    @property
    def row_here(self) -> int | None:
        """Its row in the index."""
        return row_of(self.index, self.spec_here)

    def cursor(self, pane: Pane) -> Cursor:
        """Return the cursor of a pane."""
        return dict(self.cursors).get(pane, Cursor())

    # Filters

    @property
    def filters(self) -> Filters:
        """The query and the tag: what `undo` brings back."""
        return Filters(self.query, self.tag)

    def step(self, filters: Filters) -> View:
        """Take other filters, as a step for `undo`; the same view where they are the same letter by letter."""
        if filters == self.filters and filters.query.line == self.query.line:
            return self
        return replace(self, query=filters.query, tag=filters.tag, past=(*self.past, self.filters), future=())

    def ask(self, query: Query) -> View:
        """Take another query in the same tag, as a step; a host that it names becomes the host of the view."""
        view = self.step(Filters(query, self.tag))
        return view if query.host is None else replace(view, host=query.host)

    def toggle(self, facet: str, value: str) -> View:
        """Tick a value of a facet, or untick it."""
        return self.ask(self.query.toggled(facet, value, self.index.values(facet)))

    def exclude(self, facet: str, value: str) -> View:
        """Exclude a value of a facet, or no longer exclude it."""
        return self.ask(self.query.toggled(facet, value, self.index.values(facet), excluded=True))

    def choose_tag(self, tag: str | None) -> View:
        """Look at one tag, or with None at all of them; a `tag=` in the query goes."""
        return self.step(Filters(self.query.without_key("tag"), tag))

    def step_tag(self, delta: int) -> View:
        """Look at the next newer tag, or with -1 at the previous one, which is older; out of all tags at the newest."""
        tags = self.index.tags
        at = (tags.index(self.shown_tag) if self.shown_tag in tags else -1) - delta
        return self.choose_tag(tags[at]) if 0 <= at < len(tags) else self

    def turn_host(self) -> View:
        """Show only what runs on the host, or everything again."""
        if self.query.fits is not None:
            return self.ask(self.query.without_key("fits"))
        return self.ask(self.query.with_part(FitsPart.named(self.host)))

    def choose_host(self, host: Host) -> View:
        """Assume another host; a `fits=` in the query follows it."""
        view = replace(self, host=host, is_host_named=True)
        return view if self.query.fits is None else view.ask(self.query.with_part(FitsPart.named(host)))

    def clear(self) -> View:
        """Remove all filters; the chosen tag stays."""
        return self.ask(Query())

    def undo(self) -> View:
        """Go back to the filters before the last step."""
        if not self.past:
            return self
        *past, filters = self.past
        return replace(self, **filters._asdict(), past=tuple(past), future=(self.filters, *self.future))

    def redo(self) -> View:
        """Go on to the filters that `undo` took back last."""
        if not self.future:
            return self
        filters, *future = self.future
        return replace(self, **filters._asdict(), past=(*self.past, self.filters), future=tuple(future))

    def parsed(self, text: str) -> Query:
        """Parse a text as the browser does, with fuzzy names; raises QueryError."""
        return Query.parse(text, fuzzy_name=True, has_graph=bool(self.index.graph), settings=self.settings)

    # Where the user is

    def move(self, pane: Pane, key: Hashable, row: int) -> View:
        """Put the cursor of a pane on a row; on another package, the cursor of the specs is reset."""
        cursors = dict(self.cursors) | {pane: Cursor(key, row)}
        if pane == "packages":
            cursors.pop("specs", None)
        return replace(self, cursors=tuple(cursors.items()))

    def go_to_pane(self, pane: Pane) -> View:
        """Go to another pane; going to the packages leaves the package that was gone into."""
        if pane == "packages" and self.package is not None:
            return self if self.home == "specs" else replace(self, pane=pane, package=None, kind=None)
        return replace(self, pane=pane)

    def enter(self, package: str | None = None) -> View:
        """Go into a package, else into the one under the cursor."""
        package = package or self.package_here
        if package is None:
            return self
        moved = self.move("packages", package, self.packages.find(package) or 0)
        cursor = self.cursor("specs")
        moved = moved if cursor.key is None else moved.move("specs", *cursor)
        return replace(moved, package=package, pane="specs", kind=None)

    def open_row(self) -> View:
        """Open a row of several specs that differ only in the hash; of one spec go to its details."""
        rows = self.specs
        if len(rows) and len(rows.builds(self.cursor("specs").on(rows))) > 1:
            return replace(self, kind=self.spec_here)
        return self.go_to_pane("detail")

    def back(self) -> View | None:
        """Go up one level; None on the level on which the view was opened."""
        if self.pane == self.home and self.kind is None:
            return None
        if self.pane in ("facets", "detail"):
            return replace(self, pane="specs" if self.package else self.home)
        if self.kind is not None:
            return replace(self, kind=None)
        return replace(self, pane="packages", package=None)

    def mark(self) -> View:
        """Mark or unmark all specs of the row under the cursor, and step down; only within a package."""
        key = self.spec_here
        if key is None or self.package is None or self.pane != "specs":
            return self
        rows = self.specs
        here = self.cursor("specs").on(rows)
        builds, row = frozenset(rows.builds(here)), min(here + 1, len(rows) - 1)
        marks = self.marks - builds if builds <= self.marks else self.marks | builds
        return replace(self, marks=marks).move("specs", rows.key(row), row)

    def sort(self, title: str = "") -> View:
        """Sort the list of the current pane by its next column, or by this one; by the same one in reverse."""
        if self.pane in ("specs", "detail"):
            return replace(self, spec_order=self.spec_order.next(sortable(self.titles), title))
        return replace(self, package_order=self.package_order.next(PACKAGE_ORDERS, title))

    def turn_order(self) -> View:
        """Reverse the order of the list of the current pane."""
        if self.pane in ("specs", "detail"):
            return self.sort(self.spec_order.column or VERSION)
        return self.sort(self.package_order.column or PACKAGE_ORDERS[0])

    # Other views

    def with_marks(self, marks: frozenset[SpecKey]) -> View:
        """Take these marks, which all open views share; the same view where they are the same."""
        return self if marks == self.marks else replace(self, marks=marks)

    def on_index(self, index: Index) -> View:
        """Show a newer index; marks of specs that are gone go.

        A default tag stays the shown one as soon as the user has done anything.
        """
        has_begun = bool(self.past or self.package or self.cursors)
        tag = self.shown_tag if self.tag == FIRST_TAG and has_begun else self.tag
        marks = frozenset(mark for mark in self.marks if row_of(index, mark) is not None)
        return replace(self, index=index, tag=tag, marks=marks)

    def asked_for(self, query: Query) -> View:
        """Begin with a query: a single tag in it becomes the chosen tag, its host the host."""
        tag = query.tag
        query = query if tag is None else query.without_key("tag")
        return replace(self, query=query, tag=self.tag if tag is None else tag, host=query.host or self.host)

    def opened(self, query: Query) -> View:
        """Make a view for a screen on top: another query, an empty history, the same marks.

        It begins in the package if the query matches only one, else in the list of packages.
        """
        view = View(
            index=self.index, shared=self.shared, host=self.host, tag=None, marks=self.marks, columns=self.columns
        )
        view = replace(view, is_host_named=self.is_host_named)
        return view.asked_for(query)._in_the_one_package()

    def of_specs(self, keys: Collection[SpecKey]) -> View:
        """Make a view for a screen on top, with only these specs: in their tag, or in all if they have several."""
        view = self.opened(Query())
        tags = {key[0] for key in keys}
        tag = next(iter(tags)) if len(tags) == 1 else None
        return replace(
            view, tag=tag, only=frozenset(keys), package=None, pane="packages", home="packages"
        )._in_the_one_package()

    def of_package(self, package: str, tag: str | None) -> View:
        """Make a view for a screen on top, of a package in a tag without filters."""
        return replace(self.opened(Query()), tag=tag, package=package, pane="specs", home="specs")

    def of_spec(self, key: SpecKey) -> View:
        """Make a view for a screen on top, of the package of a spec in its tag, with the cursor on the spec."""
        view = self.of_package(key[1], key[0])
        return view.move("specs", key, view.specs.find(key) or 0)

    def of_row(self, row: int) -> View:
        """Do as `of_spec` for a row of the index."""
        return self.of_spec(spec_key(self.index, row))

    def _in_the_one_package(self) -> View:
        found = self.results.packages
        return replace(self.enter(self.index.packages[found[0]]), home="specs") if len(found) == 1 else self


class ShownState(Protocol):
    """What a screen needs of the frozen value that it shows."""

    @property
    def view(self) -> View:
        """The catalogue, the filters, the host."""

    @property
    def word(self) -> str:
        """What was typed in line 2."""

    @property
    def saved(self) -> SavedView | None:
        """The saved view that opens the screen again; None if no command shows the same."""

    def with_words(self, words: Sequence[str]) -> Self:
        """Take the options of a saved view."""

    @property
    def question(self) -> Hashable:
        """What a thread is to answer; None for nothing."""

    @property
    def causes(self) -> Mapping[str, Callable[[Self], Self]]:
        """What hides rows besides the query, such as `only gaps`, each with the step that shows them again."""

    def cleared(self) -> Self:
        """Remove all filters and the word."""

    def follow(self, step: Step) -> Self:
        """Take a step of the view."""

    def answered(self, question: Any, answer: Any) -> Self:
        """Take an answer; the same state where the question is not asked any more."""

    def find(self, word: str) -> Self:
        """Filter by a word."""

    def move(self, key: Hashable, row: int) -> Self:
        """Put the cursor on a row."""


class ListState(Struct, Generic[F], frozen=True, kw_only=True):
    """The state of a screen other than the browse screen: a view, a word to filter rows by, a cursor, an answer.

    What takes long to compute is asked for as a question, any hashable value, and a thread brings the answer.
    """

    view: View
    """The catalogue, the filters, the host."""
    word: str = ""
    cursor: Cursor = Cursor()
    answer: tuple[Any, F] | None = None
    """The last question that was answered, with its answer, which is shown until the next one arrives."""
    width: int = 80
    """Cells for the columns."""

    @property
    def saved(self) -> SavedView | None:
        return None

    def with_words(self, words: Sequence[str]) -> Self:
        return self

    @property
    def asks(self) -> Any:
        """The question for what is looked at; None if nothing has to be computed."""
        return None

    @property
    def question(self) -> Any:
        """The question, as long as it has no answer."""
        asks = self.asks
        return None if self.answer is not None and self.answer[0] == asks else asks

    def answered(self, question: Any, found: F) -> Self:
        """Take an answer, or a fuller one; the same state where the question is not asked any more."""
        return replace(self, answer=(question, found)) if question == self.asks else self

    @property
    def causes(self) -> Mapping[str, Callable[[Self], Self]]:
        return {self.word: lambda state: state.find("")} if self.word else {}

    def cleared(self) -> Self:
        """Remove all filters and the word."""
        return (self.find("") if self.word in self.causes else self).follow(View.clear)

    @property
    def found(self) -> F | None:
        """The answer, maybe still that to the previous question; None if there is none."""
        return None if self.answer is None or self.asks is None else self.answer[1]

    def follow(self, step: Step) -> Self:
        """Take a step of the view."""
        view = step(self.view)
        return self if view is self.view else self.on_view(view)

    def on_view(self, view: View) -> Self:
        """Take another view, such as one with a newer index."""
        return replace(self, view=view)

    def find(self, word: str) -> Self:
        """List only rows with a word."""
        return self if word == self.word else replace(self, word=word)

    def move(self, key: Hashable, row: int) -> Self:
        """Put the cursor on a row."""
        return replace(self, cursor=Cursor(key, row))

    @property
    def rows(self) -> Rows | None:
        """The rows of the list; None until there is an answer."""
        return None

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of the list."""
        return ()

    @property
    def fields(self) -> Sequence[Field]:
        """The details of the row under the cursor; of a list that shows everything the text, which may be cut there."""
        rows = self.rows
        cells = rows.row(self.cursor.on(rows)).cells if rows is not None and len(rows) else ()
        texts = {"verdict": visible(self.verdict), "row": "  ".join(filter(None, map(text_of, cells)))}
        return [Field(label, (text,)) for label, text in texts.items() if text]

    @property
    def verdict(self) -> str:
        """One line that sums the answer up."""
        return ""

    @property
    def title_answer(self) -> Text:
        """The answer in the title rule of the list; see `lines.answer`."""
        return [visible(self.verdict)] if self.verdict else ()


def visible_panes(view: View, width: int) -> tuple[Pane, ...]:
    """Return the panes that a terminal of this width shows; the layout itself knows it only a frame later.

    From 120 all, but for the packages within one; from 100 without the facets; from 76 one list and the
    details. There the facets, while one is in them, take the place of all but the list that they change.
    """
    inside = view.package is not None
    shown: Pane = "specs" if inside else "packages"
    if width >= 120:
        return ("facets", "specs", "detail") if inside else ("facets", "packages", "specs", "detail")
    if view.pane == "facets":
        return ("facets", shown)
    return ("packages", "specs", "detail") if width >= 100 and not inside else (shown, "detail")
