"""Keys that come faster than they are dealt with, as over a slow link or typed before there was a screen.

Textual hands each key to whatever has the focus when the key comes, so that of `/zlib` in one go only the `/` would
reach the list, and so would `zlib`. Here a key waits until all that the one before it set off is done, the first
figures of a screen among it. The screen is not painted before that either, unless it takes long or waits for figures:
what a key changes is one frame.
"""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.worker import Worker, WorkerError

from cachetui.tui.painter.painter import is_idle, is_to_be_laid_out

PATIENCE = 0.5
"""Seconds after which a key waits no longer, unless nobody could do anything in some of them."""

HELD_UP = 0.02
"""Seconds by which the end of that time comes late where something else had the processor all the while."""

UNPAINTED = 0.05
"""Seconds after which what is done so far is painted, though more comes of a key."""

UNTIDY = 5000
"""Objects made since garbage was collected from which on it is worth while to do so."""

QUIET = 0.05
"""Seconds after the last key until that is done."""

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

    def __init__(
        self,
        app: App[Any],
        deliver: Callable[[Typed], Awaitable[None]],
        first_answer: Callable[[], Worker[Any] | None],
    ) -> None:
        """`first_answer`: what works out the first figures of the screen on top, until it shows them."""
        self._app = app
        self._deliver = deliver
        self._first_answer = first_answer
        self._answered: asyncio.Task[None] | None = None
        """Waits for such figures."""
        self._waits_for_answer = True
        """Whether keys wait for them: where one has waited in vain, those behind it do not wait too."""
        self._waiting: deque[Typed] = deque()
        self._busy = False
        self._holds_frames = False
        """Whether screens are to be painted later, when all is done that a key set off."""
        self._held: set[Screen[Any]] = set()
        """The screens that would have been painted by now."""
        self._step = 0
        """Counts what is waited for, so that an answer that comes late is known as such."""
        self._pending: list[MessagePump] = []
        """Who has not said yet that all it had to do is done."""
        self._deadline: asyncio.TimerHandle | None = None
        self._release: asyncio.TimerHandle | None = None
        self._tidying: asyncio.TimerHandle | None = None

    async def take(self, event: Typed) -> None:
        """Delivers a key, now or after those before it."""
        self._waiting.append(event)
        if not self._busy:
            self._busy = self._holds_frames = True
            if self._tidying is not None:
                self._tidying.cancel()
            self._release = asyncio.get_running_loop().call_later(UNPAINTED, self._let_paint)
            await self._next()

    def holds_frame_of(self, screen: Screen[Any]) -> bool:
        """Whether a screen that is about to be painted is to wait; it is told when it need not any more."""
        if self._holds_frames:
            self._held.add(screen)
        return self._holds_frames

    async def _next(self) -> None:
        await self._deliver(self._waiting.popleft())
        self._wait()
        self._settle(self._step)

    def _wait(self) -> None:
        """Sets the time until which the next key waits."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        self._deadline = loop.call_at(until, lambda: self._wait() if loop.time() > until + HELD_UP else self._give_up())

    def _give_up(self) -> None:
        """Goes on though not all is done."""
        self._waits_for_answer = self._first_answer() is None
        self._go_on()

    def _everyone(self) -> Sequence[MessagePump]:
        return [self._app, *self._app.screen.walk_children(with_self=True)]

    def _settle(self, step: int) -> None:
        """Goes on where all is done; else waits for those who are at something, and then for what came of that."""
        if step != self._step:
            return
        self._step += 1
        busy = [each for each in self._everyone() if not is_idle(each)]
        self._pending = [each for each in busy if self._asks(each)]
        if self._pending:
            return
        if self._waits_for_answer and (worker := self._first_answer()) is not None:
            # The next key is meant for what is not there yet.
            self._let_paint()
            self._answered = asyncio.create_task(self._settle_after(worker, self._step))
        elif self._waiting and is_to_be_laid_out(screen := self._app.screen):
            # What has its place only then may take the next key.
            self._let_paint()
            self._pending = [screen]
            screen.call_after_refresh(Question(self, self._step, screen).answer)
        else:
            self._go_on()

    async def _settle_after(self, worker: Worker[Any], step: int) -> None:
        with suppress(WorkerError):
            await worker.wait()
        self._settle(step)

    def _asks(self, who: MessagePump) -> bool:
        """Asks somebody; False for who is at an end and answers no more."""
        return who.post_message(events.Callback(Question(self, self._step, who).answer))

    def take_answer(self, step: int, who: MessagePump) -> None:
        """Somebody has done all that there was to do when this step began."""
        if step != self._step:
            return
        self._pending.remove(who)
        if not self._pending:
            # Not before this one is back at its queue too.
            asyncio.get_running_loop().call_soon(self._settle, step)

    def _go_on(self) -> None:
        self._step += 1
        if self._deadline is not None:
            self._deadline.cancel()
        if self._waiting:
            self._app.call_later(self._next)
        else:
            self._busy, self._waits_for_answer = False, True
            self._let_paint()
            self._tidying = asyncio.get_running_loop().call_later(QUIET, _collect_garbage)

    def _let_paint(self) -> None:
        if self._release is not None:
            self._release.cancel()
            self._release = None
        self._holds_frames = False
        # No others: one below would have all of the screen above it painted again, even where it is covered.
        while self._held:
            self._held.pop().check_idle()


def _collect_garbage() -> None:
    """Collects what keys have left behind; else that would hold up one of the next for as long as it takes to paint."""
    new, young, _ = gc.get_count()
    if new >= UNTIDY:
        gc.collect(int(young > gc.get_threshold()[1]))
