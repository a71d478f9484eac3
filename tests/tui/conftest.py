"""What the tests of the screen share: a way to drive an app whose screen is drawn nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

Scenario = Callable[[Pilot[Any]], Awaitable[None]]
Drive = Callable[..., None]


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
