"""The pane of the facets: what its keys do and say, and where its cursor stands then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.query.query import Query
from cachetui.search.results import Results
from cachetui.tui.screens.facet_words import step_texts
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    cache_browser,
    pressed,
    settled,
    shows,
    sought,
)
from tests.support.drive import Drive
from tests.support.rows import in_tags, index_of, row, write
from tests.support.screens import screen_lines

STACKS = [["e4s", "e4s-rocm", "hep"], ["e4s", "e4s-rocm"], ["e4s", "ml"], ["ml"], ["hep"], ["hep"]]
"""All of e4s-rocm is in e4s too, and of ml and hep one each."""


def line_of(pilot: Pilot[Any]) -> int:
    """In which line of the screen the cursor of the facets is."""
    facets = browse_of(pilot).panes.facets
    return facets.region.y + 1 + facets.place[1]


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_cursor_stays_in_its_line_whatever_a_tick_brings_above_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f")
        while facets.cursor_key != ("os", "sequoia"):
            await pressed(pilot, "down")
        line, place = line_of(pilot), facets.cursor_row
        assert place is not None
        for key in ("space", "space", "minus", "u", "space", "x", "U", "u"):
            await pressed(pilot, key)
            assert facets.cursor_key == ("os", "sequoia")
            assert line_of(pilot) == line
            assert "sequoia" in screen_lines(pilot.app)[line]

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_who_takes_a_search_back_is_where_it_began(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f", "down", "down")
        begun, line = facets.cursor_key, line_of(pilot)
        await pressed(pilot, "slash", "g", "c", "c")
        assert facets.cursor_key != begun
        await pressed(pilot, "escape")
        assert (facets.cursor_key, line_of(pilot)) == (begun, line)

    drive(browser(), scenario, size)


def test_the_facets_begin_at_the_first_after_a_search_that_led_to_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f")
        await sought(pilot, "gcc@13")
        assert facets.cursor_key != ("stack", None)
        found = facets.cursor_key
        await pressed(pilot, "escape", "f")
        assert facets.cursor_key == ("stack", None)
        assert facets.first_in_view == 0
        await sought(pilot, "gcc@13")
        await pressed(pilot, "space", "escape", "f")
        assert facets.cursor_key == found
        await pressed(pilot, "x", "down")
        gone_to = facets.cursor_key
        await pressed(pilot, "escape", "f")
        assert facets.cursor_key == gone_to

    drive(browser(), scenario, SMALL)


def after(before: str, now: str, value: str, facet: str = "stack") -> str:
    """What is said after a step in a facet from one query to another."""
    rows = [row(hash=f"{k}".rjust(32, "a"), stacks=each, os="rhel8") for k, each in enumerate(STACKS)]
    index = index_of([*rows, row("zlib", hash="z".rjust(32, "b"), stacks=["tools"], os="amzn2")])
    was, found = (Results.of(index, Query.parse(query)) for query in (before, now))
    return step_texts(was, found, facet, value, undo="u")[0]


@pytest.mark.parametrize(
    ("before", "now", "value", "said"),
    [
        ("", "stack=e4s", "e4s", "stack e4s: 3 specs, 4 fewer"),
        ("stack=e4s", "", "e4s", "any stack: 7 specs, 4 more"),
        ("stack=e4s", "stack=e4s,ml", "ml", "stack e4s or ml: 4 specs, 1 more"),
        ("stack=e4s,ml", "stack=e4s,hep,ml", "hep", "stack e4s, hep or ml: 6 specs, 2 more"),
        (
            "stack=e4s",
            "stack=e4s,e4s-rocm",
            "e4s-rocm",
            "stack e4s or e4s-rocm: 3 specs, none more; both of e4s-rocm are in e4s too",
        ),
        ("stack=e4s", "stack=e4s stack=ml", "ml", "stack e4s and ml: 1 spec, 2 fewer"),
        ("", "stack!=e4s", "e4s", "stack e4s left out: 4 specs, 3 fewer"),
        ("stack!=e4s", "", "e4s", "any stack: 7 specs, 3 more"),
        (
            "stack!=e4s",
            "stack!=e4s stack=e4s-rocm",
            "e4s-rocm",
            "stack e4s-rocm, e4s left out: nothing left; both of e4s-rocm are in e4s too, which is left out; "
            "u takes it back",
        ),
        (
            "stack!=e4s",
            "stack!=e4s stack=hep",
            "hep",
            "stack hep, e4s left out: 2 specs, 2 fewer; 1 of the 3 of hep is in e4s too, which is left out",
        ),
        (
            "stack!=e4s",
            "stack!=e4s,hep stack=e4s-rocm",
            "e4s-rocm",
            "stack e4s-rocm, e4s and hep left out: nothing left; both of e4s-rocm are in e4s or hep too, "
            "which are left out; u takes it back",
        ),
        (
            "os=amzn2",
            "os=amzn2 stack=ml",
            "ml",
            "stack ml: nothing left; the other filters leave none of ml; u takes it back",
        ),
        (
            "os=amzn2 stack=tools",
            "os=amzn2 stack=ml,tools",
            "ml",
            "stack ml or tools: 1 spec, none more; the other filters leave none of ml",
        ),
        ("os=amzn2", "os=amzn2 stack=tools", "tools", "stack tools: 1 spec, as many as before"),
    ],
)
def test_a_step_in_a_facet_says_what_is_asked_and_what_it_changed(before: str, now: str, value: str, said: str) -> None:
    assert after(before, now, value) == said


def test_where_a_facet_alone_does_not_tell_why_nothing_is_left_no_cause_is_named() -> None:
    rows = index_of([row(hash="a" * 32, stacks=["e4s"])])
    was, found = (Results.of(rows, Query.parse(query)) for query in ("", "stack!=e4s"))
    said = step_texts(was, found, "stack", "e4s", undo="u")
    assert said == ["stack e4s left out: nothing left; u takes it back", "nothing left; u takes it back"]


def test_many_ticks_are_named_in_part_and_a_range_as_it_is_typed() -> None:
    assert after("", "stack=e4s,e4s-rocm,hep,ml", "ml") == "stack e4s, e4s-rocm or 2 more: 6 specs, 1 fewer"
    assert after("", "target=x86_64:", "x86_64_v3", "target") == "target x86_64:: 7 specs, as many as before"


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_keys_of_the_facets_say_what_they_do_and_what_they_did(
    drive: Drive, tmp_path: Path, size: tuple[int, int]
) -> None:
    builds = {f"{k}": (row(stacks=each), ["v1.0"]) for k, each in enumerate(STACKS)}

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f")
        shows(pilot, "/ find")
        while facets.cursor_key != ("stack", "e4s"):
            await pressed(pilot, "down")
        shows(pilot, "Space only this")
        await answered(pilot, "minus", "stack e4s left out: 3 specs, 3 fewer", "alone")
        while facets.cursor_key != ("stack", "e4s-rocm"):
            await pressed(pilot, "down")
        shows(pilot, "both left out" if size == LEAST else "both in e4s too, left out")
        await answered(pilot, "space", "nothing left", "both of e4s-rocm", "are in e4s too", "u takes it back")
        await answered(pilot, "u", "U does it again")
        await answered(pilot, "x", "taken away: stack!=e4s")
        await answered(pilot, "space", "stack e4s-rocm: 2 specs, 4 fewer")
        await answered(pilot, "up", "Space or this too")
        await answered(pilot, "down", "Space untick")
        await answered(pilot, "enter", "any stack: 6 specs, 4 more")
        if size == WIDE:
            await pressed(pilot, "space", "up")
            shows(pilot, "any ticked will do; each counted alone")

    drive(cache_browser("", str(write(tmp_path / "content", in_tags(builds)))), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_last_line_says_whether_space_shows_all_values_or_fewer(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "f")
        if size == SMALL:
            shows(pilot, "Space shows all 14")
            await answered(pilot, "space", "Space shows fewer")
            await answered(pilot, "space", "Space shows all 14")
        await pressed(pilot, "down")
        shows(pilot, "Space only this  - without  / find")

    drive(browser(), scenario, size)
