"""The panes of the browser: facets, packages, specs and the detail, all of one view.

The panes to the right follow the cursor of those to the left; where a terminal is narrow, they take turns. Invariant:
the level says which list the cursor is in, and `-in-package` and the folding of the specs go by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import var

from cachetui.report.detail import Field
from cachetui.tui.rows.packages import PACKAGE_COLUMNS, PackageRows
from cachetui.tui.rows.spec_columns import TAG
from cachetui.tui.rows.specs import FoldedRows, SpecKey, SpecRows, spec_key
from cachetui.tui.screens.detail_panes import DetailPanes
from cachetui.tui.state.lists import Level
from cachetui.tui.state.order import SortOrder
from cachetui.tui.state.view import View
from cachetui.tui.widgets.facets import FacetSidebar
from cachetui.tui.widgets.scrolled import ScrolledRows
from cachetui.tui.widgets.table import MarkedTable, Standing, Table


class Panes(Horizontal):
    """Facets, packages, specs and the detail."""

    level: var[Level] = var("packages", init=False)
    """Whether the user has gone into a package."""
    inside: var[str | None] = var(None, init=False)
    """The package that the user has gone into."""

    def __init__(self, view: View) -> None:
        super().__init__(id="panes")
        self._view = view
        self._package_shown: str | None = None
        """The package that the specs are of."""
        self._row_shown: int | None = None
        """The row of the index that the detail is of."""
        self._why = ""
        """Why there is no spec."""
        self.facets = FacetSidebar(id="facets")
        self.packages = Table(PACKAGE_COLUMNS, id="packages")
        self.specs = MarkedTable((), id="specs")
        self.below = DetailPanes(view)
        self.detail, self.needs = self.below.detail, self.below.needs

    def compose(self) -> ComposeResult:
        yield self.facets
        yield self.packages
        with Vertical(id="right"):
            yield self.specs
            yield self.below

    # What is shown

    def explain(self, why: str, counts: Sequence[Field]) -> None:
        """Takes what to say where there is no spec: in place of the specs, or of the packages where these stand alone;
        and what to show in place of the detail."""
        self._why, self.below.instead = why, counts
        self._place_why()

    def _place_why(self) -> None:
        self.packages.placeholder, self.specs.placeholder = self._why if self._is_narrow else "none", self._why

    def show(self, wanted: Callable[[PackageRows], str | None]) -> str | None:
        """Shows the results of the view; `wanted` says which package the cursor goes to, None for its own.

        Returns the package that was left since it is not there any more.
        """
        lost = self.show_packages(wanted)
        self.facets.show_results(self._view.shown)
        return lost

    def show_packages(self, wanted: Callable[[PackageRows], str | None] | None = None) -> str | None:
        """Shows the packages in their order, then their specs; returns the package that was left, if one was."""
        lists = self._view.lists
        rows = lists.packages()
        inside = self.inside
        key = wanted(rows) if wanted is not None else None
        is_first = key is not None and rows.find(key) == 0
        key = key if self.packages.is_placed or not is_first else None
        self.packages.show(rows, lists.package_columns, key=key, holds=lists.packages_hold())
        if self._view.query.parts_of("name") and not self.screen.has_class("-typing"):
            self.packages.stay()  # who names a package has gone to it
        is_lost = inside is not None and inside != self.package
        if is_lost:
            self.level = "packages"
            is_lost = self.screen.focused in (self.specs, self.detail, self.needs)
            if is_lost:
                self.packages.focus()
        self.show_specs()
        return inside if is_lost else None

    def sort_by_next_column(self) -> Level:
        """Sorts the list that the cursor is in by its next column; which that is."""
        self._view.lists.sort_by_next_column(self.level)
        return self._show_sorted()

    def sort_newest_first(self) -> Level:
        """Sorts the specs by the newest tag that has each."""
        self._view.lists.spec_order = SortOrder(TAG)
        return self._show_sorted()

    def turn_order_round(self) -> Level:
        """Turns the order of the list round that the cursor is in; which that is."""
        self._view.lists.turn_order_round(self.level)
        return self._show_sorted()

    def _show_sorted(self) -> Level:
        """Shows the list with the cursor in its new order: one that nobody has moved is on the first row again."""
        (self.show_specs if self.level == "specs" else self.show_packages)()
        return self.level

    def show_specs(self) -> None:
        """The specs of the package under the cursor: within it one by one, else those that are alike as one.

        A cursor that nobody has moved is on the first row again where they stand otherwise, be it for another host. Of
        those that are alike it is on the one that the cursor goes to within the package.
        """
        lists, package, is_inside = self._view.lists, self.package, self.level == "specs"
        holds = lists.specs_stand(folded=not is_inside) == "as before"
        first = None if is_inside else lists.begins_with(package)
        rows: SpecRows | FoldedRows
        if is_inside:
            rows = lists.specs(package, told_apart=True)
            columns = lists.spec_columns(package) if len(rows) else ()
        else:  # the columns are the same for all packages as long as the cursor goes over them; none above why
            rows = lists.folded_specs(package, [*self.specs.kept_keys(holds=holds), first])
            columns = () if package is None else lists.folded_columns
        is_other = package not in (None, self._package_shown) and bool(len(rows))
        if is_other:
            self._package_shown = package
        self.specs.show(rows, columns, else_first=True, begins=is_other, holds=holds)
        if first is not None and not self.specs.is_placed:
            self.specs.stand_again(Standing(first, 0, False, None, None))
        self._view.inside = self.inside = package if is_inside else None
        self.packages.use_columns(lists.package_columns)
        self.show_detail()

    def show_detail(self) -> None:
        """The package as long as the cursor goes over packages, within it the spec."""
        self._row_shown = self.spec_row
        if self.level == "packages":
            self.below.show_package(self._row_shown)
        else:
            rows = self.specs.rows
            differs = rows.differs if isinstance(rows, SpecRows) else {}
            self.below.show_spec(self._row_shown, self.specs.columns, differs)

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
    def spec(self) -> SpecKey | None:
        """The key of the spec under the cursor."""
        row = self.spec_row
        return None if row is None else spec_key(self._view.index, row)

    @property
    def place(self) -> SpecKey | str | None:
        """What the cursor is on: within a package the spec, else the package by its name."""
        return self.spec if self.level == "specs" else self.package

    # Moving

    @on(Table.Moved, "#packages")
    def follow_package(self, event: Table.Moved) -> None:
        event.stop()
        if self.package != self._package_shown:
            self.show_specs()

    @on(Table.Moved, "#specs")
    def follow_spec(self, event: Table.Moved) -> None:
        event.stop()
        if self.spec_row != self._row_shown:
            self.show_detail()

    @on(Table.Chosen, "#packages")
    def enter_package(self) -> None:
        self.go_to_level("specs")

    @on(Table.Clicked, "#specs")
    def enter_by_mouse(self) -> None:
        if self.level == "packages":
            self.go_to_level("specs")

    def watch_level(self, level: Level) -> None:
        self.set_class(level == "specs", "-in-package")
        if level == "specs":
            self.packages.stay()
            self.specs.forget_hidden()  # who goes in sees the one that it is on now

    def watch_inside(self) -> None:
        self._view.ways.leave(self.inside)
        self.facets.show_results(self._view.shown)

    def show_in_package(self) -> None:
        """Shows the specs of the package under the cursor as within it, wherever the keys go."""
        if self.level != "specs":
            self.level = "specs"
            self.show_specs()

    def go_to_level(self, level: Level) -> None:
        """Goes to the packages, or to the specs of the one under the cursor."""
        self._focus(self.specs if level == "specs" else self.packages)

    def _focus(self, pane: ScrolledRows) -> None:
        before = self.level
        if pane is not self.facets:
            self.remove_class("-facets")
            self.level = "specs" if pane in (self.specs, self.detail, self.needs) else "packages"
        pane.focus()
        if self.level != before:
            self.show_specs()
        else:
            self.show_detail()

    def go_beside(self, delta: int) -> None:
        """Goes to the pane beside that has anything; where there is room for one list, in and out of the package."""
        focused = self.screen.focused
        panes: list[ScrolledRows] = [self.facets, self.packages, self.specs, self.detail, self.needs]
        panes = [pane for pane in panes[: None if self.package else 2] if pane.is_on_screen]
        at = next((k for k, pane in enumerate(panes) if pane is focused), 0) + delta
        if self._is_narrow and focused is (self.packages if delta > 0 else self.specs):
            if delta < 0 or self.package is not None:
                self.go_to_level("specs" if delta > 0 else "packages")
        else:
            self._focus(panes[at % len(panes)])

    def go_up(self) -> bool:
        """Leaves the facets for the list beside or below them, or the detail, else the package; whether it did."""
        focused = self.screen.focused
        if focused is self.facets:
            self.go_to_level(self.level)
        elif focused in (self.detail, self.needs):
            self.specs.focus()
        elif self.level == "specs":
            self.go_to_level("packages")
        else:
            return False
        return True

    def enter_or_hide_facets(self) -> None:
        """Enters the facets; hides them from within."""
        if self.screen.focused is self.facets:
            self.set_class(self.screen.has_class("-wide"), "-no-facets")
            self.go_to_level(self.level)
        else:
            self.remove_class("-no-facets")
            self.add_class("-facets")
            self.facets.enter()

    def go_to(self, found: SpecKey | str) -> None:
        """Goes to a spec or a package that the view shows."""
        self.packages.show(self.packages.rows, key=found if isinstance(found, str) else found[1])
        self.show_specs()
        self.go_to_level("packages" if isinstance(found, str) else "specs")
        if not isinstance(found, str):
            self.specs.show(self.specs.rows, key=found)

    def begin_specs(self) -> None:
        """Goes to the first spec of the package under the cursor, whichever of them was gone to before."""
        self.specs.show(self.specs.rows, begins=True)
        self.go_to_level("specs")
        self.specs.stay()

    def go_to_first(self) -> None:
        """Goes to the first package."""
        self.packages.go(0)
        self.show_specs()

    def follow_width(self) -> None:
        """Lays out again what depends on the width of the screen."""
        if self.screen.focused is not self.facets:
            self.remove_class("-facets")
        self._place_why()
        self.show_detail()

    @property
    def _is_narrow(self) -> bool:
        return self.screen.has_class("-narrow")
