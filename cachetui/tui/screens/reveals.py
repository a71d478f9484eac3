"""Going to a spec or a package, whatever filters hide it: the step that shows it, and the ways back from it.

Invariant: taking such a step back, or doing it again, leads the cursor back, or there, with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from cachetui.query.query import Query
from cachetui.tui.rows.specs import SpecKey
from cachetui.tui.screens.panes import Panes
from cachetui.tui.state.view import View
from cachetui.tui.state.ways import Way
from cachetui.tui.widgets.table import Standing


class Reveal(Struct, frozen=True):
    """A step that took filters away, or changed the tag, to show what was gone to."""

    query: Query
    """The query that shows it."""
    came_from: SpecKey | str | None
    """The spec or the package that the cursor was on before."""
    found: SpecKey | str
    """The spec or the package that was gone to."""
    is_typed: bool = False
    """Whether it is the query that names it, as it was typed: the key that goes up does not lead back from there."""
    stood: tuple[Standing, Standing] | None = None
    """How the packages and the specs stood before; None for one that is typed."""


class Reveals:
    """The steps of one view that showed what was gone to."""

    def __init__(self, view: View, panes: Panes, show: Callable[[], None], undo: Callable[[], None]) -> None:
        """`show` shows the view again, `undo` takes the last step back."""
        self._view = view
        self._panes = panes
        self._show = show
        self._undo = undo
        self._known: list[Reveal] = []

    @property
    def last(self) -> Reveal | None:
        """The step that led to the query, if it showed what was gone to."""
        return next((reveal for reveal in self._known if reveal.query is self._view.query), None)

    def go_to(self, found: SpecKey | str) -> bool:
        """Goes to a spec or a package; says whether filters that hid it were taken away, as one step.

        After such a step the key that goes up leads back to where the user was.
        """
        view, came_from = self._view, self._panes.place
        earlier, way = view.ways.known, view.way_back
        stood = self._panes.packages.standing, self._panes.specs.standing
        is_step = view.reveal(found)
        if is_step:
            self._known.append(Reveal(view.query, came_from, found, stood=stood))
            way = self._way_before
            self._show()
        self._panes.go_to(found)
        if not is_step and way is None and isinstance(came_from, tuple) and self._panes.package != came_from[1]:
            way = Way(view.query, None, "back", partial(self._go_back, came_from, stood))
        if way is not None:
            self._leave_way(earlier, way, found)
        return is_step

    def _go_back(self, came_from: SpecKey, stood: tuple[Standing, Standing]) -> None:
        """Goes back to a spec where filters hid nothing of what was gone to from there."""
        self._panes.go_to(came_from)
        for table, standing in zip((self._panes.packages, self._panes.specs), stood, strict=True):
            table.stand_again(standing)

    def note_typed(self, came_from: SpecKey | str | None) -> None:
        """Notes that a query that was typed led from a spec, or a package, to another package by its name."""
        package, panes = came_from if isinstance(came_from, str | None) else came_from[1], self._panes
        is_named = bool(self._view.query.parts_of("name")) or panes.inside is not None
        if package is not None and is_named and panes.place is not None and package != panes.package:
            self._known.append(Reveal(self._view.query, came_from, panes.place, is_typed=True))

    def show_taken_back(self, reveal: Reveal) -> None:
        """Shows the view after such a step was taken back, with the cursor where it was before."""
        self._show_at(reveal.came_from, moves=not (reveal.is_typed and self._is_among_facets))
        if reveal.stood is not None and self._panes.place == reveal.came_from:
            packages, specs = reveal.stood
            self._panes.packages.stand_again(packages)
            self._panes.specs.stand_again(specs)

    def show_again(self, reveal: Reveal) -> None:
        """Shows the view after such a step was done again, with the cursor on what was gone to."""
        self._show_at(reveal.found, moves=not (reveal.is_typed and self._is_among_facets))
        if not reveal.is_typed:
            self._leave_way(self._view.ways.known, self._way_before, reveal.found)

    @property
    def _is_among_facets(self) -> bool:
        return self._panes.screen.focused is self._panes.facets

    def _show_at(self, found: SpecKey | str | None, *, moves: bool) -> None:
        self._show()
        if moves and found is not None and self._view.shows(found):
            self._panes.go_to(found)

    @property
    def _way_before(self) -> Way:
        """The way back from the query to the one before it."""
        return Way(self._view.query, None, "back", self._undo)

    def _leave_way(self, earlier: Sequence[Way], way: Way, found: SpecKey | str) -> None:
        """Lets this way lead back from what was gone to, beside earlier ones."""
        self._view.ways.known = (*earlier, way.from_place(None if isinstance(found, str) else found[1]))
