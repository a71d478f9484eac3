"""The pane of the facets: what its keys do and say, and where its cursor stands then."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import SMALL, WIDE, browse_of, browser, pressed, settled, sought
from tests.support.drive import Drive
from tests.support.screens import screen_lines


def line_of(pilot: Pilot[Any]) -> int:
    """In which line of the screen the cursor of the facets is."""
    facets = browse_of(pilot).panes.facets
    return facets.region.y + 1 + facets.place[1]


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_cursor_stays_in_its_line_whatever_a_tick_brings_above_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f")
        while facets.cursor_key != ("os", "sequoia"):
            await pressed(pilot, "down")
        line, place = line_of(pilot), facets.cursor_row
        assert place is not None
        for key in ("space", "space", "minus", "u", "space", "x", "U", "u"):
            await pressed(pilot, key)
            assert facets.cursor_key == ("os", "sequoia")
            assert line_of(pilot) == line
            assert "sequoia" in screen_lines(pilot.app)[line]

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_who_takes_a_search_back_is_where_it_began(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f", "down", "down")
        begun, line = facets.cursor_key, line_of(pilot)
        await pressed(pilot, "slash", "g", "c", "c")
        assert facets.cursor_key != begun
        await pressed(pilot, "escape")
        assert (facets.cursor_key, line_of(pilot)) == (begun, line)

    drive(browser(), scenario, size)


def test_the_facets_begin_at_the_first_after_a_search_that_led_to_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f")
        await sought(pilot, "gcc@13")
        assert facets.cursor_key != ("stack", None)
        found = facets.cursor_key
        await pressed(pilot, "escape", "f")
        assert facets.cursor_key == ("stack", None)
        assert facets.first_in_view == 0
        await sought(pilot, "gcc@13")
        await pressed(pilot, "space", "escape", "f")
        assert facets.cursor_key == found
        await pressed(pilot, "x", "down")
        gone_to = facets.cursor_key
        await pressed(pilot, "escape", "f")
        assert facets.cursor_key == gone_to

    drive(browser(), scenario, SMALL)
