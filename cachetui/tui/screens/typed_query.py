"""A query while it is typed: the view follows it letter by letter, and goes back if it is not kept.

It owns the query line. Invariant: a query that is typed is one step, however many keys it took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cachetui.query.parts.facets import FitsPart
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.results import Results
from cachetui.tui.rows.packages import PackageRows
from cachetui.tui.rows.specs import SpecKey
from cachetui.tui.screens.before_typing import Before
from cachetui.tui.screens.keeping import Keeping
from cachetui.tui.screens.lines import idle_text
from cachetui.tui.screens.panes import Panes
from cachetui.tui.state.showing import names_nothing
from cachetui.tui.state.view import View
from cachetui.tui.widgets.query_line import QueryLine
from cachetui.tui.widgets.table import Standing

if TYPE_CHECKING:
    from cachetui.explain.mending import Mending

BEFORE_TYPING = 0.02
"""Seconds from opening the line until what its letters need is made ready: by then the line is shown."""


class TypedQuery:
    """The query that is typed in one view, if one is."""

    def __init__(self, view: View, panes: Panes, show: Callable[[], None]) -> None:
        """`show` shows the view again."""
        self._view = view
        self._panes = panes
        self._show = show
        self._before: Before | None = None
        """None as long as no query is typed."""
        self._typed = view.query
        """The query that is typed, whether its last word takes anything yet or not."""
        self._found = view.results
        """What that takes, as it was found last."""
        self._mended: tuple[Results, tuple[Query, tuple[Mending, ...]]] | None = None
        """What is put right in it, and of what that was worked out."""
        self.line = QueryLine(id="query-line")

    @property
    def is_open(self) -> bool:
        """Whether a query is being typed."""
        return self._before is not None

    @property
    def came_from(self) -> SpecKey | str | None:
        """What the cursor was on when a query began to be typed: within a package a spec, else the package."""
        before = self._before
        return None if before is None else before.package if before.inside is None else before.spec

    @property
    def fits_before(self) -> FitsPart | None:
        """The host that was asked for when a query began to be typed."""
        return None if self._before is None else self._before.query.fits

    @property
    def is_counted(self) -> bool:
        """Whether what is shown is what all that is typed takes, and that is something."""
        return self.is_all_shown and bool(self._view.shown)

    @property
    def is_all_shown(self) -> bool:
        """Whether what is shown is what all that is typed takes, be it nothing."""
        return self.line.error is None and self._view.query is self._typed

    def start(self) -> None:
        self._before = Before.of(self._view, self._panes)
        self._typed = self._view.query
        self.line.open_on(self._view.index, self._view.query, self._view.plain_tag, self._view.inside)
        self.line.set_timer(BEFORE_TYPING, self._view.index.value_counts.prepare)

    def follow(self, query: Query, finished: Query) -> None:
        """Shows what the query takes that is typed so far, with what is put right in it when it is kept; if that is
        nothing, what it does without its last word."""
        from cachetui.explain.mending import mended  # late, as the first screen has no use for it

        if self._before is None:
            return
        shown = self._view.results
        self._typed = self._view.within_tag(query, self._before.query)
        before = self._before
        self._view.try_query(self._typed)
        self._found = self._view.results
        if self._takes_nothing(before) or any(isinstance(each.old, FitsPart) for each in self.mendings):
            self._view.try_query(self._put_right[0])
        if self._takes_nothing(before):
            self._view.try_query(self._view.within_tag(finished, before.query))
            if self._takes_nothing(before):
                self._view.try_query(mended(self._view.results)[0])
            if self._takes_nothing(before):
                self._view.try_query(self._typed)
        # what is said where there is nothing names the parts of the query, and keys that may be others now
        is_shown_anew = self._takes_nothing(before) or not _looks_like(self._view.results, shown)
        if is_shown_anew:
            self._show_from(before)
        if before.level == "specs" and self._panes.package == before.package and not self._names_another(before):
            self._panes.show_in_package()  # it may have been left on the way, at letters that were yet to be a value
        if is_shown_anew and not self._names_another(before):
            before.stand_where_same(self._panes)

    def _takes_nothing(self, before: Before) -> bool:
        """Whether the query of the view takes nothing: none of the package that the user was in, if he stays in it."""
        return not self._view.results or self._view.lists.empties(before.inside)

    def _show_from(self, before: Before) -> None:
        """Shows the view; where it has none of the package that the user was in, in that still, unless others are
        named."""
        if self._view.lists.empties(before.inside):
            self._view.inside = before.inside
        self._show()

    def end(self, *, kept: bool) -> str:
        """Takes what was typed as one step, else takes it back; returns what to say of it.

        That is of what was mended, and of filters that take nothing away.
        Within a package the cursor stays among specs where they are of that package still, or of one alone.
        """
        before = self._before
        if before is None:
            return ""
        self._before = None
        if not kept:
            self._view.go_back_to(before.query, before.fitted_to)
            self._show()
            self._panes.packages.stand_again(before.stood[0])
            self._panes.show_specs()
        said = ""
        if kept:
            said = self._mend()
            self._view.step(self._typed, before.query)
            self._show_from(before)
            if not self._view.results:  # what it passed on the way was nothing that the user went to
                self._panes.packages.stand_again(before.stood[0])
            elif before.package is not None and not self._names_another(before):
                self._stand_first_without(before.package, before.stood[0])
        stays = self._panes.package == before.package or len(self._view.results.packages) == 1
        if not kept and before.level == "specs" and before.spec is not None:
            self._panes.go_to(before.spec)
        else:
            self._panes.go_to_level(before.level if stays else "packages")
            specs, stood = self._panes.specs, before.stood[1]
            was_first = not stood.is_placed and stood.first + before.place[1] == 0
            is_first_again = was_first and specs.cursor_row == 0  # in another order it is another spec
            if self._panes.package == before.package and before.level == "packages" and stood.is_placed:
                specs.stand_again(stood)  # letters on the way may have been of another package
                self._panes.show_specs()
            elif self._panes.package == before.package and before.level == "specs" and not is_first_again:
                specs.want(before.place)
        if not kept:
            before.stand_again(self._panes)
        return "; ".join(filter(None, (said, self._idle(before) if kept else "")))

    def _stand_first_without(self, package: str, stood: Standing) -> None:
        """Puts the cursor on the first package where its own one is not there, until it is there again."""
        packages = self._panes.packages
        if packages.rows.find(package) is None:
            packages.go_in_view(0, 0)
            packages.stand_again(stood._replace(gone_to=package))
            self._panes.show_specs()

    def _idle(self, before: Before) -> str:
        """That what was typed takes nothing away, where that is so."""
        view, was = self._view, before.shown
        if view.inside != before.inside or view.index is not was.index:
            return ""
        return idle_text(before.query, view.shown, view.inside)

    @property
    def mendings(self) -> Sequence[Mending]:
        """What is put right of the query when it is kept."""
        return self._put_right[1]

    @property
    def put_in(self) -> Sequence[str]:
        """What stands in the line instead of what is typed when it is kept, part by part; nothing where it is not."""
        meant = self.line.meant
        if not self.is_open or self.is_refused or (self.line.error is not None and meant is None):
            return ()
        texts = [part.text for each in self.mendings for part in each.new]
        return (*texts, *([meant.part] if meant else []))

    def keeping(self, unfinished: str = "") -> Keeping:
        """What keeping the line does; `unfinished`: what is said of a word in it that takes nothing yet."""
        put_in, meant, mendings = self.put_in, self.line.meant, self.mendings
        slips = [(each.kind_named, each.value) for each in mendings] if put_in else []
        if put_in and meant and meant.slip:
            slips.append(("host", meant.slip))
        old = [each.old for each in mendings]
        is_all = (
            bool(slips)
            and len(slips) == len(mendings) + bool(meant)
            and all(part in old for part in self.line.mistakes)
        )
        view = self._view
        leaves_nothing = bool(put_in and view.shown) and view.query not in (self._typed, self._put_right[0])
        return Keeping(self.is_counted, unfinished, put_in, slips, is_all, self.is_refused, leaves_nothing)

    @property
    def is_refused(self) -> bool:
        """Whether the line is not kept, as it ends in the beginning of several values."""
        return bool(self.line.unfinished) and not any(each.old.end == len(self.line.text) for each in self.mendings)

    @property
    def _put_right(self) -> tuple[Query, tuple[Mending, ...]]:
        """The query with what is surely a slip in it put right, and what that is; worked out once for what is found."""
        from cachetui.explain.mending import mended  # late, as the first screen has no use for it

        view, typed = self._view, self._typed
        found = view.results if view.query is typed else self._found
        if found.query is not typed or found.index is not view.index:
            found = self._found = Results.of(view.index, typed)
        if self._mended is None or self._mended[0] is not found:
            self._mended = found, mended(found)
        return self._mended[1]

    def _mend(self) -> str:
        """Puts right what is surely a slip in what was typed, as the name of a package; says so, if it did."""
        self._typed, mendings = self._put_right
        return visible("; ".join(filter(None, (self.line.put_right, *(each.phrase for each in mendings)))))

    def wanted_package(self, rows: PackageRows) -> str | None:
        """While a query is typed, the best match of the name in it, else the package that it was begun on; the first
        where that is not there."""
        before = self._before
        if before is None or before.package is None:
            return None
        own = before.package if rows.find(before.package) is not None else None
        first = rows.key(0) if len(rows) else None
        if self._names_another(before):
            return own if self._view.lists.names_sort else first
        return own or first

    def _names_another(self, before: Before) -> bool:
        """Whether the line names another package; without a name that there is the user stays where he is, and also
        while it is the beginning of the name of the package that he is in."""
        query, named = self._view.query, self._view.query.package
        if named is None or named in before.query.parts or names_nothing(self._view.index, query):
            return False
        return before.inside is None or not before.inside.startswith(named.name.lower())


def _looks_like(results: Results, shown: Results) -> bool:
    """Whether all that is shown of some results is there already: no list says which versions were asked for."""
    asked, before = ([part for part in each.query.parts if part.column != "version"] for each in (results, shown))
    return asked == before and results.rows == shown.rows and results.index is shown.index
