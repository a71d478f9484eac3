"""The screens of a spec, on a build cache that Spack made."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.glyphs import THUMB
from cachetui.tui.spec.comparison import ComparisonScreen
from cachetui.tui.spec.deps import DepsScreen
from cachetui.tui.spec.screen import SpecScreen
from tests.support.browsing import LEAST, SMALL, browser
from tests.support.caches import CACHES
from tests.support.drive import Drive, settled
from tests.support.frozen_screens import assert_screen
from tests.support.screens import screen_lines

CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")


@pytest.mark.parametrize(
    ("keys", "name", "size"),
    [
        ("enter enter", "spec_80x24", SMALL),
        ("enter n j j space j space", "deps_80x24", SMALL),
        ("enter n j j space", "deps_60x20", LEAST),
        ("enter space escape j enter space equals_sign", "comparison_80x24", SMALL),
    ],
)
def test_the_screen(drive: Drive, keys: str, name: str, size: tuple[int, int]) -> None:
    app = browser(content=CACHE)

    async def scenario(pilot: Pilot[Any]) -> None:
        for key in keys.split():
            await pilot.press(key)
            await settled(pilot)
        lines = [line.rstrip(f"{THUMB} ") for line in screen_lines(app)]  # how long it is depends on the cache's path
        mirror = next((k for k, line in enumerate(lines) if "spack mirror add" in line), len(lines))
        assert_screen(lines[:mirror], name)

    drive(app, scenario, size)


def test_a_tree_leads_to_another_spec_and_esc_comes_back(drive: Drive) -> None:
    app = browser(content=CACHE)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "n")
        await settled(pilot)
        await pilot.press("j", "j", "enter")
        await settled(pilot)
        assert isinstance(app.screen, SpecScreen)
        assert app.screen.state.key is not None
        assert app.screen.state.key[1] == "bt-hdf"
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(app.screen, DepsScreen)
        assert app.screen.state.branch is not None

    drive(app, scenario)


def test_a_spec_is_marked_on_its_screen_and_compared_with_another(drive: Drive) -> None:
    app = browser(content=CACHE)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "enter", "space")
        await settled(pilot)
        assert "* bt-app@main" in screen_lines(app)[2]
        await pilot.press("equals_sign")
        await settled(pilot)
        assert "not 1" in screen_lines(app)[-1]
        await pilot.press("escape", "escape", "j", "enter", "enter", "equals_sign")
        await settled(pilot)
        assert isinstance(app.screen, ComparisonScreen)

    drive(app, scenario)
