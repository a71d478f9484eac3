"""The browse screen: facets, packages, specs and the detail, all of one query.

It alone replaces the query; every list shows the results of it. Its three jobs: narrow down to what fits, see
a spec in full with the command that installs it, and compare what there is for each value of a facet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen

from cachetui.completion import Completion, completions
from cachetui.explain import left_out, unknown_values, why_nothing
from cachetui.host import Host
from cachetui.index import Index
from cachetui.query import FitsPart, Part, Query, QueryError, ValuePart
from cachetui.report import (
    COLUMNS,
    Field,
    copies,
    detail,
    environment,
    find_command,
    hash_word,
    json_text,
    markdown_table,
    package_detail,
    spec_cells,
    spec_csv,
)
from cachetui.spec import Spec
from cachetui.text import visible
from cachetui.tui.bar import Bar
from cachetui.tui.columns import Cell, Column
from cachetui.tui.detail import DetailPane
from cachetui.tui.facets import FacetSidebar
from cachetui.tui.help import HELP
from cachetui.tui.history import History
from cachetui.tui.lists import DetailScreen, HelpScreen, ProblemsScreen, TagScreen
from cachetui.tui.look import look_of
from cachetui.tui.lookup import LookupScreen
from cachetui.tui.output import CopyScreen, ExportScreen, Writer
from cachetui.tui.prompt import Prompt
from cachetui.tui.sources import (
    PACKAGE_COLUMNS,
    SPEC_COLUMNS,
    PackageRows,
    SpecKey,
    SpecRows,
    rows_of_key,
    sorted_specs,
    spec_key,
)
from cachetui.tui.table import Table
from cachetui.tui.why import WhyScreen, short_lines

HINTS_OF = {
    "packages": ("/ filter", "# hash", "f facets", "t tag", "Enter specs", "u undo", "x clear", "s sort", "! problems"),
    "specs": ("/ filter", "# hash", "f facets", "t tag", "Enter in full", "Space mark", "s sort", "Esc packages"),
    "detail": ("Up Down scroll", "Esc specs", "/ filter", "# hash"),
    "facets": ("Space tick", "- without", "/ find", "Enter fold", "u undo", "x clear", "f hide", "Esc packages"),
}
"""For each pane the keys that matter there, the most wanted first."""

PLACEHOLDERS = {
    "query": "package, @version, +variant, %compiler, os= target= stack= tag= /hash",
    "facet": "a part of a value",
    "host": "the host: a microarchitecture (zen4) or a triple (linux-rhel9-zen4)",
}

SAMPLE = "the sample (cachetui DIR opens yours)"

NOTHING_PICKED = 130
"""The exit status where something was to be picked, and was not."""

MOST_OFFERS = 12
"""So many completions are offered in the last line."""

LAST_HINTS = ("? help", "q quit")


class BrowseScreen(Screen[None]):
    """The main screen."""

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
        self, index: Index, query: Query, host: Host, *, content: str | None = None, picks: bool = False
    ) -> None:
        """`content` as the user named it, None for the sample; `picks`: Enter on a spec ends with the choice."""
        super().__init__()
        self.index = index
        self.current_query = query
        self.results = index.results(query)
        self.marks: frozenset[SpecKey] = frozenset()
        self._content = content
        self._picks = picks
        self._host = host
        self._history = History()
        self._before_typing = query
        self._typing: Literal["", "query", "facet", "host"] = ""
        self._offers: list[Completion] = []
        self._order: dict[str, tuple[int | None, bool]] = {"packages": (None, False), "specs": (None, False)}
        self._package: str | None = None
        self._message = ""
        self._activity = ""
        self.header = Bar(id="header")
        self.chips = Bar(id="chips")
        self.prompt = Prompt("/", id="prompt")
        self.facets = FacetSidebar(id="facets")
        self.packages = Table(PACKAGE_COLUMNS, id="packages")
        self.specs = Table(SPEC_COLUMNS, id="specs")
        self.detail = DetailPane(id="detail")
        self.hints = Bar(id="hints")

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.chips
        yield self.prompt
        with Horizontal(id="panes"):
            yield self.facets
            yield self.packages
            with Vertical(id="right"):
                yield self.specs
                yield self.detail
        yield self.hints

    def on_mount(self) -> None:
        self.packages.focus()
        self._show()

    # What is shown

    def show_index(self, index: Index, activity: str = "") -> None:
        """Shows another index of the same catalogue; filters, marks and the cursor stay.

        While a catalogue is read for the first time, a cursor that was not moved stays on the first package.
        """
        untouched = self.is_reading and not self.packages.cursor_row
        self.index = index
        self._activity = activity
        self.results = index.results(self.current_query)
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

    def _set_query(self, query: Query) -> None:
        """One step of the filters."""
        self._history.step(self.current_query, query)
        self._show_query(query)

    def _show_query(self, query: Query) -> None:
        self.current_query = query
        self.results = self.index.results(query)
        self._show()

    def _show(self) -> None:
        self._show_header()
        self._show_hints()
        self.facets.show_results(self.results)
        self._show_packages()

    def _show_header(self) -> None:
        scope = self.index.results(self.current_query.only_key("tag"))
        look = look_of(self)
        told = [
            self._activity,
            f"{len(self.marks)} marked" if self.marks else "",
            f"{len(self.results):,} of {len(scope):,} specs",
            f"{len(self.results.packages):,} of {len(scope.packages):,} packages",
        ]
        tag = Cell(f"{visible(self.tag_label)} {look.choice}", "title")
        left: list[Cell | str] = [Cell("cachetui", "title"), f"  {visible(self._content or SAMPLE)} {look.dot} ", tag]
        self.header.show(left, [f" {look.dot} ".join(filter(None, told))])

    def _show_chips(self) -> None:
        chips: list[Cell | str] = []
        for part in self.current_query.without_key("tag").parts:
            chips += [Cell(visible(part.typed or part.text), "key"), f" {look_of(self).close}  "]
        inside = self.level == "specs" and self._package is not None and self.has_class("-narrow")
        where = [Cell(visible(self._package or ""), "title")] if inside else []
        self.chips.show(chips or [Cell("no filter", "dim")], where)

    @property
    def tag_label(self) -> str:
        """The tag that is looked at, as the header names it."""
        parts = self.current_query.parts_of("tag")
        texts = (part.text.removeprefix("tag=") for part in parts)
        return " ".join(texts) or "all tags"

    def _show_hints(self) -> None:
        if self._message:
            self.hints.show([self._message])
        elif self._typing == "query" and self._offers:
            self.hints.show([Cell("Tab ", "key"), visible("  ".join(offer.text for offer in self._offers))])
        else:
            self.hints.show([Cell(self._fitting_hints(), "dim")])

    def _fitting_hints(self) -> str:
        """As many hints as there is room for; the way to the help and out is always among them."""
        pane = self.focused.id if self.focused else None
        hints = HINTS_OF.get(pane or "", HINTS_OF["packages"])
        while len(hints) > 1 and len("  ".join((*hints, *LAST_HINTS))) > self.size.width:
            hints = hints[:-1]
        return "  ".join((*hints, *LAST_HINTS))

    def _show_packages(self) -> None:
        order, reverse = self._order["packages"]
        self.packages.columns = _with_order(PACKAGE_COLUMNS, 0 if order is None else order, reverse)
        if not self.results.packages:
            self.packages.placeholder = self._why_nothing()
        self.packages.show(PackageRows(self.results, order, reverse))
        self._package = None
        self._show_specs()

    def _why_nothing(self) -> str:
        if not self.current_query or not len(self.index):
            return "Nothing is read yet." if self.is_reading else "There is no page here."
        advice = "w says more and takes a part out, u takes the last step back, x clears all."
        return "\n".join(["Nothing matches.", *short_lines(why_nothing(self.index, self.current_query)), advice])

    def _show_specs(self) -> None:
        """The specs of the package under the cursor."""
        name = self.packages.cursor_key
        self._package = name if isinstance(name, str) else None
        self._show_chips()
        number = self.index.package_number(self._package) if self._package is not None else None
        rows = [] if number is None else self.results.package_rows(number)
        order, reverse = self._order["specs"]
        one_tag = len({self.index.tag_of(row) for row in rows[:1] + rows[-1:]}) == 1 and self._one_tag
        columns = _with_order(SPEC_COLUMNS, 1 if order is None else order, reverse, falling=(1,))
        self.specs.columns = columns[:-1] if one_tag else columns
        self.specs.show(SpecRows(self.index, sorted_specs(self.results, rows, order, reverse), self.marks))
        self._show_detail()

    @property
    def _one_tag(self) -> bool:
        parts = self.current_query.parts_of("tag")
        return any(isinstance(part, ValuePart) and not part.excluded and len(part.words) == 1 for part in parts)

    def _show_detail(self) -> None:
        row = self.spec_row
        if self._package is None or row is None:
            self.detail.show_fields(())
        elif self.level == "packages" and self.has_class("-narrow"):
            number = self.index.package_number(self._package)
            assert number is not None  # it was just shown
            self.detail.show_fields(package_detail(self.results, number))
        else:
            self.detail.show_fields(self._fields(row))

    def _fields(self, row: int) -> list[Field]:
        return detail(self.index, row, self.host, os.environ.get("CACHETUI_MIRROR"))

    @property
    def host(self) -> Host:
        """The host of the query, else the one that the user or the machine names."""
        for part in self.current_query.parts_of("fits"):
            if isinstance(part, FitsPart):
                return part.host
        return self._host

    @property
    def spec_row(self) -> int | None:
        """The row of the index under the cursor of the specs."""
        rows, at = self.specs.rows, self.specs.cursor_row
        return rows.rows[at] if isinstance(rows, SpecRows) and at is not None else None

    @property
    def level(self) -> Literal["packages", "specs"]:
        """Whether the user has gone into a package."""
        return "specs" if self.has_class("-in-package") else "packages"

    # Moving

    @on(Table.Moved, "#packages")
    def follow_package(self) -> None:
        if self.packages.cursor_key != self._package:
            self._show_specs()

    @on(Table.Moved, "#specs")
    def follow_spec(self) -> None:
        self._show_detail()

    @on(events.DescendantFocus)
    def show_hints_of_pane(self) -> None:
        self._show_hints()

    @on(Table.Chosen, "#packages")
    def enter_package(self) -> None:
        self._go_to_level("specs")

    @on(Table.Chosen, "#specs")
    def open_spec(self) -> None:
        row = self.spec_row
        if self._picks:
            self.pick()
        elif row is not None:
            spec = self.index.spec(row)
            self.app.push_screen(DetailScreen(visible(f"{spec.package}@{spec.version}"), self._fields(row)))

    def pick(self) -> None:
        """Ends the browser with the marked specs, else the one under the cursor, as `/hash` words."""
        words = [word for spec in self._marked_specs or self._spec_here if (word := hash_word(spec))]
        if words:
            self.app.exit(words)
        else:
            self.say("this spec has no hash, so it cannot be picked")

    def _go_to_level(self, level: Literal["packages", "specs"]) -> None:
        self.remove_class("-facets")
        self.set_class(level == "specs", "-in-package")
        self._show_chips()
        (self.specs if level == "specs" else self.packages).focus()
        self._show_detail()

    def action_pane(self, delta: int) -> None:
        """Goes to the next pane that is on screen; where there is room for one list, in and out of the package."""
        panes = [pane for pane in (self.facets, self.packages, self.specs, self.detail) if pane.is_on_screen]
        here = self.focused
        at = next((k for k, pane in enumerate(panes) if pane is here), 0) + delta
        if self.has_class("-narrow") and here in (self.packages, self.specs) and not 0 <= at < len(panes):
            self._go_to_level("specs" if delta > 0 else "packages")
        elif self.has_class("-narrow") and here is self.specs and delta < 0:
            self._go_to_level("packages")
        else:
            self._focus_pane(panes[at % len(panes)])

    def _focus_pane(self, pane: Table) -> None:
        self.set_class(pane in (self.specs, self.detail), "-in-package")
        pane.focus()

    def action_up(self) -> None:
        """Closes the facets over a list, leaves the detail, then the package."""
        if self.has_class("-facets") and not self.has_class("-wide"):
            self._go_to_level(self.level)
        elif self.focused is self.detail:
            self.specs.focus()
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
        values = self.index.values(event.facet)
        self._set_query(self.current_query.toggled(event.facet, event.value, values))

    @on(FacetSidebar.ValueExcluded)
    def exclude_value(self, event: FacetSidebar.ValueExcluded) -> None:
        values = self.index.values(event.facet)
        self._set_query(self.current_query.exclusion_toggled(event.facet, event.value, values))

    def action_filter(self) -> None:
        self._before_typing = self.current_query
        self._type("query", self.current_query.without_key("tag").line)
        self._offer_completions(self.prompt.text, len(self.prompt.text))

    @on(FacetSidebar.FindStarted)
    def find_value(self) -> None:
        self._type("facet", "")

    def _type(self, what: Literal["query", "facet", "host"], text: str) -> None:
        self._typing = what
        self.add_class("-typing")
        self.prompt.open(text, PLACEHOLDERS[what])

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        if self._typing == "facet":
            self.facets.find_value(event.text)
            return
        if self._typing == "host":
            return
        try:
            typed = Query.parse(event.text, fuzzy_name=True)
        except QueryError as error:
            self.prompt.mark([(error.column, len(event.text))])
            self.say(visible(str(error)))
            self._offer_completions(event.text, event.cursor)
            return
        unknown = unknown_values(self.index, typed)
        self.prompt.mark([(value.part.start, value.part.end) for value in unknown])
        self.say(visible(unknown[0].phrase) if unknown and not event.text.endswith(unknown[0].value) else "")
        self._offer_completions(event.text, event.cursor)
        self._show_query(typed if typed.parts_of("tag") else self._with_tag(typed))

    def _offer_completions(self, text: str, cursor: int) -> None:
        """Tells the prompt how the line may go on, and shows the first few."""
        self._offers = completions(self.index, text, cursor, limit=MOST_OFFERS)
        self.prompt.offer(self._offers)
        self._show_hints()

    def _with_tag(self, query: Query) -> Query:
        for part in self.current_query.parts_of("tag"):
            query = query.with_part(part)
        return query

    @on(Prompt.Left)
    def stop_typing(self, event: Prompt.Left) -> None:
        self.remove_class("-typing")
        if self._typing == "facet":
            self.facets.end_finding(stay=event.chosen)
            self.facets.focus()
        elif self._typing == "host":
            self._go_to_level(self.level)
            if event.chosen and event.text:
                self._choose_host(event.text)
        else:
            self._history.step(self._before_typing, self.current_query)
            self._go_to_level("packages")
        self._typing = ""
        self._show_hints()

    def action_undo(self) -> None:
        self._go_in_history(self._history.back(self.current_query), "no filter step to take back")

    def action_redo(self) -> None:
        self._go_in_history(self._history.forth(self.current_query), "nothing was taken back")

    def _go_in_history(self, query: Query | None, otherwise: str) -> None:
        if query is None:
            self.say(otherwise)
        else:
            self._show_query(query)

    def action_clear(self) -> None:
        self._set_query(self.current_query.only_key("tag"))

    # Tags

    def action_choose_tag(self) -> None:
        self.app.push_screen(TagScreen(self.index, self._chosen_tag), self._look_at_tag)

    @property
    def _chosen_tag(self) -> str:
        return self.tag_label if self.tag_label in self.index.tags else ""

    def _look_at_tag(self, tag: object) -> None:
        if isinstance(tag, str):
            query = self.current_query.without_key("tag")
            self._set_query(query.with_part(ValuePart.of("tag", [tag])) if tag else query)

    def action_step_tag(self, delta: int) -> None:
        tags = self.index.tags
        at = (tags.index(self._chosen_tag) if self._chosen_tag else -1) + delta
        if 0 <= at < len(tags):
            self._look_at_tag(tags[at])
        else:
            self.say("no older tag" if delta > 0 else "no newer tag")

    # Sorting, marks

    def action_sort(self) -> None:
        name, columns = self._sorted_list
        order, _ = self._order[name]
        default = 0 if name == "packages" else 1
        following = ((default if order is None else order) + 1) % columns
        self._order[name] = (None if following == default else following, False)
        self._show_packages()

    def action_reverse(self) -> None:
        name, _ = self._sorted_list
        order, reverse = self._order[name]
        self._order[name] = (order, not reverse)
        self._show_packages()

    @property
    def _sorted_list(self) -> tuple[str, int]:
        return ("specs", len(self.specs.columns)) if self.level == "specs" else ("packages", len(PACKAGE_COLUMNS))

    def action_mark(self) -> None:
        row = self.spec_row
        if row is None or self.level != "specs":
            self.say("go into a package to mark its specs")
            return
        self.marks ^= {spec_key(self.index, row)}
        rows = self.specs.rows
        assert isinstance(rows, SpecRows)  # it just gave a row
        self.specs.show(SpecRows(self.index, rows.rows, self.marks))
        self.specs.move(1)
        self._show_header()

    # What runs where, and why nothing

    def action_fits(self) -> None:
        """Shows only what runs on the host, or everything again."""
        if self.current_query.parts_of("fits"):
            self._set_query(self.current_query.without_key("fits"))
        else:
            self._set_query(self.current_query.with_part(FitsPart(self._host)))
            self._tell_left_out()

    def _tell_left_out(self) -> None:
        out = [f"{each.specs:,} {each.reason}" for each in left_out(self.index, self.current_query)]
        told = f"left out: {', '.join(out)}" if out else "nothing is left out"
        self.say(visible(f"runs on {self.host}; {told}"))

    def action_choose_host(self) -> None:
        """Asks for another host than the one that is assumed."""
        self._type("host", "")

    def _choose_host(self, text: str) -> None:
        try:
            self._host = Host.parse(text.strip())
        except ValueError as error:
            self.say(visible(str(error)))
            return
        self._set_query(self.current_query.without_key("fits").with_part(FitsPart(self._host)))
        self._tell_left_out()

    def action_why(self) -> None:
        self.app.push_screen(WhyScreen(self.index, self.current_query), self._act_on_why)

    def _act_on_why(self, chosen: object) -> None:
        if isinstance(chosen, int):
            self._go_to(spec_key(self.index, chosen))
        elif isinstance(chosen, Part):
            self._set_query(self.current_query.without(chosen))

    # Other screens

    def action_lookup(self) -> None:
        self.app.push_screen(LookupScreen(self.index, self._chosen_tag), self._go_to)

    def _go_to(self, found: SpecKey | str | None) -> None:
        """Goes to a spec or a package; filters that hide it are taken away, as one step."""
        if found is None:
            return
        package = found if isinstance(found, str) else found[1]
        if not self._shows(found):
            query = Query()
            tag = self._chosen_tag if isinstance(found, str) else found[0]
            if tag:
                query = query.with_part(ValuePart.of("tag", [tag]))
            self._set_query(query)
            if not self._shows(found):
                self._set_query(Query())
            self.say("filters were taken away to show it; u brings them back")
        self.packages.show(self.packages.rows, key=package)
        self._show_specs()
        if not isinstance(found, str):
            self.specs.show(self.specs.rows, key=found)
            self._show_detail()
        self._go_to_level("packages" if isinstance(found, str) else "specs")

    def _shows(self, found: SpecKey | str) -> bool:
        package = found if isinstance(found, str) else found[1]
        number = self.index.package_number(package)
        if number is None or not any(shown.number == number for shown in self.results.packages):
            return False
        if isinstance(found, str):
            return True
        return any(spec_key(self.index, row) == found for row in self.results.package_rows(number))

    def action_copy(self) -> None:
        """The marked specs, else the one under the cursor, and the view itself."""
        texts = copies(self._marked_specs or self._spec_here, os.environ.get("CACHETUI_MIRROR"))
        command = find_command(self._content, self.current_query)
        self.app.push_screen(CopyScreen([*texts, ("this view", command)]))

    def action_export(self) -> None:
        what = f"{len(self.marks)} marked specs" if self.marks else f"{len(self.results):,} specs"
        writers: dict[str, Writer] = {
            "csv": lambda: spec_csv(self._specs_to_export()),
            "json": lambda: [json_text(list(self._specs_to_export()))],
            "md": lambda: markdown_table(COLUMNS, map(spec_cells, self._specs_to_export())),
            "yaml": lambda: environment(self._specs_to_export()),
        }
        self.app.push_screen(ExportScreen(f"cachetui-{self.tag_label}", what, writers), self._say_written)

    def _say_written(self, message: object) -> None:
        if isinstance(message, str):
            self.say(visible(message))

    def _specs_to_export(self) -> Iterable[Spec]:
        return self._marked_specs or map(self.index.spec, self.results.in_order())

    @property
    def _spec_here(self) -> list[Spec]:
        return [] if self.spec_row is None else [self.index.spec(self.spec_row)]

    @property
    def _marked_specs(self) -> list[Spec]:
        """The marked specs that there still are, in the order of the index."""
        found = [row for key in self.marks for row in rows_of_key(self.index, key)]
        return [self.index.spec(row) for row in sorted(found)]

    def action_problems(self) -> None:
        self.app.push_screen(ProblemsScreen(self.index))

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(HELP))

    def action_reload(self) -> None:
        self.post_message(self.ReloadAsked())

    def action_quit(self) -> None:
        self.app.exit(return_code=NOTHING_PICKED if self._picks else 0)


def _with_order(
    columns: tuple[Column, ...], order: int, reverse: bool, falling: tuple[int, ...] = (1, 2)
) -> list[Column]:
    """The columns, the one that sorts with its direction."""
    down = (order in falling) != reverse
    sign: Literal["rising", "falling"] = "falling" if down else "rising"
    return [column._replace(order=sign) if k == order else column for k, column in enumerate(columns)]
