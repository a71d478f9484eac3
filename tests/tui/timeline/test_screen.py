"""The screen of the timeline, on the sample catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.browse.screen import BrowseScreen
from tests.support.browsing import SMALL, WIDE, browser, settled
from tests.support.drive import Drive
from tests.support.frozen_screens import assert_screen
from tests.support.screens import screen_lines


@pytest.mark.parametrize(("size", "keys"), [(SMALL, ("j",)), (WIDE, ("m", "m", "j"))])
def test_the_chart_the_rows_and_what_is_under_the_cursor(
    drive: Drive, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("v")
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        assert_screen(screen_lines(app), f"timeline_{size[0]}x{size[1]}")

    drive(app, scenario, size)


def test_enter_opens_the_specs_of_the_tag_on_top(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("v")
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        assert isinstance(app.screen, BrowseScreen)
        assert (app.screen.state.package, app.screen.state.tag) == ("py-ml-dtypes", "develop-2025-04-20")
        await pilot.press("escape", "slash", *"nothing", "enter")
        await settled(pilot)
        assert any("Tags 0" in line for line in screen_lines(app))

    drive(app, scenario)
