"""What the tests of the screen share: a way to drive an app whose screen is drawn nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import pytest
from textual import app as textual_app
from textual import pilot as textual_pilot
from textual._context import active_app
from textual.app import App

from tests.support.drive import Drive, Scenario
from tests.support.worked_out_once import worked_out_once

ROUNDS = 3
"""So often in a row nothing is to be done by an app that has nothing to do."""


async def idle(*_: float) -> None:
    """Waits until the app has nothing to do: no callback is due, and no thread works for it.

    Textual's own waits until the process takes little of the processor, which on a busy machine is the case at once,
    and never on one that has all else to do.
    """
    loop: Any = asyncio.get_running_loop()
    workers = active_app.get().workers
    deadline, quiet = monotonic() + 10, 0
    while quiet < ROUNDS and monotonic() < deadline:
        works = any(worker.is_running and worker.group != "watch" for worker in workers)
        await asyncio.sleep(0.001 if works else 0)
        quiet = 0 if works or loop._ready else quiet + 1


async def once_around(*_: object, **__: object) -> bool:
    """In the place of the pilot's own wait, which sends every widget a message; `idle` is waited for beside it."""
    await asyncio.sleep(0)
    return True


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot waits for what an app has to do and for no clock: most of the time of a test is that wait."""
    monkeypatch.setattr(textual_app, "wait_for_idle", idle)
    monkeypatch.setattr(textual_pilot, "wait_for_idle", idle)
    monkeypatch.setattr(textual_pilot.Pilot, "_wait_for_screen", once_around)


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
