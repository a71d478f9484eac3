"""The command palette on the sample catalogue."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from cachetui.catalogue import Catalogue, sample_content
from cachetui.host import Host
from cachetui.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.tag_screen import TagScreen
from tests.tui.conftest import Drive
from tests.tui.screens import screen_lines


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
        names = [line[:18].strip() for line in lines[1:15]]
        assert names[:5] == ["Choose the host", "Clear", "Copy", "Coverage", "Drift"]
        assert names == sorted(names)
        await pilot.press(*"choosethetag")
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TagScreen)

    content = str(sample_content())
    app = BrowserApp(Catalogue(content, {}, snapshot=False), Query(()), Host("linux", "rhel9", "zen3"), content=content)
    drive(app, scenario)
