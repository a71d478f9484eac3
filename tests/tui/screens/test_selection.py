"""Marks, and what is copied and exported of the view."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import sample_content
from cachetui.tui.screens import output
from tests.support.browsing import SMALL, WIDE, browse_of, browser, settled, shows
from tests.support.drive import Drive


def test_marks_stay_with_their_specs(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("l", "space", "space")
        await pilot.pause()
        browse = browse_of(pilot)
        shows(pilot, "2 marked", "*24fngvd", "*2i24sur")
        browse.show_index(browse.view.index)
        await pilot.press("k", "space")
        await pilot.pause()
        shows(pilot, "1 marked")

    drive(browser(), scenario, WIDE)


def test_texts_are_shown_before_they_are_copied(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def send(text: str, *_: object) -> str:
        sent.append(text)
        return "sent to the terminal (OSC 52)"

    monkeypatch.setattr(output, "send", send)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("y")
        await pilot.pause()
        shows(pilot, "hash", "name/hash", "install", "mirror", "this view")
        await pilot.press("end")
        await pilot.pause()
        shows(pilot, f"cachetui find {sample_content()} --tag"[:76])
        await pilot.press("enter")
        await pilot.pause()
        assert sent == [f"cachetui find {sample_content()} --tag develop --packages 'py-mpi4py %gcc@11'"]
        shows(pilot, "sent to the terminal (OSC 52)", "cachetui find ")
        await pilot.press("up")
        await pilot.pause()
        shows(pilot, "Enter copy")
        await pilot.press("escape", "enter", "y", "end", "enter")
        await pilot.pause()
        assert sent[1:] == [f"cachetui find {sample_content()} --tag develop 'py-mpi4py %gcc@11'"]

    drive(browser("py-mpi4py %gcc@11"), scenario, SMALL)


def test_marked_specs_are_written_to_a_file(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("l", "space", "space")
        for _ in range(2):
            await pilot.press("e", "end", "enter")
            await pilot.pause()
        shows(pilot, "written: cachetui-develop-2.yaml")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cachetui-develop-2.yaml", "cachetui-develop.yaml"]
        text = (tmp_path / "cachetui-develop.yaml").read_text()
        assert text.splitlines() == [
            "spack:",
            "  specs:",
            '  - "py-ml-dtypes@0.4.0/24fngvd4f3yz7zj63yh4i2wjhfyscqp3"',
            '  - "py-ml-dtypes@0.4.0/2i24survziwdodvua4ny7xcx6bgc54qa"',
        ]

    drive(browser(), scenario, WIDE)


def test_what_is_copied_is_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("y")
        shows(pilot, "Copy py-ml-dtypes@0.4.0 /24fngvd, one of 129")
        await pilot.press("escape", "enter", "down", "y")
        await pilot.pause()
        shows(pilot, "Copy py-ml-dtypes@0.4.0 /2i24sur\n")
        await pilot.press("escape", "space", "space", "y")
        await pilot.pause()
        shows(pilot, "Copy 2 marked specs\n")

    drive(browser(), scenario, WIDE)


def test_what_is_copied_and_exported_is_what_is_on_screen(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "s", "S", "y", "end")
        await pilot.pause()
        shows(pilot, "--sort -compiler py-ml-dtypes")
        await pilot.press("q", "e")
        await pilot.pause()
        shows(pilot, "Export 129 specs")

    drive(browser(), scenario, (200, 30))
