"""Handle keys one after the other, even if the user types faster than the app can handle keys.

Textual sends each key to the widget that has the focus when the key arrives. If `/zlib` arrives at once (over a slow
connection), Textual would send all five keys to the list. This module delays a key until all work for the previous key
is done, including the first answer of a screen. Until then, the screen is not painted, so that each key causes only one
frame. However, if the work is slow, or if a screen waits for an answer, the screen is painted earlier.
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
"""Maximum number of checks for the first answer of a screen. Then the next key is delivered without this answer."""

CHECK_SECONDS = 0.01
"""Seconds between two checks for the first answer."""

MAX_TURNS = 5000
"""Maximum number of iterations of the event loop that a key waits until the app is idle."""

UNPAINTED_SECONDS = 0.05
"""Seconds after which the screen is painted even if the app is still handling a key."""

QUIET_SECONDS = 0.05
"""Seconds from the last key to the call of `rest`."""

Typed = events.Key | events.Paste


class TypeAhead:
    """A queue that delivers keys to the app one after the other."""

    def __init__(
        self,
        app: App[Any],
        deliver: Callable[[Typed], Awaitable[None]],
        has_first_answer: Callable[[], bool],
        rest: Callable[[], object],
    ) -> None:
        """`has_first_answer` tells whether the top screen has its first answer. `rest` is called after the last key."""
        self._app = app
        self._deliver = deliver
        self._has_first_answer = has_first_answer
        self._rest = rest
        self._waiting: deque[Typed] = deque()
        self.task: asyncio.Task[None] | None = None
        """The task that delivers keys; None if all keys are delivered."""
        self._holds_frames = False
        """Whether painting must wait, because the app is handling a key."""
        self._held: set[Screen[Any]] = set()
        """The screens that wait to be painted."""
        self._resting: asyncio.TimerHandle | None = None

    def take(self, event: Typed) -> None:
        """Add a key to the queue."""
        self._waiting.append(event)
        if self._resting is not None:
            self._resting.cancel()
        if self.task is None:
            self.task = asyncio.create_task(self._deliver_all())

    def holds_frame_of(self, screen: Screen[Any]) -> bool:
        """Return whether a screen must wait before it is painted. If so, call its `check_idle` later."""
        if self._holds_frames:
            self._held.add(screen)
        return self._holds_frames

    async def _deliver_all(self) -> None:
        release = asyncio.get_running_loop().call_later(UNPAINTED_SECONDS, self._let_paint)
        self._holds_frames = waits = True
        while self._waiting:
            self._app.call_later(self._deliver, self._waiting.popleft())
            await _until(self._is_idle, MAX_TURNS)
            if waits and not self._has_first_answer():
                # The user means the next key for the coming answer. If one wait times out, later keys do not wait.
                self._let_paint()
                waits = await _until(self._has_first_answer, MAX_CHECKS, CHECK_SECONDS)
                await _until(self._is_idle, MAX_TURNS)
            if self._waiting and is_to_be_laid_out(self._app.screen):
                # The next key may be for a widget that the layout must show first.
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
        # Paint only these screens, because painting a screen would also paint the screen above it again.
        while self._held:
            self._held.pop().check_idle()


async def _until(is_so: Callable[[], bool], looks: int, between: float = 0) -> bool:
    """Check a condition every `between` seconds, up to `looks` times. Return whether it became true."""
    for _ in range(looks):
        if is_so():
            return True
        await asyncio.sleep(between)
    return False
