"""The browse screen: facets, packages, specs and the detail, all of one query.

It composes and routes: every list shows the results of its view, and it alone changes that view. Its three jobs:
narrow down to what fits, see a spec in full with the command that installs it, and compare what there is for each
value of a facet.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget

from cachetui.explain import left_out, why_nothing
from cachetui.host import Host
from cachetui.index import Index
from cachetui.paste import copies, find_command, hash_word
from cachetui.query import NamePart, Part, Query
from cachetui.report import Field, detail, package_detail
from cachetui.spec import Spec
from cachetui.text import visible
from cachetui.tui import lines
from cachetui.tui.bar import Bar
from cachetui.tui.columns import Cell
from cachetui.tui.coverage_screen import CellChosen, CoverageScreen
from cachetui.tui.coverage_view import CoverageView
from cachetui.tui.detail import DetailPane
from cachetui.tui.drift_screen import DriftScreen
from cachetui.tui.expect_screen import ExpectScreen
from cachetui.tui.facets import FacetSidebar
from cachetui.tui.help import HELP
from cachetui.tui.lists import HelpScreen, ProblemsScreen, TagScreen
from cachetui.tui.look import look_of
from cachetui.tui.lookup import LookupScreen
from cachetui.tui.output import CopyScreen, ExportScreen
from cachetui.tui.prompt import Prompt
from cachetui.tui.queryline import QueryLine
from cachetui.tui.screen import SizedScreen
from cachetui.tui.sources import PACKAGE_COLUMNS, SPEC_COLUMNS, SpecKey, SpecRows, spec_key
from cachetui.tui.spec_screen import SpecScreen
from cachetui.tui.table import Table
from cachetui.tui.timeline_screen import TimelineScreen
from cachetui.tui.view import VERSION, Order, View, with_order
from cachetui.tui.why import WhyScreen, short_lines

NOTHING_PICKED = 130
"""The exit status where something was to be picked, and was not."""

Level = Literal["packages", "specs"]


class BrowseScreen(SizedScreen[None]):
    """The main screen."""

    AUTO_FOCUS = "#packages"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (120, "-wide")]  # noqa: RUF012  # typed by Screen

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", id="browse.filter", tooltip="Type a query"),
        Binding("number_sign", "lookup", "Hash", id="browse.lookup", tooltip="Look a hash up, over all tags"),
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
        Binding("d", "drift", "Drift", id="browse.drift", tooltip="What changed between two tags"),
        Binding("v", "timeline", "Timeline", id="browse.timeline", tooltip="The package over the tags"),
        Binding("y", "copy", "Copy", id="browse.copy", tooltip="Copy a hash, a command, this view as a command"),
        Binding("e", "export", "Export", id="browse.export", tooltip="Write the marked specs, or all of this view"),
        Binding("H", "fits", "Host", id="browse.fits", tooltip="Only what runs on this host; again: all"),
        Binding("w", "why", "Why", id="browse.why", tooltip="Why is nothing left, or so little?"),
        Binding("r", "reload", "Reload", id="browse.reload", tooltip="Read again what changed on disk"),
        Binding("left,h", "pane(-1)", "Pane", id="browse.pane_left", tooltip="The pane at the left"),
        Binding("right,l", "pane(1)", "Pane", id="browse.pane_right", tooltip="The pane at the right"),
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
        super().__init__()
        self.view = View(index, query, host)
        self._content = content
        self._is_sample = is_sample
        self._picks = picks
        self._before_typing = query
        self._offers: tuple[str, ...] = ()
        self._message = ""
        self._activity = ""
        self._package_shown: str | None = None
        self._cell: CellChosen | None = None
        """The cell of the coverage that led here: Esc goes back to it, as long as the query is still its own."""
        self.header = Bar(id="header")
        self.chips = Bar(id="chips")
        self.query_line = QueryLine(id="query-line")
        self.facet_prompt = Prompt("/", "a part of a value", id="facet-prompt")
        self.host_prompt = Prompt(":", "the host: zen4, linux-rhel9-zen4", id="host-prompt")
        self.facets = FacetSidebar(id="facets")
        self.packages = Table(PACKAGE_COLUMNS, id="packages")
        self.specs = Table(SPEC_COLUMNS, id="specs")
        self.detail = DetailPane(id="detail")
        self.hints = Bar(id="hints")

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.chips
        yield self.query_line
        yield self.facet_prompt
        yield self.host_prompt
        with Horizontal(id="panes"):
            yield self.facets
            yield self.packages
            with Vertical(id="right"):
                yield self.specs
                yield self.detail
        yield self.hints

    def on_mount(self) -> None:
        # Textual finds the width out after the first frame, and a small terminal would flash as if it were a wide one.
        self.add_class([name for least, name in self.HORIZONTAL_BREAKPOINTS if least <= self.app.size.width][-1])
        self._show()

    def on_resize(self) -> None:
        self._show_header()
        self._show_hints()
        self.call_later(self._follow_width)  # Textual sets the class that says how wide it is after this

    def _follow_width(self) -> None:
        self._show_chips()
        self._show_detail()

    # What is shown

    def show_index(self, index: Index, activity: str = "") -> None:
        """Shows another index of the same catalogue; filters, marks and the cursor stay.

        While a catalogue is read for the first time, a cursor that was not moved stays on the first package.
        """
        untouched = self.is_reading and not self.packages.cursor_row
        self._activity = activity
        self.view.use(index)
        self._show()
        if untouched:
            self.packages.go(0)
            self._show_specs()

    @property
    def is_reading(self) -> bool:
        """Whether something is being read in the background."""
        return bool(self._activity)

    def show_activity(self, activity: str) -> None:
        """Says what goes on in the background; empty for nothing."""
        self._activity = activity
        self._show_header()

    def say(self, message: str) -> None:
        """Shows a message in the last line, until the next key."""
        self._message = message
        self._show_hints()

    def forget_message(self) -> None:
        """The user has pressed a key, so the message was seen."""
        if self._message:
            self.say("")

    def _show(self) -> None:
        self._show_header()
        self._show_hints()
        self.facets.show_results(self.view.results)
        self._show_packages()

    def _show_header(self) -> None:
        label = None if self._is_sample else self._content
        self.header.show(*lines.header(self.view, label, self._activity, self.size.width, look_of(self)))

    def _show_chips(self) -> None:
        inside = self.level == "specs" and self.has_class("-narrow")
        where = [Cell(visible(self.package or ""), "title")] if inside else []
        room = self.size.width - sum(len(cell.text) for cell in where)
        self.chips.show(lines.chips(self.view, room, look_of(self)), where)

    def _show_hints(self) -> None:
        if self._message:
            self.hints.show([self._message])
        elif self._offers:
            self.hints.show([Cell("Tab ", "key"), "  ".join(self._offers)])
        else:
            self.hints.show([Cell(lines.hints(self._pane, self.size.width), "dim")])

    @property
    def _pane(self) -> str | None:
        """The id of the pane, or of the prompt, that has the keys."""
        if self.focused is None or self.focused.id is not None or self.focused.parent is None:
            return self.focused.id if self.focused else None
        return self.focused.parent.id

    @property
    def answering(self) -> Sequence[Widget]:
        """The list; while a query is typed, also the line and the counts."""
        typing = self.focused is not None and self._pane == self.query_line.id
        return (self.focused, self.header, self.packages) if typing and self.focused else super().answering

    def _show_packages(self) -> None:
        order = self.view.package_order
        self.packages.columns = with_order(PACKAGE_COLUMNS, order, by_itself=self._names_sort, falling=(1, 2))
        if not self.view.results.packages:
            self.packages.placeholder = self._why_nothing()
        self.packages.show(self.view.packages())
        self._show_specs()

    @property
    def _names_sort(self) -> int:
        """The column that packages are sorted by anyway: none where the best match of a fuzzy name comes first."""
        named = self.view.query.parts_of("name")
        return -1 if any(isinstance(part, NamePart) and part.fuzzy for part in named) else 0

    def _why_nothing(self) -> str:
        if not len(self.view.index):
            return "Nothing is read yet." if self.is_reading else "There is no page here."
        advice = "w says more and takes a part out, u takes the last step back, x clears all."
        return "\n".join(["Nothing matches.", *short_lines(why_nothing(self.view.index, self.view.query)), advice])

    def _show_specs(self) -> None:
        """The specs of the package under the cursor."""
        rows = self.view.specs(self.package)
        columns = with_order(SPEC_COLUMNS, self.view.spec_order, by_itself=VERSION, falling=(VERSION,))
        self.specs.columns = columns[:-1] if self.view.tag is not None else columns
        self.specs.show(rows)
        self._package_shown = self.package
        self._show_chips()
        self._show_detail()

    def _show_detail(self) -> None:
        row = self.spec_row
        if row is None:
            self.detail.show_fields(())
        elif self.level == "packages" and self.has_class("-narrow"):
            self.detail.show_fields(package_detail(self.view.results, self.view.index.package_of(row)))
        else:
            self.detail.show_fields(self._fields(row))

    def _fields(self, row: int) -> list[Field]:
        return detail(self.view.index, row, self.view.host, os.environ.get("CACHETUI_MIRROR"))

    @property
    def package(self) -> str | None:
        """The name of the package under the cursor."""
        key = self.packages.cursor_key
        return key if isinstance(key, str) else None

    @property
    def spec_row(self) -> int | None:
        """The row of the index under the cursor of the specs."""
        rows, at = self.specs.rows, self.specs.cursor_row
        return rows.rows[at] if isinstance(rows, SpecRows) and at is not None else None

    @property
    def level(self) -> Level:
        """Whether the user has gone into a package."""
        return "specs" if self.has_class("-in-package") else "packages"

    # Moving

    @on(Table.Moved, "#packages")
    def follow_package(self) -> None:
        if self.package != self._package_shown:
            self._show_specs()

    @on(Table.Moved, "#specs")
    def follow_spec(self) -> None:
        self._show_detail()

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        self._show_hints()

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

    def _go_to_level(self, level: Level) -> None:
        self.remove_class("-facets")
        self._focus_pane(self.specs if level == "specs" else self.packages)

    def _focus_pane(self, pane: Table) -> None:
        if pane is not self.facets:
            self.set_class(pane in (self.specs, self.detail), "-in-package")
        pane.focus()
        self._show_chips()
        self._show_detail()

    def action_pane(self, delta: int) -> None:
        """Goes to the pane beside; where there is room for one list, in and out of the package."""
        panes = [pane for pane in (self.facets, self.packages, self.specs, self.detail) if pane.is_on_screen]
        at = next((k for k, pane in enumerate(panes) if pane is self.focused), 0) + delta
        if self.has_class("-narrow") and self.focused is (self.packages if delta > 0 else self.specs):
            self._go_to_level("specs" if delta > 0 else "packages")
        else:
            self._focus_pane(panes[at % len(panes)])

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

    def action_facets(self) -> None:
        """Enters the facets; hides them from within."""
        if self.focused is self.facets:
            self.set_class(self.has_class("-wide"), "-no-facets")
            self._go_to_level(self.level)
        else:
            self.remove_class("-no-facets")
            self.add_class("-facets")
            self.facets.focus()

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
        self._before_typing = self.view.query
        self.add_class("-typing")
        self.query_line.open_on(self.view.index, self.view.query.without_key("tag"))

    @on(QueryLine.Queried)
    def follow_query(self, event: QueryLine.Queried) -> None:
        self.view.try_query(self.view.within_tag(event.query))
        self._show()

    @on(QueryLine.Told)
    def tell(self, event: QueryLine.Told) -> None:
        self._offers = event.offers
        self.say(event.text)

    @on(Prompt.Left, "#query-line")
    def end_query(self) -> None:
        self.remove_class("-typing")
        self._offers = ()
        self.view.step(self.view.query, self._before_typing)
        self._go_to_level("packages")

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
        self.app.push_screen(TagScreen(self.view.index, self.view.tag or ""), self._look_at_tag)

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
        out = [f"{each.specs:,} {each.reason}" for each in left_out(self.view.index, self.view.query)]
        told = f"left out: {', '.join(out)}" if out else "nothing is left out"
        self.say(visible(f"runs on {self.view.host}; {told}"))

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
        if isinstance(chosen, int):
            self._go_to(spec_key(self.view.index, chosen))
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
        if not isinstance(found, str):
            self.specs.show(self.specs.rows, key=found)
        self._go_to_level("packages" if isinstance(found, str) else "specs")
        if revealed:
            self.say("filters were taken away to show it; u brings them back")

    def action_copy(self) -> None:
        """The marked specs, else the one under the cursor, and the view itself."""
        texts = self._copies(self.view.marked_or(self.spec_row))
        shown = self.view.shown_in(self._package_gone_into)
        command = find_command(self._content, shown, sort=self.view.sort_option)
        self.app.push_screen(CopyScreen([*texts, ("this view", command)]))

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
        what = f"{marked} marked specs" if marked else f"{shown:,} specs"
        name = "-".join(filter(None, ("cachetui", self.view.tag_label, None if marked else package)))
        self.app.push_screen(ExportScreen(name, what, self.view.writers(package)), self._say_written)

    def _say_written(self, message: object) -> None:
        if isinstance(message, str):
            self.say(visible(message))

    def action_coverage(self) -> None:
        self._open_coverage(CoverageView())

    def _open_coverage(self, view: CoverageView) -> None:
        screen = CoverageScreen(self.view.index, self.view.query, self._content, view)
        self.app.push_screen(screen, self._go_to_cell)

    def _go_to_cell(self, chosen: object) -> None:
        """Shows the specs of a cell, as one step of the filters."""
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
        self.app.push_screen(DriftScreen(self.view.index, self.view.query, self._content, self.view.tag))

    def action_timeline(self) -> None:
        if self.package is None:
            self.say("there is no package under the cursor")
            return
        index, query = self.view.index, self.view.query
        screen = TimelineScreen(index, query, self._content, self.package, self.view.tag)
        self.app.push_screen(screen, self._look_at_tag)

    def action_expect(self) -> None:
        """Asks for a file of names, or a `spack.yaml`, and shows what there is of it."""
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
