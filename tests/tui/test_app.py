"""The app around the screens: what changes on disk, and how it is told."""

from __future__ import annotations

import inspect
import shutil
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from rich.console import RenderableType
from textual._context import active_app
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.views import SavedView
from cachetui.sources.source import Progress
from cachetui.tui.app import BrowserApp
from cachetui.workers.cancelling import never
from tests.support.browsing import SMALL, WIDE, lacks, settled, shows
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines

HOST = Host("linux", "ubuntu22.04", "zen3")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = tmp_path / "content"
    shutil.copytree(SAMPLE_CONTENT, folder)
    return folder


def app_on(content: Path, cache: Path, *, watches: bool = False) -> BrowserApp:
    catalogue = Catalogue(str(content), {"CACHETUI_CACHE_DIR": str(cache)})
    return BrowserApp(catalogue, Query(), HOST, content=str(content), watches=watches)


class WatchedApp(BrowserApp):
    """Says what is done before its first screen is there, and what is done twice."""

    CSS_PATH = inspect.getfile(BrowserApp).replace("app.py", "app.tcss")
    restyled = 0
    """How often all widgets of a screen were given styles again."""
    imported_early = 0
    """Timers for imports that were set before there was anything on the screen."""
    lines_early: int | None = None
    """Lines to type into, none of them open, that were there when the first screen was drawn."""

    def update_styles(self, node: DOMNode, animate: bool = True) -> None:
        self.restyled += isinstance(node, Screen) and len(node.children) > 0
        super().update_styles(node, animate)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.lines_early is None and renderable is not None:
            self.lines_early = len(self.browse.query(Input))
        super()._display(screen, renderable)

    def set_timer(self, delay: float, callback: Any = None, **options: Any) -> Timer:
        is_import = isinstance(callback, partial) and callback.func is import_module
        self.imported_early += is_import and not self.browse.children
        return super().set_timer(delay, callback, **options)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_the_first_screen_waits_for_nothing_that_it_does_without(drive: Drive, size: tuple[int, int]) -> None:
    app = WatchedApp(Catalogue(SAMPLE_CONTENT, {}, snapshot=False), Query(), HOST)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "413")
        assert (app.restyled, app.imported_early, app.lines_early) == (0, 0, 0)
        assert len(app.browse.query(Input)) == 2

    drive(app, scenario, size)


