"""Drives an app whose screen is drawn nowhere: keys as fast as they come, and what they set off is waited for."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.widget import Widget

from cachetui.tui.painter.painter import is_idle
from cachetui.tui.terminal.lifecycle import TerminalApp

PATIENCE = 60.0
"""Seconds after which an app that is still at something has hung."""

Scenario = Callable[[Pilot[Any]], Awaitable[None]]
Drive = Callable[..., None]


class Driver(Pilot[Any]):
    """Goes on as soon as the app has nothing to do; Textual's own pilot sleeps several times for each key."""

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.post_message(_event(key))
        await self.pause()

    async def pause(self, delay: float | None = None) -> None:
        await _until(lambda: not is_busy(self.app))

    async def resize_terminal(self, width: int, height: int) -> None:
        await super().resize_terminal(width, height)
        await _until(lambda: self.app.screen.outer_size == (width, height) and not is_busy(self.app))


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until all is read and shown."""
    app = pilot.app
    await _until(lambda: all(worker.is_finished for worker in app.workers) and not is_busy(app))


def is_busy(app: App[Any]) -> bool:
    """Whether a key waits, or anybody that can be seen has a message to deal with or is to be drawn."""
    if app._exception is not None or app._exit:  # nothing more is to come
        return False
    screens = [app.screen]
    for below in reversed(app.screen_stack[:-1]):
        if screens[-1].styles.background.a == 1:  # what is below it cannot be seen
            break
        screens.append(below)
    widgets = [app.screen, *(each for screen in screens for each in screen.walk_children(Widget) if _is_shown(each))]
    return (
        (isinstance(app, TerminalApp) and app._typeahead.task is not None)
        or app._batch_count > 0
        or not all(is_idle(each) for each in (app, *widgets))
        or any(each._repaint_required or each._layout_required or each._scroll_required for each in widgets)
        or any(screen._dirty_widgets for screen in screens)
    )


async def _until(is_done: Callable[[], bool]) -> None:
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not is_done():
        assert asyncio.get_running_loop().time() < deadline, "the app is still at something"
        await asyncio.sleep(0.002)


def _is_shown(widget: Widget) -> bool:
    return all(each.display for each in widget.ancestors_with_self if isinstance(each, Widget))


def _event(key: str) -> events.Key:
    """What Textual makes of a key, or of a sign that is typed."""
    if len(key) == 1 and not key.isalnum():
        key = _character_to_key(key)
    try:
        return events.Key(key, unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key))))
    except KeyError:
        return events.Key(key, key if len(key) == 1 else None)
