"""The main screen: facets, packages, the specs of a package, and the details of the row under the cursor."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import Any, cast

from msgspec.structs import replace
from textual import on
from textual.containers import Horizontal, Vertical

from cachetui.model.spec import FACETS
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.report.formats import Document
from cachetui.report.specs import Places, hash_word, hidden_notes, spec_list
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.suggest.completion import Completion
from cachetui.tui.browse.state import BrowseState, TypedLine, chosen_specs, copies_of, environment_of, shown_specs
from cachetui.tui.frame import AllChanged, StateScreen, cancelled_here, tag_text
from cachetui.tui.keymap import Actions, Footer, labelled
from cachetui.tui.lines import Cell, EmptyRows, Style, Text, fit, measure
from cachetui.tui.view.rows import PACKAGE_ORDERS, VERSION, FacetKey
from cachetui.tui.view.view import Pane, View, visible_panes
from cachetui.tui.widgets.detail_pane import DetailPane, host_answer
from cachetui.tui.widgets.line_widget import Bar, dialog_title
from cachetui.tui.widgets.list_pane import ListPane, Table
from cachetui.tui.widgets.prompt import Prompt, QueryLine
from cachetui.workers.cancelling import Interrupted, pause

WIDTHS = ((170, "-vast"), (120, "-wide"), (100, "-medium"), (76, "-narrow"), (0, "-tiny"))
"""The minimum terminal width and the style class of each layout, widest first."""

MAX_NAMED_TERMS = 3
"""Maximum number of unmatched terms that an empty list mentions."""

MAX_OFFERS = 6
"""Maximum number of completions on screen."""

OTHER_LINES = 4
"""Number of lines that never contain rows: the header, the query, the title of a list, and the keys."""

FIRST_FACET = next(iter(FACETS))

REST_SECONDS = 0.3
"""Seconds that the cursor must stay on a spec before a thread reads the details of the spec."""

LEFT_OUT_CELLS = 20
"""Maximum width of an unmatched term in the header, in cells."""

_LAST = labelled(
    *("browse.filter", "browse.lookup", "browse.facets", "browse.coverage", "browse.diff", "browse.help"),
)

FOOTERS: dict[Pane, Footer] = {
    "facets": labelled(
        *("facets.tick", "facets.exclude", "facets.find", "browse.clear", "browse.undo", "browse.tag"),
        *("browse.help", "screen.back"),
    ),
    "packages": (("table.choose", "specs"), *_LAST, *labelled("browse.quit")),
    "specs": (
        *labelled("table.choose", "browse.copy", "browse.install", "browse.mark", "browse.compare"),
        *(*_LAST[:3], *_LAST[-1:], *labelled("screen.back")),
    ),
    "detail": (*labelled("browse.copy", "browse.install", "browse.needs"), *_LAST, *labelled("screen.back")),
}
"""The keys in the last line, for each pane."""


class FacetList(Table, keys="facets"):
    """The list of facets. The screen handles the list's keys."""

    GUTTER = 2


