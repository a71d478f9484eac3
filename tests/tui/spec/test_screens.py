"""The screens of a spec, on a build cache that Spack made."""

import pytest

from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.glyphs import THUMB
from cachetui.tui.spec.comparison import ComparisonScreen
from cachetui.tui.spec.deps import DepsScreen
from tests.support.browsing import LEAST, SMALL, browser
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.frozen_screens import assert_screen
from tests.support.installs import INSTALLS

CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")


@pytest.mark.parametrize(
    ("keys", "name", "size"),
    [
        ("enter n j j space j space", "deps_80x24", SMALL),
        ("enter n j j space", "deps_60x20", LEAST),
        ("enter space escape j enter space equals_sign", "comparison_80x24", SMALL),
    ],
)
def test_the_screen(drive: Drive, keys: str, name: str, size: tuple[int, int]) -> None:
    pilot = drive(browser(content=CACHE), size)
    for key in keys.split():
        pilot.press(key)
    lines = [line.rstrip(f"{THUMB} ") for line in pilot.lines]  # how long it is depends on the cache's path
    mirror = next((k for k, line in enumerate(lines) if "spack mirror add" in line), len(lines))
    assert_screen(lines[:mirror], name)


def test_tree_shows_the_dependents_of_an_installed_spec(drive: Drive) -> None:
    """A deprecated libpng needs zlib-ng, too, and is not counted."""
    pilot = drive(browser("zlib-ng", str(INSTALLS / "1.1.0")))
    pilot.press("enter", "n", "G", "space")
    assert_screen(pilot.lines, "deps_installed_80x24")


def test_a_tree_leads_to_another_spec_and_esc_comes_back(drive: Drive) -> None:
    pilot = drive(browser(content=CACHE))
    pilot.press("enter", "n")
    pilot.press("j", "j", "enter")
    spec = pilot.app.screen
    assert isinstance(spec, BrowseScreen)
    assert spec.state.view.package == "bt-hdf"
    pilot.press("escape")
    tree = pilot.app.screen
    assert isinstance(tree, DepsScreen)
    assert tree.state.branch is not None


def test_marked_spec_is_compared_with_the_selected_one(drive: Drive) -> None:
    pilot = drive(browser(content=CACHE))
    pilot.press("enter", "equals_sign")
    assert "marked: 0" in pilot.lines[-1]
    pilot.press("space", "escape", "j", "enter", "equals_sign")
    assert isinstance(pilot.app.screen, ComparisonScreen)


@pytest.mark.parametrize("keys", ["enter space equals_sign", "enter space escape j enter equals_sign"])
def test_a_marked_row_of_many_builds_is_compared_as_one(drive: Drive, keys: str) -> None:
    pilot = drive(browser())
    pilot.press(*keys.split())
    assert isinstance(pilot.app.screen, ComparisonScreen)
