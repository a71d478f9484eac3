"""The screen of what changed between two tags, on the sample catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.browse.screen import BrowseScreen
from tests.support.browsing import SMALL, WIDE, browser, sample_browser
from tests.support.drive import Drive, settled
from tests.support.frozen_screens import assert_screen
from tests.support.screens import screen_lines


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_the_sections_and_the_change_under_the_cursor(drive: Drive, size: tuple[int, int]) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("d")
        await settled(pilot)
        await pilot.press("space", "j", "j", "j", "j", "j", "j", "space", "j")
        await settled(pilot)
        assert_screen(screen_lines(app), f"diff_{size[0]}x{size[1]}")

    drive(app, scenario, size)


def test_a_word_filters_and_enter_opens_the_specs_on_top(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("d")
        await settled(pilot)
        await pilot.press("slash", *"safetensors", "enter", "j", "enter")
        await settled(pilot)
        assert isinstance(app.screen, BrowseScreen)
        assert app.screen.state.package == "py-safetensors"
        await pilot.press("escape")
        await settled(pilot)
        assert "/ safetensors" in screen_lines(app)[1]

    drive(app, scenario)


def test_the_older_tag_is_chosen_from_a_list(drive: Drive) -> None:
    app = sample_browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("d")
        await settled(pilot)
        await pilot.press("T", *"site", "enter")
        await settled(pilot)
        assert "sample_mirror/site → sample/develop" in screen_lines(app)[0]
        assert "packages gone" in "\n".join(screen_lines(app))

    drive(app, scenario)


def test_nothing_is_judged_before_all_is_read(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        app._progress = "reading 35 %"
        await pilot.press("d")
        await settled(pilot)
        lines = screen_lines(app)
        assert lines[2].endswith("reading 35 % ━")
        assert not any("packages new" in line for line in lines)

    drive(app, scenario)
