"""A query while it is typed: what it shows, and how it is kept or taken back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from cachetui.tui.screens.typed_query import BEFORE_TYPING
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    cache_browser,
    comes_back,
    filtered_by,
    lacks,
    package_here,
    package_rows,
    pressed,
    settled,
    shows,
    spec_of,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.rows import row, write
from tests.support.screens import screen_lines


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_query_is_followed_while_it_is_typed_and_undone_as_one_step(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await typed(pilot, "/mpi4")
        assert [package.name for package in browse.view.results.packages] == ["py-mpi4py"]
        await typed(pilot, " %gcc@11 os=ubuntu22.04")
        await pressed(pilot, "enter")
        filtered_by(pilot, "mpi4", "%gcc@11", "os=ubuntu22.04")
        assert {value.value for value in browse.view.results.facet("compiler") if value.ticked} == {
            "gcc@11.1.0",
            "gcc@11.4.0",
        }
        await pilot.press("u")
        assert len(browse.view.results) == 413
        await pilot.press("U", "x")
        assert len(browse.view.results) == 413
        await pilot.press("backspace")
        assert str(browse.view.query) == "mpi4 %gcc@11 os=ubuntu22.04 tag=develop"

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_cursor_comes_back_to_the_spec_that_filters_hid_for_a_while(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "enter", *["down"] * 40, "up", "up")
        wanted, first = spec_of(browse), browse.panes.specs.first_in_view
        other = next(
            spec.os
            for spec in map(browse.view.index.spec, browse.view.lists.specs(wanted.package).rows)
            if spec.os != wanted.os
        )
        await typed(pilot, f"/ os={other}\r")
        assert spec_of(browse).os == other
        await pressed(pilot, "u")
        assert spec_of(browse) == wanted
        assert browse.panes.specs.first_in_view == first, "the list stands as it stood"
        await typed(pilot, f"/ os={other},{wanted.os}\r")
        assert spec_of(browse) == wanted, "though it was hidden while the first value was typed"
        await pressed(pilot, "u")
        await typed(pilot, f"/ os={other}\r")
        await pressed(pilot, "space", "u")
        assert spec_of(browse).os == other, "on the one that was marked meanwhile"

    drive(browser(), scenario, size)


@pytest.mark.parametrize("keys", [("G", *["up"] * 8), ["down"] * 8])
def test_a_spec_that_a_host_hid_until_it_was_typed_whole_is_come_back_to(
    drive: Drive, tmp_path: Path, keys: Sequence[str]
) -> None:
    """As long as it was hidden the cursor was on the first row, which the order of another host begins at."""
    newer = [row(version=f"1.{minor}", target="x86_64_v2") for minor in range(30)]
    folder = write(tmp_path, [row(version="1.0", target="x86_64"), *newer])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", *keys)
        wanted = spec_of(browse)
        await typed(pilot, "/fits=linux-ubuntu22.04-x86_64")
        assert len(browse.panes.specs.rows) == 1
        await typed(pilot, "_v2\r")
        assert spec_of(browse) == wanted
        assert browse.panes.specs.cursor_row

    drive(cache_browser("", str(folder)), scenario, SMALL)


def test_a_letter_that_is_typed_lays_nothing_out(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/p")
        laid_out: list[Screen[Any]] = []
        pilot.app.screen.screen_layout_refresh_signal.subscribe(pilot.app, laid_out.append, immediate=True)
        await typed(pilot, "y-mpi")
        shows(pilot, "/ py-mpi", "1 of 4 packages")
        assert not laid_out

    drive(browser(), scenario, WIDE)


def test_letters_that_change_nothing_show_nothing_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/safetensors")
        panes = browse_of(pilot).panes
        rows = panes.packages.rows, panes.specs.rows, panes.facets.rows
        await typed(pilot, " @0.4")  # all of them are
        now = panes.packages.rows, panes.specs.rows, panes.facets.rows
        assert all(shown is before for shown, before in zip(now, rows, strict=True))
        assert str(browse_of(pilot).view.query) == "safetensors@0.4 tag=develop"
        await typed(pilot, " os=ubuntu24.04")
        assert panes.packages.rows is not rows[0]
        shows(pilot, "1 of 4 packages")
        await pressed(pilot, "enter")
        filtered_by(pilot, "safetensors", "@0.4")

    drive(browser(), scenario, WIDE)


def test_what_letters_are_counted_with_is_made_when_the_line_is_open(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        index = browse_of(pilot).view.index
        assert not index.has_value_rows
        await pilot.press("slash")
        for _ in range(100):
            await pilot.pause(BEFORE_TYPING)
            if index.has_value_rows:
                return
        raise AssertionError("nobody has made it")

    drive(browser(), scenario, WIDE)


def test_a_line_that_is_longer_than_the_screen_is_wide_is_scrolled_to_its_cursor(drive: Drive) -> None:
    line = f"hdf5 {' '.join('+mpi' for _ in range(20))}"

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{line}")
        assert screen_lines(pilot.app)[1] == f"‹ {line[-57:]}", "the sign says that it begins further left"
        await pilot.press("home")
        assert screen_lines(pilot.app)[1] == f"/ {line[:58]}".rstrip()

    drive(browser(), scenario, LEAST)


def test_what_cannot_be_read_is_told_and_changes_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/mpi4 @1:2:3")
        shows(pilot, "cannot read ':3'; write no blank beside ':'")
        lacks(pilot, "column")
        assert str(browse_of(pilot).view.query) == "mpi4@1:2 tag=develop"

    drive(browser(), scenario, SMALL)


def test_the_cursor_comes_back_to_its_package_when_what_was_typed_is_deleted(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "down", "down")
        assert package_here(browse_of(pilot)) == "py-safetensors"
        await typed(pilot, "/mpi4")
        assert package_here(browse_of(pilot)) == "py-mpi4py"
        await pressed(pilot, *["backspace"] * 4)
        assert package_here(browse_of(pilot)) == "py-safetensors"
        await typed(pilot, "py-\r")
        assert package_here(browse_of(pilot)) == package_rows(browse_of(pilot)).key(0)
        await pilot.press("end")
        last = package_here(browse_of(pilot))
        await typed(pilot, "/ os=ubuntu24.04")
        assert package_here(browse_of(pilot)) == last

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("stack", "left"), [("hep", "hdf5"), ("sdk", "adiak"), ("none", None)])
@pytest.mark.parametrize("is_pasted", [False, True])
@pytest.mark.parametrize("key", ["enter", "escape"])
def test_a_word_that_was_taken_for_a_name_on_the_way_leaves_the_cursor_where_it_was(
    drive: Drive, tmp_path: Path, key: str, is_pasted: bool, stack: str, left: str | None
) -> None:
    """The first letters of `stack` are those of strumpack too."""
    stacks = {
        "adiak": ["e4s", "sdk"],
        "hdf5": ["e4s", "hep"],
        "openblas": ["e4s", "hep", "sdk"],
        "strumpack": ["e4s", "hep", "sdk"],
    }
    write(tmp_path, [row(name, stacks=within) for name, within in stacks.items()])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "slash")
        await typed(pilot, " stack")
        assert package_here(browse) == "strumpack"
        if is_pasted:
            assert pilot.app.focused is not None
            pilot.app.focused.post_message(events.Paste(f"={stack}"))
            await settled(pilot)
        else:
            await typed(pilot, f"={stack}")
        assert package_here(browse) == left
        await pressed(pilot, key)
        if key == "enter":
            assert package_here(browse) == left
            await pressed(pilot, "u")
        assert package_here(browse) == "hdf5"

    drive(cache_browser("stack=e4s", str(tmp_path)), scenario, WIDE)


def test_a_name_that_is_typed_has_the_cursor_once_it_is_kept(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down")
        await typed(pilot, "/safe stack=e4s")
        await pressed(pilot, *["backspace"] * len("stack=e4s"), "enter")
        assert package_here(browse) == "py-safetensors"

    drive(browser(), scenario, WIDE)


def test_within_a_package_what_is_typed_shows_what_enter_will_show(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/py-mpi4py")
        await pressed(pilot, "enter", "enter", "x")
        await typed(pilot, "/os=ubuntu24.04")  # an "o" is in another name
        await settled(pilot)
        shown = screen_lines(pilot.app)[2:12]
        assert "hash" in shown[0]
        await pressed(pilot, "enter")
        assert screen_lines(pilot.app)[2:12] == shown

    drive(browser(), scenario, SMALL)


def test_a_line_that_cannot_be_read_is_not_done_with_enter(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for text, told in (
            ("os=", "os= wants a value; Tab offers ubuntu24.04, ubuntu22.04"),
            ("py-mpi4py zlib", "only one package at a time: py-mpi4py or zlib"),
        ):
            await typed(pilot, "/")
            await pilot.press(*["backspace"] * 20)
            await typed(pilot, f"{text}\r")
            shows(pilot, f"/ {text}", f"not kept: {told}")
            assert " ".join(screen_lines(pilot.app)[-2:]).rstrip().endswith("takes it back")
            await pressed(pilot, "escape")
            shows(pilot, "no filter", "413 of 413 specs")
        await typed(pilot, "/")
        await pilot.press(*["backspace"] * 20)
        await typed(pilot, "py-mpi4py\r")
        assert len(browse_of(pilot).view.results) == 91

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
@pytest.mark.parametrize(
    ("text", "told", "way"),
    [
        ("py-mpi4py os=", "os= wants a value", "Tab offers ubuntu22.04, ubuntu24.04, ubuntu20.04"),
        ("py-mpi4py ta", "ta is not finished", "Tab puts in target="),
        ("py-safetensors @", "@ wants a version", "Tab puts in 0.4.5"),
        ("py-mpi4py targ", "targ is not finished", "Tab puts in target="),
        ("py-mpi4py @@4", "cannot read '@@4'", "Tab puts in @4"),
        ("py-mpi4pyos!=rhel8", "a blank is missing: py-mpi4py os!=rhel8", "Tab puts it in"),
        ("py-mpi4py zlib os=ub", "only one package at a time: py-mpi4py or zlib", ""),
    ],
)
def test_what_is_not_kept_says_what_tab_does_about_it(
    drive: Drive, size: tuple[int, int], text: str, told: str, way: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}\r")
        said = " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        assert f"not kept: {told}" in said
        assert said.endswith("; Esc takes it back")
        assert "…" not in said
        assert ("Tab" in said) == bool(way)
        assert way in said
        await pressed(pilot, "end")
        said = " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        assert told in said, "as long as the line stands there"
        assert said.endswith(way)
        lacks(pilot, "not kept")
        await pressed(pilot, *["tab"] * bool(way))
        assert (browse_of(pilot).filters.typed.line.text != text) == bool(way)

    drive(browser(), scenario, size)


def test_what_tab_has_put_in_is_not_said_to_be_put_in_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi4py ta")
        await pressed(pilot, "tab", "enter")
        shows(pilot, "not kept: target= wants a value; Tab offers x86_64_v3, aarch64, neoverse_v2; Esc")
        lacks(pilot, "target=;")

    drive(browser(), scenario, SMALL)


def test_escape_takes_back_what_was_typed_and_enter_keeps_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("down", "down", "enter", "down")
        before = browse.view.query, browse.panes.level, browse.panes.specs.cursor_key
        await typed(pilot, "/py-mpi4py os=ubuntu22.04")
        assert len(browse.view.results) == 52
        await pressed(pilot, "escape")
        assert (browse.view.query, browse.panes.level, browse.panes.specs.cursor_key) == before
        await pressed(pilot, "u")
        shows(pilot, "no filter step to take back")
        await pressed(pilot, "slash", "up", "enter")
        filtered_by(pilot, "py-mpi4py", "os=ubuntu22.04")
        assert len(browse.view.results) == 52

    drive(browser(), scenario, WIDE)


def test_of_a_line_that_cannot_be_read_its_beginning_holds(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for text, read in (
            ("mpi4 os=ubuntu22.04 os=ub", "mpi4 os=ubuntu22.04"),
            ("mpi4@", "mpi4"),
            ("mpi4 os=", "mpi4"),
            ("os=", ""),
        ):
            await typed(pilot, f"/{text}")
            assert str(browse_of(pilot).view.query) == f"{read} tag=develop".strip()
            await pilot.press("escape", "x")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("key", ["u", "x"])
def test_who_takes_back_a_name_that_nothing_has_is_at_his_package_again(drive: Drive, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "down", "up")
        here = package_here(browse_of(pilot))
        await typed(pilot, "/safxqw\r")
        assert not browse_of(pilot).view.results
        await pressed(pilot, key)
        assert package_here(browse_of(pilot)) == here == "py-mpi4py"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("is_inside", [False, True])
def test_a_name_that_nothing_has_is_said_to_be_none_also_within_a_package(drive: Drive, is_inside: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        if is_inside:
            await pressed(pilot, "enter")
        inside, count = browse_of(pilot).view.inside, "0 of 129 specs" if is_inside else "0 of 413 specs"
        await typed(pilot, "/24j7qv4")
        said = ("Nothing matches.", "no package 24j7qv4", "413 without 24j7qv4", count)
        shows(pilot, *said, "a hash? Esc, then # looks it up, with typing errors too")
        lacks(pilot, "in all tags")
        await pressed(pilot, "enter")
        shows(pilot, *said, "a hash? # looks it up, with typing errors too")
        assert browse_of(pilot).view.inside == inside
        await answered(pilot, "w", "Why nothing?", "no package 24j7qv4", "413 without 24j7qv4")
        await pressed(pilot, "1")
        filtered_by(pilot)
        assert browse_of(pilot).view.inside == inside

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("text", "is_like_hash"), [("xw8q0", True), ("xw8q", False), ("xwqvk", False), ("mpi4py", False)]
)
def test_a_word_with_a_digit_that_is_like_no_name_may_be_a_hash(drive: Drive, text: str, is_like_hash: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text} os=sequoia")
        (shows if is_like_hash else lacks)(pilot, "a hash?")

    drive(browser(), scenario, SMALL)


def test_while_the_name_of_a_package_is_typed_in_it_its_specs_stay(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter", "x")
        panes = browse_of(pilot).panes
        package = panes.package
        assert package == "py-mpi4py"
        await pressed(pilot, "slash")
        for letter in "Py-mpi4py os=sequoia":
            await typed(pilot, letter)
            assert (panes.level, panes.package) == ("specs", package)
            shows(pilot, f" · {package}")
        shown = screen_lines(pilot.app)[2:12]
        await pressed(pilot, "enter")
        assert (panes.level, panes.package, screen_lines(pilot.app)[2:12]) == ("specs", package, shown)
        await pressed(pilot, "x", "slash")
        await typed(pilot, "py-mpi4pyt")
        assert panes.level == "specs", "no package has it"
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "py-s")
        assert (panes.level, panes.package) == ("packages", "py-safetensors")

    drive(browser(), scenario, SMALL)


def test_letters_that_are_more_like_another_package_leave_who_is_in_one_that_begins_with_them_there(
    drive: Drive,
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "slash")
        panes = browse_of(pilot).panes
        assert panes.package == "py-ml-dtypes"
        for letter in "py-ml":
            await typed(pilot, letter)
            assert (panes.level, panes.package) == ("specs", "py-ml-dtypes")
        shows(pilot, " · py-ml-dtypes")

    drive(browser(), scenario, SMALL)


def test_a_line_emptied_within_a_package_shows_while_it_is_typed_what_enter_keeps(drive: Drive) -> None:
    """Also where a beginning of a value leaves none of the package for a moment."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "slash", "ctrl+u")
        await typed(pilot, "os=ubuntu22.04 %gcc@11.4.0 target=x86_64_v3")
        panes = browse_of(pilot).panes
        shown = panes.level, panes.package, screen_lines(pilot.app)[2:12]
        assert shown[:2] == ("specs", "py-mpi4py")
        await pressed(pilot, "enter")
        assert (panes.level, panes.package, screen_lines(pilot.app)[2:12]) == shown

    drive(browser("py-mpi4py fits=linux-ubuntu22.04-zen3"), scenario, SMALL)


