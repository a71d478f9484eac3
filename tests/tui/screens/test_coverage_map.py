"""The map of the coverage: one cell a column, four rows in a line where there are more than lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.rows.coverage import MapRows, largest_count
from cachetui.tui.rows.pictures import shades, stacked
from cachetui.tui.screens.coverage import CoverageScreen
from tests.support.browsing import SMALL, browse_of, browser, matrix_of, pressed, settled, shows
from tests.support.drive import Drive
from tests.support.rows import row, write
from tests.support.screens import screen_lines

PACKAGES, STACKS = 60, 45


def builds(package: int, stack: int) -> int:
    """A pattern without a period of four, in which every package has a build."""
    return max((package * stack) % 7 // 4 * (1 + package % 12), int(package % STACKS == stack))


@pytest.fixture
def large(tmp_path: Path) -> BrowserApp:
    """Sixty packages in 45 stacks."""
    rows = [
        row(f"p{package:02}", f"1.{k}", stacks=[f"stack-{stack:02}"])
        for package in range(PACKAGES)
        for stack in range(STACKS)
        for k in range(builds(package, stack))
    ]
    write(tmp_path, rows)
    return BrowserApp(Catalogue(str(tmp_path), os.environ, snapshot=False), Query.parse(""), Host.parse("zen3"))


def test_sixty_packages_and_45_stacks_are_seen_at_once(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z")
        lines = screen_lines(pilot.app)
        rows = matrix_of(pilot).rows
        assert isinstance(rows, MapRows)
        shown = [line[1:] for line in lines if line[1:].startswith("p") and " +3" in line]
        assert len(shown) == PACKAGES // 4
        for k, line in enumerate(shown):
            counts = [[builds(4 * k + j, stack) for j in range(4)] for stack in range(STACKS)]
            drawn = "".join(stacked([bool(count) for count in column], 4) for column in counts)
            assert line.endswith(drawn.rstrip()) or drawn.rstrip() in line, (line, drawn)

    drive(large, scenario, SMALL)


def test_below_the_map_stand_the_numbers_of_the_cell(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z", "down", "right")
        matrix = matrix_of(pilot)
        assert [row.name for row in matrix.rows_here] == ["p04", "p05", "p06", "p07"]
        assert matrix.column_name == "stack-01"
        lines = screen_lines(pilot.app)
        assert lines[1].startswith("four rows a line, filled where one has specs: ⠉ first ⠒ second ⠤ third ⣀ fourth")
        cell = next(line for line in lines if line.startswith("p04 to p07: 3 of 4 here"))
        assert " 2 stack-01: " in cell
        below = "\n".join(lines[-4:])
        assert lines.index(cell) == len(lines) - 4
        for name, count in {"p04": "5", "p05": "6", "p06": "7", "p07": "-"}.items():
            assert f"{count} {name}" in below
        await pressed(pilot, "enter")
        assert matrix.column_name == "stack-01"
        assert [row.name for row in matrix.rows_here] == ["p04"]
        shows(pilot, "p04 in stack-01: 5 specs")

    drive(large, scenario, SMALL)


def test_a_map_and_back_leave_the_cursor_on_its_row(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", *["down"] * 6, "z")
        matrix = matrix_of(pilot)
        assert [row.name for row in matrix.rows_here] == ["p04", "p05", "p06", "p07"]
        await pressed(pilot, "z")
        assert [row.name for row in matrix.rows_here] == ["p05"]
        await pressed(pilot, "z", "down", "z")
        assert [row.name for row in matrix.rows_here] == ["p08"]

    drive(large, scenario, SMALL)


def test_where_each_row_has_a_line_a_cell_shows_its_digit(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "down", *["right"] * 12)
        column, name = matrix_of(pilot).column_name, matrix_of(pilot).rows_here[0].name
        await pressed(pilot, "z")
        matrix = matrix_of(pilot)
        assert (matrix.column_name, matrix.rows_here[0].name) == (column, name)
        shows(pilot, f"{name} here: 20 specs", "1234567890123")
        coverage = matrix.coverage
        assert coverage is not None
        line = next(line for line in screen_lines(pilot.app) if line.startswith(f">{name}"))
        assert line[-13:] == "".join("+" if count > 9 else str(count or " ") for count in coverage.rows[0].counts)
        await pressed(pilot, "enter")
        assert not isinstance(pilot.app.screen, CoverageScreen)
        await pressed(pilot, "escape")
        assert isinstance(matrix_of(pilot).rows, MapRows)
        await pressed(pilot, "z")
        shows(pilot, "specs  gaps")

    drive(browser(), scenario, SMALL)


def test_without_blocks_every_row_has_a_line(drive: Drive, large: BrowserApp) -> None:
    large.add_class("-ascii")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z")
        assert len(matrix_of(pilot).rows) == PACKAGES
        assert " +3" not in "\n".join(screen_lines(pilot.app))
        assert "\n".join(screen_lines(pilot.app)).isascii()

    drive(large, scenario, SMALL)


def test_the_shades_and_the_columns_are_explained(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z", "down")
        lines = screen_lines(pilot.app)
        largest = largest_count(matrix_of(pilot).coverage or pytest.fail("nothing is counted"))
        spans = " ".join(f" {first}-{last} " if last > first else f" {first} " for first, last, _ in shades(largest))
        assert lines[1].split() == f"specs: {spans} + over 9 blank: a gap".split()
        shows(pilot, "py-mpi4py in data-vis-sdk: 5 specs", " 1 data-vis-sdk", "13 ml-linux-x86_64-rocm")

    drive(browser(), scenario, SMALL)


def test_a_column_takes_two_cells_where_there_is_room(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z")
        rows = matrix_of(pilot).rows
        assert isinstance(rows, MapRows)
        assert rows.cells == 2
        shows(pilot, " 1 2 3 4 5 6 7 8 9 0 1 2", "1 stack-00: ")
        assert all(len(line) <= 140 for line in screen_lines(pilot.app))

    drive(large, scenario, (140, 40))


@pytest.mark.parametrize("size", [(100, 30), (140, 40), (200, 60)])
def test_numbers_of_two_digits_stand_apart_below_the_whole_number_of_their_column(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z", *["down"] * 2)
        lines = screen_lines(pilot.app)
        shows(pilot, " 1  2  3  4  5  6  7  8  9 10 11 12 13")
        shown = next(line for line in lines if line.startswith(">py-pdm-backend"))
        coverage = matrix_of(pilot).coverage
        assert coverage is not None
        assert shown.split()[1:] == [str(count) for count in coverage.rows[2].counts if count]

    drive(browser(), scenario, size)


def test_two_rows_share_a_line_where_that_is_enough(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z")
        rows = matrix_of(pilot).rows
        assert isinstance(rows, MapRows)
        assert rows.together == 2
        lines = screen_lines(pilot.app)
        assert lines[1].startswith("two rows a line, filled where one has specs: ▀ first ▄ second")
        shown = [line[1:] for line in lines if line[1:].startswith("p") and " +1" in line]
        assert len(shown) == PACKAGES // 2
        columns = ([builds(0, stack) > 0, builds(1, stack) > 0] for stack in range(STACKS))
        drawn = "".join(stacked([one, other], 2) * 2 for one, other in columns)
        assert shown[0].startswith(f"p00 +1       {drawn}".rstrip())

    drive(large, scenario, (140, 40))


def test_back_from_the_specs_of_a_cell_the_packages_stand_where_they_stood(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        packages = browse_of(pilot).panes.packages
        await pressed(pilot, "G", *["up"] * 5)
        place, first = packages.place, packages.first_in_view
        assert first
        await pressed(pilot, "c", "g", "enter")
        assert browse_of(pilot).view.query
        await pressed(pilot, "g")
        await pressed(pilot, "escape", "escape")
        assert (packages.place, packages.first_in_view) == (place, first)

    drive(large, scenario, SMALL)


def test_of_rows_that_share_a_line_enter_says_that_it_leads_to_their_numbers(drive: Drive, large: BrowserApp) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z")
        assert screen_lines(pilot.app)[-1].startswith("Enter numbers  o gaps  / find")
        await pressed(pilot, "enter")
        assert "z map" in screen_lines(pilot.app)[-1]

    drive(large, scenario, SMALL)


def test_on_a_map_of_a_row_a_line_enter_leads_to_specs_and_another_key_to_the_numbers(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "z")
        assert "o gaps  z numbers" in screen_lines(pilot.app)[-1]

    drive(browser(), scenario, SMALL)
