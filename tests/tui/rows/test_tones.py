"""Each tone has a look in the style sheet, in lists and in lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cachetui.tui
from cachetui.tui.rows.tones import TONES


@pytest.mark.parametrize("name", ["rows", "bar"])
def test_the_style_sheet_knows_each_tone(name: str) -> None:
    sheet = (Path(cachetui.tui.__path__[0]) / "app.tcss").read_text(encoding="utf-8")
    assert set(TONES) <= set(re.findall(rf"\.{name}--([\w-]+)", sheet))
