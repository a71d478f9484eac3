"""The screen of the timeline, on the sample catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.app import BrowserApp
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.frame import Status
from tests.support.browsing import SMALL, WIDE, browser
from tests.support.drive import Drive, settled
from tests.support.frozen_screens import assert_screen
from tests.support.screens import screen_lines


@pytest.mark.parametrize(("size", "keys"), [(SMALL, ("j",)), (WIDE, ("j",))])
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


@pytest.mark.parametrize(
    ("key", "judged"), [("c", ("a gap", "18 gaps")), ("v", ("develop-2025-04-20", "+e4s-neoverse_v1"))]
)
def test_nothing_is_judged_before_all_is_read(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, key: str, judged: tuple[str, str]
) -> None:
    app = browser()
    shown: list[str] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        for progress in ("reading 35 %", ""):
            monkeypatch.setattr(BrowserApp, "status", Status("content", progress=progress))
            await pilot.press(key)
            await settled(pilot)
            shown.append("\n".join(screen_lines(app)))
            await pilot.press("escape")
            await settled(pilot)

    drive(app, scenario)
    assert [[text in screen for text in (*judged, "reading 35 %")] for screen in shown] == [
        [False, False, True],
        [True, True, False],
    ]
