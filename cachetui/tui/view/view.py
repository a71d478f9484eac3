"""The view of a screen: an immutable value with an index, the filters, and the user's position in the lists.

A step is a function that returns the next view. Results and rows are cached for each index, so views with the same
filters share them.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from cachetui.model.host import Host
from cachetui.model.spec import AXES
from cachetui.model.tags import tag_meant
from cachetui.query.query import Query
from cachetui.query.terms import FitsTerm, ValueTerm
from cachetui.report.specs import Field
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.settings.settings import DEFAULT_COLUMNS, Settings
from cachetui.tui.lines import Column, Rows, Text, text_of
from cachetui.tui.view.rows import (
    DIFFERS,
    PACKAGE_ORDERS,
    RECORDED,
    TAG,
    VERSION,
    IndexViews,
    Order,
    PackageRows,
    ShownResults,
    SpecKey,
    SpecList,
    SpecRows,
    row_of,
    sortable,
    spec_key,
)

Pane = Literal["facets", "packages", "specs", "detail"]

ScreenName = Literal["browse", "coverage", "diff", "timeline", "stacks", "check", "deps", "comparison"]
"""The names of the screens. Each screen is created from a view."""

Step: TypeAlias = "Callable[[View], View]"

F = TypeVar("F")

FIRST_TAG = ""
"""The value of `View.tag` before the user chooses a tag. The view then shows the default tag of the index."""


class Cursor(NamedTuple):
    """The position of the cursor in a list: the key of a row, and the number of this row. The row may be hidden now."""

    key: Hashable = None
    row: int = 0

    def on(self, rows: Rows) -> int:
        """Return the number of the row with the cursor's key. If no row has this key, return the stored row number.

        If several rows have the key, prefer the row with the stored number.
        """
        row = max(0, min(self.row, len(rows) - 1))
        if self.key is None or (len(rows) and rows.key(row) == self.key):
            return row
        found = rows.find(self.key)
        return row if found is None else found


class Filters(NamedTuple):
    """The part of a view that the keys `u` and `U` undo and redo."""

    query: Query
    tag: str | None
    """The chosen tag; None for all tags."""


class View(Struct, frozen=True, kw_only=True, dict=True):
    """An index with filters, and the position of the user in its lists."""

    index: Index
    host: Host
    """The host for which the lists show whether specs run. The user may change it."""
    settings: Settings = Settings()
    is_host_named: bool = False
    """Whether the user has chosen the host in the browser."""
    query: Query = Query()
    """The filters as the user typed them. A typed `tag=` overrides the field `tag`."""
    tag: str | None = FIRST_TAG
    """The chosen tag; None for all tags. If the index lacks the tag, it is kept: a newer index may contain it."""
    only: frozenset[SpecKey] | None = None
    """If not None, the view shows only these specs, for example the marked specs."""
    pane: Pane = "packages"
    home: Pane = "packages"
    """The pane in which the view was opened. In this pane, Esc closes the view."""
    package: str | None = None
    """The open package; None while the package list is open."""
    group: SpecKey | None = None
    """A spec of the open group (specs that differ only in the hash), or None while all groups are closed."""
    cursors: tuple[tuple[Pane, Cursor], ...] = ()
    package_order: Order = Order()
    spec_order: Order = Order()
    axes: tuple[str, str] = AXES
    """The axes of the coverage table: the property of its rows, and the property of its columns."""
    marks: frozenset[SpecKey] = frozenset()
    past: tuple[Filters, ...] = ()
    future: tuple[Filters, ...] = ()
    shown: ShownResults | None = None
    """Earlier results to show while a thread finds the results of the query. None if the results are already there."""
    shared: IndexViews | None = None
    """The cache that `views` returns."""

    def __post_init__(self) -> None:
        if self.shared is None or self.shared.index is not self.index:
            force_setattr(self, "shared", IndexViews(self.index, self.settings))

    # Values computed from the filters and the index

    @property
    def shown_tag(self) -> str | None:
        """The shown tag; None if the view shows several tags."""
        return self.scope.tag

    @cached_property
    def scope(self) -> Query:
        """The terms of the query that select the shown tags. If all tags are shown, the result is empty.

        If the chosen tag does not exist, use the default tag.
        """
        tags, tag = self.index.tags, self.tag
        if typed := self.query.only_key("tag"):
            return typed.with_tags_meant(tags)
        if tag is not None:
            tag = tag_meant(tag, tags)
            tag = tag if tag in tags else self.index.default_tag
        return Query() if tag is None else Query((ValueTerm.of("tag", [tag]),))

    @cached_property
    def asked(self) -> Query:
        """The whole query: the filters, and the terms that select the shown tags."""
        return Query((*self.query.without_key("tag").terms, *self.scope.terms))

    @property
    def views(self) -> IndexViews:
        """The cache for values that are computed from the index. All views of the same index share it."""
        assert self.shared is not None
        return self.shared

    @property
    def results(self) -> ShownResults:
        """The specs that match the query."""
        return self.views.results[self.asked, self.only] if self.shown is None else self.shown

    @property
    def whole(self) -> ShownResults:
        """All specs in the shown tags, without filters."""
        return self.views.results[self.scope, None]

    @property
    def packages(self) -> PackageRows:
        """The list of packages."""
        return self.results.package_rows_by[self.package_order]

    @property
    def current_package(self) -> str | None:
        """The open package. If no package is open, the package under the cursor; None if the list is empty."""
        if self.package is not None:
            return self.package
        rows = self.packages
        return rows.keys[self.cursor("packages").on(rows)] if len(rows) else None

    @property
    def current_number(self) -> int | None:
        """The number of `current_package` in the index. None if the index lacks the package."""
        package = self.current_package
        return None if package is None else self.index.package_number(package)

    @property
    def spec_list(self) -> SpecList:
        """The parameters of the list of specs. The list has fewer columns while no package is open."""
        hidden = {TAG} if self.shown_tag is not None else set()
        hidden |= set() if self.index.graph.trees else RECORDED
        hidden |= {DIFFERS, "stacks"} if self.package is None else set()
        titles = (title for title in self.settings.config.columns or DEFAULT_COLUMNS if title not in hidden)
        return SpecList(self.current_number, self.spec_order, tuple(titles), row_of(self.index, self.group))

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the visible columns in the list of specs. A column with equal values in all rows is hidden."""
        return tuple(title for title in self.spec_list.titles if title not in self.shared_values)

    @property
    def shared_values(self) -> Mapping[str, str]:
        """The values that are equal in all listed specs. The keys are the column titles."""
        return self.results.shared_by[self.spec_list]

    @property
    def specs(self) -> SpecRows:
        """The list of specs of the current package."""
        return self.results.spec_rows_by[self.spec_list, self.marks, self.host]

    @property
    def current_spec(self) -> SpecKey | None:
        """The key of the spec under the cursor in the list of specs. None if the list is empty."""
        rows = self.specs
        return rows.key(self.cursor("specs").on(rows)) if len(rows) else None

    @property
    def current_row(self) -> int | None:
        """The index row of `current_spec`. None if the list of specs is empty."""
        return row_of(self.index, self.current_spec)

    def cursor(self, pane: Pane) -> Cursor:
        """Return the cursor of a pane."""
        return dict(self.cursors).get(pane, Cursor())

    # Filters

    @property
    def filters(self) -> Filters:
        """The current filters: the query and the chosen tag."""
        return Filters(self.query, self.tag)

    def step(self, filters: Filters) -> "View":
        """Return the view with new filters. `undo` restores the old filters."""
        if filters == self.filters and filters.query.line == self.query.line:
            return self
        return replace(self, query=filters.query, tag=filters.tag, past=(*self.past, self.filters), future=())

    def ask(self, query: Query) -> "View":
        """Return the view with another query and the same tag. A host in the query becomes the host of the view."""
        view = self.step(Filters(query, self.tag))
        return view if query.host is None else replace(view, host=query.host)

    def toggle(self, facet: str, value: str, *, excluded: bool = False) -> "View":
        """Select a value of a facet. If `excluded` is true, exclude the value.

        If the query already selects or excludes the value, remove the value from the query.
        """
        return self.ask(self.query.toggled(facet, value, self.index.values(facet), excluded=excluded))

    def choose_tag(self, tag: str | None) -> "View":
        """Show one tag, or all tags if `tag` is None. Remove `tag=` from the query."""
        return self.step(Filters(self.query.without_key("tag"), tag))

    def step_tag(self, delta: int) -> "View":
        """Show the next newer tag (`delta` = 1) or the next older tag (-1).

        If the view shows all tags, -1 shows the newest tag. At the last tag in this direction, return the view itself.
        """
        tags = self.index.tags
        at = (tags.index(self.shown_tag) if self.shown_tag in tags else -1) - delta
        return self.choose_tag(tags[at]) if 0 <= at < len(tags) else self

    def turn_host(self) -> "View":
        """Show only specs that run on the host, or all specs again."""
        if self.query.fits is not None:
            return self.ask(self.query.without_key("fits"))
        return self.ask(self.query.with_term(FitsTerm.named(self.host)))

    def choose_host(self, host: Host) -> "View":
        """Use another host. If the query contains `fits=`, replace the host in this term, too."""
        view = replace(self, host=host, is_host_named=True)
        return view if self.query.fits is None else view.ask(self.query.with_term(FitsTerm.named(host)))

    def clear(self) -> "View":
        """Remove all filters, but keep the chosen tag."""
        return self.ask(Query())

    def undo(self) -> "View":
        """Undo the last change of the filters."""
        if not self.past:
            return self
        *past, filters = self.past
        return replace(self, **filters._asdict(), past=tuple(past), future=(self.filters, *self.future))

    def redo(self) -> "View":
        """Repeat the change that the last `undo` reverted."""
        if not self.future:
            return self
        filters, *future = self.future
        return replace(self, **filters._asdict(), past=(*self.past, self.filters), future=tuple(future))

    def parsed(self, text: str) -> Query:
        """Parse a query, in which the name of a package may be fuzzy. Raises QueryError."""
        return Query.parse(text, fuzzy_name=True, has_graph=bool(self.index.graph), settings=self.settings)

    # The user's position in the lists

    def move(self, pane: Pane, key: Hashable, row: int) -> "View":
        """Put the cursor of a pane on a row. A move in the package list resets the cursor in the list of specs."""
        cursors = dict(self.cursors) | {pane: Cursor(key, row)}
        if pane == "packages":
            cursors.pop("specs", None)
        return replace(self, cursors=tuple(cursors.items()))

    def go_to_pane(self, pane: Pane) -> "View":
        """Go to another pane. Going to the package list closes the open package."""
        if pane == "packages" and self.package is not None:
            return self if self.home == "specs" else replace(self, pane=pane, package=None, group=None)
        return replace(self, pane=pane)

    def enter(self, package: str | None = None) -> "View":
        """Open a package, by default the package under the cursor."""
        package = package or self.current_package
        if package is None:
            return self
        moved = self.move("packages", package, self.packages.find(package) or 0)
        cursor = self.cursor("specs")
        moved = moved if cursor.key is None else moved.move("specs", *cursor)
        return replace(moved, package=package, pane="specs", group=None)

    def open_row(self) -> "View":
        """If several specs share the row under the cursor, list them. Otherwise, go to the details of the spec."""
        rows = self.specs
        if len(rows) and len(rows.builds(self.cursor("specs").on(rows))) > 1:
            return replace(self, group=self.current_spec)
        return self.go_to_pane("detail")

    def back(self) -> "View | None":
        """Go one step back: close the open group or package, or leave the details or the facets.

        If there is no step to go back, return None.
        """
        if self.pane == self.home and self.group is None:
            return None
        if self.pane in ("facets", "detail"):
            return replace(self, pane="specs" if self.package else self.home)
        if self.group is not None:
            return replace(self, group=None)
        return replace(self, pane="packages", package=None)

    def mark(self) -> "View":
        """Mark or unmark all specs of the row under the cursor, and move down. Do nothing in the list of packages."""
        if self.current_spec is None or self.package is None or self.pane != "specs":
            return self
        rows = self.specs
        here = self.cursor("specs").on(rows)
        builds, row = frozenset(rows.builds(here)), min(here + 1, len(rows) - 1)
        marks = self.marks - builds if builds <= self.marks else self.marks | builds
        return replace(self, marks=marks).move("specs", rows.key(row), row)

    def sort(self, title: str = "") -> "View":
        """Sort the current list by a column (by default, the next column).

        If the list is already sorted by this column, reverse the order.
        """
        if self.pane in ("specs", "detail"):
            return replace(self, spec_order=self.spec_order.next(sortable(self.titles), title))
        return replace(self, package_order=self.package_order.next(PACKAGE_ORDERS, title))

    def turn_order(self) -> "View":
        """Reverse the order of the list in the current pane."""
        if self.pane in ("specs", "detail"):
            return self.sort(self.spec_order.column or VERSION)
        return self.sort(self.package_order.column or PACKAGE_ORDERS[0])

    # Other views

    def with_marks(self, marks: frozenset[SpecKey]) -> "View":
        """Return the view with these marks. If the view already has them, return the view itself."""
        return self if marks == self.marks else replace(self, marks=marks)

    def on_index(self, index: Index) -> "View":
        """Return the view with a newer index. Remove the marks of specs that this index lacks.

        If the user has done nothing yet, the view shows the new default tag. Otherwise the shown tag stays.
        """
        has_begun = bool(self.past or self.package or self.cursors)
        tag = self.shown_tag if self.tag == FIRST_TAG and has_begun else self.tag
        marks = frozenset(mark for mark in self.marks if row_of(index, mark) is not None)
        return replace(self, index=index, tag=tag, marks=marks)

    def asked_for(self, query: Query) -> "View":
        """Return the view with another query. `undo` does not restore the previous query.

        If the new query contains a tag or a host, the view uses them.
        """
        tag = query.tag
        query = query if tag is None else query.without_key("tag")
        return replace(self, query=query, tag=self.tag if tag is None else tag, host=query.host or self.host)

    def opened(self, query: Query) -> "View":
        """Return a view for a new screen, with another query and the same marks. There is nothing to undo.

        If the query matches only one package, this package is open.
        """
        view = View(index=self.index, shared=self.shared, host=self.host, settings=self.settings, tag=None)
        view = replace(view, marks=self.marks, is_host_named=self.is_host_named)
        return view.asked_for(query)._in_the_one_package()

    def of_host(self) -> "View":
        """Return a view for a new screen. The query keeps only the terms `tag=` and `fits=`.

        There is nothing to undo in the new view.
        """
        query = Query((*self.query.terms_of("tag"), *self.query.terms_of("fits")))
        return replace(self, query=query, past=(), future=(), shown=None)

    def of_specs(self, keys: Collection[SpecKey]) -> "View":
        """Return a view for a new screen with only these specs. If their tags differ, the view shows all tags."""
        view = self.opened(Query())
        tags = {key[0] for key in keys}
        tag = next(iter(tags)) or None if len(tags) == 1 else None
        return replace(
            view, tag=tag, only=frozenset(keys), package=None, pane="packages", home="packages"
        )._in_the_one_package()

    def of_package(self, package: str, tag: str | None) -> "View":
        """Return a view for a new screen that shows a package in a tag (None: in all tags), without filters."""
        return replace(self.opened(Query()), tag=tag, package=package, pane="specs", home="specs")

    def of_spec(self, key: SpecKey) -> "View":
        """Return a view for a new screen, with the cursor on a spec in its package and tag."""
        view = self.of_package(key[1], key[0])
        return view.move("specs", key, view.specs.find(key) or 0)

    def of_row(self, row: int) -> "View":
        """Return a view for a new screen, with the cursor on the spec in this row of the index."""
        return self.of_spec(spec_key(self.index, row))

    def _in_the_one_package(self) -> "View":
        found = self.results.packages
        return replace(self.enter(self.index.packages[found[0]]), home="specs") if len(found) == 1 else self


