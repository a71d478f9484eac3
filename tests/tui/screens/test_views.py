"""Saved views in the browser: saved, opened, begun with, left."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.settings.views import SavedView, ScreenLook, Views, choose_start, read_views, save_view, views_path
from cachetui.tui.app import BrowserApp
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.screens.drift import DriftScreen
from cachetui.tui.screens.view_list import NameScreen, ViewsScreen
from tests.support.browsing import (
    SMALL,
    WIDE,
    browse_of,
    lacks,
    opened,
    package_here,
    pressed,
    says,
    settled,
    shows,
    sought,
    typed,
)
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT

HOST = Host("linux", "ubuntu22.04", "zen3")

SPECS = SavedView(query="py-mpi4py os=ubuntu22.04 tag=develop", screen="specs", package="py-mpi4py", specs_by="-target")

ALL_TAGS = SavedView(query="stack=e4s", packages_by="-specs", screen="coverage", package="py-ml-dtypes")


def browser(opens: SavedView | None = None, *, picks: bool = False) -> BrowserApp:
    query = Query.parse("" if opens is None else opens.query, fuzzy_name=True)
    catalogue = Catalogue(SAMPLE_CONTENT, {}, snapshot=False)
    return BrowserApp(catalogue, query, HOST, opens=opens, picks=picks)


def path_of(app: BrowserApp) -> Path:
    return views_path(os.environ, app.browse.views._identity)


async def save_as(pilot: Pilot[Any], name: str) -> None:
    pilot.app.browse.views.ask_for_name()  # type: ignore[attr-defined]
    await pilot.pause()
    assert isinstance(pilot.app.screen, NameScreen)
    assert isinstance(pilot.app.focused, Input)
    await typed(pilot, f"{name}\r")


def test_a_view_is_saved_under_a_name_and_opened_from_the_list(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await typed(pilot, "/py-mpi4py os=ubuntu22.04\r")
        await pilot.press("enter", *["s"] * 2, "S")
        await pilot.pause()
        before = browse.views.current()
        assert before == SPECS
        await save_as(pilot, "weekly")
        shows(pilot, "saved as weekly")
        assert read_views(path_of(app)).named == {"weekly": SPECS}
        await pilot.press("escape", "x", "g", "t", "g", "enter")
        await pilot.pause()
        assert str(browse.view.query) == ""
        await pilot.press("V")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ViewsScreen)
        await pilot.press("enter")
        await pilot.pause()
        assert browse.views.current() == SPECS
        await pilot.press("u")
        await pilot.pause()
        assert str(browse.view.query) == "", "it is one step"

    drive(app, scenario, SMALL)


def test_a_view_without_the_host_that_was_asked_for_says_which_one_judges_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await save_as(pilot, "weekly")
        await sought(pilot, "fits=neoverse_v1")
        await pressed(pilot, "V", "enter")
        says(pilot, f"judged by {HOST.name} again")
        await pressed(pilot, "V", "enter")
        lacks(pilot, "judged by")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("saved", [SPECS, ALL_TAGS, SavedView(), SavedView(query="tag=develop", screen="drift")])
def test_it_begins_with_a_view_and_says_so_when_it_is_left(drive: Drive, saved: SavedView) -> None:
    app = browser(saved)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        assert str(browse.view.query) == saved.query
        found = browse.views.current()
        assert found == SavedView(**{**_fields(saved), "package": saved.package or "py-ml-dtypes"})
        if saved.package:
            assert package_here(browse) == saved.package
        screens = {"coverage": CoverageScreen, "drift": DriftScreen}
        assert isinstance(pilot.app.screen, screens.get(saved.screen, type(browse)))
        app.exit()

    drive(app, scenario, WIDE)
    app.save_place()
    last = read_views(path_of(app)).last
    assert last is not None
    assert (last.query, last.screen) == (saved.query, saved.screen)


def _fields(saved: SavedView) -> dict[str, Any]:
    return {name: getattr(saved, name) for name in saved.__struct_fields__}


def test_the_palette_saves_and_opens_views_on_other_screens_too(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        save_view(path_of(app), "", "weekly [b]x", SPECS)
        await pilot.press("c")
        await settled(pilot)
        assert isinstance(app.screen, CoverageScreen)
        await pilot.press("ctrl+p")
        await settled(pilot)
        await typed(pilot, "viewweekly")
        await settled(pilot)
        shows(pilot, "View weekly [b]x")
        await pilot.press("enter")
        await settled(pilot)
        assert app.screen.id == app.browse.id
        assert app.browse.views.current() == SPECS
        await pilot.press("escape", "c")
        await settled(pilot)
        await save_as(pilot, "matrix")
        assert read_views(path_of(app)).named["matrix"].screen == "coverage"

    drive(app, scenario, SMALL)


def test_one_of_the_list_is_removed_and_one_is_begun_with(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        path = path_of(app)
        for name in ("a", "b"):
            save_view(path, "", name, SPECS)
        await pilot.press("V", "down", "s")
        await pilot.pause()
        assert read_views(path).start == "b"
        shows(pilot, ">b", "start specs")
        await pilot.press("s")
        await pilot.pause()
        assert read_views(path).start is None
        await pilot.press("x")
        await pilot.pause()
        assert set(read_views(path).named) == {"a"}
        shows(pilot, "view b removed: u puts it back")
        await pilot.press("u")
        await pilot.pause()
        assert set(read_views(path).named) == {"a", "b"}
        shows(pilot, "view b is back")
        await pilot.press("u")
        await pilot.pause()
        shows(pilot, "no view was removed here")
        path.write_text("{")
        await pilot.press("x")
        await pilot.pause()
        shows(pilot, "the saved views cannot be read")
        await pilot.press("escape", "V")
        await pilot.pause()
        assert app.screen is app.browse
        shows(pilot, "the saved views cannot be read")

    drive(app, scenario, WIDE)


def test_a_view_that_this_version_cannot_open_is_a_line(drive: Drive) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        path = path_of(app)
        save_view(path, "", "odd", SavedView(query="@@@", packages_by="-weight", specs_by="nothing"))
        app.browse.views.open("odd")
        await pilot.pause()
        shows(pilot, "the view odd cannot be opened: column")
        save_view(path, "", "odd", SavedView(packages_by="-weight", specs_by="nothing", package="gone", screen="specs"))
        app.browse.views.open("odd")
        app.browse.views.open("none")
        await pilot.pause()
        shows(pilot, "no view none any more")
        assert app.browse.views.current() == SavedView(package="py-ml-dtypes")

    drive(app, scenario, WIDE)


def test_where_specs_are_picked_nothing_is_left(drive: Drive) -> None:
    app = browser(picks=True)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("q")

    drive(app, scenario)
    app.save_place()
    assert not path_of(app).exists()


def test_a_folder_that_takes_nothing_is_a_line_and_no_reason_to_stay(drive: Drive, home: Path) -> None:
    app = browser()
    home.mkdir(parents=True)
    (home / ".config").write_text("")

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await save_as(pilot, "weekly")
        shows(pilot, "cannot be")
        await pilot.press("q", "q")

    drive(app, scenario, WIDE)
    app.save_place()
    assert (home / ".config").read_text() == ""


def test_the_start_is_of_the_content_that_it_was_chosen_for() -> None:
    app = browser()
    save_view(path_of(app), "", "weekly", SPECS)
    choose_start(path_of(app), "", "weekly")
    assert read_views(views_path(os.environ, "/elsewhere/")).start is None


@pytest.mark.parametrize(
    ("keys", "look"),
    [
        (("c",), ScreenLook()),
        (
            ("c", "M", "m", "s", "o", "z"),
            ScreenLook(rows="version", columns="target", order="-specs", only_gaps=True, dense=True),
        ),
        (
            ("c", "space", "right", "space", "equals_sign", "i"),
            ScreenLook(marked=("data-vis-sdk", "e4s"), compared=True, lacking="e4s"),
        ),
        (("d", "m"), ScreenLook(rows="package")),
        (("v", "m"), ScreenLook(rows="version")),
    ],
)
def test_a_view_keeps_how_its_screen_is_looked_at(drive: Drive, keys: tuple[str, ...], look: ScreenLook) -> None:
    app = browser()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *keys)
        assert app.browse.views.current().look == look
        await save_as(pilot, "mine")
        await pressed(pilot, "escape", "escape")
        app.browse.views.open("mine")
        await settled(pilot)
        assert app.browse.views.current().look == look
        assert read_views(path_of(app)).named["mine"].look == look

    drive(app, scenario, WIDE)


def test_a_look_that_does_not_fit_any_more_is_left(drive: Drive) -> None:
    app = browser()
    odd = ScreenLook(
        rows="os", columns="os", order="-weight", marked=("gone",), compared=True, lacking="x", old="a", new="b"
    )

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for screen in ("coverage", "drift", "timeline"):
            save_view(path_of(app), "", screen, SavedView(screen=screen, look=odd))
            app.browse.views.open(screen)
            await settled(pilot)
            assert app.browse.views.current().screen == screen
        app.browse.views.open("drift")
        await settled(pilot)
        shows(pilot, "no more there: a, b")

    drive(app, scenario, WIDE)


def test_the_tags_that_are_compared_are_named_where_the_view_is_saved(drive: Drive, tmp_path: Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        look = ScreenLook(old="develop-2025-04-13", new="develop-2025-04-20")
        for kept, said in ((look, "develop-2025-04-13 -> develop-2025-04-20"), (ScreenLook(), "that it opens on")):
            saved = SavedView(query="stack=e4s", screen="drift", look=kept)
            await opened(pilot, NameScreen(Views(path=tmp_path / "views"), saved))
            await pressed(pilot)
            shows(pilot, "Save as a view: ", f"{said}, stack=e4s")
            await pressed(pilot, "escape")

    drive(browser(), scenario, SMALL)
