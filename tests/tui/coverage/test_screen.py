"""The screen of the coverage, on the sample catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.coverage.screen import CoverageScreen
from tests.support.browsing import LEAST, SMALL, WIDE, browser
from tests.support.drive import Drive, settled
from tests.support.frozen_screens import assert_screen
from tests.support.screens import screen_lines


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("coverage_80x24", ("m", "l"), SMALL),
        ("coverage_140x40", ("j", "l", "l", "space"), WIDE),
        ("coverage_60x20", ("j", *"lllllllllll"), LEAST),
        ("coverage_map_80x24", ("z", "j", "l"), SMALL),
    ],
)
def test_the_matrix(drive: Drive, name: str, keys: Sequence[str], size: tuple[int, int]) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("c")
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        assert_screen(screen_lines(app), name)

    drive(app, scenario, size)


def test_enter_opens_the_specs_of_a_cell_and_escape_comes_back_to_it(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("c")
        await settled(pilot)
        await pilot.press("j", "tab", "enter")
        await settled(pilot)
        assert isinstance(app.screen, BrowseScreen)
        assert (app.screen.state.package, app.screen.state.query.line) == ("py-mpi4py", "py-mpi4py stack=e4s")
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(app.screen, CoverageScreen)
        assert app.screen.state.cell == ("py-mpi4py", "e4s", 23)

    drive(app, scenario)


def test_a_word_filters_and_marked_columns_are_compared(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("c")
        await settled(pilot)
        await pilot.press("slash", *"neoverse", "enter", "space", "l", "space", "equals_sign")
        await settled(pilot)
        lines = screen_lines(app)
        assert "3 packages × 2 stacks" in lines[0]
        assert lines[1].split() == ["/", "neoverse", "3", "gaps"]
        await pilot.press("slash", "2", "escape")
        await settled(pilot)
        assert screen_lines(app)[1].split()[1] == "neoverse"

    drive(app, scenario)
