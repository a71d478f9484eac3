"""The screen of the coverage, on the sample catalogue."""

from collections.abc import Sequence

import pytest

from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.coverage.screen import CoverageScreen
from tests.support.browsing import LEAST, SMALL, WIDE, browser
from tests.support.drive import Drive
from tests.support.frozen_screens import assert_screen_after


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("coverage_80x24", ("m", "l"), SMALL),
        ("coverage_140x40", ("j", "l", "l", "space"), WIDE),
        ("coverage_60x20", ("j", *"lllllllllll"), LEAST),
    ],
)
def test_the_matrix(drive: Drive, name: str, keys: Sequence[str], size: tuple[int, int]) -> None:
    assert_screen_after(("c", *keys), drive(browser(), size), name)


def test_enter_opens_the_specs_of_a_cell_and_escape_returns(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("c")
    pilot.press("j", "tab", "enter")
    specs = pilot.app.screen
    assert isinstance(specs, BrowseScreen)
    assert (specs.state.view.package, specs.state.view.query.line) == ("py-mpi4py", "py-mpi4py stack=e4s")
    pilot.press("escape")
    coverage = pilot.app.screen
    assert isinstance(coverage, CoverageScreen)
    assert coverage.state.cell == ("py-mpi4py", "e4s", 23)


def test_a_word_filters_and_marked_columns_are_compared(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("c")
    pilot.press("slash", *"neoverse", "enter", "space", "l", "space", "equals_sign")
    assert "3 packages × 2 stacks" in pilot.lines[0]
    assert pilot.lines[1].split() == ["/", "neoverse", *["only", "rows", "that", "differ"]]
    pilot.press("slash", "right", "2", "escape")
    assert pilot.lines[1].split()[1] == "neoverse"
