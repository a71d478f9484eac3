"""The browse screen: what keys do to the view that the panes show, and which screens they open.

It alone changes the view. Its three jobs: narrow down to what fits, see a spec in full with the command that installs
it, and compare what there is for each value of a facet.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from cachetui.explain.why import left_out
from cachetui.model.host import Host
from cachetui.model.spec import Spec
from cachetui.query.part import Part
from cachetui.query.query import Query
from cachetui.report.paste import copies, find_command, hash_word
from cachetui.search.index import Index
from cachetui.text import plural, visible
from cachetui.tui.rows.packages import PACKAGE_COLUMNS, PackageRows
from cachetui.tui.rows.specs import SpecKey
from cachetui.tui.screens.help import HELP
from cachetui.tui.screens.lists import HelpScreen, ProblemsScreen
from cachetui.tui.screens.lookup import LookupScreen
from cachetui.tui.screens.output import CopyScreen, ExportScreen
from cachetui.tui.screens.panes import PanesScreen
from cachetui.tui.screens.spec import SpecScreen
from cachetui.tui.screens.tags import TagScreen
from cachetui.tui.screens.why import WhyScreen
from cachetui.tui.state.coverage_view import CoverageView
from cachetui.tui.state.view import VERSION, Order
from cachetui.tui.widgets.facets import FacetSidebar
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.query_line import QueryLine
from cachetui.tui.widgets.table import Table

if TYPE_CHECKING:
    from cachetui.tui.screens.coverage import CellChosen

# The surveys are imported when they are opened: the first screen stands sooner without them.

NOTHING_PICKED = 130
"""The exit status where something was to be picked, and was not."""


class BrowseScreen(PanesScreen):
    """The main screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", id="browse.filter", tooltip="Type a query"),
        Binding("number_sign", "lookup", "Hash", id="browse.lookup", tooltip="Signs a hash up, over all tags"),
        Binding("f", "facets", "Facets", id="browse.facets", tooltip="Show, enter and hide the facets"),
        Binding("t", "choose_tag", "Tag", id="browse.tag", tooltip="Choose the tag"),
        Binding("comma", "step_tag(1)", "Previous tag", id="browse.tag_before", tooltip="The previous tag"),
        Binding("full_stop", "step_tag(-1)", "Next tag", id="browse.tag_after", tooltip="The next tag"),
        Binding("s", "sort", "Sort", id="browse.sort", tooltip="Sort by the next column"),
        Binding("S", "reverse", "Reverse", id="browse.reverse", tooltip="Turn the order round"),
        Binding("u,backspace", "undo", "Undo", id="browse.undo", tooltip="Take back the last filter step"),
        Binding("U", "redo", "Redo", id="browse.redo", tooltip="Do it again"),
        Binding("x", "clear", "Clear", id="browse.clear", tooltip="Clear all filters"),
        Binding("space", "mark", "Mark", id="browse.mark", tooltip="Mark the spec, or take the mark away"),
        Binding(
            "exclamation_mark", "problems", "Problems", id="browse.problems", tooltip="What was wrong while reading"
        ),
        Binding("c", "coverage", "Coverage", id="browse.coverage", tooltip="Package by stack, and the gaps"),
        Binding("d", "drift", "Drift", id="browse.drift", tooltip="The differences between two tags"),
        Binding("v", "timeline", "Timeline", id="browse.timeline", tooltip="The package over the tags"),
        Binding("y", "copy", "Copy", id="browse.copy", tooltip="Copy a hash, a command, this view as a command"),
        Binding("e", "export", "Export", id="browse.export", tooltip="Write the marked specs, or all of this view"),
        Binding("H", "fits", "Host", id="browse.fits", tooltip="Only what runs on this host; again: all"),
        Binding("w", "why", "Why", id="browse.why", tooltip="Why is nothing left, or so little?"),
        Binding("r", "reload", "Reload", id="browse.reload", tooltip="Read again what changed on disk"),
        Binding("left,h", "pane(-1)", "Left", id="browse.pane_left", tooltip="The pane at the left"),
        Binding("right,l", "pane(1)", "Right", id="browse.pane_right", tooltip="The pane at the right"),
        Binding("tab", "pane(1)", "Pane", id="browse.pane_next", show=False),
        Binding("shift+tab", "pane(-1)", "Pane", id="browse.pane_before", show=False),
        Binding("escape", "up", "Up", id="browse.up", tooltip="Close what is open, or go up one level"),
        Binding("question_mark", "help", "Help", id="browse.help", tooltip="What the keys do"),
        Binding("q", "quit", "Quit", id="browse.quit", tooltip="Quit"),
    ]

    class ReloadAsked(Message):
        """The user wants what changed on disk to be read again."""

    def __init__(
        self, index: Index, query: Query, host: Host, *, content: str, is_sample: bool = False, picks: bool = False
    ) -> None:
        """`content` as the user named it; `picks`: Enter on a spec ends with the choice."""
        super().__init__(index, query, host, content=content, is_sample=is_sample)
        self._picks = picks
        if picks:
            self.on_enter = "Enter pick it"
        self._before_typing = query
        self._package_before: str | None = None
        """While a query is typed, the package that the cursor was on."""
        self._level_before = self.level
        self._cell: CellChosen | None = None
        """The cell of the coverage that led here: Esc goes back to it, as long as the query is still its own."""

    @on(Table.Chosen, "#packages")
    def enter_package(self) -> None:
        self._go_to_level("specs")

    @on(Table.Chosen, "#specs")
    def choose_spec(self) -> None:
        """Shows the spec in full; where one is to be picked, ends with it or with the marked ones."""
        row = self.spec_row
        if row is None:
            return
        if not self._picks:
            spec = self.view.index.spec(row)
            title = visible(f"{spec.package}@{spec.version}")
            self.app.push_screen(SpecScreen(title, self._fields(row), self._copies([spec])))
        elif words := [word for spec in self.view.marked_or(row) if (word := hash_word(spec))]:
            self.app.exit(words)
        else:
            self.say("this spec has no hash, so it cannot be picked")

    def action_up(self) -> None:
        """Closes the facets over a list, leaves the detail, then the package."""
        if self.has_class("-facets") and not self.has_class("-wide"):
            self._go_to_level(self.level)
        elif self.focused is self.detail:
            self.specs.focus()
        elif self._cell is not None and self._cell.query == self.view.query and self.focused is not self.facets:
            self._back_to_coverage(self._cell)
        elif self.focused is self.facets or self.level == "specs":
            self._go_to_level("packages")

    # Filters

    @on(FacetSidebar.ValueToggled)
    def toggle_value(self, event: FacetSidebar.ValueToggled) -> None:
        self.view.toggle(event.facet, event.value)
        self._show()

    @on(FacetSidebar.ValueExcluded)
    def exclude_value(self, event: FacetSidebar.ValueExcluded) -> None:
        self.view.exclude(event.facet, event.value)
        self._show()

    def action_filter(self) -> None:
        self._before_typing, self._package_before, self._level_before = self.view.query, self.package, self.level
        self.add_class("-typing")
        self.query_line.open_on(self.view.index, self.view.query)

    @on(QueryLine.Queried)
    def follow_query(self, event: QueryLine.Queried) -> None:
        self.view.try_query(self.view.within_tag(event.query))
        self._show()

    def _package_wanted(self, rows: PackageRows) -> str | None:
        """While a query is typed, the best match of the name in it, else the package that it was begun on."""
        if self._package_before is None:
            return None
        if self._is_named and self._names_sort < 0 and len(rows):
            return rows.key(0)
        return self._package_before if rows.find(self._package_before) is not None else None

    @property
    def _is_named(self) -> bool:
        """Whether the query that is typed has another name than the one before."""
        return self.view.query.parts_of("name") != self._before_typing.parts_of("name")

    @on(QueryLine.StatusChanged)
    def show_status(self, event: QueryLine.StatusChanged) -> None:
        self._offers, self._has_taken = event.offers, event.has_taken
        self.say(event.text)

    @on(Prompt.Left, "#query-line")
    def end_query(self) -> None:
        self.remove_class("-typing")
        self.view.step(self.view.query, self._before_typing)
        self._show()
        stays = self.package == self._package_before and not self._is_named
        self._offers, self._package_before = (), None
        self._go_to_level(self._level_before if stays else "packages")
        if self.query_line.error is not None:
            self.say(f"not applied: {visible(str(self.query_line.error))}")

    @on(FacetSidebar.FindStarted)
    def find_value(self) -> None:
        self.add_class("-typing")
        self.facet_prompt.open()

    @on(Prompt.Edited, "#facet-prompt")
    def follow_value(self, event: Prompt.Edited) -> None:
        self.facets.find_value(event.text)

    @on(Prompt.Left, "#facet-prompt")
    def end_finding(self, event: Prompt.Left) -> None:
        self.remove_class("-typing")
        self.facets.end_finding(stay=event.chosen)
        self.facets.focus()

    def action_undo(self) -> None:
        self._show_step(self.view.back(), "no filter step to take back")

    def action_redo(self) -> None:
        self._show_step(self.view.forth(), "nothing was taken back")

    def _show_step(self, stepped: bool, otherwise: str) -> None:
        if stepped:
            self._show()
        else:
            self.say(otherwise)

    def action_clear(self) -> None:
        self.view.clear()
        self._show()

    # Tags, order, marks

    def action_choose_tag(self) -> None:
        tags = ("", *self.view.index.tags)
        self.app.push_screen(TagScreen("Which tag?", self.view.index, tags, self.view.tag or ""), self._look_at_tag)

    def _look_at_tag(self, tag: object) -> None:
        if isinstance(tag, str):
            self.view.look_at_tag(tag or None)
            self._show()

    def action_step_tag(self, delta: int) -> None:
        self._show_step(self.view.step_tag(delta), "no older tag" if delta > 0 else "no newer tag")

    def action_sort(self) -> None:
        if self.level == "specs":
            self.view.spec_order = _next_order(self.view.spec_order, len(self.specs.columns), by_itself=VERSION)
        else:
            self.view.package_order = _next_order(self.view.package_order, len(PACKAGE_COLUMNS), by_itself=0)
        self._show_packages()

    def action_reverse(self) -> None:
        if self.level == "specs":
            self.view.spec_order = self.view.spec_order.turned_round()
        else:
            self.view.package_order = self.view.package_order.turned_round()
        self._show_packages()

    def action_mark(self) -> None:
        if self.spec_row is None or self.level != "specs":
            self.say("go into a package to mark its specs")
            return
        self.view.toggle_mark(self.spec_row)
        self.specs.show(self.view.specs(self.package))
        self.specs.move(1)
        self._show_header()

    # What runs where, and why nothing

    def action_fits(self) -> None:
        """Shows only what runs on the host, or everything again."""
        only = self.view.toggle_fits()
        self._show()
        if only:
            self._tell_left_out()

    def _tell_left_out(self) -> None:
        out = [each.text for each in left_out(self.view.index, self.view.query)]
        self.say(visible(f"left out: {', '.join(out)}" if out else f"all of it runs on {self.view.host}"))

    def action_choose_host(self) -> None:
        """Asks for another host than the one that is assumed."""
        self.add_class("-typing")
        self.host_prompt.open()

    @on(Prompt.Left, "#host-prompt")
    def choose_host(self, event: Prompt.Left) -> None:
        self.remove_class("-typing")
        self._go_to_level(self.level)
        if event.chosen and event.text:
            try:
                self.view.choose_host(Host.parse(event.text.strip()))
            except ValueError as error:
                self.say(visible(str(error)))
                return
            self._show()
            self._tell_left_out()

    def action_why(self) -> None:
        self.app.push_screen(WhyScreen(self.view.index, self.view.query), self._act_on_why)

    def _act_on_why(self, chosen: object) -> None:
        if isinstance(chosen, tuple):
            self._go_to(chosen)
        elif isinstance(chosen, Part):
            self.view.step(self.view.query.without(chosen))
            self._show()

    # Other screens

    def action_lookup(self) -> None:
        self.app.push_screen(LookupScreen(self.view.index, self.view.tag), self._go_to)

    def _go_to(self, found: SpecKey | str | None) -> None:
        """Goes to a spec or a package; filters that hide it are taken away, as one step."""
        if found is None:
            return
        revealed = self.view.reveal(found)
        if revealed:
            self._show()
        self.packages.show(self.packages.rows, key=found if isinstance(found, str) else found[1])
        self._show_specs()
        self._go_to_level("packages" if isinstance(found, str) else "specs")
        if not isinstance(found, str):
            self.specs.show(self.specs.rows, key=found, afresh=True)
        if revealed:
            self.say("filters were taken away to show it; u brings them back")

    def action_copy(self) -> None:
        """The marked specs, else the one under the cursor, and the view itself."""
        specs = self.view.marked_or(self.spec_row)
        shown, packages = self.view.shown_in(self._package_gone_into), self.level == "packages"
        sort = self.view.package_sort if packages else self.view.sort_option
        command = find_command(self._content, shown, packages=packages, sort=sort)
        self.app.push_screen(CopyScreen([*self._copies(specs), ("this view", command)], self._whose(specs)))

    def _whose(self, specs: Sequence[Spec]) -> str:
        """What is copied of: the marks wherever they are, else the one spec."""
        if self.view.marks:
            unnamed = sum(hash_word(spec) is None for spec in specs)
            return plural(len(specs), "marked spec") + (f", {unnamed} without a hash" if unnamed else "")
        among = len(self.view.specs(self.package)) if self.level == "packages" else 1
        one = f", one of {among:,}" if among > 1 else ""
        return "".join(visible(f"{spec.package}@{spec.version} {(hash_word(spec) or '')[:8]}{one}") for spec in specs)

    def _copies(self, specs: Sequence[Spec]) -> list[tuple[str, str]]:
        return copies(specs, os.environ.get("CACHETUI_MIRROR"))

    @property
    def _package_gone_into(self) -> str | None:
        """The package whose specs alone are looked at."""
        return self.package if self.level == "specs" else None

    def action_export(self) -> None:
        """Writes the marked specs, else all that the view shows, to a file."""
        package, marked = self._package_gone_into, len(self.view.marks)
        shown = len(self.view.results) if package is None else len(self.view.specs(package))
        what = plural(marked, "marked spec") if marked else f"{shown:,} specs"
        name = "-".join(filter(None, ("cachetui", self.view.tag_label, None if marked else package)))
        self.app.push_screen(ExportScreen(name, what, self.view.writers(package)), self._say_written)

    def _say_written(self, message: object) -> None:
        if isinstance(message, str):
            self.say(visible(message))

    def action_coverage(self) -> None:
        self._open_coverage(CoverageView())

    def _open_coverage(self, view: CoverageView) -> None:
        from cachetui.tui.screens.coverage import CoverageScreen

        screen = CoverageScreen(self.view.index, self.view.query, self._content, view)
        self.app.push_screen(screen, self._go_to_cell)

    def _go_to_cell(self, chosen: object) -> None:
        """Shows the specs of a cell, as one step of the filters."""
        from cachetui.tui.screens.coverage import CellChosen

        if isinstance(chosen, CellChosen):
            self.view.step(chosen.query)
            self._show()
            self._cell = chosen
            self._go_to_level("specs" if len(self.view.results.packages) == 1 else "packages")
            self.say("Esc goes back to the coverage")

    def _back_to_coverage(self, cell: CellChosen) -> None:
        """Takes the step to a cell back, and opens the coverage where it was left."""
        self._cell = None
        self.action_undo()
        self._go_to_level("packages")
        same = cell.index is self.view.index
        self._open_coverage(cell.view if same else replace(cell.view, counted=None))

    def action_drift(self) -> None:
        from cachetui.tui.screens.drift import DriftScreen

        self.app.push_screen(DriftScreen(self.view.index, self.view.query, self._content, self.view.tag))

    def action_timeline(self) -> None:
        if self.package is None:
            self.say("there is no package under the cursor")
            return
        index, query = self.view.index, self.view.query
        from cachetui.tui.screens.timeline import TimelineScreen

        screen = TimelineScreen(index, query, self._content, self.package, self.view.tag)
        self.app.push_screen(screen, self._look_at_tag)

    def action_expect(self) -> None:
        """Asks for a file of names, or a `spack.yaml`, and shows what there is of it."""
        from cachetui.tui.screens.expectations import ExpectScreen

        self.app.push_screen(ExpectScreen(self.view.index, self.view.query, self._content), self._go_to_cell)

    def action_problems(self) -> None:
        self.app.push_screen(ProblemsScreen(self.view.index))

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(HELP))

    def action_reload(self) -> None:
        self.post_message(self.ReloadAsked())

    def action_quit(self) -> None:
        self.app.exit(return_code=NOTHING_PICKED if self._picks else 0)


def _next_order(order: Order, columns: int, *, by_itself: int) -> Order:
    """By the next column; the one that a list is sorted by anyway is no column."""
    following = ((by_itself if order.column is None else order.column) + 1) % columns
    return Order(None if following == by_itself else following)
