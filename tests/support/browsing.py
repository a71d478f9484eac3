"""The browser on the sample catalogue, with the keys that a user types and what the screen shows then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Any

from textual._compositor import LayoutUpdate
from textual.pilot import Pilot
from textual.screen import Screen

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.sources.kinds import sample_contents
from cachetui.tui.app import BrowserApp
from cachetui.tui.painter.cells import CellRow
from cachetui.tui.rows.packages import PackageRows
from cachetui.tui.screens.browse import BrowseScreen
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.widgets.coverage_matrix import CoverageMatrix
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines

HOST = Host("linux", "ubuntu22.04", "zen3")

WIDE, SMALL, LEAST = (140, 40), (80, 24), (60, 20)


def browser(query: str = "") -> BrowserApp:
    catalogue = Catalogue(SAMPLE_CONTENT, {}, snapshot=False)
    wanted = Query.parse(query, has_graph=True).spelled_for(fuzzy_name=True)
    return BrowserApp(catalogue, wanted, HOST)


def sample_browser(query: str, host: Host = HOST) -> BrowserApp:
    """The browser on the pages and the build cache that come with it."""
    return BrowserApp(Catalogue(sample_contents(), {}, snapshot=False), Query.parse(query), host)


def cache_browser(query: str, folder: str, host: Host = HOST) -> BrowserApp:
    """The browser on the build caches in a folder."""
    wanted = Query.parse(query).spelled_for(fuzzy_name=True)
    return BrowserApp(Catalogue(folder, {}, snapshot=False), wanted, host, content=folder)


async def settled(pilot: Pilot[Any]) -> None:
    """Waits until the pages are read and the screen shows them."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def opened(pilot: Pilot[Any], screen: Screen[Any]) -> None:
    """Opens a screen, and waits until it shows its figures."""
    await pilot.app.push_screen(screen)
    await settled(pilot)


async def pressed(pilot: Pilot[Any], *keys: str) -> None:
    """Presses keys, and waits after each until what it asked for is shown."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def answered(pilot: Pilot[Any], key: str, *texts: str) -> None:
    """Presses a key, after which the screen shows these texts."""
    await pressed(pilot, key)
    shows(pilot, *texts)


async def sought(pilot: Pilot[Any], text: str, key: str = "slash") -> None:
    """Types a text into the line that a key opens, and presses Enter."""
    await pressed(pilot, key)
    await typed(pilot, text)
    await pressed(pilot, "enter")


async def comes_back(pilot: Pilot[Any], *keys: str) -> None:
    """Presses keys that change the screen, after the last of which it is as it was before them."""
    before = screen_lines(pilot.app)
    await pressed(pilot, *keys[:-1])
    assert screen_lines(pilot.app) != before
    await pressed(pilot, keys[-1])
    assert screen_lines(pilot.app) == before, "\n".join(screen_lines(pilot.app))


async def shown_meanwhile(pilot: Pilot[Any], text: str) -> None:
    """Waits until the screen shows this, below a box or while a thread works: a pause waits for the screen on top, and
    for the thread."""
    deadline = monotonic() + 60
    while text not in "\n".join(screen_lines(pilot.app)) and monotonic() < deadline:
        await asyncio.sleep(0)
    shows(pilot, text)


async def resized(pilot: Pilot[Any], size: tuple[int, int]) -> None:
    """Gives the terminal another size, and waits until the screen shows all in it."""
    await pilot.resize_terminal(*size)
    while len(screen_lines(pilot.app)) != size[1]:
        await pilot.pause()
    await pilot.pause()


async def typed(pilot: Pilot[Any], text: str) -> None:
    await pilot.press(*(_KEYS.get(letter, letter) for letter in text))
    await pilot.pause()


_KEYS = {" ": "space", "=": "equals_sign", "@": "at", "%": "percent_sign", "#": "number_sign", "/": "slash"} | {
    ",": "comma",
    ".": "full_stop",
    "+": "plus",
    "~": "tilde",
    "-": "minus",
    "_": "underscore",
    ":": "colon",
    "?": "question_mark",
    "!": "exclamation_mark",
    "\r": "enter",
}


def browse_of(pilot: Pilot[Any]) -> BrowseScreen:
    assert isinstance(pilot.app, BrowserApp)
    return pilot.app.browse


def spec_of(browse: BrowseScreen) -> Spec:
    assert browse.panes.spec_row is not None
    return browse.view.index.spec(browse.panes.spec_row)


def package_rows(browse: BrowseScreen) -> PackageRows:
    assert isinstance(browse.panes.packages.rows, PackageRows)
    return browse.panes.packages.rows


def package_here(browse: BrowseScreen) -> object:
    return browse.panes.packages.cursor_key


def matrix_of(pilot: Pilot[Any]) -> CoverageMatrix:
    assert isinstance(pilot.app.screen, CoverageScreen), pilot.app.screen
    return pilot.app.screen.query_one(CoverageMatrix)


def shows(pilot: Pilot[Any], *texts: str) -> None:
    screen = "\n".join(screen_lines(pilot.app))
    for text in texts:
        assert text in screen, f"{text!r} is not on screen:\n{screen}"


def says(pilot: Pilot[Any], message: str) -> None:
    """The last lines of the screen hold this message, wherever it is wrapped."""
    lines = " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
    assert message in lines, f"{message!r} is not in {lines!r}"


def filtered_by(pilot: Pilot[Any], *texts: str) -> None:
    """The line of the filters names these one after the other."""
    line = screen_lines(pilot.app)[1]
    assert "  ".join(f"{text} ✕" for text in texts) in line, line


def lacks(pilot: Pilot[Any], text: str) -> None:
    screen = "\n".join(screen_lines(pilot.app))
    assert text not in screen, f"{text!r} is on screen:\n{screen}"


def painted_rows(app: BrowserApp) -> Sequence[CellRow]:
    """The cells of the screen, row by row, as they are sent to a terminal."""
    update = app.screen._compositor.render_update(full=True)
    assert isinstance(update, LayoutUpdate)
    app._draw(update)
    assert app._canvas is not None
    return app._canvas.frame((0, 0)).rows
