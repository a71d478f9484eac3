"""What every screen of the browser is built on: it follows the size that the terminal has now, and says what to show
first.

Textual lays a screen out for each size it hears of and tells the screen so again. Of two sizes that come close
together, as when a window manager places a new terminal, each then sets off the other one, without end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from textual import events, on
from textual.reactive import Reactive
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.worker import Worker

from cachetui.tui.terminal.lifecycle import TerminalApp


class SizedScreen(Screen[ScreenResultType]):
    """A screen that passes over every size but the newest, and is not painted again where only the focus goes on."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    _is_new = True
    """Whether it has not been on top yet."""

    @on(events.Resize)
    def pass_over_old_size(self, event: events.Resize) -> None:
        size = self.app.size
        if event.size != size:
            event.prevent_default()
            self.post_message(events.Resize(size, size))

    @on(events.ScreenResume)
    def keep_fresh_styles(self, event: events.ScreenResume) -> None:
        """Has the styles of a screen that is new left alone: each of its widgets has just been given its own."""
        if self._is_new:
            event.refresh_styles = self._is_new = False

    def on_idle(self, event: events.Idle) -> None:
        """Is not painted yet where more comes of a key."""
        if cast(TerminalApp[Any], self.app).holds_frame_of(self):
            event.prevent_default()

    @property
    def first_answer(self) -> Worker[Any] | None:
        """What works out its first figures, until it shows them."""
        return None

    @property
    def answering(self) -> Sequence[Widget]:
        """What answers to a key: on a slow line it is painted before all else."""
        return () if self.focused is None else (self.focused,)
