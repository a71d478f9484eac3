"""Keys that come faster than they are dealt with, as over a slow link or typed before there was a screen.

Textual hands each key to whatever has the focus when the key comes, so that of `/zlib` in one go only the `/` would
reach the list, and so would `zlib`. Here a key waits until all that the one before it set off is done, the first
figures of a screen among it. The screen is not painted before that either, unless it takes long or waits for figures:
what a key changes is one frame.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen

from cachetui.tui.painter.painter import is_idle, is_to_be_laid_out

PATIENCE = 50
"""Looks whether the first figures of a screen are there, after which a key waits no longer."""

BETWEEN = 0.01
"""Seconds from one such look to the next."""

TURNS = 5000
"""Turns of the loop after which a key does not wait any more for somebody who never comes to an end."""

UNPAINTED = 0.05
"""Seconds after which what is done so far is painted, though more comes of a key."""

Typed = events.Key | events.Paste


class TypeAhead:
    """The keys of an app, one after the other."""

    def __init__(
        self,
        app: App[Any],
        deliver: Callable[[Typed], Awaitable[None]],
        has_figures: Callable[[], bool],
    ) -> None:
        """`has_figures`: whether the first figures of the screen on top are there."""
        self._app = app
        self._deliver = deliver
        self._has_figures = has_figures
        self._waiting: deque[Typed] = deque()
        self.task: asyncio.Task[None] | None = None
        """Delivers them; None where all is done that keys set off."""
        self._holds_frames = False
        """Whether screens are to be painted later, when all is done that a key set off."""
        self._held: set[Screen[Any]] = set()
        """The screens that would have been painted by now."""

    def take(self, event: Typed) -> None:
        """Delivers a key, after those before it."""
        self._waiting.append(event)
        if self.task is None:
            self.task = asyncio.create_task(self._deliver_all())

    def holds_frame_of(self, screen: Screen[Any]) -> bool:
        """Whether a screen that is about to be painted is to wait; it is told when it need not any more."""
        if self._holds_frames:
            self._held.add(screen)
        return self._holds_frames

    async def _deliver_all(self) -> None:
        release = asyncio.get_running_loop().call_later(UNPAINTED, self._let_paint)
        self._holds_frames = waits = True
        while self._waiting:
            self._app.call_later(self._deliver, self._waiting.popleft())
            await _until(self._is_idle, TURNS)
            if waits and not self._has_figures():
                # The next key is meant for what is not there yet. Where one has waited in vain, those behind it do not.
                self._let_paint()
                waits = await _until(self._has_figures, PATIENCE, BETWEEN)
                await _until(self._is_idle, TURNS)
            if self._waiting and is_to_be_laid_out(self._app.screen):
                # What has its place only then may take the next key.
                self._let_paint()
                await _until(lambda: not is_to_be_laid_out(self._app.screen), TURNS)
        release.cancel()
        self._let_paint()
        self.task = None

    def _is_idle(self) -> bool:
        return is_idle(self._app) and all(map(is_idle, self._app.screen.walk_children(with_self=True)))

    def _let_paint(self) -> None:
        self._holds_frames = False
        # No others: one below would have all of the screen above it painted again, even where it is covered.
        while self._held:
            self._held.pop().check_idle()


async def _until(is_so: Callable[[], bool], looks: int, between: float = 0) -> bool:
    """Waits until something is so; False where it is not, whenever it was looked."""
    for _ in range(looks):
        if is_so():
            return True
        await asyncio.sleep(between)
    return False
