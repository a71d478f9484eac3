"""What the tests of the screen share: a way to drive an app whose screen is drawn nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from textual.app import App

from cachetui.tui.terminal.typeahead import BETWEEN
from tests.support.drive import PATIENCE, Drive, Driver, Scenario, settled


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder for the sockets of tmux and GNU screen: their paths may have a hundred characters, no more."""
    with TemporaryDirectory(prefix="cachetui-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Drive:
    """Runs a scenario against an app on a screen of a given size; no key is too impatient for a slow machine."""
    monkeypatch.setattr("cachetui.tui.terminal.typeahead.PATIENCE", round(PATIENCE / BETWEEN))

    def run(app: App[Any], scenario: Scenario, size: tuple[int, int] = (80, 24)) -> None:
        async def session() -> None:
            async with app.run_test(size=size):
                pilot = Driver(app)
                await settled(pilot)
                await scenario(pilot)

        asyncio.run(session())

    return run
