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


def browser(query: str = "") -> BrowserApp:
    content = str(sample_content())
    catalogue = Catalogue(content, {}, snapshot=False)
    return BrowserApp(catalogue, Query.parse(query), Host("linux", "rhel9", "zen3"), content=content)


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

    drive(browser(), scenario, size)


def test_why_only_so_many_names_what_holds_specs_back_and_no_build_that_is_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("w")
        await pilot.pause()
        lines = [line.strip(" >┃") for line in screen_lines(pilot.app)]
        assert lines[0] == "Why only 91 specs?"
        assert any(line.startswith("2") and line.endswith("91 without tag=develop") for line in lines)
        assert not any("nearest builds" in line for line in lines)

    drive(browser("py-mpi4py"), scenario)
