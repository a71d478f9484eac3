"""The main screen: as it stands after some keys, at three sizes, and what only the whole app can show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.tui.app import BrowserApp
from cachetui.tui.view.view import View
from tests.support.browsing import HOST, LEAST, SMALL, WIDE, browser
from tests.support.drive import Drive, settled
from tests.support.frozen_screens import assert_screen
from tests.support.rows import row, write
from tests.support.screens import screen_lines

MEDIUM = (100, 30)

SCREENS = {
    "browse_140x40": (WIDE, ()),
    "browse_80x24": (SMALL, ("j",)),
    "browse_60x20": (LEAST, ()),
    "browse_package_140x40": (WIDE, ("j", "enter", "space", "j", "space")),
    "browse_package_80x24": (SMALL, ("j", "enter", "space")),
    "browse_package_100x30": (MEDIUM, ("j", "enter")),
    "browse_facets_100x30": (MEDIUM, ("f", "j", "space")),
    "browse_ticked_140x40": (WIDE, ("f", "j", "space", "j", "minus", "escape")),
    "browse_typing_80x24": (SMALL, ("slash", *"mpi os=ub")),
    "browse_refused_80x24": (SMALL, ("slash", *"mpi %%", "enter")),
    "browse_nothing_80x24": (SMALL, ("slash", *"mpi@9", "enter")),
}


@pytest.mark.parametrize("name", SCREENS)
def test_screen(drive: Drive, name: str) -> None:
    size, keys = SCREENS[name]

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press(*keys)
        await settled(pilot)
        assert_screen(screen_lines(pilot.app), name)

    drive(browser(), scenario, size)


def app_of(pilot: Pilot[None]) -> BrowserApp:
    assert isinstance(pilot.app, BrowserApp)
    return pilot.app


def test_a_typed_query_is_kept_as_typed_and_esc_takes_one_back_and_up_brings_one_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"mpi4  %gcc", "enter")
        assert app_of(pilot).screen_stack[0].state.query.line == "mpi4 %gcc"  # type: ignore[attr-defined]
        await pilot.press("slash", *"os=x", "escape")
        assert " / mpi4 %gcc" in screen_lines(pilot.app)[1]
        await pilot.press("x", "slash", "up", "down", "up", "enter")
        assert " / mpi4 %gcc" in screen_lines(pilot.app)[1]

    drive(browser(), scenario)


def test_a_value_of_a_facet_is_found_and_ticked(drive: Drive) -> None:
    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("f", "slash", *"sequo", "enter", "space")
        await settled(pilot)
        assert " / os=sequoia" in screen_lines(pilot.app)[1]

    drive(browser(), scenario, WIDE)


def test_tab_completes_and_goes_through_the_completions(drive: Drive) -> None:
    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"py-m", "tab", "tab", "enter")
        assert app_of(pilot).screen_stack[0].state.query.line == "py-mpi4py"  # type: ignore[attr-defined]

    drive(browser(), scenario)


def test_a_screen_on_top_leaves_what_is_below_as_it_was(drive: Drive) -> None:
    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("j", "j")
        before = screen_lines(pilot.app)
        await pilot.press("c", "enter")
        await settled(pilot)
        assert len(pilot.app.screen_stack) == 3
        await pilot.press("space", "escape", "escape")
        await settled(pilot)
        assert screen_lines(pilot.app) == before

    drive(browser(), scenario)


def test_resizing_reflows(drive: Drive) -> None:
    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        assert_screen(screen_lines(pilot.app), "browse_80x24")

    async def begun(pilot: Pilot[None]) -> None:
        await pilot.press("j")
        await scenario(pilot)

    drive(browser(), begun, WIDE)


def test_a_long_content_is_cut_in_its_middle_and_leaves_the_tag(drive: Drive, tmp_path: Path) -> None:
    folder = write(tmp_path / "a_folder_far_down" / "the_last_one", [row(tag="develop")])
    catalogue = Catalogue(str(folder), {}, snapshot=False)
    app = BrowserApp(catalogue, View(index=catalogue.load(), host=HOST), content=str(folder))

    async def scenario(pilot: Pilot[None]) -> None:
        await settled(pilot)
        assert re.search(r"  /.*….*the_last_one · develop ▾ .*specs$", screen_lines(app)[0])

    drive(app, scenario, SMALL)