class BrowseScreen(StateScreen[BrowseState], keys="browse"):
    """The screen with the facets, packages, specs and details of a view."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.prompt = self.line = QueryLine(lambda text, cursor: self.state.view.views.completions[text, cursor])
        self.offers = Bar(id="offers")
        """The list of completions, which covers the last rows of the panes. Tab inserts the first completion."""
        self.facets = FacetList(title="Facets", id="facets")
        self.packages = Table(title="Packages", id="packages")
        self.specs = Table(title="Specs", id="specs")
        self.detail = DetailPane(title="Detail", id="detail")
        self.right = Vertical(self.specs, self.detail, id="right")
        self.body = self.offers, Horizontal(self.facets, self.packages, self.right, id="panes")

    state_of = BrowseState

    # Slow results

    @property
    def question(self) -> Hashable:
        """The input of the next slow computation, which a thread must run; None if everything is computed.

        The input is an index, with a query or with the hash of a spec. First, a thread searches for the current query.
        Then it loads the details of the spec under the cursor. Finally, it counts the specs for each completion.
        """
        if self.browser.typeahead.task is not None:  # a waiting key may change the query
            return None
        view = self.state.view
        asked = super().question if view.shown is None else self.state.question
        offered = ((view.index, query) for _, query in self._offered() if query and not view.index.is_quick(query))
        return asked or next(offered, None)

    def work(self, question: tuple[Index, Query | str]) -> Iterable[Any]:
        """For a query, find the matching specs, and yield their number. For a hash, load the details of the spec."""
        (index, asked), cancelled = question, cancelled_here()
        with suppress(Interrupted):
            if isinstance(asked, str):
                pause(REST_SECONDS, cancelled)
                self.browser.sizes_of(index, cancelled)(asked)
                return
            view = self.state.view
            results = view.views.results[asked, view.only]
            if asked == view.asked:  # for a completion, only the number of specs is needed
                results.find_all(view.host)
            yield results.specs

    @property
    def has_first_answer(self) -> bool:
        """Always true, because keys on this screen do not wait for results."""
        return True

    def rest(self) -> None:
        """Start the next slow computation, if any. The app calls this when the user has stopped typing."""
        self.show_state()

    # Show the state

    def show(self, state: BrowseState, before: BrowseState | None) -> None:
        """Show a state. Redraw only the panes whose rows, cursor or columns have changed."""
        view = state.view
        panes = visible_panes(view, self.app.size.width)
        if view.pane not in panes:  # the terminal has become narrower
            self.follow(lambda view: view.go_to_pane("packages"))
            return
        self._arrange(panes)
        if "facets" in panes:
            facets = view.results.facet_rows_in[self.app.size.height - OTHER_LINES]
            self.facets.show(facets, view.views.facet_columns, view.cursor("facets").on(facets))
        self._show_packages(view)
        if "specs" in panes:
            self._show_specs(view)
        self._show_detail(view)
        if state.typed is None:
            if before is None or before.typed is not None or before.view.pane != view.pane or self.focused is None:
                self.set_focus(self.home)
        else:
            self._show_typed(state.typed, before)

    def _arrange(self, panes: Sequence[Pane]) -> None:
        """Show only these panes, in the layout for the terminal's width. Draw a line between adjacent panes."""
        width = self.app.size.width
        name = next(name for least, name in WIDTHS if width >= least)
        for _, each in WIDTHS:
            self.set_class(each == name, each)
        for pane in FOOTERS:
            self.widget_of(pane).set_class(pane not in panes, "-away")
        self.right.set_class({"specs", "detail"}.isdisjoint(panes), "-away")
        self.packages.set_class(panes[-1] == "packages", "-rest")
        left = [self.widget_of(pane) for pane in panes if pane in ("facets", "packages")]
        right = [self.widget_of(pane) for pane in panes if pane in ("specs", "detail")]
        columns = [*([each] for each in left), right]
        for own, beside in zip(left, columns[1:], strict=True):
            own.join(*beside if name != "-tiny" else ())

    def _show_packages(self, view: View) -> None:
        rows = view.packages
        self.packages.entitle(f"Packages {len(rows):,}{marked(view)}", counting(view))
        shown = rows if len(rows) else self._empty(view)
        # for a named package, the best match comes first
        columns = view.package_order.headed(view.views.package_columns, "package" if view.query.package is None else "")
        self.packages.show(shown, columns, view.cursor("packages").on(rows))

    def _empty(self, view: View) -> EmptyRows:
        """Return the lines for an empty list: the reason, then the keys that can help, with their labels."""
        share = 1 / len(visible_panes(view, self.app.size.width))
        if self.browser.status.progress:
            return self.empty([self.browser.status.progress], share)
        if not view.query and view.only is None:
            return self.empty(["This content has no specs.", *labelled("browse.problems", "browse.tag")], share)
        names = (each.phrase for each in view.results.unmatched[:MAX_NAMED_TERMS])
        keys: Footer = (
            ("browse.why", "remove one filter"),
            ("browse.undo", "undo the last step"),
            ("browse.clear", "clear all filters"),
        )
        return self.empty(["No spec matches.", *names, *hidden_notes(view.index, view.asked), *keys], share)

    def _show_specs(self, view: View) -> None:
        rows, package = view.specs, view.current_package
        shown = rows if len(rows) or view.package is None else self._empty(view)
        columns = view.spec_order.headed(view.views.spec_columns[view.current_number, view.titles], VERSION)
        self.specs.show(shown, columns, view.cursor("specs").on(rows))
        specs = 0 if view.current_number is None else view.results.specs_of(view.current_number)
        specs = specs if view.group is None else len(rows)
        groups = "" if view.package is None or len(rows) in (1, specs) else f" in {plural(len(rows), 'group')}"
        shared = " ".join(filter(None, view.shared_values.values()))
        title = f"{visible(package)} · {plural(specs, 'spec')}{groups}" if package else "Specs"
        title += marked(view) if view.package else ""
        self.specs.entitle(title, counting(view) or ([Cell(f"all {shared}", "muted")] if shared else ()))

    def _show_detail(self, view: View) -> None:
        """Show the details of the spec under the cursor. In the package list, show the details of the package."""
        key = view.current_spec if view.package is not None or view.pane == "specs" else None
        number, row = view.current_number, None if key is None else view.current_row
        fields = () if number is None else view.results.details[number, row, view.host]
        verdict = fields[0] if row is not None and fields else None
        self.detail.show_fields(fields[bool(verdict) :])
        builds = 1 if key is None else len(view.specs.builds(view.cursor("specs").on(view.specs)))
        package = (self.specs.has_class("-away") and view.current_package) or "Details"
        title = visible(package if key is None else key[2][:7]) + f" · 1 of {builds:,} builds" * (builds > 1)
        self.detail.entitle(title, () if verdict is None else host_answer(verdict))

    def heading_of(self, state: BrowseState) -> tuple[Text, str]:
        view, left_out = state.view, state.left_out
        whole, results = view.whole, view.results
        counts = f"{results.specs:,} of {whole.specs:,} specs"
        if left_out and results.specs:
            without = f"{results.specs:,} without {fit(visible(left_out), LEFT_OUT_CELLS, middle=True)}"
            counts = without if state.typed and state.typed.error else f"0 of {whole.specs:,} · {without}"
        so_far = " so far" * bool(self.browser.status.progress)
        counts = f"searching {whole.specs:,} specs" if view.shown else counts + so_far
        named = view.query.package
        is_fuzzy = named is not None and named.fuzzy and view.index.package_number(named.text) is None
        fuzzy = f" · names like {visible(named.text)}" if named is not None and is_fuzzy else ""
        return [tag_text(view), fuzzy], counts

    def filter_of(self, state: BrowseState) -> Text:
        """Return the second line of the screen: the query. Terms without matches are red."""
        lost: Sequence[tuple[int, int, Style]] = [(start, end, "bad") for start, end in state.lost]
        return [" / ", Cell(visible(state.word), "", lost, "browse.filter")] if lost else super().filter_of(state)

    @property
    def pane_footer(self) -> Footer:
        pane, is_inside = self.state.view.pane, self.state.view.package is not None
        footer = FOOTERS["packages" if pane == "specs" and not is_inside else pane]
        footer = (*footer[:-1], *labelled("screen.back")) if self.is_nested else footer
        return (("table.choose", "select"), *footer[1:]) if pane == "specs" and self._picks else footer

    @property
    def _picks(self) -> bool:
        """Whether Enter on a spec selects this spec and ends the browser (option `--pick`)."""
        return self.browser.picks and self.state.view.package is not None

    @property
    def home(self) -> ListPane:
        return self.widget_of(self.state.view.pane)

    def widget_of(self, pane: Pane) -> ListPane:
        """Return the widget of a pane."""
        return {"facets": self.facets, "packages": self.packages, "specs": self.specs, "detail": self.detail}[pane]

    # The query line

    def open_line(self) -> None:
        self.do(BrowseState.open_line)
        if self.state.typed is not None:
            self.line.earlier = [filters.query.line for filters in self.state.view.past if filters.query.line]
            self.open_prompt(self.state.typed.text)

    def _show_typed(self, typed: TypedLine, before: BrowseState | None) -> None:
        """Highlight the ignored term in the typed text, and show the completions.

        If the text is invalid, show the parser's message.
        """
        self.line.mark(typed.part, self.state.lost)
        offers = self.line.offers if before is not None and before.typed is not None else ()
        shown = [(visible(each.text), self._count(query)) for each, query in self._offered() if offers]
        self.offers.set_class(bool(shown), "-shown")
        if shown:
            word = typed.text[offers[0].start : typed.cursor]
            title = (
                plural(len(offers), "completion")
                if offers[0].text.startswith(word)
                else f"no match for {visible(word)}"
            )
            width = max(measure(text) for text, _ in shown)
            rows = [[f"   {text}{' ' * (width - measure(text))}{count:>9}"] for text, count in shown]
            rule = dialog_title(title, "Tab inserts the first", self.app.size.width)
            self.offers.show(rows[-1], above=[rule, *rows[:-1]])
        if typed.error is not None and (typed.is_refused or typed.part is None):
            self.say(str(typed.error))
        else:
            self.forget_message()

    def _offered(self) -> Iterator[tuple[Completion, Query | None]]:
        """Yield each completion to show, with the query that results from inserting the completion.

        If the text cannot be parsed after the insertion, the query is None.
        """
        typed = self.state.typed
        if typed is None:
            return
        for offer in self.line.offers[:MAX_OFFERS]:
            view, asked = typed.before, None
            with suppress(QueryError):
                query = view.parsed(f"{typed.text[: offer.start]}{offer.text}{typed.text[offer.end :]}")
                asked = replace(view, query=query).asked
            yield offer, asked

    def _count(self, query: Query | None) -> str:
        """Return the number of specs that match a query, as text.

        Return an empty string if the query is None, or until its specs are counted.
        """
        view = self.state.view
        if query is None or not view.index.is_quick(query):
            return ""
        return f"{view.views.results[query, view.only].specs:,}"

    @on(Prompt.Left)
    def end_line(self, event: Prompt.Left) -> None:
        event.prevent_default()  # the base class would also end the line
        self.do(BrowseState.keep_query if event.kept else BrowseState.cancel_query)
        if self.state.typed is None:
            self.close_prompt()

    # Keys

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "browse.stacks": partial(self.open_for_current, "stacks"),
            "browse.facets": self.turn_facets,
            "browse.sort": self.step(View.sort),
            "browse.reverse": self.step(View.turn_order),
            "browse.mark": self.mark,
            "browse.marks": self.ask_marked,
            "browse.compare": self.compare,
            "browse.pane_left": partial(self.go_to_pane, -1),
            "browse.pane_right": partial(self.go_to_pane, 1),
            "browse.pane_next": partial(self.go_to_pane, 1),
            "browse.pane_before": partial(self.go_to_pane, -1),
            "facets.tick": partial(self.select, excluded=False),
            "facets.exclude": partial(self.select, excluded=True),
            "facets.find": self.find_value,
        }

    def turn_facets(self) -> None:
        """Move the focus to the facets. If the facets have the focus, move it back to the list of packages or specs."""
        if self.state.view.pane == "facets":
            self.follow(lambda view: view.back() or view)
        else:
            self.follow(lambda view: view.go_to_pane("facets"))

    def find_value(self) -> None:
        """Open the query line, so that the user can type another value for the facet under the cursor."""
        view, (facet, _) = self.state.view, cast(FacetKey, self.facets.key or (FIRST_FACET, ""))
        values = view.index.values(facet)
        selected = sorted(view.query.selected(facet, values))
        rest = reduce(lambda query, value: query.toggled(facet, value, values), selected, view.query)
        self.open_line()
        self.line.put(f"{rest.line} {facet}={','.join([*selected, ''])}".lstrip())

    def select(self, *, excluded: bool) -> None:
        """Select the facet value under the cursor, or exclude it if `excluded` is true. A second call undoes the first.

        On a row without a value, open the query line.
        """
        facet, value = cast(FacetKey, self.facets.key or (FIRST_FACET, ""))
        if value:
            self.follow(lambda view: view.toggle(facet, value, excluded=excluded))
        else:
            self.find_value()

    def go_to_pane(self, delta: int) -> None:
        """Move the focus to the next pane (`delta` is 1) or to the previous pane (-1)."""
        panes = visible_panes(self.state.view, self.app.size.width)
        at = panes.index(self.state.view.pane) + delta
        self.follow(lambda view: view.go_to_pane(panes[at % len(panes)]))

    @property
    def is_nested(self) -> bool:
        return self.state.view.back() is not None or super().is_nested

    def back(self) -> None:
        view = self.state.view.back()
        if view is not None:
            self.follow(lambda _: view)
        else:
            super().back()

    def mark(self) -> None:
        """Mark the spec under the cursor, and move down. All open screens share the marks."""
        before = self.state
        self.follow(View.mark)
        if self.state is before:
            self.say(f"to mark a spec, open its package: press {self.key_text_of('table.choose')}")
        marks = self.state.view.marks
        self.post_message(AllChanged(lambda view: view.with_marks(marks)))

    def compare(self) -> None:
        """Compare the two marked specs, and remove the marks.

        If only one spec is marked, compare this spec with the spec under the cursor. A row with a group of specs counts
        as one spec.
        """
        view, rows = self.state.view, self.state.view.specs
        shown = {build: rows.key(k) for k in range(len(rows)) for build in rows.builds(k)}
        others = {mark[1]: mark for mark in sorted(view.marks - shown.keys())}
        marks = frozenset({*others.values(), *(shown[mark] for mark in view.marks & shown.keys())})
        marks = view.marks if len(view.marks) == 2 else marks
        specs = marks if len(marks) == 2 or view.current_spec is None else marks | {view.current_spec}
        if len(specs) == 2:
            self.ask("comparison", view.with_marks(specs))
            self.post_message(AllChanged(lambda view: view.with_marks(frozenset())))
        else:
            self.say(
                f"mark a spec with {self.key_text_of('browse.mark')}, "
                f"then press {self.key_text_of('browse.compare')} on another one"
            )

    def ask_marked(self) -> None:
        """Open a screen with only the marked specs. Do nothing if this screen already shows only the marked specs."""
        marks = self.state.view.marks
        view = None if marks in (self.state.view.only, frozenset()) else self.state.view.of_specs(marks)
        hint = f"to mark a spec, press {self.key_text_of('browse.mark')}"
        self.ask("browse", view, f"nothing else is marked: {hint}" if marks else f"nothing is marked: {hint}")

    # Messages of the lists

    @on(Table.HeadClicked)
    def sort_by(self, event: Table.HeadClicked) -> None:
        """Sort by the clicked column; a second click reverses the order."""
        if event.table is self.packages:
            self.follow(lambda view: view.go_to_pane("packages").sort(PACKAGE_ORDERS[event.column]))
        else:
            self.follow(lambda view: view.go_to_pane("specs").sort(view.titles[event.column]))

    @on(Table.Moved)
    def follow_cursor(self, event: Table.Moved) -> None:
        event.prevent_default()  # the base class would also move a cursor
        pane: Pane = next(pane for pane in FOOTERS if self.widget_of(pane) is event.table)
        self.do(lambda state: replace(state, view=state.view.move(pane, event.key, event.row)))

    @on(Table.Chosen)
    def enter(self, event: Table.Chosen) -> None:
        """Open the chosen row: the package, the group of specs, or the details of the spec.

        With `--pick`, end the browser if specs are marked, or if the row is one spec.
        """
        view = self.state.view
        if view.package is None:
            self.follow(View.enter)
        elif self._picks and (view.marks or view.open_row().group == view.group):
            self._pick()
        else:
            self.follow(View.open_row)

    # Copy, export, pick

    def copies(self) -> Sequence[tuple[str, str]]:
        return copies_of(self.state.view)

    def document(self) -> Document:
        return spec_list(shown_specs(self.state.view), Places(self.browser.catalogue.contents))

    def environment(self) -> Iterable[str]:
        return environment_of(self.state.view)

    def _pick(self) -> None:
        """End the browser, and return the marked specs. Without marks, return the spec under the cursor."""
        hashes = dict.fromkeys(filter(None, map(hash_word, chosen_specs(self.state.view))))
        if hashes:
            self.app.exit(list(hashes))
        else:
            self.say("this spec has no valid hash in the content")


def marked(view: View) -> str:
    """Return the number of marked specs, as text for a title."""
    return f" · {len(view.marks):,} marked" if view.marks else ""


def counting(view: View) -> Text:
    """Return the text next to a list's title: `counting` while a thread counts the specs, otherwise nothing."""
    return () if view.shown is None else ["counting"]