class ShownState(Struct, frozen=True):
    """The immutable state of a screen: a view, and values that only this screen needs."""

    view: View
    """The index, the filters and the host."""

    @property
    @abstractmethod
    def word(self) -> str:
        """The text that the user typed in the second line of the screen."""

    @property
    @abstractmethod
    def saved(self) -> SavedView | None:
        """A saved view that reopens the screen in this state. None if a command for it is missing."""

    def opened(self) -> "View | None":
        """Return a view of the specs under the cursor, for a new screen. None if the list is empty."""
        return self.view

    def with_words(self, words: Sequence[str]) -> Self:
        """Apply the options of a saved view to the state. `words` are these options, as on a command line."""
        return self

    @property
    @abstractmethod
    def question(self) -> Any:
        """The input for a slow computation that a thread must run. None if the result is available."""

    @property
    @abstractmethod
    def causes(self) -> Mapping[str, Callable[[Self], Self]]:
        """The active settings that hide rows, such as `only gaps`. The query is not a setting.

        A key is the name of a setting on the screen. A value is a function that returns the state without this setting.
        """

    def cleared(self) -> Self:
        """Return the state with all filters and the search word removed."""
        return self.follow(View.clear)

    @abstractmethod
    def follow(self, step: Step) -> Self:
        """Return the state with the view that the function `step` returns."""

    @abstractmethod
    def answered(self, question: Any, found: Any) -> Self:
        """Return the state with a result of the screen's slow computation.

        `question` is the input that led to this result. If the input has changed since then, ignore the result.
        """

    @abstractmethod
    def find(self, word: str, cursor: int | None = None) -> Self:
        """Show only rows that contain a search word.

        `cursor` is the position of the text field's cursor in the word, by default its end.
        """

    @abstractmethod
    def move(self, key: Hashable, row: int) -> Self:
        """Put the cursor on a row."""


