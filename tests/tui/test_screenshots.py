"""The pictures of the README show what the browser shows today."""

from __future__ import annotations

import asyncio
import html
import re
from pathlib import Path

import pytest

from cachetui.catalogue import sample_content
from screenshots.take import FOLDER, PICTURES, drawn, make_up


def text_of(svg: str) -> list[str]:
    """The text of a picture; how it is styled is up to the version of Rich that drew it."""
    return [html.unescape(text).replace("\xa0", " ").rstrip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_up(tmp_path_factory.mktemp("made-up") / "content")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_up_to_date(name: str, request: pytest.FixtureRequest) -> None:
    content = request.getfixturevalue("made_up") if PICTURES[name].made_up else sample_content()
    committed = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert text_of(asyncio.run(drawn(PICTURES[name], content))) == text_of(committed), "run `make screenshots`"
