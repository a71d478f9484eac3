"""Keys that come faster than they are dealt with, as over a slow link or typed before there was a screen.

Textual hands each key to whatever has the focus when the key comes, so that of `/zlib` in one go only the `/` would
reach the list, and so would `zlib`. Here a key waits until all that the one before it set off is done.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from msgspec import Struct
from textual import events
from textual.app import App
from textual.message_pump import MessagePump

PATIENCE = 0.5
"""Seconds after which a key waits no longer, unless nobody could do anything in some of them."""

HELD_UP = 0.02
"""Seconds by which the end of that time comes late where something else had the processor all the while."""

Typed = events.Key | events.Paste


class Question(Struct, frozen=True):
    """To somebody: whether all is done that there was to do."""

    typeahead: TypeAhead
    step: int
    who: MessagePump

    def answer(self) -> None:
        """Called by whom it is asked; a method, as Textual counts the parameters of anything else each time."""
        self.typeahead.take_answer(self.step, self.who)


class TypeAhead:
    """The keys of an app, one after the other."""

    def __init__(self, app: App[Any], deliver: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[Typed] = deque()
        self._busy = False
        self._step = 0
        """Counts what is waited for, so that an answer that comes late is known as such."""
        self._pending: list[MessagePump] = []
        """Who has not said yet that all it had to do is done."""
        self._deadline: asyncio.TimerHandle | None = None

    async def take(self, event: Typed) -> None:
        """Delivers a key, now or after those before it."""
        self._waiting.append(event)
        if not self._busy:
            self._busy = True
            await self._next()

    async def _next(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if not self._waiting:
            self._busy = False
            return
        await self._deliver(self._waiting.popleft())
        self._wait()
        self._settle()

    def _wait(self) -> None:
        """Sets the time until which the next key waits."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        self._deadline = loop.call_at(until, lambda: self._wait() if loop.time() > until + HELD_UP else self._go_on())

    def _everyone(self) -> Sequence[MessagePump]:
        return [self._app, *self._app.screen.walk_children(with_self=True)]

    def _settle(self) -> None:
        """Waits until everyone has done what there is to do by now, and then for what came of that."""
        self._step += 1
        everyone = self._everyone()
        self._pending = [each for each in everyone if each.call_later(Question(self, self._step, each).answer)]
        if not self._pending:
            self._go_on()

    def take_answer(self, step: int, who: MessagePump) -> None:
        """Somebody has done all that there was to do when this step began."""
        if step != self._step:
            return
        self._pending.remove(who)
        if self._pending:
            return
        if any(each.message_queue_size for each in self._everyone()):
            self._settle()
        else:
            self._go_on()

    def _go_on(self) -> None:
        self._step += 1
        self._app.call_later(self._next)
