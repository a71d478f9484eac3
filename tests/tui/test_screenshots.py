"""The screenshots in README equal the present screens of the browser."""

import html
import re
from pathlib import Path

from rich.segment import Segment

from screenshots.svg import DARK, Shown, drawn
from screenshots.take import FOLDER, PICTURES, Content, draw
from tests.support.installation import write_installation


def text_of(svg: str) -> list[str]:
    """Return the texts of a picture."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_screenshot_of_installation_is_up_to_date(tmp_path: Path) -> None:
    """The other screenshots show a catalogue that takes longer to write."""
    committed = (FOLDER / "check.svg").read_text(encoding="utf-8")
    drawn_now = draw(PICTURES["check"], Content(write_installation(tmp_path), "./mirror"))
    assert text_of(drawn_now) == text_of(committed), "run `make screenshots`"


def test_screenshots_are_small_and_need_no_network() -> None:
    pictures = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")]
    assert sum(map(len, pictures)) < 1_000_000
    assert not re.search(r"<script|url\((?!#)|@import|href", "".join(pictures))


def test_animated_screenshot_shows_each_screen_once() -> None:
    svg = drawn([Shown([[Segment("stays")], [Segment(text)]], 2) for text in ("first", "last_")], DARK, "two {screens}")
    assert text_of(svg) == ["stays", "first", "stays", "last_"]
    assert "{ 0.000% { transform: translateY(0px) } 50.000% { transform: translateY(-48.8px) } }" in svg
    assert "<title>two {screens}</title>" in svg
