"""What the last line of the coverage screen says of its keys, and of what they did."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.query.query import Query
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.state.coverage_view import CoverageView
from tests.support.browsing import SMALL, WIDE, answered, browser, lacks, opened, pressed, settled, shows, sought
from tests.support.drive import Drive
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines


def last_line(pilot: Pilot[Any]) -> str:
    return screen_lines(pilot.app)[-1].strip()


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_key_for_gaps_says_what_it_left_out_and_then_that_it_leads_to_all_rows(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "o gaps")
        await pressed(pilot, "m", "m", "o")
        assert last_line(pilot) == "only the 2 packages with gaps; 2 have none"
        await answered(pilot, "down", "2 packages with gaps by 4 oses", "o all rows")
        await pressed(pilot, "o")
        assert last_line(pilot) == "all 4 packages again"
        await answered(pilot, "down", "o gaps")

    drive(browser(), scenario, size)


def test_where_all_rows_have_gaps_or_one_has_none_the_key_for_gaps_says_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "o")
        assert last_line(pilot) == "all 4 packages have gaps"
        await pressed(pilot, "o")
        await sought(pilot, "e4s hep")
        await pressed(pilot, "o")
        assert last_line(pilot) == "only the 2 packages with gaps; 1 has none"
        await answered(pilot, "down", "o all rows")

    drive(browser(), scenario, SMALL)


def test_where_no_row_has_a_gap_the_key_for_gaps_says_it_in_place_of_them(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await opened(pilot, CoverageScreen(index_of([row(stacks=["e4s"])]), Query(), None, CoverageView()))
        await answered(pilot, "o", "There is no gap.", "o all rows")

    drive(browser(), scenario, SMALL)


def test_the_side_key_says_what_it_shows_next(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s hep")
        for word in ("i only in e4s", "i other side", "i both", "i only in e4s"):
            shows(pilot, word)
            await pressed(pilot, "i")
        await answered(pilot, "i", "i both", "In hep, not in e4s")
        await answered(pilot, "i", "hep lacks 2 that e4s has")
        await sought(pilot, "e4s hep oneapi")
        for word in ("i only what one has", "i next side", "i next side", "i all that differs"):
            shows(pilot, word)
            await pressed(pilot, "i")
        shows(pilot, "in which 3 columns differ")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_keys_for_the_axes_say_what_these_are_and_where_they_lead(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        if size == WIDE:
            shows(pilot, "m columns  M rows")
        await pressed(pilot, "m")
        assert last_line(pilot) == "packages by targets now; m leads to columns of oses, M to rows of versions"
        await pressed(pilot, "M")
        assert last_line(pilot) == "versions by targets now; m leads to columns of oses, M to rows of compilers"
        await answered(pilot, "down", "Enter specs")

    drive(browser(), scenario, size)


@pytest.mark.parametrize(("size", "rest"), [(SMALL, ""), (WIDE, "= all columns")])
def test_what_takes_a_comparison_along_is_offered_under_filters_too(
    drive: Drive, size: tuple[int, int], rest: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "/ find or compare")
        await sought(pilot, "e4s hep")
        shows(pilot, f"Enter specs  i only in e4s  y copy  e export  x clear  {rest}")
        await answered(pilot, "i", f"Enter specs  i other side  y copy  e export  x clear  {rest}")

    drive(browser("target=x86_64_v3"), scenario, size)


def test_to_compare_is_offered_where_there_are_two_columns_for_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "Space mark")
        lacks(pilot, "= compare")
        await answered(pilot, "down", "a gap")
        lacks(pilot, "= compare")
        await pressed(pilot, "space")
        lacks(pilot, "= compare")
        await answered(pilot, "right", "= compare  Space mark")
        await answered(pilot, "space", "= compare 2 marked  Space mark")
        await answered(pilot, "equals_sign", "i only in ")
        lacks(pilot, "= compare")
        await answered(pilot, "equals_sign", "= compare 2 marked")

    drive(browser(), scenario, WIDE)