class ListState(ShownState, Generic[F], frozen=True, kw_only=True):
    """The state of a screen with one list: a view, a search word, a cursor, and a result that a thread has computed."""

    word: str = ""
    cursor: Cursor = Cursor()
    answer: tuple[Any, F] | None = None
    """The input and the last result of the slow computation. The result is shown until the next one arrives."""
    width: int = 80
    """Number of cells that the columns of the list can use."""

    @property
    @abstractmethod
    def asks(self) -> Any:
        """The input of the screen's slow computation. None if the screen lacks a slow computation."""

    @property
    def question(self) -> Any:
        return None if self.answer is not None and self.answer[0] == self.asks else self.asks

    def answered(self, question: Any, found: F) -> Self:
        return replace(self, answer=(question, found)) if question == self.asks else self

    @property
    def causes(self) -> Mapping[str, Callable[[Self], Self]]:
        return {self.word: lambda state: state.find("")} if self.word else {}

    def cleared(self) -> Self:
        return ShownState.cleared(self.find("") if self.word in self.causes else self)

    @property
    def found(self) -> F | None:
        """The last result of the screen's slow computation, possibly for an older input.

        None until a result arrives.
        """
        return None if self.answer is None or self.asks is None else self.answer[1]

    def follow(self, step: Step) -> Self:
        view = step(self.view)
        return self if view is self.view else self.on_view(view)

    def on_view(self, view: View) -> Self:
        """Return the state with another view, for example a view with a newer index."""
        return replace(self, view=view)

    def find(self, word: str, cursor: int | None = None) -> Self:
        word = word.strip()
        return self if word == self.word else replace(self, word=word)

    def move(self, key: Hashable, row: int) -> Self:
        return replace(self, cursor=Cursor(key, row))

    @property
    @abstractmethod
    def rows(self) -> Rows | None:
        """The rows of the list. None until the screen's slow computation has a result."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of the list."""
        return self.rows.columns if self.rows else ()

    @property
    def fields(self) -> Sequence[Field]:
        """The fields in the Details pane for the row under the cursor.

        By default, they contain the full text of the row, because the list may cut off the text.
        """
        rows = self.rows
        cells = rows.row[self.cursor.on(rows)].cells if rows is not None and len(rows) else ()
        texts = {"verdict": visible(self.verdict), "row": "  ".join(filter(None, map(text_of, cells)))}
        return [Field(label, (text,)) for label, text in texts.items() if text]

    @property
    def verdict(self) -> str:
        """The result in one line, for example whether an environment is complete. By default empty."""
        return ""

    @property
    def title_answer(self) -> Text:
        """The text at the right end of the list's title line: by default, `verdict`."""
        return [visible(self.verdict)] if self.verdict else ()


def visible_panes(view: View, width: int) -> tuple[Pane, ...]:
    """Return the panes that are visible in a terminal with this width in cells.

    - At least 120 cells: all panes.
    - 100 to 119 cells: all panes without the facets. If the facets have the focus: only the facets and one list.
    - Less than 100 cells: one list and the details. If the facets have the focus: only the facets and one list.

    If a package is open, its specs replace the package list.
    """
    inside = view.package is not None
    shown: Pane = "specs" if inside else "packages"
    if width >= 120:
        return ("facets", "specs", "detail") if inside else ("facets", "packages", "specs", "detail")
    if view.pane == "facets":
        return ("facets", shown)
    return ("packages", "specs", "detail") if width >= 100 and not inside else (shown, "detail")