def test_a_line_typed_within_a_package_stays_among_specs_where_they_are_of_it_or_of_one_alone(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("down", "enter", "down")
        here = spec_of(browse)
        for keys, last in (("/", "escape"), ("/%gcc", "enter"), ("/", "enter")):
            await typed(pilot, keys)
            await pressed(pilot, last)
            assert (browse.panes.level, browse.focused, spec_of(browse)) == ("specs", browse.panes.specs, here), keys
        for name, package, level in (
            ("py-mpi4py", "py-mpi4py", "specs"),
            ("py-ml", "py-ml-dtypes", "specs"),
            ("py-s", "py-safetensors", "packages"),
        ):
            await pressed(pilot, "x", "slash")
            await typed(pilot, f"{name}\r")
            await pilot.pause()
            assert (browse.panes.level, package_here(browse)) == (level, package), name

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize("level", ["packages", "specs"])
def test_leaving_the_query_line_shows_the_rows_of_before(drive: Drive, level: str, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        panes.facets.count_complete()  # which else comes when nothing has been done for a while
        await settled(pilot)
        table = panes.packages if level == "packages" else panes.specs
        await pressed(pilot, *(["enter"] if level == "specs" else []), "end", *["up"] * 5)
        assert table.first_in_view, "the list is longer than the screen"
        before = screen_lines(pilot.app)
        await typed(pilot, "/ zfp")
        assert screen_lines(pilot.app) != before
        await pressed(pilot, "escape")
        assert screen_lines(pilot.app) == before

    drive(
        cache_browser("", str(CACHES / "v3/spack-1.1.0/develop")) if level == "packages" else browser(), scenario, size
    )


@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize(
    "keys",
    [
        ("enter", *["down"] * 9, "escape"),
        ("down", "enter", *["down"] * 9, "escape"),
        ("down", "enter", "end", *["up"] * 3, "escape", "up"),
        ("enter", "down", "down", "tab", "down", "down"),
        ("f", "end", "up", "up", "escape", "down"),
    ],
)
def test_leaving_the_query_line_leaves_every_pane_as_it_stood(
    drive: Drive, keys: Sequence[str], size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        browse.panes.facets.count_complete()  # which else comes when nothing has been done for a while
        await pressed(pilot, *keys)
        spec, focused = browse.panes.spec, browse.focused
        await comes_back(pilot, "slash", "ctrl+u", *"safet", "ctrl+u", *"qqq", "escape")
        await comes_back(pilot, "slash", "ctrl+u", *"safet", "escape")
        assert (browse.panes.spec, browse.focused) == (spec, focused)

    drive(browser("%gcc"), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize(
    "keys",
    [
        (),
        ("end", *["up"] * 9),
        ("home", *["down"] * 30, "enter", "escape"),
        ("home", "enter", "end", *["up"] * 9),
        ("home", "enter", "end", *["up"] * 9, "escape"),
        ("down", "enter"),
    ],
)
def test_what_is_shown_as_before_while_a_query_is_typed_stands_as_before(
    drive: Drive, tmp_path: Path, keys: Sequence[str], size: tuple[int, int]
) -> None:
    """Letters on the way to a key are of another package, and so is a name that is deleted again."""
    rows = [row("hdf5", version=f"1.{minor}", size=minor) for minor in range(60)]
    write(tmp_path, [*rows, *(row(f"p{number:02}") for number in range(60)), row("strumpack")])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        browse.panes.facets.count_complete()  # which else comes when nothing has been done for a while
        await pressed(pilot, *keys)

        def stands() -> tuple[object, ...]:
            panes = browse.panes
            lists = panes.packages.standing[:3], panes.specs.standing[:3]
            return *lists, panes.level, panes.spec, *screen_lines(pilot.app)[2:-1]

        await pressed(pilot, "slash")
        stood = stands()
        for text in ("strum", "nosuchname"):
            await pressed(pilot, *text)
            assert stands() != stood
            await pressed(pilot, "ctrl+u")
            assert stands() == stood, text
        await typed(pilot, "st")
        assert package_here(browse) == "strumpack"
        for text in ("ack=", "e4s", "\r"):  # what can be read is all there is
            await typed(pilot, text)
            assert stands()[:4] == stood[:4], text

    drive(cache_browser("", str(tmp_path)), scenario, size)


def test_who_leaves_the_query_line_where_nothing_matches_reads_the_same_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).panes.facets.count_complete()
        await settled(pilot)
        await comes_back(pilot, "slash", "ctrl+u", *"safet", "escape")

    drive(browser("py-m %gcc"), scenario, SMALL)


def test_the_word_before_the_cursor_is_deleted_to_the_blank_as_a_shell_does(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, "/mpi4 foo=bar")
        for left in ("mpi4 ", ""):
            await pressed(pilot, "ctrl+w")
            assert line.text == left
        await typed(pilot, "mpi4 %gcc@11  os=rhel8")
        await pressed(pilot, *["left"] * len("=rhel8"), *["ctrl+w"] * 2)
        assert line.text == "mpi4 =rhel8", "what is behind the cursor stays, blanks go with the word before them"
        await pressed(pilot, "shift+end", "ctrl+w")
        assert line.text == "mpi4 ", "what is selected goes alone"

    drive(browser(), scenario, SMALL)


def test_who_empties_the_line_and_types_what_it_was_goes_on_with_his_own_word(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/mpi4 %gcc\r")
        await pressed(pilot, "slash", "ctrl+u")
        await typed(pilot, "mpi4 %gccc")
        assert browse_of(pilot).filters.typed.line.text == "mpi4 %gccc"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("before", "typed_now", "line"),
    [
        ("%gcc", "+mpi", "%gcc +mpi"),
        ("%gcc", "~mpi", "%gcc ~mpi"),
        ("mpi4%gcc@11", "+mpi", "mpi4%gcc@11 +mpi"),
        ("mpi4 %gcc @ 11.4:", "+mpi", "mpi4 %gcc @ 11.4: +mpi"),
        ("mpi4", "+mpi", "mpi4 +mpi"),
        ("mpi4", "@4", "mpi4@4"),
        ("mpi4@3", "~mpi", "mpi4@3 ~mpi"),
        ("mpi4 +mpi", "%gcc", "mpi4 +mpi %gcc"),
        ("os=ubuntu22.04", "%gcc", "os=ubuntu22.04 %gcc"),
        ("%gcc +mpi", "+x", "%gcc +mpi +x"),
        ("%gcc", "@11+mpi", "%gcc@11+mpi"),
    ],
)
def test_a_part_does_not_stick_to_the_one_of_before(drive: Drive, before: str, typed_now: str, line: str) -> None:
    """A variant is one of the package; newer Spack takes what stands right behind a compiler for one of that."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{before}")
        assert browse_of(pilot).filters.typed.line.text == before
        await pressed(pilot, "enter", "slash")
        await typed(pilot, typed_now)
        assert browse_of(pilot).filters.typed.line.text == line

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("before", "typed_now", "said"),
    [
        ("os=ubuntu22.04", "platform=linux", "platform=linux takes nothing away: it holds for all 108 specs"),
        ("", "os!=nosuch", "os!=nosuch takes nothing away: it holds for all 413 specs"),
        (
            "os=ubuntu22.04",
            "platform=linux os!=rhel8",
            "platform=linux, os!=rhel8 take nothing away: they hold for all 108 specs",
        ),
        ("", "stack=e4s stack!=hep", "stack!=hep takes nothing away: it holds for all 52 specs"),
        ("", "platform=linux os=ubuntu22.04", "platform=linux takes nothing away: it holds for all 108 specs"),
        ("py-safetensors", "@0.4", "@0.4 takes nothing away: it holds for all "),
        ("os=ubuntu22.04 %gcc", "compiler=gcc", ""),
        ("os=ubuntu22.04", "py-mpi4py", ""),
        ("os=ubuntu22.04", "stack=e4s", ""),
        ("py-mpi4py", "tag=develop", ""),
        ("os=ubuntu22.04", "", ""),
    ],
)
def test_filters_that_take_nothing_away_are_said(drive: Drive, before: str, typed_now: str, said: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "slash")
        await typed(pilot, f" {typed_now}\r")
        if said:
            shows(pilot, said)
        lacks(pilot, "nothing away" if not said else "nothing matches")
        await pressed(pilot, "down")
        lacks(pilot, "nothing away")
        await pressed(pilot, "u", "U")
        lacks(pilot, "nothing away")

    drive(browser(before), scenario, WIDE)


def test_within_a_package_filters_that_take_nothing_away_are_said_of_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/safetensors\r")
        await pressed(pilot, "x", "enter")
        specs = browse_of(pilot).view.shown.specs
        await typed(pilot, "/@0.4\r")
        shows(pilot, f"@0.4 takes nothing away: it holds for all {specs} specs of py-safetensors")
        await pressed(pilot, "u", "slash")
        await typed(pilot, "@0.4")
        await pressed(pilot, "escape")
        lacks(pilot, "nothing away")

    drive(browser(), scenario, WIDE)


def test_a_tick_said_again_is_not_said_to_take_nothing_away(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).filters.facets.toggle("compiler", "gcc@11.4.0")
        await settled(pilot)
        await typed(pilot, "/ %gcc@11.4\r")
        filtered_by(pilot, "%gcc@11.4")
        lacks(pilot, "nothing away")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_within_a_package_too_it_is_said_what_a_typed_name_is_taken_for(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        await typed(pilot, "/py-pmi4py")
        shows(pilot, "no package py-pmi4py; Enter puts in py-mpi4py")
        await pressed(pilot, "escape")
        await typed(pilot, "/py-mpi5py")
        shows(pilot, "no py-mpi5py; meant py-mpi4py")
        await pressed(pilot, "escape")
        lacks(pilot, "meant")

    drive(browser(), scenario, size)
