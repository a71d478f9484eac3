"""The detection of idle widgets, which sends no messages."""

import asyncio

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from cachetui.tui.painter.painter import is_idle, is_to_be_laid_out
from tests.support.drive import Drive


class Asked(Message):
    """A message."""


class Slow(Widget):
    """A widget that works in two parts, and waits before each for a signal."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = asyncio.Event(), asyncio.Event()

    async def on_asked(self, event: Asked) -> None:
        self.call_next(self.second.wait)
        await self.first.wait()


class SlowApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Slow()


def test_widget_with_pending_messages_is_not_idle(drive: Drive) -> None:
    pilot = drive(SlowApp())

    async def steps() -> None:
        slow = pilot.app.query_one(Slow)
        seen = [is_idle(slow)]
        slow.post_message(Asked())
        seen.append(is_idle(slow))
        for part in (slow.first, slow.second):
            await _turns()
            seen.append(is_idle(slow))
            part.set()
        await _turns()
        assert [*seen, is_idle(slow)] == [True, False, False, False, True]

    pilot.run(steps())


def test_pending_layout_of_a_screen_is_detected(drive: Drive) -> None:
    pilot = drive(SlowApp())
    screen = pilot.app.screen
    assert not is_to_be_laid_out(screen)

    async def steps() -> None:
        pilot.app.query_one(Slow).refresh(layout=True)
        for _ in range(10):
            await asyncio.sleep(0)
            if is_to_be_laid_out(screen):
                break
        else:
            raise AssertionError("it was never to be laid out")

    pilot.run(steps())
    pilot.settle()
    assert not is_to_be_laid_out(screen)


async def _turns() -> None:
    """Let all tasks run for some rounds of the event loop."""
    for _ in range(10):
        await asyncio.sleep(0)
