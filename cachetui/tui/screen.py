"""What every screen of the browser is built on: one that follows the size that the terminal has now.

Textual lays a screen out for each size it hears of and tells the screen so again. Of two sizes that come close
together, as when a window manager places a new terminal, each then sets off the other one, without end.
"""

from __future__ import annotations

from textual import events, on
from textual.screen import Screen, ScreenResultType


class SizedScreen(Screen[ScreenResultType]):
    """A screen that passes over every size but the newest."""

    @on(events.Resize)
    def pass_over_old_size(self, event: events.Resize) -> None:
        size = self.app.size
        if event.size != size:
            event.prevent_default()
            self.post_message(events.Resize(size, size))