class Patient(Event):
    """Waits longer than is promised, for a machine that is busy."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(30)


class ReadInTwo(Catalogue):
    """Content that is read in two parts; remembers what the screen showed when it went on with the second one."""

    shown = ""
    app: BrowserApp

    def load(self, grown: Any = None, cancelled: Any = never, progressed: Any = None) -> Index:
        whole = super().load(cancelled=cancelled)
        if grown:
            grown(whole, Progress(0, 1))
            active_app.set(self.app)
            self.shown = "\n".join(screen_lines(self.app))
        return whole


def test_reading_goes_on_when_what_was_read_is_drawn(drive: Drive) -> None:
    catalogue = ReadInTwo(SAMPLE_CONTENT, {}, snapshot=False)
    catalogue.app = app = BrowserApp(catalogue, Query(), HOST, content=SAMPLE_CONTENT)
    app.reading.is_drawn = Patient()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert "py-ml-dtypes" in catalogue.shown

    drive(app, scenario, WIDE)


def change(content: Path) -> None:
    """A page goes, and another changes its package."""
    (content / "003_86cb41a0e667e9fb.txt").unlink()
    page = content / "004_95d4df9caf125ef9.txt"
    page.write_text(page.read_text().replace('title: "py-mpi4py"', 'title: "py-mpi5py"'))


async def told(pilot: Pilot[Any], text: str) -> None:
    """Waits until the screen shows the text."""
    for _ in range(200):
        await pilot.pause(0.05)
        if text in "\n".join(screen_lines(pilot.app)):
            return
    raise AssertionError("\n".join(screen_lines(pilot.app)))


def test_what_changed_is_read_again_and_told_with_filters_marks_and_cursor_kept(
    drive: Drive, content: Path, tmp_path: Path
) -> None:
    app = app_on(content, tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "413 of 413 specs")
        app.browse.view.step(Query.parse("target=x86_64_v3 tag=develop"))
        app.browse.show()
        await pilot.press("end", "l", "space", "h")
        change(content)
        await pilot.press("r")
        await told(pilot, "2 pages changed: py-mpi4py, py-mpi5py")
        view = app.browse.view
        assert [package.name for package in view.results.packages] == ["py-ml-dtypes", "py-mpi5py", "py-safetensors"]
        assert app.browse.panes.package == "py-safetensors"
        assert [spec.package for spec in view.marked()] == ["py-safetensors"]
        assert str(view.query) == "target=x86_64_v3 tag=develop"

    drive(app, scenario, (140, 40))


def test_a_key_that_asks_for_what_changed_is_answered_where_nothing_has(
    drive: Drive, content: Path, tmp_path: Path
) -> None:
    app = app_on(content, tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "413 of 413 specs")
        await pilot.press("r")
        await told(pilot, "no page has changed")

    drive(app, scenario)


def test_what_changes_while_pages_are_read_is_read_after_that(drive: Drive, content: Path, tmp_path: Path) -> None:
    app = app_on(content, tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "413 of 413 specs")
        app.browse.arrivals.show_activity("reading")
        change(content)
        app.post_message(app.reading.FilesChanged())
        await pilot.press("r")
        assert len(app.browse.view.results) == 413
        app.post_message(app.reading.IndexArrived(None))
        await told(pilot, "2 pages changed")

    drive(app, scenario)


def test_a_tag_that_is_gone_is_told(drive: Drive, content: Path, tmp_path: Path) -> None:
    app = app_on(content, tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "413 of 413 specs")
        (content / "001_7e57fc2197a8611e.txt").unlink()
        await pilot.press("r")
        await told(pilot, "1 page changed: py-ml-dtypes; tags that are gone: develop-2025-04-20")

    drive(app, scenario)


def test_a_saved_index_is_shown_at_once_and_then_compared(drive: Drive, content: Path, tmp_path: Path) -> None:
    Catalogue(str(content), {"CACHETUI_CACHE_DIR": str(tmp_path)}).load()
    change(content)
    app = app_on(content, tmp_path)
    assert len(app.browse.view.results) == 413

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "2 pages changed")
        assert len(app.browse.view.results) == 413 - 77

    drive(app, scenario)


def test_watched_content_is_read_again_by_itself(drive: Drive, content: Path, tmp_path: Path) -> None:
    app = app_on(content, tmp_path, watches=True)

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "413 of 413 specs")
        # The watch takes a moment to begin, and a change before it is none: so it is made until it is seen.
        for number in range(40):
            (content / f"extra{number}.txt").write_text(
                (content / "001_7e57fc2197a8611e.txt").read_text().replace("py-ml-dtypes", f"extra{number}")
            )
            await pilot.pause(0.25)
            if len(app.browse.view.index.packages) > 4:
                break
        assert "extra0" in app.browse.view.index.packages

    drive(app, scenario)


def test_content_that_went_away_is_told_and_the_index_stays(drive: Drive, content: Path, tmp_path: Path) -> None:
    app = app_on(content, tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await told(pilot, "413 of 413 specs")
        content.rename(content.with_name("away"))
        await pilot.press("r")
        await told(pilot, "cannot be read (No such file or directory)")
        await told(pilot, "413 of 413 specs")
        content.with_name("away").rename(content)
        await pilot.press("r")
        await told(pilot, "no page has changed")
        assert len(app.browse.view.index) == 425

    drive(app, scenario)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_first_screen_says_that_it_reads_before_reading_begins(drive: Drive, size: tuple[int, int]) -> None:
    seen: list[str] = []

    class Watched(Catalogue):
        """Content that says what was on screen when it began to be read."""

        def load(self, *how: Any, **more: Any) -> Index:
            seen.extend(screen_lines(app))
            return super().load(*how, **more)

    app = BrowserApp(Watched(SAMPLE_CONTENT, {}, snapshot=False), Query(), HOST, content=SAMPLE_CONTENT)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert "reading" in seen[0]
        assert any("Reading: nothing is" in line for line in seen)
        shows(pilot, "413 of 413 specs")
        lacks(pilot, "reading")

    drive(app, scenario, size)


def test_a_view_opens_when_all_is_read(drive: Drive) -> None:
    seen: list[str] = []
    drawn: list[bool] = []

    class Watched(Catalogue):
        """Content that says what was on screen when it began to be read, and whether the same is drawn again."""

        def load(self, grown: Any = None, *how: Any, **more: Any) -> Index:
            seen.extend(screen_lines(app))
            app.reading.is_drawn.clear()
            for done in (1, 3):  # what is whole is drawn before it is saved, also where it is no more
                grown(app.browse.view.index, Progress(done, 3))
                drawn.append(app.reading.is_drawn.is_set())
            return super().load(grown, *how, **more)

    view = SavedView(package="py-mpi4py")
    catalogue = Watched(SAMPLE_CONTENT, {}, snapshot=False)
    app = BrowserApp(catalogue, Query(), HOST, content=SAMPLE_CONTENT, opens=view)
    app.reading.is_drawn = Patient()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert "reading" in seen[0]
        assert not any("py-mpi4py" in line for line in seen)
        assert drawn == [False, True]
        shows(pilot, "413 of 413 specs")
        lacks(pilot, "reading")
        assert app.browse.panes.package == "py-mpi4py"

    drive(app, scenario, WIDE)
