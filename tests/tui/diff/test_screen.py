"""The screen of the changes between two tags, on the sample content."""

import pytest

from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.index_update import ContentReading
from tests.support.browsing import SMALL, WIDE, browser, sample_browser
from tests.support.drive import Drive
from tests.support.frozen_screens import assert_screen_after


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_the_sections_and_the_change_under_the_cursor(drive: Drive, size: tuple[int, int]) -> None:
    keys = ("d", "space", *"jjjjjj", "space", "j")
    assert_screen_after(keys, drive(browser(), size), f"diff_{size[0]}x{size[1]}")


def test_a_word_filters_and_enter_opens_the_specs_on_top(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("d")
    pilot.press("slash", *"safetensors", "enter", "j", "enter")
    assert isinstance(pilot.app.screen, BrowseScreen)
    assert pilot.app.screen.state.view.package == "py-safetensors"
    pilot.press("escape")
    assert "/ safetensors" in pilot.lines[1]


def test_the_older_tag_is_chosen_from_a_list(drive: Drive) -> None:
    pilot = drive(sample_browser())
    pilot.press("d")
    pilot.press("T", *"site", "enter")
    assert "sample_mirror/site → sample/develop" in pilot.lines[0]
    assert "packages gone" in pilot.text


def test_verdict_waits_for_the_whole_content(drive: Drive) -> None:
    app = browser()
    pilot = drive(app)
    app._reading = ContentReading("first rows", "reading 35 %")
    pilot.press("d")
    assert pilot.lines[2].endswith("reading 35 % ━")
    assert "packages new" not in pilot.text
