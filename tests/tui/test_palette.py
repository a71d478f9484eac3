"""The command palette on the sample catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from textual.command import CommandList
from textual.pilot import Pilot
from textual.widgets import Input

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.screens.tags import TagScreen
from tests.support.browsing import LEAST, SMALL, WIDE, browser, painted_rows, pressed, settled
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines


def test_the_cursor_of_the_palette_sends_nothing_by_itself(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "ctrl+p")
        assert not pilot.app.screen.query_one(Input).cursor_blink

    drive(browser(), scenario)


def test_each_command_takes_one_line_in_ascii(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        pilot.app.add_class("-ascii")
        await pilot.app.workers.wait_for_complete()
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        lines = screen_lines(pilot.app)
        assert "".join(lines).isascii()
        names = [line[2:20].strip() for line in lines[2:16]]
        assert names[:5] == ["Check environment", "Choose the host", "Clear", "Compare", "Copy"]
        assert names == sorted(names)
        await pilot.press(*"choose", "space", *"tag")
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TagScreen)

    content = SAMPLE_CONTENT
    app = BrowserApp(Catalogue(content, {}, snapshot=False), Query(()), Host("linux", "rhel9", "zen3"), content=content)
    drive(app, scenario)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
@pytest.mark.parametrize("keys", [(), ("h", "o", "s", "t"), ("z", "z", "z")])
def test_a_frame_stands_around_the_commands(keys: tuple[str, ...], size: tuple[int, int], drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "ctrl+p", *keys)
        first, *others = screen_lines(pilot.app)
        width = first.index("┐") + 1
        assert first[:width] == f"┌{'─' * (width - 2)}┐"
        height = next(at for at, line in enumerate(others) if line.startswith("└"))
        assert height >= 1
        assert all(line[0] == line[width - 1] == "│" for line in others[:height])
        assert others[height][:width] == f"└{'─' * (width - 2)}┘"

    drive(browser(), scenario, size)


@pytest.mark.parametrize(
    ("typed", "first", "last"),
    [
        ("cov", "Coverage", "Coverage"),
        ("c", "Check environment", "Coverage"),
        ("v", "Views", "Timeline"),
        ("over tag", "Hash", "Timeline"),
        ("coverge", "Coverage", "Coverage"),
        ("choose tag", "Tag", "Tag"),
        ("host", "Choose the host", "Save this view"),
        ("zzz", None, None),
    ],
)
def test_few_commands_match_what_is_typed_and_the_best_stands_first(
    drive: Drive, typed: str, first: str | None, last: str | None
) -> None:
    content = SAMPLE_CONTENT
    app = BrowserApp(Catalogue(content, {}, snapshot=False), Query(()), Host("linux", "rhel9", "zen3"), content=content)

    async def scenario(pilot: Pilot[Any]) -> None:
        await app.workers.wait_for_complete()
        await pilot.press("ctrl+p", *("space" if letter == " " else letter for letter in typed))
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        names = [str(option.prompt)[:17].strip() for option in app.screen.query_one(CommandList).options]
        commands = [name for name in names if name != "No matches found"]
        assert (commands[:1], commands[-1:]) == ([first] if first else [], [last] if last else [])

    drive(app, scenario)


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20), (80, 10)])
def test_the_command_under_the_cursor_is_to_be_seen(drive: Drive, size: tuple[int, int]) -> None:
    content = SAMPLE_CONTENT
    app = BrowserApp(Catalogue(content, {}, snapshot=False), Query(()), Host("linux", "rhel9", "zen3"), content=content)

    async def scenario(pilot: Pilot[Any]) -> None:
        await app.workers.wait_for_complete()
        await pilot.press("ctrl+p")
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.press(*["down"] * 15)
        await pilot.pause()
        rows = painted_rows(app)
        assert rows[-1].text.split("  ")[0].strip() == "Enter run"
        lit = ["".join(sign for sign, look in row.cells() if "4" in look.attributes).strip() for row in rows]
        assert [text for text in lit if text.startswith(">Mark ")]
        assert size[0] <= 80 or any(row.text[80:].strip() for row in rows[1:10]), "what is beside it is still there"

    drive(app, scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_a_sign_stands_before_the_command_that_enter_runs(drive: Drive, size: tuple[int, int]) -> None:
    def signs(pilot: Pilot[Any]) -> list[str]:
        return [line[1:].split("  ")[0] for line in screen_lines(pilot.app) if line[1:2] == ">"]

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "ctrl+p")
        assert signs(pilot) == [
            ">Check environment Would a spack.lock, a spack.yaml or a list install?"[: size[0] - 3].rstrip()
        ]
        await pressed(pilot, "down", "down")
        assert signs(pilot) == [">Clear"]
        await pressed(pilot, *["down"] * 15)
        assert len(signs(pilot)) == 1
        await pressed(pilot, *"coverge")
        assert signs(pilot) == [">Coverage"]
        pilot.app.screen.query_one(CommandList).disable_option_at_index(0)  # as the line is that says of no match
        await settled(pilot)
        assert signs(pilot) == []

    drive(browser(), scenario, size)
