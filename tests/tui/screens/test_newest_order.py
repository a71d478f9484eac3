"""Specs sorted by the newest tag that has each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    cache_browser,
    lacks,
    pressed,
    settled,
    shows,
    typed,
)
from tests.support.commands import answered
from tests.support.drive import Drive
from tests.support.rows import in_tags, row, write
from tests.support.screens import screen_lines

APRIL_6, APRIL_13, APRIL_20 = (f"develop-2025-04-{day}" for day in ("06", "13", "20"))

TO_ALL_TAGS = ("t", "home", "enter")

BUILDS = {
    "a": (row(), [APRIL_6]),
    "b": (row(version="1.12.2"), [APRIL_20]),
    "c": (row(), ["v1.0"]),
    "d": (row(), []),
    "e": (row(), [APRIL_20, APRIL_13]),
}


@pytest.fixture
def content(tmp_path: Path) -> str:
    return str(write(tmp_path / "content", in_tags(BUILDS)))


def listed(pilot: Pilot[Any]) -> str:
    """The first letter of each hash in the list of specs."""
    view = browse_of(pilot).view
    return "".join((view.index.spec(row).hash or "-")[0] for row in view.lists.specs("hdf5").rows)


async def sorted_by_tag(pilot: Pilot[Any], *keys: str) -> None:
    """Enters the package behind these keys, and goes on to its order by tag."""
    await settled(pilot)
    await pressed(pilot, *keys, "enter")
    for _ in range(12):
        if browse_of(pilot).view.lists.spec_order.column == "tag":
            return
        await pressed(pilot, "s")
    pytest.fail("there is no order by tag")


def heading(pilot: Pilot[Any]) -> str:
    return screen_lines(pilot.app)[2].split("│")[-1]


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_in_one_tag_specs_can_be_sorted_by_the_newest_tag_that_has_each(
    drive: Drive, size: tuple[int, int], content: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert listed(pilot) == "acdeb"
        assert "version▼" in heading(pilot)
        await pressed(pilot, "s")  # all are of one compiler, os and target
        assert listed(pilot) == "ebacd", "of one day the newest version, then the hash; without a day last"
        assert heading(pilot).count("▼") == 1
        assert "newest tag▼" in heading(pilot)
        lines = [line.split("│")[-1] for line in screen_lines(pilot.app)[3:8]]
        days = ["2025-04-20", "2025-04-20", "2025-04-06", "v1.0", "only develop"]
        assert [day for line, day in zip(lines, days, strict=True) if day in line] == days
        await pressed(pilot, "S")
        assert listed(pilot) == "dcabe"
        assert "newest tag▲" in heading(pilot)
        await pressed(pilot, "s")
        assert "newest tag " in heading(pilot), "which is all that differs"
        lacks(pilot, "differs")

    drive(cache_browser("", content), scenario, size)


def test_the_column_that_begins_with_the_newest_tag_says_where_it_has_room_what_else_it_holds(
    drive: Drive, tmp_path: Path
) -> None:
    variants = ["+hl", "+szip", "+fortran", "+threadsafe"]
    builds = {"a": (row(variants=variants), [APRIL_13]), "b": (row(variants=["~hl"]), [APRIL_20])}
    content = write(tmp_path / "content", in_tags(builds))

    async def scenario(pilot: Pilot[Any]) -> None:
        await sorted_by_tag(pilot)
        assert "newest tag▼ differs" in heading(pilot)

    drive(cache_browser("", str(content)), scenario, WIDE)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_in_all_tags_the_rows_of_the_newest_day_stand_first(drive: Drive, size: tuple[int, int], content: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await sorted_by_tag(pilot, *TO_ALL_TAGS)
        assert heading(pilot).rstrip().endswith("tag▼")
        assert listed(pilot) == "eb" + "e" + "a" + "ebacd" + "c", "of develop those of the newest day first"
        shows(pilot, "1.14.3   gcc@11.4.0 ubuntu22.04 x86_64_v3")
        await pressed(pilot, "t", "home", "down", "enter")
        assert browse_of(pilot).view.tag == "develop"
        assert "newest tag▼" in heading(pilot), "another tag keeps the order"
        assert listed(pilot) == "ebacd"

    drive(cache_browser("", content), scenario, size)


def test_where_nothing_is_newer_than_another_there_is_no_such_order(drive: Drive, content: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        orders: list[str | None] = []
        for _ in range(12):
            await pressed(pilot, "s")
            orders.append(browse_of(pilot).view.lists.spec_order.column)
        assert orders == ["hash", None] * 6, "all are of one compiler, os, target and list of stacks too"
        await pressed(pilot, "ctrl+p", *"newest")
        lacks(pilot, "Newest first")

    drive(cache_browser(f"tag={APRIL_20}", content), scenario, SMALL)


def test_the_palette_sorts_the_newest_first_within_a_package(drive: Drive, content: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "ctrl+p", *"newest")
        lacks(pilot, "Newest first")
        await pressed(pilot, "escape", "enter", "ctrl+p", *"date")
        shows(pilot, "Newest first")
        await pressed(pilot, "enter")
        assert listed(pilot) == "ebacd"
        await typed(pilot, "?")
        shows(pilot, "newest tag: by the newest that has each, days first")

    drive(cache_browser("", content), scenario, SMALL)


@pytest.mark.parametrize("columns", [("hash", "version"), ("tag", "differs", "hash")])
def test_the_order_has_a_step_where_the_user_wants_the_column_that_shows_it(
    drive: Drive, tmp_path: Path, columns: tuple[str, ...]
) -> None:
    """Also where no specs look alike, so that the column is not there before."""
    builds = {"a": (row(), [APRIL_6]), "b": (row(target="zen4"), [APRIL_20])}
    app = cache_browser("", str(write(tmp_path / "content", in_tags(builds))))
    app.browse.view.lists.columns = columns

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        lacks(pilot, "differs")
        is_wanted = "differs" in columns
        seen = []
        for _ in range(4):
            await pressed(pilot, "s")
            seen.append((browse_of(pilot).view.lists.spec_order.column, "newest tag▼" in heading(pilot), listed(pilot)))
        assert (("tag", True, "ba") in seen) is is_wanted
        assert any(column == "tag" for column, *_ in seen) is is_wanted

    drive(app, scenario, SMALL)


@pytest.mark.parametrize(("option", "letters"), [("--tag=develop", "ebacd"), ("--limit=99", "ebeaebacdc")])
def test_a_command_gives_specs_in_the_same_order(
    drive: Drive, content: str, option: str, letters: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await sorted_by_tag(pilot, *(() if option.endswith("develop") else TO_ALL_TAGS))
        assert listed(pilot) == letters
        await pressed(pilot, "y", "end")
        shows(pilot, "--sort -tag hdf5")
        await pressed(pilot, "escape", "S", "y", "end")
        shows(pilot, "--sort tag hdf5")

    drive(cache_browser("", content), scenario, WIDE)
    words = ["find", content, "hdf5", option, "--format", "{hash:1}\\t{version}"]
    _, out, _ = answered(capsys, *words, "--sort", "-tag")
    assert "".join(line[0] for line in out.splitlines()) == letters
    _, out, _ = answered(capsys, *words, "--sort", "tag")
    assert out[0] == letters[-1]


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_of_the_builds_that_come_equally_near_to_the_host_the_newest_stands_first(
    drive: Drive, size: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    builds = BUILDS | {"f": (row(version="1.10.7", target="zen2"), [APRIL_6])}
    content, fits = str(write(tmp_path / "content", in_tags(builds))), "fits=linux-ubuntu22.04-zen3"

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert listed(pilot) == "feacdb", "the target first, then the version, then the newest tag, then the hash"
        await pressed(pilot, *TO_ALL_TAGS)
        assert listed(pilot) == "ffeeaeacdcbb", "of each version as its tags stand"

    drive(cache_browser(fits, content), scenario, size)
    _, out, _ = answered(capsys, "find", content, fits, "--tag=develop", "--format", "{hash:1}")
    assert "".join(out.split()) == "feacdb"
    _, out, _ = answered(capsys, "find", content, fits, "--format", "{hash:1}")
    assert "".join(out.split()) == "ffeeaeacdcbb"


@pytest.mark.parametrize(("size", "head"), [(SMALL, "tag, differs"), (WIDE, "newest tag, differs")])
def test_where_any_row_begins_with_its_newest_tag_all_do_and_the_heading_says_so(
    drive: Drive, size: tuple[int, int], head: str, tmp_path: Path
) -> None:
    builds = {
        "a": (row(variants=["+hl"]), [APRIL_13]),
        "b": (row(variants=["+hl"]), [APRIL_6]),
        "c": (row(variants=["~hl"]), [APRIL_20]),
        "d": (row(target="zen4", variants=["~hl"]), ["v1.0"]),
    }
    content = write(tmp_path / "content", in_tags(builds))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        days = ["2025-04-13 +hl", "2025-04-06 +hl", "2025-04-20 ~hl", "v1.0 ~hl"]
        lines = [line.split("│")[-1] for line in screen_lines(pilot.app)[3:7]]
        assert [day for line, day in zip(lines, days, strict=True) if day in line] == days
        assert f" {head}" in heading(pilot)
        lacks(pilot, "differs 2025")  # in the detail, as the list has room for it
        await typed(pilot, "/%gcc\r")
        assert f" {head}" in heading(pilot)
        await typed(pilot, "/ ~hl\r")
        lacks(pilot, "differs")
        lacks(pilot, "2025-04-20 ~hl")
        await pressed(pilot, "x", *TO_ALL_TAGS)
        differs = next(each for each in browse_of(pilot).view.lists.spec_columns("hdf5") if each.title == "differs")
        assert differs.headings == ("other tag, differs", "differs"), "where there is room"

    drive(cache_browser("", str(content)), scenario, size)


@pytest.mark.parametrize(("query", "head"), [("", "newest tag, differs"), ("+hl", "newest tag stacks")])
def test_the_heading_says_differs_where_more_than_a_tag_is_said_of_any_row(
    drive: Drive, query: str, head: str, tmp_path: Path
) -> None:
    """Not where all rows have what is said of them."""
    builds = {
        "a": (row(variants=["+hl"]), [APRIL_13]),
        "b": (row(variants=["+hl"]), [APRIL_6]),
        "c": (row(variants=[]), [APRIL_20]),
    }
    content = write(tmp_path / "content", in_tags(builds))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        shows(pilot, "2025-04-13")
        assert head in heading(pilot)

    drive(cache_browser(query, str(content)), scenario, WIDE)


def test_where_a_tag_is_all_that_differs_the_least_room_is_headed_so_too(drive: Drive, tmp_path: Path) -> None:
    build = row(tag=APRIL_13, target="zen4")
    tags = {"a": "v1.0", "b": "v1.1", "c": "v1.2"}
    builds = [build | {"hash": letter * 32, "tag": tag} for letter, own in tags.items() for tag in (APRIL_13, own)]

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert heading(pilot).split()[-2:] == ["other", "t…"]

    drive(cache_browser(f"tag={APRIL_13}", str(write(tmp_path / "content", builds))), scenario, LEAST)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_what_a_list_cuts_of_what_differs_stands_whole_in_the_detail(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    long: dict[str, Any] = {"variants": ["+hl", "+szip", "+fortran", "patches:=82088c8"], "stacks": ["e4s", "hep"]}
    builds = {
        "a": (row(**long), [APRIL_13]),
        "b": (row(**long | {"stacks": ["e4s", "tools"]}), [APRIL_13]),
        "c": (row(**long), [APRIL_6]),
        "d": (row(variants=["~hl", "~szip", "~fortran"]), [APRIL_6]),
    }
    content = write(tmp_path / "content", in_tags(builds))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert screen_lines(pilot.app)[3].rstrip(" ┃").endswith("…")
        shows(pilot, "differs 2025-04-13 +hl in hep +szip +fortran patches:=82088c8")
        await pressed(pilot, "end")
        shows(pilot, "differs 2025-04-06 ~hl ~szip ~fortran")

    drive(cache_browser("", str(content)), scenario, size)


def test_neighbours_that_stacks_tell_apart_read_otherwise_though_there_is_no_room_for_all(
    drive: Drive, tmp_path: Path
) -> None:
    both: dict[str, Any] = {"variants": ["+hl", "+mpi", "+szip", "patches:=82088c8"]}
    tools, family = "developer-tools", "developer-tools-x86_64_v3-linux-gnu"
    builds = {
        "a": (row(**both, stacks=[tools, family]), [APRIL_13]),
        "b": (row(**both, stacks=[tools]), [APRIL_13]),
        "c": (row(variants=["~hl", "~mpi", "~szip"], stacks=[tools, "root"]), [APRIL_13]),
        "d": (row(variants=["~hl", "+mpi", "~szip"]), [APRIL_6]),
    }
    content = write(tmp_path / "content", in_tags(builds))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        told = [line.split("2025-")[1].rstrip(" ┃") for line in screen_lines(pilot.app)[3:6]]
        assert told[0].startswith("04-13 +mpi +hl in dev")
        assert told[0].endswith("gnu")
        assert told[1].startswith("04-13 +mpi +hl")
        assert "gnu" not in told[1]

    drive(cache_browser("", str(content)), scenario, WIDE)


def heading_of_kinds(pilot: Pilot[Any]) -> str:
    return " ".join(screen_lines(pilot.app)[2].split("│")[-1].split())


@pytest.mark.parametrize(("query", "own"), [("", "version▼"), ("fits=linux-ubuntu22.04-zen3", "target▼")])
def test_the_kinds_beside_the_packages_stand_in_their_own_order_where_theirs_has_no_column(
    drive: Drive, content: str, query: str, own: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await sorted_by_tag(pilot)
        assert listed(pilot) == "ebacd"
        await pressed(pilot, "escape")
        assert own in heading_of_kinds(pilot)
        rows = browse_of(pilot).panes.specs.rows
        assert [rows.row(k).cells[1] for k in range(len(rows))] == ["1.14.3", "1.12.2"]
        await pressed(pilot, "enter")
        assert "newest tag▼" in heading(pilot)
        assert listed(pilot) == "ebacd", "within the package the order has stayed"
        assert browse_of(pilot).panes.specs.cursor_row == 0

    drive(cache_browser(query, content), scenario, WIDE)


def test_an_order_by_a_column_that_another_tag_does_not_show_is_none(drive: Drive, content: str) -> None:
    app = cache_browser("", content)
    app.browse.view.lists.columns = ("hash", "version", "differs")

    async def scenario(pilot: Pilot[Any]) -> None:
        await sorted_by_tag(pilot)
        assert listed(pilot) == "ebacd"
        await pressed(pilot, *TO_ALL_TAGS)
        assert "version▼" in heading(pilot)
        assert listed(pilot).startswith("aa")
        await pressed(pilot, "S")
        assert "version▲" in heading(pilot)

    drive(app, scenario, WIDE)
