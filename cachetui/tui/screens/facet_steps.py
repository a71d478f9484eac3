"""The steps in the facets: a value is ticked, left out, or found by a part of its name; each step says what it did."""

from __future__ import annotations

from collections.abc import Callable

from cachetui.safe_text import visible
from cachetui.tui.screens.bars import Bars
from cachetui.tui.screens.facet_words import step_texts
from cachetui.tui.screens.panes import Panes
from cachetui.tui.state.view import View
from cachetui.tui.widgets.prompt import Prompt


class FacetSteps:
    """The controller of the facets of one view; it owns the line that finds a value."""

    def __init__(self, view: View, panes: Panes, show_step: Callable[..., None], bars: Bars) -> None:
        """`show_step` shows the view after a step and says the first of some texts that has room."""
        self._view = view
        self._panes = panes
        self._show_step = show_step
        self._bars = bars
        self._say = bars.say
        self._key_of = bars.key_of
        self.prompt = Prompt(
            "/",
            "a part of a value of a facet; queries are typed in the lists",
            id="facet-prompt",
            steps=True,
            hides=True,
        )

    def toggle(self, facet: str, value: str) -> None:
        """Ticks a value of a facet, or takes the tick away."""
        self._take(self._view.toggle, facet, value)

    def exclude(self, facet: str, value: str) -> None:
        """Leaves a value of a facet out, or no longer."""
        self._take(self._view.exclude, facet, value)

    def _take(self, step: Callable[[str, str], None], facet: str, value: str) -> None:
        before, undo = self._view.shown, self._key_of("browse.undo", "u")
        step(facet, value)
        now, inside = self._view.shown, self._view.inside
        self._show_step(*step_texts(before, now, facet, value, undo=undo, inside=inside))

    def find(self, text: str) -> None:
        """Shows the values that a part was typed of, or says that those are shown which are spelled like it."""
        self._panes.facets.find_value(text)
        self._bars.show_hints()

    def end_finding(self, text: str, *, kept: bool) -> None:
        """Goes to the value of a facet that a part was typed of, says where there is none; else takes the text back."""
        found = self._panes.facets.end_finding(stay=kept)
        self._panes.facets.focus()
        if kept and text.strip() and not found:
            ask = self._key_of("browse.filter", "/")
            self._say(f"no facet has a value like {visible(text.strip())}; {ask} in a list asks for anything else")
