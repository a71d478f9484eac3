"""Each tone has a look in the style sheet."""

from __future__ import annotations

import re
from pathlib import Path

import cachetui.tui
from cachetui.tui.rows.tones import TONES


def test_the_style_sheet_knows_each_tone() -> None:
    sheet = (Path(cachetui.tui.__path__[0]) / "app.tcss").read_text(encoding="utf-8")
    assert set(TONES) <= set(re.findall(r"\.tone--([\w-]+)", sheet))
