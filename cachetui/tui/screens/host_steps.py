"""The steps of the host: only what runs on it, all again, another one; each says what the host leaves out."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from cachetui.explain.host_summary import fewer_reasons
from cachetui.model.host import Host, name_of_here
from cachetui.query.parts.facets import FitsPart
from cachetui.safe_text import visible
from cachetui.suggest.no_match import host_fit, host_notes
from cachetui.tui.rows.specs import SpecKey
from cachetui.tui.screens.bars import Bars
from cachetui.tui.screens.panes import Panes
from cachetui.tui.state.lists import NEAREST_FIRST
from cachetui.tui.state.view import View


class Judging(NamedTuple):
    """The host that specs in full are judged by, which may become another one while they are shown."""

    host: Callable[[], Host]
    """The one that it is by now."""
    choose: Callable[[SpecKey, Callable[[str], None]], None]
    """Asks for another one from such a spec, and says there what came of it."""


class HostSteps:
    """The controller of the host that one view asks for, or judges specs by."""

    def __init__(
        self, view: View, panes: Panes, show: Callable[[], None], say_of_step: Callable[..., None], bars: Bars
    ) -> None:
        """`show` shows the view after a step, `say_of_step` says the first of some texts of it that has room."""
        self._view = view
        self._panes = panes
        self._show = show
        self._say_of_step = say_of_step
        self._key_of = bars.key_of
        self._say = bars.say

    def toggle_fits(self) -> None:
        """Shows only what runs on the host, or everything again, which is then judged by the same host still."""
        if self._view.toggle_fits():
            self._show()
            self._say_of_step(*self._left_out(self._way_to_another_host))
        else:
            host, spec = self._view.host, self._panes.spec
            still = f"all, judged by {visible(host.name)} still; {self._way_to_another_host}"
            self._show()
            self._say_of_step(still if host != self._view.assumed_host else "")
            if self._view.inside is not None and spec is not None:
                self._panes.go_to(spec)  # also from the first row, where a new order begins with another one

    @property
    def _way_to_another_host(self) -> str:
        """How to come to another host than the one that `here` means; where it is another one, to that one."""
        palette = self._key_of("app.palette", "Ctrl+P")
        if self._view.host == self._view.assumed_host:
            return f"that is {name_of_here(os.environ)}; another: {palette} host or fits="
        return f"{name_of_here(os.environ)}: {palette} host or fits=here"

    def open(self) -> None:
        """Asks for another host than the one that is assumed."""
        self._ask(self._choose_host)

    @property
    def judging(self) -> Judging:
        """The host of this view, for the specs that are shown in full."""
        return Judging(lambda: self._view.host, self._open_in_full)

    def _open_in_full(self, key: SpecKey, say: Callable[[str], None]) -> None:
        """Asks for it from a spec that is shown in full, where it says what came of it."""
        self._ask(partial(self._choose_in_full, key, say))

    def _ask(self, choose: Callable[[object], None]) -> None:
        from cachetui.tui.screens.hosts import HostScreen

        view = self._view
        screen = HostScreen(view.index, view.assumed_host, view.host, view.history.hosts)
        self._panes.app.push_screen(screen, choose)

    def _choose_host(self, text: object) -> None:
        """Shows only what runs on the host that was chosen, if one was; the text is its name."""
        if isinstance(text, str):
            self._view.choose_host(FitsPart.of(text))
            self._show()
            self._say_of_step(*self._left_out())

    def _choose_in_full(self, key: SpecKey, say: Callable[[str], None], text: object) -> None:
        """The same from a spec that is shown in full; says there whether the list has it still, and the way back."""
        if isinstance(text, str):
            was_listed = self._view.shows(key)
            self._say("")  # what was said in the list of an earlier step has been read
            self._choose_host(text)
            index, query, undo = self._view.index, self._view.shown.query, self._key_of("browse.undo", "u")
            found = host_fit(index, query)
            way = f"{undo} in the list goes back"
            if was_listed and not self._view.shows(key):
                way = f"this one does not, and the list hides it: {undo} there goes back"
            say("; ".join(filter(None, (*host_notes(index, query), found.counts if found else "", way))))

    def _left_out(self, advice: str = "") -> list[str]:
        """What the host leaves, this advice, and why the others are left out, with fewer and fewer of the reasons."""
        found = host_fit(self._view.index, self._view.shown.query)
        why = [""] if found is None else fewer_reasons(found, self._key_of("browse.why", "w"))
        said = (*self.notes, "" if found is None else visible(found.counts), advice, self.nearest_above)
        return ["; ".join(filter(None, (*said, visible(each)))) for each in why]

    @property
    def nearest_above(self) -> str:
        """Where the specs of a package stand by the host, how far above the screen the nearest are."""
        is_by_host = self._panes.inside is not None and self._view.lists.order_by_host == NEAREST_FIRST
        above = self._panes.specs.first_in_view if is_by_host else 0
        rows = f"{above:,} {'row' if above == 1 else 'rows'}"
        return f"the nearest stand {rows} up ({self._key_of('rows.first', 'g')})" if above else ""

    @property
    def notes(self) -> list[str]:
        """What is to be known of the host that is asked for."""
        return [visible(said) for said in host_notes(self._view.index, self._view.query)]
