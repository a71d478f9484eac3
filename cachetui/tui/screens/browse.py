"""The browse screen: which key does what. It composes the panes, the bars around them and the filters of one view.

Its three jobs: narrow down to what fits, see a spec in full with the command that installs it, and compare what there
is for each value of a facet. It alone replaces the query of the view, by way of its filters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.settings.views import SavedView
from cachetui.tui.screens.arrivals import Arrivals
from cachetui.tui.screens.bars import Bars
from cachetui.tui.screens.base import SizedScreen
from cachetui.tui.screens.browse_keys import BROWSE_KEYS
from cachetui.tui.screens.browse_parts import BrowseParts
from cachetui.tui.screens.filters import Filters
from cachetui.tui.screens.nothing_left import instead_of_list
from cachetui.tui.screens.panes import Panes
from cachetui.tui.screens.selection import Selection
from cachetui.tui.screens.survey_opening import Surveys
from cachetui.tui.screens.views import SavedViews
from cachetui.tui.state.view import View
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.facets import FacetSidebar
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.query_line import QueryLine
from cachetui.tui.widgets.table import Table

NOTHING_PICKED = 130
"""The exit status where something was to be picked, and was not."""


class BrowseScreen(SizedScreen[None]):
    """The main screen."""

    AUTO_FOCUS = "#packages"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (120, "-wide")]  # noqa: RUF012  # Screen has it as no ClassVar

    BINDINGS: ClassVar[list[BindingType]] = BROWSE_KEYS

    class ReloadAsked(Message):
        """The user wants what changed on disk to be read again."""

    def __init__(
        self,
        index: Index,
        query: Query,
        host: Host,
        *,
        label: str | None,
        content: str,
        identity: str,
        picks: bool = False,
        opens: SavedView | None = None,
    ) -> None:
        """`label` is the content as the user named it, None for the sample; `content` is quoted for a shell, to stand
        in commands, `identity` is what its views are saved by; `picks`: Enter on a spec ends with the choice; `opens`:
        the view that it begins with, whose query is `query`."""
        super().__init__()
        self._picks = picks
        self.view = View(index, query, host, all_tags=opens is not None)
        self.panes = Panes(self.view)
        self.bars = Bars(self.view, label, "pick it" if picks else "in full", self.panes.facets)
        self.filters = Filters(self.view, self.panes, self.show, self.bars)
        parts = BrowseParts(self, self.view, self.panes, self.bars, self.filters)
        self.surveys = Surveys(parts, content)
        self.selection = Selection(parts, content, self.surveys)
        self.views = SavedViews(parts, self.surveys, identity)
        self.arrivals = Arrivals(parts, self.views, self.show, opens)

    def compose(self) -> ComposeResult:
        # Textual finds the width out after the first frame, and a small terminal would flash as if it were a wide one.
        self.add_class([name for least, name in self.HORIZONTAL_BREAKPOINTS if least <= self.app.size.width][-1])
        yield self.bars.header
        yield self.bars.chips
        yield self.filters.typed.line
        yield self.filters.facets.prompt
        yield self.panes
        yield self.bars.hints

    def on_mount(self) -> None:
        self.watch(self.panes, "inside", self._follow_inside, init=False)
        self.arrivals.begin()

    def on_resize(self) -> None:
        self.bars.show_header()
        self.bars.show_hints()
        self.call_later(self._follow_width)  # Textual sets the class that says how wide it is after this

    def _follow_width(self) -> None:
        self.panes.follow_width()
        self.bars.show_chips()

    # What is shown

    def show(self) -> None:
        """Shows the view in all panes and bars."""
        if not self.view.results or self.view.lists.emptied is not None:
            is_reading = self.arrivals.is_reading
            self.panes.explain(*instead_of_list(self.view, self.bars.key_of, self.filters.typed, is_reading=is_reading))
        lost = self.panes.show(self.filters.typed.wanted_package)
        self.bars.show_header()
        self.bars.show_chips()
        self.bars.show_hints()
        if lost is not None:
            self.bars.say(f"no spec of {visible(lost)} is left")

    def _follow_inside(self) -> None:
        self.bars.show_header()
        self.bars.show_chips()

    @on(events.DescendantFocus)
    @on(Table.Moved, "#facets")
    def follow_focus(self) -> None:
        self.bars.show_hints(self._pane)

    @property
    def _pane(self) -> str | None:
        """The id of the pane, or of the prompt, that has the keys."""
        if self.focused is None or self.focused.id is not None or self.focused.parent is None:
            return self.focused.id if self.focused else None
        return self.focused.parent.id

    @property
    def answering(self) -> Sequence[Widget]:
        """The list; while a query is typed, also the line, the counts and the ways it may go on."""
        if self.focused is None or self._pane != self.filters.typed.line.id:
            return super().answering
        return (self.focused, self.bars.header, self.panes.packages, self.bars.hints)

    # Moving

    def action_pane(self, delta: int) -> None:
        self.panes.go_beside(delta)

    def action_facets(self) -> None:
        self.panes.enter_or_hide_facets()

    def action_up(self) -> None:
        """Goes back to what led here, else up one level, unless it took a message away that asks."""
        way = self.view.way_back
        if way is not None and self.focused in (self.panes.packages, self.panes.specs):
            self.view.ways.follow(way)
            self.bars.show_hints()
        elif not self.bars.has_asked:
            self.panes.go_up()

    @on(Table.Chosen, "#specs")
    def choose_spec(self) -> None:
        self.selection.choose(picks=self._picks)

    def action_needs(self) -> None:
        self.selection.open_needs()

    def action_sort(self) -> None:
        self.bars.say_order(self.panes.sort_by_next_column())

    def action_reverse(self) -> None:
        self.bars.say_order(self.panes.turn_order_round())

    def sort_newest_first(self) -> None:
        self.bars.say_order(self.panes.sort_newest_first())

    # Filters

    @on(FacetSidebar.ValueToggled)
    def toggle_value(self, event: FacetSidebar.ValueToggled) -> None:
        self.filters.facets.toggle(event.facet, event.value)

    @on(FacetSidebar.ValueExcluded)
    def exclude_value(self, event: FacetSidebar.ValueExcluded) -> None:
        self.filters.facets.exclude(event.facet, event.value)

    def action_filter(self) -> None:
        self.add_class("-typing")
        self.filters.typed.start()
        self.bars.show_keeping(self.filters.typed.keeping()._replace(is_counted=False))

    @on(QueryLine.Queried)
    def follow_query(self, event: QueryLine.Queried) -> None:
        self.filters.follow(event)

    @on(QueryLine.StatusChanged)
    def show_status(self, event: QueryLine.StatusChanged) -> None:
        self.bars.show_status(event)

    @on(Prompt.Left, "#query-line")
    def end_query(self, event: Prompt.Left) -> None:
        self.remove_class("-typing")
        self.bars.offer(())
        self.bars.show_keeping()
        self.filters.end_typing(kept=event.chosen)

    @on(FacetSidebar.FindStarted)
    def find_value(self) -> None:
        self.add_class("-typing")
        self.filters.facets.prompt.open()

    @on(Prompt.Edited, "#facet-prompt")
    def follow_value(self, event: Prompt.Edited) -> None:
        self.filters.facets.find(event.text)

    @on(Prompt.Stepped, "#facet-prompt")
    def step_value(self, event: Prompt.Stepped) -> None:
        self.panes.facets.step_found(event.delta)

    @on(Prompt.Left, "#facet-prompt")
    def end_finding(self, event: Prompt.Left) -> None:
        self.remove_class("-typing")
        self.filters.facets.end_finding(event.text, kept=event.chosen)

    def action_undo(self) -> None:
        if not self.selection.bring_back():
            self.filters.undo()

    def action_redo(self) -> None:
        self.filters.redo()

    def action_clear(self) -> None:
        self.filters.clear()

    def action_choose_tag(self) -> None:
        self.filters.open_tags()

    def action_step_tag(self, delta: int) -> None:
        self.filters.step_tag(delta)

    def action_fits(self) -> None:
        self.filters.host.toggle_fits()

    def action_choose_host(self) -> None:
        self.filters.host.open()

    @on(Bar.Clicked, "#chips")
    def take_out(self, event: Bar.Clicked) -> None:
        self.filters.take_out(event.text)

    def action_why(self) -> None:
        self.filters.open_why()

    # Marks, and what leaves the browser

    def action_mark(self) -> None:
        self.selection.mark()

    def action_clear_marks(self) -> None:
        self.selection.clear()

    def action_marks(self) -> None:
        self.selection.open_marks()

    def action_compare(self) -> None:
        self.selection.compare()

    def action_copy(self) -> None:
        self.selection.open_copy()

    def action_export(self) -> None:
        self.selection.open_export()

    # Other screens

    def action_lookup(self) -> None:
        self.filters.open_lookup()

    def action_survey(self, name: str) -> None:
        self.surveys.open(name)

    def action_views(self) -> None:
        self.views.open_list()

    def action_problems(self) -> None:
        from cachetui.tui.screens.list_screens import ProblemsScreen

        self.app.push_screen(ProblemsScreen([*(stale.problem for stale in self.bars.stale), *self.view.index.problems]))

    def action_help(self) -> None:
        from cachetui.tui.screens.help import browse_help
        from cachetui.tui.screens.list_screens import HelpScreen

        self.app.push_screen(HelpScreen(browse_help(self._pane)))

    def action_reload(self) -> None:
        self.post_message(self.ReloadAsked())

    def action_quit(self) -> None:
        self.app.exit(return_code=NOTHING_PICKED if self._picks else 0)
