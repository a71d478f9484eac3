"""The browser on the sample catalogue, driven by keys; what its screen shows."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines

WIDE, SMALL, LEAST = (140, 40), (80, 24), (60, 20)


def browser(query: str = "") -> BrowserApp:
    wanted = Query.parse(query).spelled_for(fuzzy_name=True)
    catalogue = Catalogue(SAMPLE_CONTENT, {}, snapshot=False)
    return BrowserApp(catalogue, wanted, Host("linux", "ubuntu22.04", "zen3"), content=SAMPLE_CONTENT)


async def pressed(pilot: Pilot[Any], *keys: str) -> None:
    """Presses keys, and waits after each until what it asked for is shown."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


def shows(pilot: Pilot[Any], *texts: str) -> None:
    screen = "\n".join(screen_lines(pilot.app))
    for text in texts:
        assert text in screen, f"{text!r} is not on screen:\n{screen}"
