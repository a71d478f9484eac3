"""Snapshots in the browser: they are read when they are selected."""

import os
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.settings.settings import Settings
from cachetui.tui.app import BrowserApp
from cachetui.tui.view.view import View
from tests.support.answers import PAST
from tests.support.drive import Drive
from tests.support.rows import index_of, row, write


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """Pages with different content on three days."""
    write(tmp_path / "past", PAST[-1])
    found = Catalogue(str(tmp_path / "past"), Settings(os.environ), index_cache=False)
    for day, rows in enumerate(PAST, 1):
        columns = index_of(rows).columns
        found.histories[0].record(f"2026-11-0{day}", columns, columns.tags)
    return found


def browser(catalogue: Catalogue) -> BrowserApp:
    return BrowserApp(catalogue, View(index=catalogue.load(), host=Host.parse("linux-ubuntu22.04-zen3")))


def test_key_d_shows_and_hides_snapshots(drive: Drive, catalogue: Catalogue) -> None:
    pilot = drive(browser(catalogue), (120, 30))
    pilot.press("D")
    assert "snapshots shown as tags: 3" in pilot.text
    pilot.press("t")
    assert [word for word in pilot.text.split() if word[:4] == "2026"] == ["2026-11-03", "2026-11-02", "2026-11-01"]
    assert pilot.text.count("not read yet") == 2
    pilot.press(*"11-01", "enter")
    pilot.wait_until(lambda: "2026-11-01 ▾" in pilot.text)
    pilot.press("slash", *"zlib", "enter")
    assert "1 of 2 specs" in pilot.text
    pilot.press("D")
    pilot.wait_until(lambda: "develop ▾" in pilot.text)
    pilot.press("t")
    assert "2026" not in pilot.text.replace("2026-11-27", "")


def test_timeline_covers_snapshots_that_are_not_read_yet(drive: Drive, catalogue: Catalogue) -> None:
    catalogue.shows_snapshots = True
    pilot = drive(browser(catalogue), (120, 30))
    pilot.press("slash", *"zlib", "enter", "v")
    assert "in 4 of 4 tags" in pilot.text
    assert "-1.14.3" in pilot.text
    pilot.press("G", "enter")
    pilot.wait_until(lambda: "2026-11-01 ▾" in pilot.text and "cccccccc"[:7] in pilot.text)
    pilot.press("escape", "k", "d")
    pilot.wait_until(lambda: "2026-11-01 → 2026-11-02" in pilot.text and "removed 1" in pilot.text)


@pytest.mark.parametrize("key", ["D", "nothing"])
def test_diff_starts_at_newest_snapshot(drive: Drive, catalogue: Catalogue, key: str) -> None:
    if key == "nothing":
        catalogue.shows_snapshots = True
        catalogue.ask_newest()
    pilot = drive(browser(catalogue), (120, 30))
    pilot.press(*[key] * (key == "D"), "d")
    pilot.wait_until(lambda: "2026-11-03 → develop" in pilot.text)
    pilot.press("T", *"11-01", "enter")
    pilot.wait_until(lambda: "2026-11-01 → develop" in pilot.text and "removed 1" in pilot.text)
    pilot.press("comma")
    assert "2026-11-01 → 2026-11-03" in pilot.text
    pilot.press("full_stop")
    assert "2026-11-03 → develop" in pilot.text


def test_reload_works_with_damaged_newest_snapshot(drive: Drive, catalogue: Catalogue, tmp_path: Path) -> None:
    (catalogue.histories[0].folder / "2026-11-03.day").write_bytes(b"")
    catalogue.shows_snapshots = True
    catalogue.ask_newest()
    pilot = drive(browser(catalogue), (120, 30))
    pilot.wait_until(lambda: "2026-11-03 was skipped: it is damaged" in pilot.text)
    write(tmp_path / "past", [*PAST[-1], PAST[0][0] | {"package": "new-package"}])
    pilot.press("r")
    pilot.wait_until(lambda: "new-package" in pilot.text)


def test_unread_snapshot_adds_no_specs(drive: Drive, tmp_path: Path) -> None:
    write(tmp_path / "other", [row("gcc", "1", tag="prod")])
    write(tmp_path / "site", [row("gcc", "2", tag="test")])
    both = Catalogue([str(tmp_path / "site"), str(tmp_path / "other")], Settings(os.environ), index_cache=False)
    columns = index_of(PAST[0]).columns
    both.histories[0].record("2026-11-01", columns, columns.tags)
    pilot = drive(browser(both), (120, 30))
    pilot.press("D")
    assert "snapshots shown as tags: 1" in pilot.text
    pilot.press("t")
    assert "2026-11-01  not read yet" in pilot.text
    pilot.press("escape")
    assert "2 of 2 specs" in pilot.text
