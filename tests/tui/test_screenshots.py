"""The pictures of the README show what the browser shows today."""

from __future__ import annotations

import html
import re

from screenshots.take import FOLDER, PICTURES, SAMPLE, draw


def text_of(svg: str) -> list[str]:
    """The text of a picture; how it is styled is up to the version of Rich that drew it."""
    return [html.unescape(text).replace("\xa0", " ").rstrip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_the_picture_of_the_sample_is_up_to_date() -> None:
    """The others are of catalogues that are made for them."""
    committed = (FOLDER / "browser.svg").read_text(encoding="utf-8")
    assert text_of(draw(PICTURES["browser"], SAMPLE)) == text_of(committed), "run `make screenshots`"
