"""Filters that are cleared and taken back on the screens over the lists that show what they leave."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import SMALL, WIDE, answered, browser, lacks, matrix_of, pressed, settled, shows, sought
from tests.support.drive import Drive
from tests.support.screens import screen_lines

QUERY = "py-mpi4py %gcc stack=e4s"


@pytest.mark.parametrize("key", ["c", "d"])
def test_they_are_cleared_and_brought_back_where_they_are_seen(drive: Drive, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await answered(pilot, key, "x clear")
        heading = screen_lines(pilot.app)[0]
        filters = QUERY
        assert filters in heading, heading
        await answered(pilot, "x", f"taken away: {filters.replace(' ', ', ')}; u goes back")
        assert "stack=e4s" not in screen_lines(pilot.app)[0]
        await pressed(pilot, "down")
        lacks(pilot, "x clear")
        await answered(pilot, "x", "no filter to clear")
        await answered(pilot, "u", f"taken back: now with {filters.replace(' ', ', ')}")
        assert screen_lines(pilot.app)[0] == heading
        await answered(pilot, "backspace", "no filter step to take back")
        await answered(pilot, "U", f"done again: {filters.replace(' ', ', ')} are gone")
        await answered(pilot, "U", "nothing to do again")
        await pressed(pilot, "escape")
        shows(pilot, "no filter", "4 of 4 packages")
        lacks(pilot, "done again")

    drive(browser(QUERY), scenario, WIDE)


def test_the_matrix_keeps_its_columns_and_its_cell(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c", "down", "right")
        name, cell = matrix_of(pilot).column_name, matrix_of(pilot).cursor_key
        await answered(pilot, "x", "4 packages by 13 stacks", f"py-mpi4py in {name}: ")
        assert (matrix_of(pilot).column_name, matrix_of(pilot).cursor_key) == (name, cell)
        await pressed(pilot, "u")
        await sought(pilot, "e4s hep")
        await answered(pilot, "x", "hep lacks 2 that e4s has")

    drive(browser("py-mpi4py stack=e4s,hep"), scenario, WIDE)


def test_where_nothing_matches_it_is_said_which_key_clears(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await answered(pilot, "c", "Nothing matches: x clears all filters; Esc, then w takes one out.")
        await answered(pilot, "x", "4 packages by 13 stacks")

    drive(browser("py-mpi4py %gcc@1"), scenario, SMALL)
