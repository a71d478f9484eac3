"""The pictures of the README show what the browser shows today."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

import pytest

from screenshots.take import FOLDER, PICTURES, Content, Of, contents, draw


def text_of(svg: str) -> list[str]:
    """The text of a picture; how it is styled is up to the version of Rich that drew it."""
    return [html.unescape(text).replace("\xa0", " ").rstrip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


@pytest.fixture(scope="module")
def of(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Of, Content]:
    return contents(tmp_path_factory.mktemp("pictures"))


@pytest.mark.parametrize("name", ["browser"])  # the others are of catalogues that are made for them
def test_a_picture_is_up_to_date(name: str, of: Mapping[Of, Content]) -> None:
    committed = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert text_of(draw(PICTURES[name], of[PICTURES[name].of])) == text_of(committed), "run `make screenshots`"
