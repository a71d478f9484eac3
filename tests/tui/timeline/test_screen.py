"""The screen of the timeline, on the sample catalogue."""

from pathlib import Path

import pytest

from cachetui.tui.app import BrowserApp
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.frame import Status
from tests.support.browsing import SMALL, WIDE, browser
from tests.support.drive import Drive
from tests.support.frozen_screens import assert_screen_after


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_chart_rows_and_details_are_shown(drive: Drive, size: tuple[int, int]) -> None:
    assert_screen_after(("v", "j"), drive(browser(), size), f"timeline_{size[0]}x{size[1]}")


def test_enter_opens_the_specs_of_the_tag_on_top(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("v")
    pilot.press("j", "enter")
    assert isinstance(pilot.app.screen, BrowseScreen)
    assert (pilot.app.screen.state.view.package, pilot.app.screen.state.view.tag) == (
        "py-ml-dtypes",
        "develop-2025-04-20",
    )
    pilot.press("escape", "slash", *"nothing", "enter")
    assert "Tags 0" in pilot.text


@pytest.mark.parametrize(
    ("key", "judged"), [("c", ("a gap", "18 gaps")), ("v", ("develop-2025-04-20", "+e4s-neoverse_v1"))]
)
def test_verdict_waits_for_the_whole_content(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, key: str, judged: tuple[str, str]
) -> None:
    pilot = drive(browser())
    for progress, is_judged in (("reading 35 %", False), ("", True)):
        monkeypatch.setattr(BrowserApp, "status", Status("content", progress=progress))
        pilot.press(key)
        shown = [text in pilot.text for text in (*judged, "reading 35 %")]
        assert shown == [is_judged, is_judged, not is_judged]
        pilot.press("escape")


def test_timeline_is_exported_as_a_web_page(drive: Drive, tmp_path: Path) -> None:
    pilot = drive(browser())
    pilot.press("v", "e", *f"{tmp_path}/map.html", "enter")
    text = (tmp_path / "map.html").read_text()
    assert "<h1>py-ml-dtypes over the tags </h1>" in text
    assert text.count("<tr>") == 3


def test_timeline_copies_texts_only_for_a_package(drive: Drive) -> None:
    pilot = drive(browser("@99"))
    pilot.press("v", "y")
    assert "There is nothing here." in pilot.text
