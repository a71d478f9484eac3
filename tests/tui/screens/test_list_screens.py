"""The screens that are one list."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.screens.copies import CopyScreen
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.screens.drift import DriftScreen
from cachetui.tui.screens.expectations import ExpectScreen
from cachetui.tui.screens.export import ExportScreen
from cachetui.tui.screens.help import HELP, browse_help
from cachetui.tui.screens.list_screens import DetailScreen, HelpScreen, ListScreen, ProblemsScreen
from cachetui.tui.screens.spec import SpecScreen
from cachetui.tui.screens.tags import TagScreen
from cachetui.tui.screens.timeline import TimelineScreen
from cachetui.tui.screens.why import WhyScreen
from tests.support.browsing import opened, pressed, resized, shows
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines

EVERY = (
    CopyScreen,
    CoverageScreen,
    DetailScreen,
    DriftScreen,
    ExpectScreen,
    ExportScreen,
    ProblemsScreen,
    SpecScreen,
    TagScreen,
    TimelineScreen,
    WhyScreen,
)


def browser(query: str = "") -> BrowserApp:
    content = SAMPLE_CONTENT
    catalogue = Catalogue(content, {}, snapshot=False)
    return BrowserApp(catalogue, Query.parse(query), Host("linux", "rhel9", "zen3"), content=content)


@pytest.mark.parametrize("size", [(140, 200), (120, 200), (80, 200), (60, 200)])
def test_no_word_of_the_help_is_cut(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.push_screen(Screen())  # else 200 lines of the browser are painted behind each help
        for sections in (HELP, *(screen.KEYS for screen in EVERY)):
            await opened(pilot, HelpScreen(sections))
            lines = screen_lines(pilot.app)
            shown = set(" ".join(lines).split())
            words = {word for _, entries in sections for entry in entries for text in entry for word in text.split()}
            assert words - shown == set()
            headings = {heading for heading, _ in sections}
            assert all(any(heading in line for line in lines) for heading in headings)
            await pilot.app.pop_screen()

    drive(browser(), scenario, size)


def test_the_help_says_that_a_query_takes_specs_and_where_packages_are_compared() -> None:
    entries = {key: said for _, entries in HELP for key, said in entries}
    assert entries["stack=e4s stack!=hep"] == "specs in e4s and not in hep; packages that hep lacks: c"


def test_why_only_so_many_names_what_holds_specs_back_and_no_build_that_is_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("w")
        await pilot.pause()
        lines = [line.strip(" >┃") for line in screen_lines(pilot.app)]
        assert "Why only 91 specs?" in lines
        assert any(line.startswith("package") for line in lines), "what is behind it is to be seen"
        assert any(line.startswith("1") and line.endswith("413 without py-mpi4py") for line in lines)
        assert not any("tag=develop" in line for line in lines), "there is no more without it"
        assert not any("nearest builds" in line for line in lines)

    drive(browser("py-mpi4py"), scenario)


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20)])
@pytest.mark.parametrize(
    ("keys", "heading", "enter"),
    [
        ("t", "Tags", "choose this tag"),
        ("y", "Copy", "copy it to the clipboard"),
        ("e", "Export", "write the file"),
        ("!", "Problems", "the whole of it"),
        ("w", "Why", "take the part out, or go to the build"),
        ("\r\r", "A spec in full", ""),
        ("dt", "Tags", "choose this tag"),
    ],
)
def test_a_list_has_its_help(drive: Drive, size: tuple[int, int], keys: str, heading: str, enter: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        for key in (*keys, "?", "?"):
            await pilot.press({"\r": "enter", "!": "exclamation_mark", "?": "question_mark"}.get(key, key))
            await pilot.pause()
            await pilot.app.workers.wait_for_complete()
        depth = len(pilot.app.screen_stack)
        listed = pilot.app.screen_stack[-2]
        assert isinstance(pilot.app.screen, HelpScreen)
        assert isinstance(listed, ListScreen)
        lines = [line.strip(" \u2502\u2503") for line in screen_lines(pilot.app)]
        assert any(line.startswith(heading) for line in lines)
        assert enter in " ".join(line.partition("  ")[2] if "  " in line else line for line in lines)
        assert any("q, Esc" in line for line in lines)
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.screen is listed
        assert len(pilot.app.screen_stack) == depth - 1

    drive(browser("py-mpi4py"), scenario, size)


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20)])
@pytest.mark.parametrize(
    ("key", "first", "last"),
    [
        ("y", "Copy py-mpi4py", "this view"),
        ("e", "Export 91 specs", "yaml"),
        ("w", "Why only 91 specs?", "1        413 without"),
        ("!", "0 problems", "No problems"),
    ],
)
def test_a_sheet_takes_the_lines_that_it_needs_and_no_more(
    drive: Drive, key: str, first: str, last: str, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press(key)
        await pilot.pause()
        lines = [line.lstrip(" >") for line in screen_lines(pilot.app)]
        top = next(k for k, line in enumerate(lines) if line.startswith(first))
        bottom = next(k for k, line in enumerate(lines) if line.startswith(last))
        assert lines[0].startswith("cachetui")
        assert top < bottom < len(lines) - 1
        assert lines[-1].rstrip().endswith("Esc back")
        assert (len(lines) - 2 - bottom > 0) is (key == "y")  # the text in full
        for height in (9, size[1]):
            await resized(pilot, (size[0], height))
            lines = [line.lstrip(" >") for line in screen_lines(pilot.app)]
            assert any(line.startswith(first) for line in lines)
            assert any(line.startswith(">") for line in screen_lines(pilot.app)) or key == "!"
            assert lines[-1].rstrip().endswith("Esc back")
        assert next(k for k, line in enumerate(lines) if line.startswith(first)) == top

    drive(browser("py-mpi4py"), scenario, size)


def test_what_is_copied_stands_in_full_below_the_list(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, CopyScreen)
        await pilot.press("home")
        await pilot.pause()
        for label, text in screen._texts:
            lines = screen_lines(pilot.app)
            at = next(k for k, line in enumerate(lines) if "in full" in line)
            assert lines[at - 1].lstrip(" >").startswith("this view  ")
            below = "".join(lines[at + 1 : -1]).replace("\\", "")
            assert "".join(below.split()) == "".join(f"{label}{text}".split())
            await pilot.press("down")
            await pilot.pause()

    drive(browser("py-mpi4py"), scenario, (60, 20))


@pytest.mark.parametrize("key", ["y", "t", "question_mark"])
def test_what_is_over_a_screen_goes_from_edge_to_edge(drive: Drive, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        pilot.app.add_class("-ascii")
        await pilot.app.workers.wait_for_complete()
        await pilot.press(key)
        await pilot.pause()
        box = pilot.app.screen.query_one("#box").region
        assert (box.x, box.right) == (0, 100)
        assert "".join(screen_lines(pilot.app)[box.y : box.bottom]).isascii()

    drive(browser("py-mpi4py"), scenario, (100, 30))


def test_behind_the_help_there_is_the_list_that_it_is_about(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("question_mark")
        await pilot.pause()
        lines = screen_lines(pilot.app)
        assert lines[0].startswith("cachetui")
        assert lines[3].startswith(">py-mpi4py")

    drive(browser("py-mpi4py"), scenario, (80, 24))


def test_the_help_goes_on_by_pages_with_space(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "question_mark")
        shows(pilot, "Space page")
        first = screen_lines(pilot.app)
        await pressed(pilot, "space")
        by_space = screen_lines(pilot.app)
        assert by_space != first
        await pressed(pilot, "home", "pagedown")
        assert screen_lines(pilot.app) == by_space

    drive(browser("py-mpi4py"), scenario, (80, 24))


@pytest.mark.parametrize("pane", ["facets", "packages", "specs"])
def test_no_heading_of_the_help_stands_above_nothing(pane: str) -> None:
    assert all(entries for _, entries in browse_help(pane))


def test_the_last_line_of_a_list_is_whole(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("enter", "space", "m")
        await pilot.pause()
        assert screen_lines(pilot.app)[-1].endswith("Esc back")

    drive(browser("py-mpi4py"), scenario, (80, 24))


@pytest.mark.parametrize("width", range(1, 5))
def test_a_section_without_keys_has_help_in_any_width(drive: Drive, width: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, HelpScreen([("About", (("", "by signature"),))]))
        assert isinstance(pilot.app.screen, HelpScreen)

    drive(browser(), scenario, (width, 10))
