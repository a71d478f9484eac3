"""The marks of columns that stay when the coverage is left."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.query.query import Query
from cachetui.settings.views import ScreenLook
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.state.coverage_view import CoverageView
from tests.support.browsing import SMALL, WIDE, answered, browse_of, browser, lacks, pressed, settled, sought
from tests.support.drive import Drive
from tests.support.rows import index_of, row


def look_of(pilot: Pilot[Any]) -> ScreenLook:
    assert isinstance(pilot.app.screen, CoverageScreen)
    return pilot.app.screen.look


async def marked(pilot: Pilot[Any], *words: str) -> None:
    """Goes to the columns that are named like this, and presses Space on each."""
    for word in words:
        await sought(pilot, word)
        await pressed(pilot, "space")


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_marked_columns_are_marked_when_the_coverage_is_opened_again(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c")
        await marked(pilot, "e4s", "hep")
        await pressed(pilot, "escape")
        await answered(pilot, "c", "marked as before: e4s, hep; Space takes a mark away", "= compare 2 marked")
        await pressed(pilot, "right")
        lacks(pilot, "marked as before")
        await answered(pilot, "equals_sign", "hep lacks ")
        await pressed(pilot, "escape")
        await marked(pilot, "e4s")
        await pressed(pilot, "escape", "c")
        assert look_of(pilot).marked == ("hep",)
        await marked(pilot, "hep")
        await pressed(pilot, "escape", "c")
        assert look_of(pilot).marked == ()

    drive(browser(), scenario, size)


def test_columns_of_another_axis_are_marked_when_that_is_looked_at_again(drive: Drive) -> None:
    async def looked_at(pilot: Pilot[Any], axis: str) -> None:
        await pressed(pilot, "m")
        while look_of(pilot).columns != axis:
            await pressed(pilot, "m")

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c")
        await marked(pilot, "hep")
        await looked_at(pilot, "os")
        await marked(pilot, "ubuntu24.04", "ubuntu22.04")
        await pressed(pilot, "escape", "c")
        assert look_of(pilot).marked == (), "the key that goes to another axis took them away"
        await pressed(pilot, "escape", "c")
        await looked_at(pilot, "os")
        assert look_of(pilot).marked == ("ubuntu24.04", "ubuntu22.04")
        await looked_at(pilot, "os")
        assert look_of(pilot).marked == ()

    drive(browser(), scenario, SMALL)


def test_columns_marked_before_that_are_not_there_in_another_tag_are_marked_no_more() -> None:
    index = index_of([row(stacks=["one", "two"]), row(tag="other", stacks=["two", "three"])])
    view = CoverageView().marked_as("stack", ("two", "one"), index, Query.parse("tag=other"))
    assert view.marks == ("two",)
    assert CoverageView().marked_as("stack", ("two", "one"), index, Query()).marks == ("two", "one")
    tags = CoverageView(column_axis="tag").marked_as("tag", ("develop", "other"), index, Query.parse("tag=other"))
    assert tags.marks == ("develop", "other")


def test_a_cell_and_the_way_back_keep_the_marks_for_the_next_time(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c")
        await marked(pilot, "e4s", "hep")
        await pressed(pilot, "home", "down", "enter", "c")
        assert look_of(pilot).marked == ("e4s", "hep")

    drive(browser(), scenario, SMALL)


def test_the_marks_of_a_saved_view_stand_in_place_of_those_left(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c")
        await marked(pilot, "e4s", "hep")
        await pressed(pilot, "escape")
        browse_of(pilot).surveys.open("coverage", ScreenLook(marked=("hep",)))
        await settled(pilot)
        assert look_of(pilot).marked == ("hep",)
        await pressed(pilot, "escape")
        browse_of(pilot).surveys.open("coverage", ScreenLook(order="specs"))
        await settled(pilot)
        assert look_of(pilot).marked == ("hep",)

    drive(browser(), scenario, SMALL)
