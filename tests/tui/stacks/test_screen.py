"""The stacks screen, on the sample catalogue."""

from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.stacks.screen import StacksScreen
from tests.support.drive import SMALL, WIDE, Drive, browser
from tests.support.frozen_screens import assert_screen_after


def test_stacks_are_listed_worst_first_and_open_their_specs(drive: Drive) -> None:
    assert_screen_after(("o",), drive(browser(), WIDE), "stacks_140x40")
    pilot = drive(browser(), SMALL)
    assert_screen_after(("o", "j"), pilot, "stacks_80x24")
    screen = pilot.app.screen
    assert isinstance(screen, StacksScreen)
    size = screen.state.here
    assert size is not None
    pilot.press("enter")
    specs = pilot.app.screen
    assert isinstance(specs, BrowseScreen)
    assert (specs.state.view.query.line, specs.state.view.results.specs) == (f"stack={size.stack}", size.specs)
