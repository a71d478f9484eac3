"""The frozen state of the main screen: a view (query, host, order, cursors and marks), and the open query line."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.spec import Spec
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.report.specs import copies, environment
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.settings.saved_views import SavedView
from cachetui.sources.buildcache.remote_binaries import pull_command, seems_signed
from cachetui.sources.transport.address import is_repository
from cachetui.suggest.completion import term_at
from cachetui.tui.view.rows import row_of
from cachetui.tui.view.saved import saved_list
from cachetui.tui.view.view import ShownState, Step, View


class TypedLine(Struct, frozen=True):
    """The query line while it is open."""

    text: str
    cursor: int
    before: View
    """The view before the user opened the line. Esc restores this view."""
    error: QueryError | None = None
    part: tuple[int, int] | None = None
    """The start and the end of the ignored term in the text; None if the view uses the whole text."""
    is_refused: bool = False
    """Whether the user pressed Enter although the text cannot be parsed."""


class BrowseState(ShownState, frozen=True):
    """The state of the main screen: its view, and its query line while the line is open."""

    typed: TypedLine | None = None

    # Values computed from the view and the typed text

    @property
    def word(self) -> str:
        """The query in the second line of the screen."""
        return self.view.query.line

    @property
    def saved(self) -> SavedView | None:
        return saved_list(self.view)

    @property
    def causes(self) -> Mapping[str, Callable[["BrowseState"], "BrowseState"]]:
        """The name of a filter, with a function that removes the filter.

        The only possible filter limits the view to certain specs, such as the marked specs.
        """
        only, marks = self.view.only, self.view.marks
        if only is None:
            return {}
        name = f"{len(only):,} marked" if only == marks else f"these {plural(len(only), 'spec')}"
        return {name: lambda state: state.follow(lambda view: replace(view, only=None))}

    @property
    def left_out(self) -> str:
        """The typed term that the search ignores; empty if the search uses the whole text."""
        return self.typed.text[slice(*self.typed.part)] if self.typed and self.typed.part else ""

    @property
    def question(self) -> tuple[Index, Query | str] | None:
        """The input of the slow computation, which a thread must run; None if everything is computed.

        If the search is slow, the input is the index and the query. Otherwise, if only a registry has the details of
        the spec under the cursor, the input is the index and the hash of this spec.
        """
        view = self.view
        if view.shown is not None or not view.index.is_quick(view.asked):
            return view.index, view.asked
        row = view.current_row if view.pane in ("specs", "detail") else None
        spec = None if row is None else view.index.spec(row)
        if spec is None or spec.target or not spec.hash:
            return None
        return (view.index, spec.hash) if is_repository(view.index.graph.mirror(spec.tag, spec.stacks) or "") else None

    # Changes of the state

    def follow(self, step: Step) -> "BrowseState":
        """Apply `step`, a function that changes the view.

        If the query line is open, apply `step` to the view that was shown before typing.
        Then search for the typed text again.
        """
        before = self.typed.before if self.typed else self.view
        view = step(before)
        if view is before:
            return self
        view = self._waiting(view)
        return BrowseState(view).find(self.typed.text, self.typed.cursor) if self.typed else BrowseState(view)

    @property
    def lost(self) -> Sequence[tuple[int, int]]:
        """The start and the end of each term that matches nothing, as positions in the text of the query."""
        view, text = self.view, self.typed.text if self.typed else self.word
        found = () if view.results.rows else view.results.unmatched
        terms = [each.term for each in found if not (each.tags or each.is_to_leave_out)]
        return [(term.start, term.end) for term in terms if term.typed and text[term.start : term.end] == term.typed]

    def _waiting(self, view: View) -> View:
        """Return the view. If its search is slow, the view shows the current results until the search ends."""
        is_slow = view.index is self.view.index and not view.index.is_quick(view.asked)
        return replace(view, shown=self.view.results if is_slow else None)

    def answered(self, question: tuple[Index, Query | str], answer: object) -> "BrowseState":
        """Show the results after a thread has searched for the query.

        If the thread has loaded the details of a spec instead, do nothing, because a newer index contains the details.
        """
        if isinstance(question[1], str):
            return self
        if self.typed:
            return self.find(self.typed.text, self.typed.cursor)
        return BrowseState(self._waiting(self.view))

    def move(self, key: Hashable, row: int) -> "BrowseState":
        """Put the cursor of the focused pane on a row."""
        return replace(self, view=self.view.move(self.view.pane, key, row))

    def open_line(self) -> "BrowseState":
        """Open the query line with the current query, followed by a space."""
        view = self.view
        text = f"{view.query.line} " if view.query.line else ""
        return self if self.typed else self._typing(view.query, TypedLine(text, len(text), view))

    def find(self, text: str, cursor: int | None = None) -> "BrowseState":
        """Show the results of the typed text. Ignore the term at the cursor if it is invalid or matches nothing.

        If the remaining text cannot be parsed, keep the current results.
        """
        before = self.typed.before if self.typed else self.view
        cursor = len(text) if cursor is None else cursor
        typed, query, error = TypedLine(text, cursor, before), self.view.query, None
        try:
            query = before.parsed(text)
        except QueryError as cause:
            error = cause
        if error or ((wanted := self._waiting(replace(before, query=query))).shown is None and not wanted.results.rows):
            _, match, end = term_at(text, cursor)
            start = match.start() if match else cursor
            if not text[start:end].strip():
                return self._typing(query, replace(typed, error=error))
            try:
                query = before.parsed(text[:start] + " " * (end - start) + text[end:])
                typed = replace(typed, part=(start, end))
            except QueryError:
                query = self.view.query
        return self._typing(query, replace(typed, error=error))

    def keep_query(self) -> "BrowseState":
        """Close the query line, and apply its text. If the text cannot be parsed, the line stays open."""
        if self.typed is None:
            return self
        if self.typed.error is not None:
            return replace(self, typed=replace(self.typed, is_refused=True))
        before = self.typed.before
        view, cursors = before.ask(before.parsed(self.typed.text)), dict(before.cursors) | dict(self.view.cursors)
        return BrowseState(self._waiting(replace(view, cursors=tuple(cursors.items()))))

    def cancel_query(self) -> "BrowseState":
        """Close the query line, and restore the view that was shown before typing."""
        return BrowseState(self._waiting(self.typed.before)) if self.typed else self

    def _typing(self, query: Query, typed: TypedLine) -> "BrowseState":
        """Return the state with a typed query. If it contains a package name, put the cursor on the first package."""
        cursors = typed.before.cursors
        cursors = cursors if query.package is None else tuple(each for each in cursors if each[0] != "packages")
        return BrowseState(self._waiting(replace(typed.before, query=query, cursors=cursors)), typed)


# Texts to copy and to export


def copies_of(view: View) -> list[tuple[str, str]]:
    """Return the label and the text of each string that the user can copy, such as `pull` and a command.

    The texts are for the marked specs. If no spec is marked, the texts are for the spec under the cursor.
    """
    specs, graph, settings = chosen_specs(view), view.index.graph, view.settings
    texts = copies(specs, settings.mirror, graph, seems_signed(graph, settings))
    if pulls := list(filter(None, (pull_command(spec, graph, settings) for spec in specs))):
        texts.append(("pull", "\n".join(pulls)))
    return texts


def chosen_specs(view: View) -> list[Spec]:
    """Return the marked specs. If no spec is marked, return the spec under the cursor."""
    return marked_specs(view) or ([] if view.current_row is None else [view.index.spec(view.current_row)])


def marked_specs(view: View) -> list[Spec]:
    """Return the marked specs, sorted by package and then by version, newest first."""
    rows = BitMap(row for key in view.marks if (row := row_of(view.index, key)) is not None)
    return list(map(view.index.spec, Results(view.index, Query(), rows).in_order()))


def shown_specs(view: View) -> Iterable[Spec]:
    """Return the specs to export.

    If specs are marked, return the marked specs. Otherwise return the search results in the open package. If no package
    is open, return all search results.
    """
    if view.marks:
        return marked_specs(view)
    found = view.results
    rows = found.in_order() if view.package is None else found.sorted_by[view.current_number, view.spec_order]
    return map(view.index.spec, rows)


def environment_of(view: View) -> Iterator[str]:
    """Yield the lines of a spack.yaml with the specs to export.

    If an installed spec is also in a build cache, export the spec from the build cache.
    """

    def in_cache(spec: Spec) -> Spec:
        row = view.index.cache_row(spec.hash or "") if spec.state else None
        return spec if row is None else view.index.spec(row)

    specs = map(in_cache, shown_specs(view))
    graph, settings = view.index.graph, view.settings
    return environment(specs, settings.mirror, graph, seems_signed(graph, settings))
