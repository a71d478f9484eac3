"""The screens that are one list."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue, sample_content
from cachetui.host import Host
from cachetui.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.coverage_screen import CoverageScreen
from cachetui.tui.help import HELP
from cachetui.tui.lists import HelpScreen
from tests.tui.conftest import Drive
from tests.tui.screens import screen_lines


@pytest.mark.parametrize("size", [(80, 200), (60, 200)])
@pytest.mark.parametrize("sections", [HELP, CoverageScreen.KEYS])
def test_no_word_of_the_help_is_cut(drive: Drive, size: tuple[int, int], sections: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.push_screen(HelpScreen(sections))
        await pilot.pause()
        shown = set(" ".join(screen_lines(pilot.app)).split())
        words = {word for _, entries in sections for entry in entries for text in entry for word in text.split()}
        assert words - shown == set()
        headings = {heading for heading, _ in sections}
        assert headings <= set(map(str.strip, screen_lines(pilot.app)))

    content = str(sample_content())
    app = BrowserApp(Catalogue(content, {}, snapshot=False), Query(()), Host("linux", "rhel9", "zen3"), content=content)
    drive(app, scenario, size)
