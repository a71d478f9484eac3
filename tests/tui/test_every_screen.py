"""Every screen and dialog, on content that wants to do harm, in sizes that no one would choose."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.browsing import SMALL, browser
from tests.support.drive import Drive, settled
from tests.support.hostile import EVIL_PAGE, harmless
from tests.support.screens import screen_lines

KEYS = (*"cdvnitwyeV", "enter", "number_sign", "exclamation_mark", "ctrl+p", "question_mark", "f")
"""What opens them; `enter` a spec in full."""

SIZES = ((1, 1), (20, 5), (200, 4))


def test_every_screen_goes_on_in_every_size_and_nothing_on_it_acts(drive: Drive, tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text(EVIL_PAGE)
    app = browser("", str(tmp_path))

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("t", "home", "enter", "enter")
        await settled(pilot)
        home = len(app.screen_stack)
        for key, size in zip(KEYS, cycle(SIZES)):
            before = screen_lines(app)
            assert r"\x1b]52" in "".join(before)
            await pilot.press(key)
            await settled(pilot)
            assert screen_lines(app) != before, key
            harmless("\n".join(screen_lines(app)))
            await pilot.resize_terminal(*size)
            while len(app.screen_stack) > home:
                await pilot.press("escape")
            await pilot.resize_terminal(*SMALL)

    drive(app, scenario)
