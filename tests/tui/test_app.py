"""The app: a newer index under the screens that are open, and content that cannot be read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.tui.app import BrowserApp, first_view
from tests.support.aged import aged
from tests.support.browsing import HOST, WIDE
from tests.support.drive import Drive, settled
from tests.support.rows import row, write
from tests.support.screens import screen_lines

ROWS = [row(), row(target="zen4"), row("zlib", "1.3"), row("zlib", "1.3", stacks=["hep"])]


def opened(folder: Path) -> BrowserApp:
    catalogue = Catalogue(str(folder), {}, snapshot=False)
    return BrowserApp(catalogue, first_view(catalogue, HOST), content=str(folder))


def screen(pilot: Pilot[Any]) -> str:
    return "\n".join(screen_lines(pilot.app))


def test_a_newer_index_comes_under_the_screens_that_are_open(drive: Drive, tmp_path: Path) -> None:
    folder = aged(write(tmp_path / "content", ROWS))

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("j", "enter", "space", "c")
        await settled(pilot)
        assert "1 packages" not in screen(pilot)
        write(folder, [*ROWS, row("adios2", "2.10")])
        await pilot.press("r")
        await settled(pilot)
        assert "adios2" in screen(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert "5 of 5 specs" in screen(pilot)
        assert "zlib · 2 specs" in screen(pilot)
        assert "1 marked" in screen(pilot)

    drive(opened(folder), scenario, WIDE)


def test_content_that_cannot_be_read_is_said_and_judged_by_no_screen(drive: Drive, tmp_path: Path) -> None:
    folder = write(tmp_path / "content", ROWS)
    app = opened(folder)
    shutil.rmtree(folder)

    async def scenario(pilot: Pilot[Any]) -> None:
        assert app.status.progress
        for key in ("c", "q", "d", "q"):
            await pilot.press(key)
            await settled(pilot)
            assert "gone" not in screen(pilot)
            assert "missing" not in screen(pilot)

    drive(app, scenario, WIDE)
