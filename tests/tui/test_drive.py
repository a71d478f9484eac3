"""The pilot of the tests waits for all that a key or a screen sets off, however late that is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.query.query import Query
from cachetui.tui.screens import coverage as coverage_screen
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.state.coverage_view import CoverageView
from tests.support.browsing import SMALL, browser, pressed, shows
from tests.support.drive import Drive
from tests.support.held_back import held_back
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines


def test_a_key_right_after_a_screen_was_opened_meets_its_figures(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    may_begin = held_back(monkeypatch, coverage_screen, "coverage")
    index = index_of([row()])

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.push_screen(CoverageScreen(index, Query(), None, CoverageView()))
        asyncio.get_running_loop().call_later(0.05, may_begin.set)
        await pressed(pilot, "y")
        shows(pilot, "Enter copy")

    drive(browser(), scenario, SMALL)


def test_what_comes_of_the_painting_is_done_when_a_pause_is_over(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        done: list[int] = []

        def again() -> None:
            done.append(len(screen_lines(pilot.app)))
            if len(done) < 5:
                pilot.app.screen.refresh(layout=True)
                pilot.app.screen.call_after_refresh(again)

        pilot.app.screen.call_after_refresh(again)
        await pilot.pause()
        assert len(done) == 5

    drive(browser(), scenario, SMALL)
