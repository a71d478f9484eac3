"""The last line of a screen names the keys that are in force, where the config file has others for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.settings.config import Config
from cachetui.tui.app import BrowserApp
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.state.coverage_view import CoverageView
from tests.support.browsing import SMALL, WIDE, answered, lacks, opened, pressed, settled, shows, sought
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines

KEYS = {
    "coverage.map": ("Z",),
    "coverage.compare": ("ctrl+e",),
    "coverage.rows": ("R",),
    "drift.old": ("O",),
    "timeline.rows": ("n",),
    "survey.copy": ("C",),
    "views.remove": ("D",),
    "marks.unmark": ("D",),
    "tags.find": ("F",),
    "spec.copy": ("C",),
    "screen.close": ("escape", "Q"),
}


def browser(keys: Mapping[str, tuple[str, ...]]) -> BrowserApp:
    config = Config(path="config.toml", keys=keys)
    return BrowserApp(Catalogue(SAMPLE_CONTENT, {}, snapshot=False), Query(), Host.parse("zen3"), config=config)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("c", ("Z map", "m columns", "R rows", "C copy")),
        ("c,space,right", ("ctrl+e compare",)),
        ("d", ("t newer tag", "O older tag", "C copy")),
        ("v", ("n versions, stacks", "C copy")),
        ("V", ("D remove it",)),
        ("enter,space,m", ("D mark or not", "Q back")),
        ("t", ("F find", "Q back")),
        ("y", ("Q back",)),
        ("w", ("Q back",)),
        ("enter,enter", ("C copy", "Q back")),
    ],
)
def test_the_keys_of_the_user_stand_in_the_last_line(drive: Drive, key: str, said: tuple[str, ...]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *key.split(","))
        last = screen_lines(pilot.app)[-1]
        assert all(hint in last for hint in said), last

    drive(browser(KEYS), scenario, WIDE)


def test_messages_name_them_too(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c")
        await answered(pilot, "I", "mark two columns with N and compare them with ctrl+e, then I turns it round")
        await answered(pilot, "ctrl+e", "mark columns with N, then ctrl+e compares them; or F and two names")
        await sought(pilot, "e4s hep", "F")
        await answered(pilot, "N", "ctrl+e shows all columns again, where others can be marked")

    keys = {"coverage.compare": ("ctrl+e",), "coverage.mark": ("N",), "coverage.side": ("I",), "coverage.find": ("F",)}
    drive(browser(keys), scenario, WIDE)


def test_so_does_what_a_coverage_without_rows_says(drive: Drive) -> None:
    keys = {"coverage.columns": ("n",), "survey.clear": ("ctrl+e",), "browse.why": ("W",)}
    view = CoverageView()

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index_of([row(stacks=[])]), Query(), None, view))
        shows(pilot, "No spec here has a stack, so there are no columns: n shows them by target.")
        await pressed(pilot, "escape")
        await opened(pilot, CoverageScreen(index_of([row()]), Query.parse("zlib"), None, view))
        shows(pilot, "Nothing matches: ctrl+e clears all filters; Esc, then W takes one out.")

    drive(browser(keys), scenario, SMALL)


def test_on_a_screen_over_the_lists_the_keys_of_the_filters_are_its_own(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "slash", "percent_sign", *"gcc", "enter", "c")
        shows(pilot, "ctrl+e clear")
        await answered(pilot, "ctrl+e", "taken away: %gcc; Z goes back")
        await answered(pilot, "Z", "taken back: now with %gcc")

    drive(browser({"survey.undo": ("Z",), "survey.clear": ("ctrl+e",)}), scenario, SMALL)


def test_so_do_those_of_the_browser(drive: Drive) -> None:
    keys = {"browse.undo": ("Z",), "browse.clear": ("D",), "browse.why": ("W",), "browse.up": ("escape", "B")}
    keys |= {"browse.marks": ("L",), "browse.compare": ("ctrl+e",), "prompt.leave": ("ctrl+x",)}

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "slash")
        await pressed(pilot, *"%no", "enter")
        words = " ".join(" ".join(line.split("│")[-1] for line in screen_lines(pilot.app)[3:20] if "│" in line).split())
        assert "W says more or takes a part out, Z takes the last step back, D clears all." in words
        await pressed(pilot, "D", "enter", "space", "ctrl+e", "Q", "escape", "M")
        shows(pilot, "1 mark taken away: Z goes back")
        await pressed(pilot, "ctrl+e")
        shows(pilot, "then ctrl+e compares them (0 marked)")
        await pressed(pilot, "c", "enter")
        shows(pilot, "B goes back to the coverage")
        await pressed(pilot, "number_sign")
        shows(pilot, "Enter go to it   ctrl+x back")

    drive(browser(keys), scenario, WIDE)


@pytest.mark.parametrize(
    ("way", "own"),
    [
        ("c", "u,U,x,backspace"),
        ("d", "u,U,x,backspace,t,comma,full_stop"),
        ("v", ""),
        ("enter,space,down,space,equals_sign", "comma,full_stop"),
        ("c,e", ""),
    ],
)
def test_a_key_of_the_lists_that_does_nothing_on_a_screen_over_them_says_where_it_does(
    drive: Drive, way: str, own: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *way.split(","))
        for key, said in (
            ("u", "u (undo)"),
            ("U", "U (redo)"),
            ("x", "x (clear)"),
            ("t", "t (tag)"),
            ("comma", ", (previous tag)"),
            ("full_stop", ". (next tag)"),
            ("backspace", "Backspace (undo)"),
        ):
            if key not in own.split(","):
                await answered(pilot, key, f"{said} is for the lists of packages and specs: Esc leads there")
        for key in ("down", "left", "right"):
            await pressed(pilot, key)
            lacks(pilot, "is for the lists")
        if way.endswith("equals_sign"):
            await answered(pilot, "comma", "these two are the only pair")

    drive(browser({}), scenario, SMALL)


def test_of_keys_that_the_user_has_changed_those_in_force_are_said_to_be_for_the_lists(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c")
        await answered(pilot, "Z", "Z (undo) is for the lists")
        await pressed(pilot, "u", "o")
        lacks(pilot, "is for the lists")
        await pressed(pilot, "slash", "u", "x")
        lacks(pilot, "is for the lists")

    drive(browser({"browse.undo": ("Z",), "browse.clear": ("o",)}), scenario, SMALL)
