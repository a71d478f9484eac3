"""The pictures of the README show what the browser shows today."""

from __future__ import annotations

import asyncio
import html
import re

import pytest

from screenshots.take import FOLDER, PICTURES, drawn


def text_of(svg: str) -> list[str]:
    """The text of a picture; how it is styled is up to the version of Rich that drew it."""
    return [html.unescape(text).replace("\xa0", " ").rstrip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_up_to_date(name: str) -> None:
    committed = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert text_of(asyncio.run(drawn(PICTURES[name]))) == text_of(committed), "run `make screenshots`"
