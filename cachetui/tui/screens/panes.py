"""The panes of the browser: facets, packages, specs and the detail, all of one query.

Every list shows the results of the view, and the panes to the right follow the cursor of those to the left; where a
terminal is narrow, they take turns. What keys do to the view is the business of `browse`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from cachetui.explain.why import why_nothing
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.report.detail import Field, detail, install_field, package_detail
from cachetui.search.index import Index
from cachetui.text import plural, visible
from cachetui.tui.rows.layout import Cell, Column, Tone, lay_out
from cachetui.tui.rows.packages import PACKAGE_COLUMNS, PackageRows
from cachetui.tui.rows.specs import FOLDED_COLUMNS, NAMING_COLUMNS, SPEC_COLUMNS, FoldedRows, SpecRows, fitted
from cachetui.tui.screens import lines
from cachetui.tui.screens.sized import SizedScreen
from cachetui.tui.screens.why import short_lines
from cachetui.tui.state.view import VERSION, View, with_order
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.detail import DetailPane
from cachetui.tui.widgets.facets import FacetSidebar
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.query_line import QueryLine
from cachetui.tui.widgets.scrolled import ScrolledRows
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

Level = Literal["packages", "specs"]

IN_ROW = ("spec", "hash")
"""Fields that say no more than the row of the list and the command to install, but for the platform, which the os
implies: left out where room is short."""


class PanesScreen(SizedScreen[None]):
    """What is shown, and how one moves between the panes."""

    AUTO_FOCUS = "#packages"
    on_enter = "Enter in full"
    """What Enter does with a spec, as a hint."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (120, "-wide")]  # noqa: RUF012  # typed by Screen

    def __init__(self, index: Index, query: Query, host: Host, *, content: str, is_sample: bool = False) -> None:
        """`content` as the user named it."""
        super().__init__()
        self.view = View(index, query, host)
        self._content = content
        self._is_sample = is_sample
        self._offers: tuple[str, ...] = ()
        self._has_taken = False
        """Whether the first of the offers stands in the line."""
        self._message = ""
        self._activity = ""
        self._package_shown: str | None = None
        self._row_shown: int | None = None
        """The row of the index that the detail is of."""
        self.header = Bar(id="header")
        self.chips = Bar(id="chips")
        self.query_line = QueryLine(id="query-line")
        self.facet_prompt = Prompt("/", "a part of a value", id="facet-prompt")
        self.host_prompt = Prompt(":", "the host: zen4, linux-rhel9-zen4", id="host-prompt")
        self.facets = FacetSidebar(id="facets")
        self.packages = Table(PACKAGE_COLUMNS, id="packages")
        self.specs = Table(SPEC_COLUMNS, id="specs")
        self.detail = DetailPane(brief=True, id="detail")
        self.hints = Bar(id="hints")

    def compose(self) -> ComposeResult:
        # Textual finds the width out after the first frame, and a small terminal would flash as if it were a wide one.
        self.add_class([name for least, name in self.HORIZONTAL_BREAKPOINTS if least <= self.app.size.width][-1])
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
        self._show()

    def on_resize(self) -> None:
        self._show_header()
        self._show_hints()
        self.call_later(self._follow_width)  # Textual sets the class that says how wide it is after this

    def _follow_width(self) -> None:
        if self.focused is not self.facets:
            self.remove_class("-facets")
        self._show_chips()
        self._show_detail()

    # What is shown

    def show_index(self, index: Index, activity: str = "", message: str = "") -> None:
        """Shows another index of the same catalogue; filters, marks and the cursor stay where it has what they are of.

        While a catalogue is read for the first time, a cursor that was not moved stays on the first package.
        """
        untouched = self.is_reading and not self.packages.cursor_row
        self._activity = activity
        gone = self.view.use(index, untouched=untouched)
        self._show()
        if said := "; ".join(filter(None, (message, f"no more there: {plural(gone, 'marked spec')}" if gone else ""))):
            self.say(said)
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
        self.header.show(*lines.header(self.view, label, self._activity, self.size.width, signs_of(self)))

    def _show_chips(self) -> None:
        inside = self.level == "specs" and self.has_class("-narrow")
        where = [Cell(visible(self.package or ""), "title")] if inside else []
        room = self.size.width - sum(len(cell.text) for cell in where)
        self.chips.show(lines.chips(self.view, room, signs_of(self)), where)

    def _show_hints(self) -> None:
        if self._message:
            self.hints.show([self._message])
        elif self._offers:
            first, *others = self._offers
            tone: Tone = "title" if self._has_taken else ""
            self.hints.show([Cell("Tab ", "key"), Cell(first, tone), *(f"  {offer}" for offer in others)])
        else:
            self.hints.show([Cell(lines.hints(self._pane, self.size.width, self.on_enter), "dim")])

    @property
    def _pane(self) -> str | None:
        """The id of the pane, or of the prompt, that has the keys."""
        if self.focused is None or self.focused.id is not None or self.focused.parent is None:
            return self.focused.id if self.focused else None
        return self.focused.parent.id

    @property
    def answering(self) -> Sequence[Widget]:
        """The list; while a query is typed, also the line, the counts and the ways it may go on."""
        typing = self.focused is not None and self._pane == self.query_line.id
        if not typing or self.focused is None:
            return super().answering
        return (self.focused, self.header, self.packages, self.hints)

    def _show_packages(self) -> None:
        order = self.view.package_order
        columns = with_order(PACKAGE_COLUMNS, order, by_itself=self._names_sort, falling=(1, 2))
        if not self.view.results.packages:
            self.packages.placeholder = self._why_nothing()
        rows = self.view.packages()
        inside = self.package if self.level == "specs" else None
        self.packages.show(rows, columns, key=self._package_wanted(rows))
        if self.package != inside is not None:
            self._leave_package(inside)
        self._show_specs()

    def _leave_package(self, package: str) -> None:
        """Goes up from a package that is not there any more, or not the one that was asked for."""
        self.remove_class("-in-package")
        if self.focused in (self.specs, self.detail):
            self.packages.focus()
            self.say(f"no spec of {visible(package)} is left")

    def _package_wanted(self, rows: PackageRows) -> str | None:
        """The package to put the cursor on; None: it stays on its own."""
        return None

    @property
    def _names_sort(self) -> int:
        """The column that packages are sorted by anyway: none where the best match of a fuzzy name comes first."""
        named = self.view.query.package
        return -1 if named is not None and named.fuzzy else 0

    def _why_nothing(self) -> str:
        if not len(self.view.index):
            return "Nothing is read yet." if self.is_reading else "There is no page here."
        leave = "Enter, then: " if self.has_class("-typing") else ""
        advice = f"{leave}w says more and takes a part out, u takes the last step back, x clears all."
        return "\n".join(["Nothing matches.", *short_lines(why_nothing(self.view.index, self.view.query)), advice])

    def _show_specs(self) -> None:
        """The specs of the package under the cursor: within it one by one, else those that are alike as one."""
        specs = self.view.specs(self.package)
        rows: SpecRows | FoldedRows = specs if self.level == "specs" else FoldedRows(specs, self.specs.kept_key)
        key = None
        if self.package not in (None, self._package_shown) and len(rows):
            key = rows.key(0)
            self._package_shown = self.package
        self.specs.show(rows, self._spec_columns, key=key, afresh=type(rows) is not type(self.specs.rows))
        self._show_chips()
        self._show_detail()

    @property
    def _spec_columns(self) -> Sequence[Column]:
        """The same for all packages as long as the cursor goes over them; within one as its specs need them."""
        number = None if self.package is None else self.view.index.package_number(self.package)
        if self.level == "packages" or number is None:
            *columns, count = FOLDED_COLUMNS
            return [*self._ordered(columns), count]
        columns = fitted(SPEC_COLUMNS, self.view.index, self.view.scope.rows & self.view.index.package_rows(number))
        return self._ordered(columns if self.view.tag is None else columns[:-1])

    def _ordered(self, columns: Sequence[Column]) -> list[Column]:
        return with_order(columns, self.view.spec_order, by_itself=VERSION, falling=(VERSION,))

    def _show_detail(self) -> None:
        """The package as long as the cursor goes over packages, within it the spec."""
        row, short = self.spec_row, self.has_class("-narrow")
        self._row_shown = row
        if row is None:
            self.detail.show_fields(())
        elif self.level == "packages":
            index, number = self.view.index, self.view.index.package_of(row)
            fields = package_detail(self.view.results, number, tags=self.view.tag is None, counted=not short)
            self.detail.show_fields(fields if short else [install_field(index.spec(row)), *fields])
        else:
            known = IN_ROW if short and self._row_is_whole else ()
            self.detail.show_fields([field for field in self._fields(row) if field.label not in known])

    @property
    def _row_is_whole(self) -> bool:
        """Whether a row as wide as the screen has room for what names a spec, from its hash to its target."""
        columns = self.specs.columns
        widths = {slot.column: slot.width for slot in lay_out(columns, self.size.width - 2)}
        return all(widths.get(k, 0) >= column.most for k, column in enumerate(columns[: len(NAMING_COLUMNS)]))

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
        return rows.rows[at] if isinstance(rows, SpecRows | FoldedRows) and at is not None else None

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
        if self.spec_row != self._row_shown:
            self._show_detail()

    @on(Table.Clicked, "#specs")
    def enter_by_mouse(self) -> None:
        if self.level == "packages":
            self._go_to_level("specs")

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        self._show_hints()

    def _go_to_level(self, level: Level) -> None:
        self.remove_class("-facets")
        self._focus_pane(self.specs if level == "specs" else self.packages)

    def _focus_pane(self, pane: ScrolledRows) -> None:
        before = self.level
        if pane is not self.facets:
            self.remove_class("-facets")
            self.set_class(pane in (self.specs, self.detail), "-in-package")
        pane.focus()
        if self.level != before:
            self._show_specs()
        else:
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

    def action_facets(self) -> None:
        """Enters the facets; hides them from within."""
        if self.focused is self.facets:
            self.set_class(self.has_class("-wide"), "-no-facets")
            self._go_to_level(self.level)
        else:
            self.remove_class("-no-facets")
            self.add_class("-facets")
            self.facets.focus()
