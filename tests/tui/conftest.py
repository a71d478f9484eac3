"""What the tests of the screen share: a way to drive an app whose screen is drawn nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual import _wait
from textual.app import App
from textual.pilot import Pilot

Scenario = Callable[[Pilot[Any]], Awaitable[None]]
Drive = Callable[..., None]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot looks more often whether an app has become idle: most of the time of a test is that wait."""
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 1 / 200)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", 1 / 1000)


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
