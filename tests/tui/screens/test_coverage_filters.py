"""The coverage screen under filters of its own columns, and under those that leave nothing of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.query.query import Query
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.state.coverage_view import CoverageView
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    lacks,
    matrix_of,
    opened,
    pressed,
    settled,
    shows,
    sought,
    typed,
)
from tests.support.drive import Drive
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
@pytest.mark.parametrize("filters", ["stack=e4s", "stack!=hep", "stack=e4s stack!=hep", "stack=e4s stack=hep"])
def test_columns_are_compared_without_the_filters_that_leave_one_of_them_out(
    drive: Drive, filters: str, size: tuple[int, int]
) -> None:
    gone = ", ".join(filters.split())

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        before = str(browse_of(pilot).view.query)
        await pressed(pilot, "c", "slash")
        await typed(pilot, "e4s hep")
        assert screen_lines(pilot.app)[-1].strip() == f"Enter compares e4s, hep without {gone}"
        await pressed(pilot, "enter")
        shows(pilot, "hep lacks 2 that e4s has, e4s lacks 0; 1 differs")
        said = " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        assert said.endswith(f"taken away to compare: {gone}; u goes back")
        assert str(browse_of(pilot).view.query) == "tag=develop"
        await pressed(pilot, "u")
        assert "taken back: now with " in " ".join(screen_lines(pilot.app)[-2:])
        assert str(browse_of(pilot).view.query) == before
        lacks(pilot, "lacks")
        await pressed(pilot, "U")
        shows(pilot, "4 packages by 13 stacks")

    drive(browser(filters), scenario, size)


@pytest.mark.parametrize(
    ("filters", "keys", "words", "said"),
    [
        ("os=ubuntu22.04 +mpi", ("m", "m"), "ubuntu22 ubuntu24", "os=ubuntu22.04"),
        ("os!=ubuntu22.04", ("m", "m"), "ubuntu22 ubuntu24", "os!=ubuntu22.04"),
        ("arch=linux-ubuntu22.04-x86_64_v3", ("m", "m"), "ubuntu22 ubuntu24", "arch=linux-ubuntu22.04-x86_64_v3"),
        ("%gcc@11", ("m",) * 4, "gcc@11.4 gcc@13", "%gcc@11"),
        ("target=x86_64_v3", ("m",), "v3 neoverse_v1", "target=x86_64_v3"),
    ],
)
def test_other_columns_are_compared_without_their_filters_too(
    drive: Drive, filters: str, keys: Sequence[str], words: str, said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", *keys)
        await typed(pilot, f"/{words}")
        assert screen_lines(pilot.app)[-1].endswith(f" without {said}")
        await pressed(pilot, "enter")
        assert len(matrix_of(pilot).names) == 2
        assert said not in screen_lines(pilot.app)[0]
        await pressed(pilot, "u")
        shows(pilot, said)

    drive(browser(filters), scenario, WIDE)


@pytest.mark.parametrize("filters", ["", "stack=e4s,hep", "+mpi", "tag=develop", "target=x86_64_v3"])
def test_filters_that_leave_out_no_compared_column_stay(drive: Drive, filters: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        before = str(browse_of(pilot).view.query)
        await pressed(pilot, "c", "slash")
        await typed(pilot, "e4s hep")
        assert screen_lines(pilot.app)[-1].strip() == "Enter compares e4s, hep"
        await pressed(pilot, "enter")
        assert matrix_of(pilot).names == ["e4s", "hep"]
        assert str(browse_of(pilot).view.query) == before
        lacks(pilot, "taken away")

    drive(browser(filters), scenario, SMALL)


def test_a_column_that_no_tag_here_has_takes_no_filter_away(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s neoverse-v2")
        shows(pilot, "stack e4s-neoverse-v2 does not exist here")
        lacks(pilot, "taken away")

    drive(browser("tag=develop-2025-04-20 stack=e4s"), scenario, SMALL)


def test_marked_columns_that_a_filter_hides_are_compared_without_it(drive: Drive) -> None:
    """The marks stay while steps of the filters are taken back and done again."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/stack=e4s\r")
        await pressed(pilot, "u", "c")
        for word in ("e4s", "hep"):
            await sought(pilot, word)
            await pressed(pilot, "space")
        await answered(pilot, "U", "by 1 stack")
        await answered(pilot, "equals_sign", "hep lacks 2 that e4s has", "taken away to compare: stack=e4s")
        await answered(pilot, "equals_sign", "by 13 stacks")

    drive(browser(), scenario, SMALL)


def test_a_comparison_that_a_filter_of_its_columns_does_not_allow_is_opened_as_all_columns(drive: Drive) -> None:
    """As from a view that was saved."""
    stacks = ["e4s", "e4s-neoverse-v2"]
    index = index_of([row(name, hash=name[0] * 32, stacks=stacks) for name in ("acts", "hdf5")])
    view = CoverageView(marks=("e4s", "e4s-neoverse-v2"), compared=True)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await opened(pilot, CoverageScreen(index, Query.parse("stack=e4s"), None, view))
        shows(pilot, "2 packages by 1 stack", "not compared: a column is hidden by stack=e4s; = compares without")

    drive(browser(), scenario, SMALL)


def test_until_there_are_figures_without_the_filters_no_side_of_the_comparison_is_shown(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        screen._show_found(("e4s", "hep"))
        screen.action_turn_round()
        assert screen.shown is None
        await settled(pilot)
        await pressed(pilot)
        shows(pilot, "In e4s, not in hep: 2 of 3 packages that differ")

    drive(browser("stack=e4s"), scenario, SMALL)


@pytest.mark.parametrize("words", ["e4s e4s-neoverse-v2", "e4s-neoverse-v2 e4s"])
def test_a_column_that_a_filter_leaves_empty_lacks_nothing_but_has_no_spec_under_the_filters(
    drive: Drive, words: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, words)
        shows(pilot, "e4s-neoverse-v2 has no spec, e4s has 3 packages · target=x86_64_v3")
        await answered(pilot, "x", "e4s-neoverse-v2 lacks")

    drive(browser("target=x86_64_v3"), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_of_columns_that_a_filter_leaves_empty_it_is_said_that_neither_has_a_spec(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s hep")
        shows(pilot, "Neither has a spec under os=nowhere: x clears the filters.", "No spec in e4s or hep")
        assert screen_lines(pilot.app)[-1].startswith("x clear  = all columns  / two others")
        for said in ("lacks", "differ"):
            lacks(pilot, said)
        await answered(pilot, "i", "Neither has a spec under os=nowhere", "No spec in e4s or hep")
        await answered(pilot, "escape", "Neither has a spec under os=nowhere")
        await answered(pilot, "x", "hep lacks 2 that e4s has")

    drive(browser("os=nowhere"), scenario, size)


@pytest.mark.parametrize(
    ("tag", "words", "said"),
    [
        ("develop-2025-04-20", "e4s neoverse-v2", "e4s has no spec under os=nowhere: x clears the filters."),
        ("develop", "e4s hep data-vis", "None of them has a spec under os=nowhere: x clears the filters."),
    ],
)
def test_of_columns_that_a_filter_leaves_empty_the_one_that_exists_is_named_and_of_three_none(
    drive: Drive, tag: str, words: str, said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, words)
        shows(pilot, said)

    drive(browser(f"tag={tag} os=nowhere"), scenario, SMALL)
