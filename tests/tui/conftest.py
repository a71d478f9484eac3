"""What the tests of the screen share: a way to drive an app whose screen is drawn nowhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import pytest
from textual import app as textual_app
from textual import pilot as textual_pilot
from textual._context import active_app
from textual.app import App
from textual.screen import Screen
from textual.worker import Worker

from cachetui.tui.painter.idle_check import is_to_be_laid_out
from tests.support.drive import Drive, Scenario
from tests.support.worked_out_once import worked_out_once

PRESS_KEYS, RUN_WORKER = App._press_keys, Worker._run
"""Textual's own."""

ROUNDS = 3
"""So often in a row nothing is to be done by an app that has nothing to do."""

PAINTED = 20
"""So often it is painted at most: in a test of what cannot be painted, each attempt asks for the next."""

SLOW_WORKERS = float(os.environ.get("SLOW_WORKERS") or 0)
"""Seconds by which each worker begins late, as on a busy machine; `SLOW_WORKERS=0.15 make test` finds what fails there.
"""


async def idle(*_: float) -> None:
    """Waits until the app has nothing to do: no callback is due, no thread works for it, and what it shows is painted.

    Textual's own waits until the process takes little of the processor, which on a busy machine is the case at once,
    and never on one that has all else to do. It paints at the end, and leaves what comes of that for later: widgets
    that are told their new size, and what was to be done after the painting.
    """
    loop: Any = asyncio.get_running_loop()
    app = active_app.get()
    deadline, quiet, painted = monotonic() + 60, 0, 0
    while quiet < ROUNDS and monotonic() < deadline:
        works = any(worker.is_running and worker.group != "watch" for worker in app.workers)
        await asyncio.sleep(0.001 if works else 0)
        quiet = 0 if works or loop._ready else quiet + 1
        if quiet == ROUNDS and painted < PAINTED and app.screen_stack and is_to_be_painted(app.screen):
            app.screen._on_timer_update()
            quiet, painted = 0, painted + 1


def is_to_be_painted(screen: Screen[Any]) -> bool:
    """Whether a screen waits for its turn to be laid out or painted, or something waits until it is."""
    if screen.app._batch_count or not screen.is_current:
        return bool(screen._callbacks)
    dirty = screen._dirty_widgets or screen._repaint_required or screen._scroll_required
    return bool(dirty or is_to_be_laid_out(screen) or screen._callbacks)


async def once_around(*_: object, **__: object) -> bool:
    """In the place of the pilot's own wait, which sends every widget a message; `idle` is waited for beside it."""
    await asyncio.sleep(0)
    return True


async def press_once_idle(app: App[Any], keys: Iterable[str]) -> None:
    """Presses keys, the first as the others only when all is done that there was to do.

    Else a key right after a screen is opened meets one that has no figures yet, or has them: whichever thread is first.
    """
    await idle()
    await PRESS_KEYS(app, keys)


async def run_late(worker: Worker[Any], app: App[Any]) -> None:
    """Runs a worker later than it was asked to."""
    await asyncio.sleep(SLOW_WORKERS)
    await RUN_WORKER(worker, app)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot waits for what an app has to do and for no clock: most of the time of a test is that wait."""
    monkeypatch.setattr(textual_app, "wait_for_idle", idle)
    monkeypatch.setattr(textual_app.App, "_press_keys", press_once_idle)
    monkeypatch.setattr(textual_pilot, "wait_for_idle", idle)
    monkeypatch.setattr(textual_pilot.Pilot, "_wait_for_screen", once_around)
    if SLOW_WORKERS:
        monkeypatch.setattr(Worker, "_run", run_late)


@pytest.fixture(scope="session", autouse=True)
def quick() -> Iterator[None]:
    """What Textual works out for one app it need not work out for all others."""
    with worked_out_once():
        yield


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder for the sockets of tmux and GNU screen: their paths may have a hundred characters, no more."""
    with TemporaryDirectory(prefix="cachetui-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def drive() -> Drive:
    """Runs a scenario against an app on a screen of a given size."""

    def run(app: App[Any], scenario: Scenario, size: tuple[int, int] = (80, 24)) -> None:
        async def session() -> None:
            async with app.run_test(size=size) as pilot:
                await pilot.pause()
                await scenario(pilot)

        asyncio.run(session())

    return run
