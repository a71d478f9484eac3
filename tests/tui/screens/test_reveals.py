"""Going to a spec or a package, whatever filters hide it, and back."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.query.query import Query
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    lacks,
    pressed,
    settled,
    shows,
    sought,
    spec_of,
)
from tests.support.drive import Drive
from tests.support.screens import screen_lines

RUNS_HERE, RUNS_ELSEWHERE = "2feova4", "4ae6wuu"
"""Hashes in `develop` of binaries for ubuntu22.04 and for ubuntu24.04."""


def test_a_hash_that_filters_hide_is_shown_without_them(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await sought(pilot, "2feova4", "number_sign")
        browse = browse_of(pilot)
        assert spec_of(browse).package == "py-mpi4py"
        shows(pilot, "taken away to show it: py-pdm-backend; Esc goes back")
        lacks(pilot, "in develop now")
        await pilot.press("u")
        assert len(browse.view.results) == 77

    drive(browser("py-pdm-backend"), scenario, WIDE)


def test_a_hash_of_another_tag_says_so_and_undo_goes_back_to_where_the_cursor_was(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "down", "down")
        before = browse.panes.spec
        assert before is not None
        only = next(iter(browse.view.index.rows(Query.parse("py-safetensors tag!=develop-2025-04-20"))))
        await sought(pilot, (browse.view.index.spec(only).hash or "")[:12], "number_sign")
        shows(pilot, "in develop now; Esc goes back")
        await pressed(pilot, "u")
        assert browse.panes.spec == before
        assert browse.view.tag == "develop-2025-04-20"

    drive(browser("tag=develop-2025-04-20"), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_undo_and_redo_of_going_to_a_hash_lead_back_and_there_and_say_where_that_is(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "down")
        before = browse.panes.spec
        only = next(iter(browse.view.index.rows(Query.parse("py-safetensors tag!=develop-2025-04-20"))))
        await sought(pilot, (browse.view.index.spec(only).hash or "")[:12], "number_sign")
        there = browse.panes.spec
        assert before is not None
        assert there is not None
        assert before[1] != there[1]
        for back in ("u", "escape", "u"):
            await pressed(pilot, back)
            assert browse.panes.spec == before
            shows(pilot, f"back: {before[1]}, in develop-2025-04-20")
            lacks(pilot, "is left")
            await pressed(pilot, "U")
            assert browse.panes.spec == there
            shows(pilot, "again: py-safetensors, in develop")
            lacks(pilot, "is left")
            await pressed(pilot, "down")
            shows(pilot, "Esc back")

    drive(browser("py-ml-dtypes tag=develop-2025-04-20"), scenario, size)


def test_a_hash_that_stands_for_no_others_is_gone_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await sought(pilot, "3yg7mb3", "number_sign")
        assert spec_of(browse_of(pilot)).hash == "3yg7mb3joqfede6zmcyarzwv2cosa6f5"
        shows(pilot, " 2feova4", ">3yg7mb3")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_going_to_a_hash_takes_away_only_what_hides_it_and_names_that(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        view = browse_of(pilot).view
        before = str(view.query)
        await sought(pilot, RUNS_HERE, "number_sign")
        assert str(view.query) == "tag=develop fits=linux-ubuntu22.04-zen3"
        shows(pilot, "in develop now; taken away to show it: os=ubuntu24.04; Esc goes back")
        await sought(pilot, RUNS_ELSEWHERE, "number_sign")
        assert str(view.query) == "tag=develop"
        shows(pilot, "taken away to show it: fits=linux-ubuntu22.04-zen3; Esc goes back")
        await pressed(pilot, "u", "u")
        assert str(view.query) == before

    drive(browser("tag=develop-2025-04-20 os=ubuntu24.04 fits=linux-ubuntu22.04-zen3"), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_escape_leads_back_from_a_hash_in_another_tag(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "down")
        before = str(browse.view.query), browse.panes.spec
        await sought(pilot, RUNS_HERE, "number_sign")
        there = str(browse.view.query), browse.panes.spec
        await pressed(pilot, "down", "up")
        shows(pilot, "Esc back")
        await sought(pilot, RUNS_ELSEWHERE, "number_sign")
        await pressed(pilot, "escape")
        assert (str(browse.view.query), browse.panes.spec) == there
        await pressed(pilot, "escape")
        assert (str(browse.view.query), browse.panes.spec) == before
        lacks(pilot, "Esc back")
        await pressed(pilot, "escape")
        assert browse.panes.level == "packages"

    drive(browser("tag=develop-2025-04-20 fits=linux-ubuntu22.04-zen3"), scenario, size)


def test_who_leaves_the_package_that_he_was_led_to_goes_up_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = browse_of(pilot)
        await sought(pilot, RUNS_HERE, "number_sign")
        await pressed(pilot, "left", "down", "enter")
        lacks(pilot, "Esc back")
        await pressed(pilot, "escape")
        assert (browse.view.tag, browse.panes.level) == ("develop", "packages")

    drive(browser("tag=develop-2025-04-20"), scenario, SMALL)


@pytest.mark.parametrize("key", ["escape", "u"])
def test_the_way_back_from_a_hash_leads_to_the_same_lines(drive: Drive, key: str) -> None:
    """The cursor was on the last line on screen, where it had been further up."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", *["down"] * 14, *["up"] * 6)
        specs = browse_of(pilot).panes.specs
        before = specs.place
        assert specs.first_in_view
        await sought(pilot, RUNS_ELSEWHERE, "number_sign")
        shows(pilot, "taken away to show it: os=ubuntu22.04")
        await pressed(pilot, key)
        assert specs.place == before

    drive(browser("py-mpi4py os=ubuntu22.04"), scenario, SMALL)


@pytest.mark.parametrize("found", ["4ae6wuu", "py-mpi4py"])
def test_from_within_a_package_escape_leads_back_from_another_one(drive: Drive, found: str) -> None:
    """Also where no filter had to go to show what was sought."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", *["down"] * 12, *["up"] * 3)
        specs = browse_of(pilot).panes.specs
        assert specs.first_in_view
        stood = screen_lines(pilot.app)[:14], specs.place
        await sought(pilot, found, "number_sign")
        assert browse_of(pilot).panes.package == "py-mpi4py"
        shows(pilot, "Esc back")
        await pressed(pilot, "escape")
        assert (screen_lines(pilot.app)[:14], specs.place) == stood
        shows(pilot, "Esc packages")
        await pressed(pilot, "escape")
        assert browse_of(pilot).panes.level == "packages"

    drive(browser(), scenario, SMALL)


def test_within_the_same_package_escape_leads_to_the_packages_from_a_hash(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "down")
        await sought(pilot, "4ae6wuu", "number_sign")
        assert str(spec_of(browse_of(pilot)).hash).startswith("4ae6wuu")
        shows(pilot, "Esc packages")

    drive(browser("py-mpi4py"), scenario, SMALL)
