"""Handle keys one after the other, also if they come faster than they are handled.

Textual sends each key to the widget that has the focus when the key arrives: of `/zlib`, typed at once over a slow
link, all keys would go to the list. Here a key waits until everything is done that the one before it started, up to the
first results of a screen. The screen is not painted before that, unless it takes long or waits for results, so that
each key causes one frame.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen

from cachetui.tui.painter.painter import is_idle, is_to_be_laid_out

MAX_CHECKS = 50
"""Checks for the first results of a screen, after which a key waits no longer."""

CHECK_SECONDS = 0.01
"""Seconds between two such checks."""

MAX_TURNS = 5000
"""Iterations of the event loop after which a key does not wait any more for the app to become idle."""

UNPAINTED_SECONDS = 0.05
"""Seconds after which the screen is painted, although a key is still being handled."""

QUIET_SECONDS = 0.05
"""Seconds after the last key until `rest` is called."""

Typed = events.Key | events.Paste


class TypeAhead:
    """The keys of an app, one after the other."""

    def __init__(
        self,
        app: App[Any],
        deliver: Callable[[Typed], Awaitable[None]],
        has_figures: Callable[[], bool],
        rest: Callable[[], object],
    ) -> None:
        """`has_figures` returns whether the screen on top has its first results; `rest` prepares for the next key."""
        self._app = app
        self._deliver = deliver
        self._has_figures = has_figures
        self._rest = rest
        self._waiting: deque[Typed] = deque()
        self.task: asyncio.Task[None] | None = None
        """The task that delivers keys, while a key is being handled."""
        self._holds_frames = False
        """Whether screens are not painted now, because a key is being handled."""
        self._held: set[Screen[Any]] = set()
        """The screens that would have been painted meanwhile."""
        self._resting: asyncio.TimerHandle | None = None

    def take(self, event: Typed) -> None:
        """Deliver a key, after those before it."""
        self._waiting.append(event)
        if self._resting is not None:
            self._resting.cancel()
        if self.task is None:
            self.task = asyncio.create_task(self._deliver_all())

    def holds_frame_of(self, screen: Screen[Any]) -> bool:
        """Return whether a screen must not be painted now; then `check_idle` is called on it later."""
        if self._holds_frames:
            self._held.add(screen)
        return self._holds_frames

    async def _deliver_all(self) -> None:
        release = asyncio.get_running_loop().call_later(UNPAINTED_SECONDS, self._let_paint)
        self._holds_frames = waits = True
        while self._waiting:
            self._app.call_later(self._deliver, self._waiting.popleft())
            await _until(self._is_idle, MAX_TURNS)
            if waits and not self._has_figures():
                # The next key is meant for results that are still to come. After one wait in vain no key waits.
                self._let_paint()
                waits = await _until(self._has_figures, MAX_CHECKS, CHECK_SECONDS)
                await _until(self._is_idle, MAX_TURNS)
            if self._waiting and is_to_be_laid_out(self._app.screen):
                # A widget that is new in the layout may be the one to take the next key.
                self._let_paint()
                await _until(lambda: not is_to_be_laid_out(self._app.screen), MAX_TURNS)
        release.cancel()
        self._let_paint()
        self.task = None
        self._resting = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._app.call_later, self._rest)

    def _is_idle(self) -> bool:
        return is_idle(self._app) and all(map(is_idle, self._app.screen.walk_children(with_self=True)))

    def _let_paint(self) -> None:
        self._holds_frames = False
        # Only these: painting a screen below would paint the screen above it again, too.
        while self._held:
            self._held.pop().check_idle()


async def _until(is_so: Callable[[], bool], looks: int, between: float = 0) -> bool:
    """Wait until a condition holds; return False if it does not hold in any of so many checks."""
    for _ in range(looks):
        if is_so():
            return True
        await asyncio.sleep(between)
    return False
