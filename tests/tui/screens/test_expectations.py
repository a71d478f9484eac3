"""The expectations screen on the sample catalogue: asked for a file, its verdicts, and where they lead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.tui.app import BrowserApp
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.screens.expectations import ExpectScreen
from tests.support.browsing import SMALL, WIDE, browser, filtered_by, pressed, settled, shows
from tests.support.drive import Drive
from tests.support.screens import screen_lines


def test_expectations_say_what_is_missing_and_lead_to_the_coverage(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names").write_text("py-mpi4py@4\nnowhere\npy-safetensors@99\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot)
        pilot.app.browse.surveys.open_expectations()  # type: ignore[attr-defined]  # the app of these tests
        await pressed(pilot, *"none", "enter")
        shows(pilot, "cannot be read: No such file or directory: none")
        await pressed(pilot, "ctrl+u", *"names", "enter")
        shows(pilot, "1 missing, 1 other, 1 covered", "missing      nowhere", "other        py-safetensors@99")
        await pressed(pilot, "space")
        shows(pilot, "verdict missing")
        await pressed(pilot, "escape", "c")
        assert screen_lines(pilot.app)[4].split()[:2] == ["!", "nowhere"]
        shows(pilot, "! nowhere")
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        assert "--expect=names" in screen.copies()[0][1]

    drive(browser(), scenario, SMALL)


def test_a_verdict_is_gone_to(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names").write_text("py-mpi4py@4 os=ubuntu22.04\npy-safetensors@99\n")

    async def asked(pilot: Pilot[Any], *keys: str) -> None:
        assert isinstance(pilot.app, BrowserApp)
        pilot.app.browse.surveys.open_expectations()
        await pressed(pilot, *"names", "enter", *keys)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot)
        await asked(pilot, "end", "enter")
        filtered_by(pilot, "py-mpi4py", "@4", "os=ubuntu22.04")
        shows(pilot, "52 of 91 specs · py-mpi4py")
        await pressed(pilot, "x")
        await asked(pilot, "home", "enter")
        shows(pilot, "· py-safetensors")
        assert "no filter" in screen_lines(pilot.app)[1]

    drive(browser(), scenario, WIDE)


def test_a_verdict_says_where_it_was_last_seen(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names").write_text("py-mpi4py\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "comma")
        assert isinstance(pilot.app, BrowserApp)
        pilot.app.browse.surveys.open_expectations()
        await pressed(pilot, *"names", "enter")
        shows(pilot, "1 missing", "last seen in develop")

    drive(browser(), scenario, WIDE)


def test_notes_that_have_no_room_beside_the_verdict_are_said_in_full(drive: Drive, tmp_path: Path) -> None:
    folder = "a-folder-of-which-the-name-is-rather-long"
    file = tmp_path / "spack.yaml"
    file.write_text(f"spack:\n  include: [https://example.org/{folder}/packages.yaml]\n  specs: [py-mpi4py]\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        pilot.app.browse.surveys.open_expectations()  # type: ignore[attr-defined]  # the app of these tests
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, ExpectScreen)
        screen.take(str(file))
        screen.ask()
        await settled(pilot)
        await pilot.pause()
        said = " ".join(line.strip() for line in screen_lines(pilot.app)[-2:])
        assert f"{folder}/packages.yaml" in said
        assert "\u2026" not in said

    drive(browser(), scenario, SMALL)
