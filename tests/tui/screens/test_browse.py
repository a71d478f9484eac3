"""The keys of the browse screen that lead to other screens, and back."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    settled,
    shows,
    spec_of,
    typed,
)
from tests.support.drive import Drive
from tests.support.screens import screen_lines


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (WIDE, "2feova4"),
        (SMALL, "2feova4"),
        (LEAST, "2feova4"),
        (SMALL, "2feovb4prghd2gkebr23if6bojkyydpt"),
        (LEAST, " /2FEOVA4"),
    ],
)
def test_a_hash_is_found_and_gone_to(drive: Drive, size: tuple[int, int], text: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("number_sign")
        await typed(pilot, text)
        shows(pilot, "2feova4prghd2gkebr23if6bojkyydpt"[: size[0] - 2])
        await pilot.press("enter")
        await pilot.pause()
        browse = browse_of(pilot)
        assert spec_of(browse).hash == "2feova4prghd2gkebr23if6bojkyydpt"
        shows(pilot, ">2feova4", "/2feova4prghd2gkebr23if6bojkyydpt")
        await pilot.press("escape")
        await pilot.pause()
        assert browse.focused is browse.panes.packages
        assert browse.panes.packages.cursor_key == "py-mpi4py"
        await pilot.press("q")

    drive(browser(), scenario, size)


@pytest.mark.parametrize(
    ("key", "text"), [("question_mark", "the specs of the package"), ("exclamation_mark", "No problems")]
)
@pytest.mark.parametrize("close", ["q", "escape"])
def test_screens_open_and_close(drive: Drive, key: str, text: str, close: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press(key)
        await pilot.pause()
        shows(pilot, text)
        await pilot.press(close)
        await pilot.pause()
        assert pilot.app.is_running
        shows(pilot, "413 of 413 specs")

    drive(browser(), scenario, SMALL)


def test_keys_without_a_meaning_do_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        before = screen_lines(pilot.app)
        for pane in (
            browse_of(pilot).panes.facets,
            browse_of(pilot).panes.specs,
            browse_of(pilot).panes.detail,
            browse_of(pilot).panes.packages,
        ):
            pane.focus()
            await pilot.press("at", "z", "percent_sign", "dollar_sign", "ampersand", "ctrl+a", "f5", "tilde", "1")
            await pilot.pause()
        assert screen_lines(pilot.app) == before

    drive(browser(), scenario, WIDE)
