"""How the browse screen opens the screens that look at the catalogue as a whole, and what becomes of their answers.

They are imported when they are opened: the first screen stands sooner without them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cachetui.model.spec import Spec
from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query
from cachetui.report.paste import hash_word
from cachetui.settings.views import ScreenLook
from cachetui.tui.rows.specs import SpecKey
from cachetui.tui.screens.browse_parts import BrowseParts
from cachetui.tui.screens.lines import changed_text
from cachetui.tui.state.ways import ANYWHERE, Way, filters_back

if TYPE_CHECKING:
    from cachetui.tui.screens.coverage import CoverageScreen
    from cachetui.tui.state.coverage_view import CellChosen, CoverageView
    from cachetui.tui.state.history import PlaceInHistory


class Surveys:
    """Opens coverage, drift, timeline, expectations and installations of one view."""

    def __init__(self, parts: BrowseParts, content: str) -> None:
        """`content` as it stands in commands."""
        self._owner, self._view, self._panes, self._bars, self._filters = parts
        self._content = content
        self._left_at: SpecKey | str | None = None
        """The spec or the package that the user was at when he opened the coverage or the timeline."""
        self._specs_at: tuple[Hashable, int] | None = None
        """Where the cursor of the specs was then, if he had gone anywhere in them."""
        self._packages_at: tuple[Hashable, int] | None = None
        """The same of the packages."""
        self._columns_marked: tuple[str, Sequence[str]] = "", ()
        """The axis of the columns that were marked when the coverage was left, and these columns."""
        self._drift: tuple[str | None, ScreenLook] | None = None
        """The tag that was looked at when the drift was left, and how the drift was looked at."""

    def open(self, name: str, look: ScreenLook | None = None) -> None:
        """Opens one of them by its name, looked at as it was saved where that is given."""
        screens = {
            "coverage": lambda: self.open_coverage(self._coverage_of(look) if look else None),
            "drift": lambda: self.open_drift(look),
            "timeline": lambda: self.open_timeline(look),
            "install": self.open_install,
        }
        screens[name]()

    def open_coverage(self, view: CoverageView | None = None) -> None:
        """Opens the coverage as it was looked at if that is given, else on the package that the user is at."""
        self._note_place()
        view = view or self._coverage_of(ScreenLook())
        axis, marks = self._columns_marked
        if marks and not view.marks:
            from cachetui.tui.screens.coverage_hints import marked_before_text

            view = view.marked_as(axis, marks, self._view.index, self._view.query)
            screen = self._show_coverage(view)
            screen.hint(marked_before_text(view.marks, screen.key_of), above_keys=True)
        else:
            self._show_coverage(view)

    def _show_coverage(self, view: CoverageView) -> CoverageScreen:
        from cachetui.tui.screens.coverage import CoverageScreen

        screen = CoverageScreen(self._view.index, self._view.query, self._content, view)
        self._owner.app.push_screen(screen, lambda chosen: self._leave_coverage(chosen, screen.look))
        return screen

    def _leave_coverage(self, chosen: object, look: ScreenLook) -> None:
        """Remembers which columns are marked, and goes to the cell that was chosen, if one was."""
        from cachetui.tui.state.coverage_view import CoverageView

        left = CoverageView.of(look)
        if left.marks or left.column_axis == self._columns_marked[0]:
            self._columns_marked = left.column_axis, left.marks
        self._go_to_cell(chosen)

    def _coverage_of(self, look: ScreenLook) -> CoverageView:
        """The coverage looked at like this, on the package that the user is at."""
        from cachetui.tui.state.coverage_view import CoverageView

        panes = self._panes
        is_at_one = panes.inside or panes.packages.cursor_row or len(self._view.results.packages) == 1
        return replace(CoverageView.of(look), row=panes.package if is_at_one else None)

    def open_drift(self, look: ScreenLook | None = None) -> None:
        """Opens the drift as it was saved if that is given, else as it was left."""
        from cachetui.tui.screens.drift import DriftScreen

        tag = self._view.tag
        if look is None and self._drift is not None and self._drift[0] == tag:
            look = self._drift[1]
            look = look if {look.old, look.new} <= {"", *self._view.index.tags} else None
        screen = DriftScreen(self._view.index, self._view.query, self._content, tag, look)
        self._owner.app.push_screen(screen, lambda _: self._keep_drift(screen.look))

    def _keep_drift(self, look: ScreenLook) -> None:
        """Remembers which tags were compared, and how, as long as the same tag is looked at."""
        self._drift = self._view.tag, look

    def open_timeline(self, look: ScreenLook | None = None) -> None:
        """Opens the timeline of the package under the cursor; a tag that is chosen there is looked at."""
        package = self._panes.package
        if package is None:
            self._bars.say("there is no package under the cursor")
            return
        self._note_place()
        self._show_timeline(package, self._view.tag, look)

    def _show_timeline(self, package: str, tag: str | None, look: ScreenLook | None) -> None:
        """`tag`: the one that the cursor starts on."""
        from cachetui.tui.screens.timeline import TimelineScreen

        screen = TimelineScreen(self._view.index, self._view.query, self._content, package, tag, look)
        self._owner.app.push_screen(screen, lambda chosen: self._go_to_tag(chosen, package, screen.look))

    def _go_to_tag(self, tag: str | None, package: str, look: ScreenLook) -> None:
        """Looks at the tag that was chosen; from where that leads to, there is a way back to the timeline."""
        place = self._view.history.place
        self._filters.look_at_tag(tag, f"{self._bars.key_of('browse.up', 'Esc')} goes back to the timeline")
        if tag is not None and self._view.tag == tag:  # not so as long as it is not read
            back = partial(self._go_back_to_timeline, package, tag, look, place)
            self._view.ways.known = [Way(self._view.query, self._view.inside, "timeline", back)]

    def _go_back_to_timeline(self, package: str, tag: str, look: ScreenLook, place: PlaceInHistory) -> None:
        """Takes back the step to a tag from that place, and opens the timeline where it was left."""
        self._go_to_left_place(place)
        self._show_timeline(package, tag, look)

    def open_expectations(self) -> None:
        """Asks for a file of names, or a `spack.yaml`, and shows what there is of it."""
        from cachetui.tui.screens.expectations import ExpectScreen

        screen = ExpectScreen(self._view.index, self._view.query, self._content)
        self._owner.app.push_screen(screen, self._go_to_expected)

    def _go_to_expected(self, chosen: object) -> None:
        """Shows the specs that meet what is expected, as one step of the filters, or the build that comes nearest."""
        if isinstance(chosen, Query):
            query = self._view.query
            for part in chosen.parts:
                query = query.with_part(part)
            self._filters.step(query)
            self._panes.go_to_level("specs" if len(self._view.results.packages) == 1 else "packages")
        elif isinstance(chosen, tuple):
            self._filters.go_to(chosen)
        else:
            self._go_to_cell(chosen)

    # Would it install?

    def open_install(self) -> None:
        """Whether the marked specs would install, else the spec or the best build of the package under the cursor."""
        view, row = self._view, self._panes.spec_row
        marked = view.marked()
        if row is None and not marked:
            self._bars.say("there is no spec under the cursor")
        elif not view.index.graph:
            self._bars.say("what it needs is not recorded in this content; a build cache itself records it")
        elif marked or self._panes.level == "specs":
            specs = marked or [view.index.spec(row)] if row is not None else marked
            self._open_install_of(list(filter(None, map(hash_word, specs))))
        else:
            query = view.shown_in(self._panes.package)
            for key in ("tag", "stack", "fits"):
                query = query.without_key(key)
            self._open_install_of([str(query)])

    def _open_install_of(self, words: Sequence[str]) -> None:
        if words:
            self._push_install(words)
        else:
            self._bars.say("a spec without a hash cannot be looked for")

    def open_install_of_spec(self, spec: Spec) -> None:
        """Whether one spec would install from the build caches of its tag."""
        word = hash_word(spec)
        if word is not None:
            self._push_install([word], Query().with_part(ValuePart.of("tag", [spec.tag])))

    def open_install_of_file(self) -> None:
        """Asks for a `spack.lock`, a `spack.yaml`, a list or a spec, and shows whether that would install."""
        self._push_install(None)

    def _push_install(self, words: Sequence[str] | None, scope: Query | None = None) -> None:
        from cachetui.tui.screens.install import InstallScreen
        from cachetui.tui.screens.install_answer import InstallRequest

        asked = None if words is None else InstallRequest(tuple(words), may_be_files=False)
        view = self._view
        scope = view.caches if scope is None else scope
        screen = InstallScreen(view.index, view.host, scope, self._content, lambda key: key in view.marks, asked)
        self._owner.app.push_screen(screen)

    # The cell of a coverage

    def _go_to_cell(self, chosen: object) -> None:
        """Shows the specs of a cell, as one step of the filters."""
        from cachetui.tui.state.coverage_view import CellChosen

        if isinstance(chosen, CellChosen):
            before, place = self._view.query, self._view.history.place
            if chosen.query != before:  # what says the same keeps the order in which it was typed
                self._filters.step(chosen.query)
            if len(self._view.results.packages) == 1:
                self._panes.begin_specs()
            else:
                self._panes.go_to_level("packages")
            back = partial(self._go_back, chosen, before, place)
            self._view.ways.known = [Way(chosen.query, ANYWHERE, "coverage", back, stays_in=self._panes.inside)]
            self._bars.say(f"{self._bars.key_of('browse.up', 'Esc')} goes back to the coverage")

    def _go_back(self, cell: CellChosen, before: Query, place: PlaceInHistory) -> None:
        """Takes back the step to a cell, and opens the coverage where it was left; filters that were changed among the
        specs stay so, as a step.

        `before`: the query then.
        """
        wanted = filters_back(self._view.query, cell.query, before)
        said = changed_text(before, wanted)
        self._go_to_left_place(place)
        if self._view.query != wanted:
            self._filters.step(wanted)
        same = cell.index is self._view.index and self._view.query == before
        screen = self._show_coverage(cell.view if same else replace(cell.view, counted=None))
        if said:
            screen.say_done(f"as among the specs: {said}; {self._bars.key_of('browse.undo', 'u')} goes back")

    # Where the user was

    def _note_place(self) -> None:
        """Notes the spec or the package that the user is at."""
        panes = self._panes
        self._left_at = panes.spec if panes.level == "specs" else panes.package
        self._specs_at = panes.specs.place if panes.specs.is_placed else None
        self._packages_at = panes.packages.place if panes.packages.is_placed else None

    def _go_to_left_place(self, place: PlaceInHistory) -> None:
        """Goes to what was noted last, after taking back what was done since that place in the history.

        What could be done again there can be now, and nothing else: the user went back and took no filter back.
        """
        history = self._view.history
        if history.steps > place.steps:
            while history.steps > place.steps and history.can_go_back:
                self._filters.undo()
                self._bars.say("")  # another screen opens over it, where nobody would read what was said of the step
            history.go_forth_as_from(place)
        if self._left_at is not None and self._view.shows(self._left_at):
            self._panes.go_to(self._left_at)
            if self._packages_at is not None:
                self._panes.packages.want(self._packages_at)
            self._panes.specs.go_back(self._specs_at)
            self._panes.show_specs()
        else:
            self._panes.go_to_level("packages")
