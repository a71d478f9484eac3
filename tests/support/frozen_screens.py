"""Screens as plain text, in files that are reviewed like code; `CACHETUI_WRITE_SCREENS=1` writes them again."""

import os
from collections.abc import Sequence

from tests.support.drive import Pilot
from tests.support.places import ROOT

FOLDER = ROOT / "tests/tui/screens"

WRITES = bool(os.environ.get("CACHETUI_WRITE_SCREENS"))
"""Whether to write the screens again. The variable is read before the tests replace the environment."""


def assert_screen_after(keys: Sequence[str], pilot: Pilot, name: str) -> None:
    """Press keys, and compare the resulting screen with the file of this name."""
    pilot.press(*keys)
    assert_screen(pilot.lines, name)


def assert_screen(lines: Sequence[str], name: str) -> None:
    """Compare the lines of a screen with the file of this name."""
    file, text = FOLDER / f"{name}.txt", "\n".join(line.rstrip() for line in lines) + "\n"
    if WRITES:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
