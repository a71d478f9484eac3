"""The app: a newer index under the screens that are open, and content that cannot be read."""

from __future__ import annotations

import shutil
from pathlib import Path

from cachetui.catalogue import Catalogue
from cachetui.tui.app import BrowserApp, first_view
from tests.support.aged import aged
from tests.support.browsing import HOST, WIDE
from tests.support.drive import Drive
from tests.support.rows import row, write

ROWS = [row(), row(target="zen4"), row("zlib", "1.3"), row("zlib", "1.3", stacks=["hep"])]


def opened(folder: Path) -> BrowserApp:
    catalogue = Catalogue(str(folder), {}, snapshot=False)
    return BrowserApp(catalogue, first_view(catalogue, HOST), content=str(folder))


def test_a_newer_index_comes_under_the_screens_that_are_open(drive: Drive, tmp_path: Path) -> None:
    folder = aged(write(tmp_path / "content", ROWS))
    pilot = drive(opened(folder), WIDE)
    pilot.press("j", "enter", "space", "c")
    assert "1 packages" not in pilot.text
    write(folder, [*ROWS, row("adios2", "2.10")])
    pilot.press("r")
    assert "adios2" in pilot.text
    pilot.press("escape")
    assert "5 of 5 specs" in pilot.text
    assert "zlib · 2 specs" in pilot.text
    assert "1 marked" in pilot.text


def test_content_that_cannot_be_read_is_said_and_judged_by_no_screen(drive: Drive, tmp_path: Path) -> None:
    folder = write(tmp_path / "content", ROWS)
    app = opened(folder)
    shutil.rmtree(folder)
    pilot = drive(app, WIDE)
    assert app.status.progress
    for key in ("c", "q", "d", "q"):
        pilot.press(key)
        assert "gone" not in pilot.text
        assert "missing" not in pilot.text
