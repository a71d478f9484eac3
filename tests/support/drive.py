"""Drive the browser without a terminal: send keys as fast as possible, and wait for their effects."""

import asyncio
import unicodedata
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.widget import Widget

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.settings.settings import Settings
from cachetui.sources.kinds import sample_contents
from cachetui.tui.app import BrowserApp
from cachetui.tui.painter.painter import is_idle
from cachetui.tui.terminal.lifecycle import CHECK_SECONDS, TerminalApp
from cachetui.tui.view.view import View
from tests.support.places import SAMPLE_CONTENT

HOST = Host("linux", "ubuntu22.04", "zen3")

WIDE, SMALL, LEAST = (140, 40), (80, 24), (60, 20)
"""Columns and lines of a screen."""

PATIENCE = 60.0
"""Seconds after which a busy app counts as hanging."""


class Pilot:
    """Drive an app step by step; the app is idle between two steps."""

    def __init__(self, app: App[Any], runner: asyncio.Runner) -> None:
        self.app = app
        self._runner = runner

    @property
    def lines(self) -> list[str]:
        """Return the text on screen, line by line, without spaces at the ends."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        """Return the text on screen."""
        return "\n".join(self.lines)

    def press(self, *keys: str) -> None:
        """Press keys at once."""
        for key in keys:
            self.app.post_message(_event(key))
        self.settle()

    def click(self, text: str) -> None:
        """Click the first place on screen with this text."""
        y = next(y for y, line in enumerate(self.lines) if text in line)
        x = self.lines[y].index(text)
        widget, region = self.app.screen.get_widget_at(x, y)
        widget.post_message(events.Click(widget, x - region.x, y - region.y, 0, 0, 1, False, False, False))
        self.settle()

    def resize(self, width: int, height: int) -> None:
        """Resize the terminal."""
        size = Size(width, height)
        assert isinstance(self.app._driver, HeadlessDriver)
        self.app._driver._size = size
        self.app.post_message(events.Resize(size, size))
        self.wait_until(lambda: self.app.screen.outer_size == size)
        self.settle()

    def settle(self) -> None:
        """Wait until everything is read and shown."""
        app = self.app
        self.wait_until(lambda: all(worker.is_finished for worker in app.workers) and not is_busy(app))

    def run(self, steps: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the event loop of the app."""
        self._runner.run(steps)

    def wait_until(self, is_done: Callable[[], bool]) -> None:
        """Wait until a condition holds."""

        async def wait() -> None:
            deadline = asyncio.get_running_loop().time() + PATIENCE
            while not is_done():
                assert asyncio.get_running_loop().time() < deadline, "the app is still busy"
                await asyncio.sleep(0.002)

        self.run(wait())


Drive = Callable[..., Pilot]


def browser(query: str = "", content: str | Sequence[str] = SAMPLE_CONTENT, host: Host = HOST) -> BrowserApp:
    """Return the browser of content that is read completely before the first screen."""
    catalogue = Catalogue(content, Settings(), index_cache=False)
    view = View(index=catalogue.load(), host=host)
    return BrowserApp(catalogue, view.asked_for(view.parsed(query)))


def sample_browser(query: str = "", host: Host = HOST) -> BrowserApp:
    """Return the browser of the sample, which has pages and a build cache."""
    return browser(query, sample_contents(), host)


@contextmanager
def driven(app: App[Any], size: tuple[int, int] = (80, 24)) -> Iterator[Pilot]:
    """Run an app on a screen of a given size, with time limits for keys that suit slow machines."""
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setattr("cachetui.tui.terminal.lifecycle.MAX_CHECKS", round(PATIENCE / CHECK_SECONDS))
        session = app.run_test(size=size)
        runner.run(session.__aenter__())
        try:
            with app._context():
                pilot = Pilot(app, runner)
                pilot.settle()
                yield pilot
        finally:
            runner.run(session.__aexit__(None, None, None))


def is_busy(app: App[Any]) -> bool:
    """Return whether a key is waiting, or a visible widget has messages to handle or needs drawing."""
    if app._exception is not None or app._exit:  # nothing more will follow
        return False
    screens = [app.screen]
    for below in reversed(app.screen_stack[:-1]):
        if screens[-1].styles.background.a == 1:  # anything below it is invisible
            break
        screens.append(below)
    widgets = [app.screen, *(each for screen in screens for each in screen.walk_children(Widget) if _is_shown(each))]
    return (
        (isinstance(app, TerminalApp) and app.typeahead.task is not None)
        or app._batch_count > 0
        or not all(is_idle(each) for each in (app, *widgets))
        or any(each._repaint_required or each._layout_required or each._scroll_required for each in widgets)
        or any(screen._dirty_widgets for screen in screens)
    )


def _is_shown(widget: Widget) -> bool:
    return all(each.display for each in widget.ancestors_with_self if isinstance(each, Widget))


def _event(key: str) -> events.Key:
    """Return the Textual event for a key or a typed character."""
    if len(key) == 1 and not key.isalnum():
        key = _character_to_key(key)
    try:
        return events.Key(key, unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key))))
    except KeyError:
        return events.Key(key, key if len(key) == 1 else None)
