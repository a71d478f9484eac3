"""Another host chosen from a spec that is shown in full."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.model.host import Host
from cachetui.tui.screens.install import InstallScreen
from cachetui.tui.screens.spec import SpecScreen
from tests.support.browsing import (
    HOST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    cache_browser,
    filtered_by,
    lacks,
    pressed,
    sample_browser,
    says,
    settled,
    shows,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.screens import screen_lines

CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")

BUILT_FOR = "py-mpi4py target=neoverse_v2"

ARM = "linux-ubuntu24.04-neoverse_v2"


async def host_chosen(pilot: Pilot[Any], name: str) -> None:
    """Chooses a host by the palette of the screen that is open."""
    await pressed(pilot, "ctrl+p")
    await typed(pilot, "host")
    await settled(pilot)
    shows(pilot, ">Choose the host")
    await pressed(pilot, "enter")
    shows(pilot, "Which host?")
    await typed(pilot, f"{name}\r")
    await settled(pilot)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_another_host_is_chosen_in_the_detail_and_holds_in_the_list(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "enter")
        shows(pilot, f"on {HOST}", "! does not run")
        title = screen_lines(pilot.app)[0]
        await host_chosen(pilot, ARM)
        assert isinstance(pilot.app.screen, SpecScreen)
        assert screen_lines(pilot.app)[0] == title
        shows(pilot, "host native: built for neoverse_v2", f"on {ARM}")
        says(pilot, f" on {ARM}")
        says(pilot, "u in the list goes back")
        await pressed(pilot, "escape")
        filtered_by(pilot, "py-mpi4py", "target=neoverse_v2", f"fits={ARM}")
        assert browse_of(pilot).view.host == Host.parse(ARM)
        await pressed(pilot, "u")
        filtered_by(pilot, "py-mpi4py", "target=neoverse_v2")
        lacks(pilot, f"fits={ARM} \u2715")

    drive(browser(BUILT_FOR), scenario, size)


def test_the_list_stands_as_if_the_host_had_been_chosen_there(drive: Drive) -> None:
    seen: list[list[str]] = []

    async def scenario(pilot: Pilot[Any], keys: tuple[str, ...], back: tuple[str, ...]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "down", *keys)
        await host_chosen(pilot, ARM)
        await pressed(pilot, *back)
        seen.append(screen_lines(pilot.app))

    drive(browser("py-mpi4py"), lambda pilot: scenario(pilot, (), ()), SMALL)
    drive(browser("py-mpi4py"), lambda pilot: scenario(pilot, ("enter",), ("escape",)), SMALL)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_detail_says_that_the_list_hides_what_does_not_run(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "enter")
        await host_chosen(pilot, "linux-ubuntu24.04-zen3")
        shows(pilot, "! does not run", "on linux-ubuntu24.04-zen3")
        says(pilot, "run on linux-ubuntu24.04-zen3; this one does not, and the list hides it: u there goes back")
        await host_chosen(pilot, ARM)
        shows(pilot, "host native: ")
        says(pilot, "u in the list goes back")
        await answered(pilot, "escape", f"fits={ARM}")

    drive(browser(BUILT_FOR), scenario, size)


def test_who_chooses_no_host_in_the_detail_changes_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "enter")
        before = screen_lines(pilot.app)
        await pressed(pilot, "ctrl+p")
        await typed(pilot, "host")
        await settled(pilot)
        await pressed(pilot, "enter", "escape")
        assert screen_lines(pilot.app) == before
        assert browse_of(pilot).view.query.fits is None

    drive(browser(BUILT_FOR), scenario, SMALL)


def test_a_spec_that_was_come_to_by_its_needs_is_judged_by_the_host_chosen_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "n", "down", "down", "enter")
        assert isinstance(pilot.app.screen, SpecScreen)
        await host_chosen(pilot, "linux-centos7-x86_64")
        shows(pilot, "on linux-centos7-x86_64")
        await pressed(pilot, "escape", "enter")
        shows(pilot, "on linux-centos7-x86_64")

    drive(cache_browser("py-bt-num", CACHE), scenario, SMALL)


def test_a_spec_that_was_come_to_from_its_installation_asks_for_the_host_of_that(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "i")
        assert isinstance(pilot.app.screen, InstallScreen)
        await pressed(pilot, "end", "enter")
        assert isinstance(pilot.app.screen, SpecScreen)
        await host_chosen(pilot, "linux-centos7-x86_64")
        shows(pilot, "on linux-centos7-x86_64")
        await pressed(pilot, "escape")
        assert isinstance(pilot.app.screen, InstallScreen)
        assert screen_lines(pilot.app)[0].endswith("on linux-centos7-x86_64")
        assert browse_of(pilot).view.query.fits is None

    drive(sample_browser("netcdf-c tag=site"), scenario, SMALL)
