"""The timeline of a package of the sample catalogue, which has two tags."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.cli.main import main
from cachetui.tui.screens.timeline import TimelineScreen
from tests.support.drive import Drive
from tests.support.sample_browser import LEAST, SMALL, WIDE, browser, pressed, shows
from tests.support.screens import screen_lines

OLD = "develop-2025-04-20"


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_every_tag_has_a_line(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        shows(pilot, "Timeline  py-ml-dtypes", "in 2 of 2 tags", "? help  Esc back")
        lines = screen_lines(pilot.app)
        assert [line[1:].split()[:2] for line in lines[3:5]] == [["develop", "129"], [OLD, "12"]]
        assert all(len(line) <= size[0] for line in lines)

    drive(browser(), scenario, size)


def test_the_help_keeps_what_stands_in_a_column_apart_from_the_keys(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "question_mark")
        lines = [line.strip() for line in screen_lines(pilot.app)]
        legend = lines.index("What stands where")
        assert lines.index("Timeline") < legend < lines.index("Everywhere")
        assert [line.split()[0] for line in lines[legend + 1 : legend + 3]] == ["+", "-"]
        assert not any(line.startswith(("+", "-")) for line in lines[:legend])

    drive(browser(), scenario, SMALL)


def test_a_tag_without_the_package_says_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "down", "v", "down")
        shows(pilot, "in 1 of 2 tags", "last seen in develop, first in develop", "specs 0", "versions none")

    drive(browser(), scenario, SMALL)


def test_versions_and_stacks_say_where_they_were_last_seen(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "m")
        shows(pilot, "version", "first seen", "last seen", f"tags develop, {OLD}")
        await pressed(pilot, "m")
        shows(pilot, "stack", "e4s")
        await pressed(pilot, "m")
        shows(pilot, "since the tag before")

    drive(browser(), scenario, SMALL)


def test_enter_looks_at_the_tag(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "down", "enter")
        assert pilot.app.browse.view.tag == OLD  # type: ignore[attr-defined]  # the app of these tests
        await pressed(pilot, "u")
        assert pilot.app.browse.view.tag == "develop"  # type: ignore[attr-defined]  # the app of these tests

    drive(browser(), scenario, SMALL)


def test_without_a_package_there_is_no_timeline(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        shows(pilot, "there is no package under the cursor")

    drive(browser("os=amzn2"), scenario, SMALL)


def test_the_command_counts_the_same(drive: Drive, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[str] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        screen = pilot.app.screen
        assert isinstance(screen, TimelineScreen)
        commands.extend(text for _, text in screen.copies())

    drive(browser("os=ubuntu24.04"), scenario, SMALL)
    main([*shlex.split(commands[0])[1:], "--no-snapshot", "--format=json"])
    assert json.loads(capsys.readouterr().out)["rows"][0]["cells"] == {"develop": 90, OLD: 9}
    main([*shlex.split(commands[1])[1:], "--no-snapshot", "--count"])
    assert capsys.readouterr().out == "90\n"


def test_the_timeline_is_exported(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "e", "enter")
        shows(pilot, "written: timeline-py-ml-dtypes.csv")

    drive(browser(), scenario, SMALL)
    lines = (tmp_path / "timeline-py-ml-dtypes.csv").read_text().splitlines()
    assert [line.split(",")[:2] for line in lines] == [["tag", "specs"], ["develop", "129"], [OLD, "12"]]
