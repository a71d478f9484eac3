"""What a spec of a build cache needs, as trees: gone into, followed and come back from."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.screens.dependencies import DependenciesScreen
from cachetui.tui.widgets import facets
from cachetui.tui.widgets.bar import Bar
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    cache_browser,
    lacks,
    pressed,
    sample_browser,
    settled,
    shows,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.screens import screen_lines

CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_trees_unfold_and_lead_to_other_specs_and_back(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "n")
        await pilot.pause()
        shows(pilot, "py-bt-num@1.26.4 /hvpndf2", "▾ needs", "bt-py@3.12.1", "▸ needed by")
        lacks(pilot, "bt-core@1.1.4")
        await pilot.press("down", "down", "right")
        await pilot.pause()
        shows(pilot, "▾ bt-py@3.12.1", "▸ bt-core@1.1.4", "external")
        await pilot.press("down", "enter")
        await pilot.pause()
        assert screen_lines(pilot.app)[0] == "bt-core@1.1.4"
        await pilot.press("n", "down", "down", "enter")
        await pilot.pause()
        assert screen_lines(pilot.app)[0].startswith("gcc-runtime@")
        await pilot.press("escape", "escape", "escape")
        await pilot.pause()
        shows(pilot, "py-bt-num@1.26.4 /hvpndf2")
        await pilot.press("left", "left")
        await pilot.pause()
        shows(pilot, ">  ▸ bt-py@3.12.1" if size == LEAST else "bt-py@3.12.1")
        lacks(pilot, "bt-core@1.1.4")
        await pilot.press("escape")
        await pilot.pause()
        shows(pilot, "Space mark" if size != LEAST else "Enter in full")
        assert all(len(line) <= size[0] for line in screen_lines(pilot.app))

    drive(cache_browser("py-bt-num", CACHE), scenario, size)


def test_what_has_no_binary_here_is_said_and_not_gone_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "n", *["down"] * 4)
        shows(pilot, ">    glibc@2.36")
        await pilot.press("enter")
        await pilot.pause()
        shows(pilot, "external, /usr: glibc@")

    drive(cache_browser("py-bt-num", CACHE), scenario, WIDE)


def test_the_spec_in_full_says_what_it_needs_and_why_its_twin_is_another(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "enter")
        await pilot.pause()
        shows(
            pilot,
            "closure 6 specs to link and run, 2 external, glibc@2.36, gcc-runtime@12.2.0",
            "needs bt-blas-a@0.3.27  bt-py@3.12.1",
            "needed by bt-app@3.2.1",
            "/w4xlp5g: other ^bt-blas-b, ^bt-core; bt-py follow",
            "y copy   n needs   i install?   Space mark   = compare   Up Down scroll   Esc back",
        )

    drive(cache_browser("py-bt-num", CACHE), scenario, WIDE)


def test_the_sample_has_a_cache_with_trees(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "n")
        await pilot.pause()
        shows(pilot, "netcdf-c@4.9.2 /", "▾ needs", "▸ hdf5@1.14.5", "▸ openmpi@5.0.6")
        await settled(pilot)
        assert "301 B to download" in pilot.app.screen.query_one("#status", Bar).text
        await pilot.press("escape", "enter")
        await settled(pilot)
        await pilot.press("end")
        await pilot.pause()
        shows(pilot, "size 43 bytes")

    drive(sample_browser("netcdf-c tag=site"), scenario, SMALL)


def test_pages_record_no_dependencies_and_say_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "n")
        await pilot.pause()
        shows(pilot, "no dependencies are recorded of this spec")
        await pilot.press("enter", "n")
        await pilot.pause()
        shows(pilot, "no dependencies are recorded of this spec")

    drive(browser(), scenario, SMALL)


def test_what_a_spec_needs_in_all_is_not_cut(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "n")
        screen = pilot.app.screen
        assert isinstance(screen, DependenciesScreen)
        first, second = screen_lines(pilot.app)[1:3]
        assert "to link and run" in first
        assert second.strip()
        assert f"{first} {second}" == screen._about.text

    drive(cache_browser("py-bt-num", CACHE), scenario, (45, 20))


def test_which_binaries_are_complete_is_counted_when_the_facets_stand(
    drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facets, "IDLE", 0.01)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        index = browse_of(pilot).view.index
        async with asyncio.timeout(10):
            while not index.knows_incomplete:
                await pilot.pause()
        await settled(pilot)
        shows(pilot, "complete   yes ")

    drive(cache_browser("", str(CACHES / "v3/spack-1.1.0/develop")), scenario, WIDE)
