"""The coverage screen on the sample catalogue."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.cli.main import main
from cachetui.query.query import Query
from cachetui.safe_text import plural
from cachetui.tui.rows.coverage import TOTAL, MatrixRows
from cachetui.tui.rows.pictures import short
from cachetui.tui.rows.short_names import told_apart, without_middle
from cachetui.tui.screens.coverage import CoverageScreen
from cachetui.tui.state.coverage_view import CoverageView
from cachetui.tui.widgets.legend import divided
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
    matrix_of,
    opened,
    package_here,
    pressed,
    resized,
    settled,
    shown_meanwhile,
    shows,
    sought,
    typed,
)
from tests.support.drive import Drive
from tests.support.rows import index_of, row, write
from tests.support.screens import screen_lines


def rows_of(pilot: Pilot[Any]) -> list[str]:
    rows = matrix_of(pilot).rows
    assert isinstance(rows, MatrixRows)
    return [row.name for row in rows.coverage.rows]


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_columns_are_numbered_and_the_legend_names_them(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        without = "" if size == LEAST else " (without root)"
        shows(
            pilot,
            f"4 packages by 13 stacks{without} · develop",
            "18 gaps",
            "1 data-vis-sdk",
            "2 e4s",
            "? help  Esc back",
        )
        shows(pilot, f"column total{' of all 4 packages' if size[0] > 60 else ''}: 12 specs")
        await pressed(pilot, *["right"] * 12, "down")
        assert matrix_of(pilot).column_name == "ml-linux-x86_64-rocm"
        where = "in ml-linux-x86_64-rocm" if size[0] > 100 else "here"
        shows(pilot, f"py-ml-dtypes {where}: 20 specs", "13 ml-linux-x86_64-rocm")
        assert all(len(line) <= size[0] for line in screen_lines(pilot.app))

    drive(browser(), scenario, size)


def test_a_hash_in_several_tags_is_one_spec_as_in_the_header(drive: Drive) -> None:
    index = index_of([row(tag=tag, hash=letter * 32, stacks=["e4s"]) for tag, letter in (("a", "x"), ("b", "y"))])
    again = index_of([row(tag=tag, hash="x" * 32, stacks=["e4s"]) for tag in ("a", "b")])

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t", "home", "enter", "c")
        shows(pilot, "column total of all 4 packages: 12 specs")
        for shown, specs in ((index, "2 specs"), (again, "1 spec")):
            await opened(pilot, CoverageScreen(shown, Query(), None, CoverageView()))
            shows(pilot, f"column total of the package: {specs} ")
            await pressed(pilot, "escape")

    drive(browser(), scenario, SMALL)


def test_heads_are_names_where_they_fit(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "m", "m")
        heads = screen_lines(pilot.app)[2].split()
        assert heads == ["package▲", "specs", "gaps", "sequoia", "ubuntu20.04", "ubuntu22.04", "ubuntu24.04"]

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_what_one_stack_has_and_another_lacks_takes_eight_keys(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "slash", "e", "space", "h", "e", "enter")
        shows(pilot, "hep lacks 2 that e4s has, e4s lacks 0; 1 differs")
        assert rows_of(pilot) == ["py-ml-dtypes", "py-pdm-backend", "py-mpi4py"]
        await pressed(pilot, "o")
        assert rows_of(pilot) == ["py-ml-dtypes", "py-pdm-backend"]
        await pressed(pilot, "o", "equals_sign")
        assert len(rows_of(pilot)) == 4
        shows(pilot, "4 packages by 13 stacks")

    drive(browser(), scenario, size)


def test_a_comparison_names_no_column_that_sorts_while_its_rows_stand_by_who_lacks_them(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "package\u25b2")
        await sought(pilot, "e4s hep")
        lacks(pilot, "\u25b2")
        await answered(pilot, "i", "package\u25b2", "In e4s, not in hep")
        await pressed(pilot, "i", "i", "s")
        shows(pilot, "specs\u25bc")

    drive(browser(), scenario, SMALL)


def test_a_stack_that_the_tag_does_not_have_is_no_gap(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s neoverse-v2")
        shows(pilot, "stack e4s-neoverse-v2 does not exist here")
        row = next(line for line in screen_lines(pilot.app) if line.startswith(">py-ml-dtypes"))
        assert row.split()[-1] == "·"
        await pressed(pilot, "o")
        shows(pilot, "No marked column has a gap.")

    drive(browser("tag=develop-2025-04-20"), scenario, SMALL)


def test_marked_columns_are_compared_with_the_one_under_the_cursor(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "equals_sign")
        shows(pilot, "mark columns with Space, then = compares them")
        await pressed(pilot, "space", "right", "equals_sign")
        assert matrix_of(pilot).names == ["data-vis-sdk", "e4s"]
        shows(pilot, "*data-vis-sdk", "*e4s")

    drive(browser(), scenario, SMALL)


def test_esc_leaves_a_comparison_first(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "space", "right", "equals_sign")
        shows(pilot, "*data-vis-sdk", "*e4s")
        await pressed(pilot, "escape")
        shows(pilot, "4 packages by 13 stacks")
        await pressed(pilot, "escape")
        assert pilot.app.screen is pilot.app.browse  # type: ignore[attr-defined]  # the app of these tests

    drive(browser(), scenario, SMALL)


def test_a_name_that_is_sought_is_a_column_or_a_row(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "hep")
        assert matrix_of(pilot).column_name == "hep"
        await sought(pilot, "safetensors")
        assert matrix_of(pilot).cursor_key == "py-safetensors"
        await pressed(pilot, "slash", "z", "z")
        shows(pilot, "no column and no row like zz")
        for word, named in (("hep", "column hep"), ("safetensors", "row py-safetensors")):
            await pressed(pilot, "ctrl+u", *word)
            assert screen_lines(pilot.app)[-1].endswith(named)
        await pressed(pilot, "enter")
        lacks(pilot, "row py-safetensors")

    drive(browser(), scenario, SMALL)


def test_enter_goes_to_the_specs_of_a_cell_and_esc_comes_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "m")
        await sought(pilot, "neoverse-v2")
        await sought(pilot, "py-mpi4py")
        await pressed(pilot, "enter")
        view = pilot.app.browse.view  # type: ignore[attr-defined]  # the app of these tests
        assert len(view.results) == 12
        assert str(view.query) == "py-mpi4py target=neoverse_v2 tag=develop"
        await pressed(pilot, "escape")
        assert (matrix_of(pilot).cursor_key, matrix_of(pilot).column_name) == ("py-mpi4py", "neoverse_v2")
        await pressed(pilot, "escape")
        assert str(view.query) == "tag=develop"
        lacks(pilot, "U redo")
        await pressed(pilot, "U")
        assert str(view.query) == "tag=develop", "going back took nothing back that could be done again"

    drive(browser(), scenario, SMALL)


def test_a_look_into_a_cell_keeps_what_can_be_done_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        view = pilot.app.browse.view  # type: ignore[attr-defined]  # the app of these tests
        await pressed(pilot, "x", "u", "c")
        await sought(pilot, "e4s")
        await sought(pilot, "py-mpi4py")
        await pressed(pilot, "enter")
        assert str(view.query) == "py-mpi4py os=ubuntu22.04 stack=e4s tag=develop"
        await pressed(pilot, "escape", "escape")
        assert str(view.query) == "os=ubuntu22.04 tag=develop"
        await pressed(pilot, "U")
        assert str(view.query) == "tag=develop"

    drive(browser("os=ubuntu22.04"), scenario, SMALL)


@pytest.mark.parametrize("keys", [["down", "down"], ["down", "enter", "down"]])
def test_the_way_back_ends_where_the_coverage_was_opened(drive: Drive, keys: list[str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, *keys)
        panes = browse_of(pilot).panes
        before = panes.level, panes.package, panes.spec_row
        await pressed(pilot, "c", "g", "down", "right", "enter")
        assert panes.package != before[1]
        await pressed(pilot, "escape", "escape")
        assert (panes.level, panes.package, panes.spec_row) == before

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("keys", [(), ("enter", "pagedown", "pagedown", "up"), ("enter", "pagedown", "up", "escape")])
def test_who_comes_back_from_a_cell_finds_the_specs_where_he_left_them(drive: Drive, keys: Sequence[str]) -> None:
    """Where he was never in them, from the first."""

    def place(pilot: Pilot[Any]) -> tuple[object, ...]:
        panes = browse_of(pilot).panes
        return panes.level, panes.spec, panes.specs.cursor_row, panes.specs.first_in_view

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *keys)
        before = place(pilot)
        await pressed(pilot, "c")
        await sought(pilot, "e4s")
        await pressed(pilot, "enter", "down", "down", "down")
        assert place(pilot) != before
        await pressed(pilot, "enter", "escape", "escape", "escape")
        assert place(pilot) == before

    drive(browser("py-mpi4py"), scenario, (140, 14))


SIXTY = [row(f"p{number:02}", stacks=["e4s"]) for number in range(60)]


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_who_comes_back_from_a_cell_finds_the_packages_as_they_stood(
    drive: Drive, tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *["down"] * 40, *["up"] * 5)
        await comes_back(pilot, "c", "down", "enter", "escape", "escape")

    drive(cache_browser("", str(write(tmp_path, SIXTY))), scenario, size)


def test_who_has_gone_to_no_package_finds_the_one_that_came_above_it_when_he_comes_back_from_a_cell(
    drive: Drive, tmp_path: Path
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c", "down", "enter")
        browse_of(pilot).arrivals.show_index(index_of([row("new", stacks=["e4s"]), *SIXTY]))
        await pressed(pilot, "escape", "escape")
        assert package_here(browse_of(pilot)) == "p00"
        assert browse_of(pilot).panes.packages.first_in_view == 0
        shows(pilot, " new ")

    drive(cache_browser("", str(write(tmp_path, SIXTY))), scenario, SMALL)


def test_the_specs_of_a_cell_begin_at_the_first_whichever_was_gone_to_before(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        panes = browse_of(pilot).panes
        await pressed(pilot, "down", "enter")
        await pressed(pilot, *["down"] * 5)
        before = panes.spec
        await pressed(pilot, "c")
        await sought(pilot, "hep")
        await pressed(pilot, "enter")
        first = panes.spec
        assert (panes.level, panes.specs.cursor_row) == ("specs", 0)
        assert first != before
        await pressed(pilot, "x")
        assert panes.spec == first

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("line", "said", "kept"),
    [
        ("", "os=ubuntu22.04, platform=linux are gone", ""),
        ("py-ml-dtypes platform=linux", "os=ubuntu22.04 is gone", "platform=linux"),
        ("py-ml-dtypes stack=hep %gcc", "now %gcc in place of os=ubuntu22.04, platform=linux", "%gcc"),
        ("py-ml-dtypes stack=e4s os=ubuntu22.04 platform=linux +x", "now with +x", "+x os=ubuntu22.04 platform=linux"),
    ],
)
def test_filters_that_were_changed_among_the_specs_of_a_cell_stay_so_in_the_coverage(
    drive: Drive, line: str, said: str, kept: str
) -> None:
    """As Esc never changes another filter than the one that it came with."""

    async def scenario(pilot: Pilot[Any]) -> None:
        view = browse_of(pilot).view
        await pressed(pilot, "c", "right", "down", "enter", "slash", "ctrl+u")
        await typed(pilot, line)
        await pressed(pilot, "enter", "escape")
        assert isinstance(pilot.app.screen, CoverageScreen)
        shows(pilot, f"as among the specs: {said}; u goes back")
        assert str(view.query.without_key("tag")) == kept
        await pressed(pilot, "u")
        assert str(view.query.without_key("tag")) == "os=ubuntu22.04 platform=linux"

    drive(browser("os=ubuntu22.04 platform=linux"), scenario, WIDE)


@pytest.mark.parametrize("keys", [("x",), ("u",), ("x", "u", "x"), ("/", *"%gcc", "enter")])
def test_esc_goes_back_to_the_cell_whatever_is_filtered_in_its_list(drive: Drive, keys: Sequence[str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        view = browse_of(pilot).view
        await typed(pilot, "/os=ubuntu22.04\r")
        before = str(view.query)
        await pressed(pilot, "c", "right", "down", "enter")
        cell = str(view.query)
        await pressed(pilot, *keys)
        assert str(view.query) != cell
        if keys[-1] == "x":
            shows(pilot, "still in py-ml-dtypes (Esc goes back to the coverage)")
        await pressed(pilot, "j", "k")  # the message goes
        shows(pilot, "Esc coverage")
        await pressed(pilot, "escape")
        assert matrix_of(pilot).cursor_key == "py-ml-dtypes"
        lacks(pilot, "os=ubuntu22.04 are there again")
        await pressed(pilot, "escape")
        wanted = {"x": "tag=develop", "u": before, "%": f"%gcc {before}"}
        assert str(view.query) == wanted["%" if "/" in keys else keys[0]]
        await pressed(pilot, "escape")
        assert not isinstance(pilot.app.screen, CoverageScreen)

    drive(browser(), scenario, WIDE)


def test_a_step_of_before_that_is_taken_back_in_the_list_of_a_cell_is_none_of_the_coverage(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/os=ubuntu22.04\r")
        await pressed(pilot, "c", "right", "down", "enter", "u", "u", "escape")
        coverage = matrix_of(pilot).coverage
        assert coverage is not None
        assert str(coverage.query) == "tag=develop"

    drive(browser(), scenario, SMALL)


def test_who_leaves_the_list_of_a_cell_in_which_he_filtered_has_no_way_back_to_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "right", "down", "enter", "x", "left")
        assert browse_of(pilot).panes.level == "packages"
        await pressed(pilot, "enter", "escape")
        assert not isinstance(pilot.app.screen, CoverageScreen)
        assert browse_of(pilot).panes.level == "packages"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_line_of_all_says_that_rows_are_hidden(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "m", "m", "right")
        first = next(line for line in screen_lines(pilot.app) if line.startswith(">"))
        assert first.split()[:3] == [">all", "413", "3"]
        shows(pilot, "column total: 12 specs " if size == LEAST else "column total of all 4 packages: 12 specs")
        await pressed(pilot, "o", "g")
        assert rows_of(pilot) == ["py-ml-dtypes", "py-safetensors"]
        hidden = next(line for line in screen_lines(pilot.app) if line.startswith(">"))
        assert hidden.split() == [">all", "4", *first.split()[1:]]
        whole, short = "column total of all 4 packages (2 shown): 12 specs", "column total: 12 specs, rows: 2 shown"
        shows(pilot, whole if size == WIDE else short)
        await pressed(pilot, "enter")
        view = pilot.app.browse.view  # type: ignore[attr-defined]  # the app of these tests
        assert len(view.index.rows(view.query)) == 12

    drive(browser(), scenario, size)


def test_the_line_of_all_says_that_rows_of_columns_that_do_not_differ_are_hidden(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s-oneapi aarch64-cuda")
        await pressed(pilot, "g")
        assert rows_of(pilot) == ["py-ml-dtypes", "py-safetensors"]
        shows(pilot, ">all 4 ", "column total of all 4 packages (2 shown): 24 specs", "e4s-oneapi: 24 specs, 2 gaps")
        await pressed(pilot, "enter")
        view = pilot.app.browse.view  # type: ignore[attr-defined]  # the app of these tests
        assert len(view.index.rows(view.query)) == 24

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("keys", "row"), [((), ("total",)), (("enter",), "py-ml-dtypes"), (("down",), "py-mpi4py")])
def test_it_opens_on_the_package_that_the_user_is_at(drive: Drive, keys: tuple[str, ...], row: object) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, *keys, "c")
        assert matrix_of(pilot).cursor_key == row

    drive(browser(), scenario, SMALL)


def test_it_opens_on_a_column_that_has_something_of_the_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", "c")
        matrix = matrix_of(pilot)
        assert matrix.coverage is not None
        counts = next(row.counts for row in matrix.coverage.rows if row.name == "py-ml-dtypes")
        assert counts[0] == 0  # else this would tell nothing
        await pressed(pilot, "enter")
        view = browse_of(pilot).view
        assert len(view.results) == next(filter(None, counts))

    drive(browser(), scenario, SMALL)


def test_it_opens_on_the_only_package_that_filters_leave(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/py-mpi4py\r")
        await pressed(pilot, "c")
        assert matrix_of(pilot).cursor_key == "py-mpi4py"

    drive(browser(), scenario, SMALL)


def test_a_cell_of_what_is_filtered_already_keeps_the_order_in_which_that_was_typed(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/stack=hep os=ubuntu22.04 py-mpi4py\r")
        view = browse_of(pilot).view
        before = str(view.query)
        await pressed(pilot, "c")
        await sought(pilot, "hep")
        await pressed(pilot, "enter")
        shows(pilot, "Esc goes back to the coverage")
        assert str(view.query) == before
        await pressed(pilot, "escape", "escape")
        assert str(view.query) == before

    drive(browser(), scenario, SMALL)


def test_a_cell_of_the_one_package_adds_its_column_to_what_was_typed(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/mpi4py os=ubuntu22.04 %gcc\r")
        await pressed(pilot, "c")
        await sought(pilot, "hep")
        await pressed(pilot, "enter")
        filtered_by(pilot, "mpi4py", "os=ubuntu22.04", "%gcc", "stack=hep")

    drive(browser(), scenario, WIDE)


def test_a_cell_of_one_of_several_packages_names_that_one(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/py-m os=ubuntu22.04\r")
        assert len(browse_of(pilot).view.results.packages) > 1
        await pressed(pilot, "c")
        for name in ("py-mpi4py", "hep"):
            await sought(pilot, name)
        await pressed(pilot, "enter")
        filtered_by(pilot, "py-mpi4py", "os=ubuntu22.04", "stack=hep")

    drive(browser(), scenario, WIDE)


def test_a_name_that_no_query_can_spell_is_said_and_not_gone_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index_of([row(package="a b")]), Query(), None, CoverageView()))
        await pressed(pilot, "down", "enter")
        shows(pilot, "a query cannot spell this name")
        lacks(pilot, "spell this name:")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(("package", "row"), [("py-safetensors", ("total",)), ("py-mpi4py", "py-mpi4py")])
def test_a_comparison_begins_at_its_top_where_the_package_does_not_differ(
    drive: Drive, package: str, row: object
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        down = ["py-ml-dtypes", "py-mpi4py", "py-pdm-backend", "py-safetensors"].index(package)
        await pressed(pilot, *["down"] * down, "c")
        assert matrix_of(pilot).cursor_key == package
        await sought(pilot, "hep oneapi")
        assert matrix_of(pilot).cursor_key == row

    drive(browser(), scenario, SMALL)


def test_a_cell_is_said_of_its_column_in_the_words_of_the_axis(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "down")
        said = {}
        for _ in range(6):
            found = matrix_of(pilot).coverage or pytest.fail("nothing is counted")
            name = matrix_of(pilot).column_name
            said[found.column_axis] = next(line for line in screen_lines(pilot.app) if f" {name}: " in line).split()[1]
            await pressed(pilot, "m")
        assert said == dict.fromkeys(("os", "platform", "target"), "for") | {
            "stack": "in",
            "tag": "in",
            "compiler": "with",
        }

    drive(browser(), scenario, WIDE)


def test_the_cell_names_its_column_as_long_as_there_is_room_beside_what_is_said_of_that(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "down")
        cell, column = re.split("  +", screen_lines(pilot.app)[1])
        assert cell == "py-ml-dtypes in data-vis-sdk: a gap"
        room = len(f"{cell}  {column}")
        await resized(pilot, (room, 23))
        assert screen_lines(pilot.app)[1] == f"{cell}  {column}"
        await resized(pilot, (room - 1, 24))
        assert re.split("  +", screen_lines(pilot.app)[1]) == ["py-ml-dtypes here: a gap", column]

    drive(browser(), scenario, SMALL)


def test_a_gap_has_nothing_to_go_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "down")
        shows(pilot, "py-ml-dtypes in data-vis-sdk: a gap")
        lacks(pilot, "Enter specs")
        await pressed(pilot, "enter")
        shows(pilot, "there is no spec to go to")
        await pressed(pilot, "up")
        assert screen_lines(pilot.app)[-1].strip().startswith("Enter specs"), "the total of the column has some"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_from_the_first_row_the_cursor_goes_to_the_first_of_another_order(drive: Drive, size: tuple[int, int]) -> None:
    """Elsewhere it stays on its row, and so it does on the totals."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c", "home", "down")
        firsts = []
        for key in ("S", "s", "s", "S"):
            await pressed(pilot, key)
            assert [row.name for row in matrix_of(pilot).rows_here] == rows_of(pilot)[:1]
            firsts += rows_of(pilot)[:1]
        assert len(set(firsts)) > 1
        await pressed(pilot, "down", "S")
        assert matrix_of(pilot).rows_here[0].name == rows_of(pilot)[-2]
        await pressed(pilot, "home", "S")
        assert not matrix_of(pilot).rows_here
        await pressed(pilot, "z", "home", "S", "z")
        assert [row.name for row in matrix_of(pilot).rows_here] == rows_of(pilot)[:1]

    drive(browser(), scenario, size)


def test_rows_stand_by_name_by_specs_and_by_gaps(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "s")
        assert rows_of(pilot) == ["py-ml-dtypes", "py-safetensors", "py-mpi4py", "py-pdm-backend"]
        await pressed(pilot, "s")
        assert rows_of(pilot)[0] == "py-safetensors"
        shows(pilot, "gaps▼")
        await pressed(pilot, "S")
        assert rows_of(pilot)[-1] == "py-safetensors"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", ()),
        ("", ("o", "s", "s")),
        ("%gcc@13 os!=sequoia", ("m", "M")),
        ("tag=develop-2025-04-20", ("s",)),
        ("", ("m", "m", "m", "m", "m", "M", "M")),
        ("", ("slash", "e", "space", "h", "e", "enter", "o")),
        ("", ("m", "m", "slash", "s", "e", "q", "space", "2", "0", "enter", "o")),
    ],
)
def test_the_command_gives_the_same_rows(
    drive: Drive, query: str, keys: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[str] = []
    rows: list[dict[str, object]] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", *keys)
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        commands.append(screen.made_by)
        shown = screen.shown
        assert shown is not None
        names = [column.name for column in shown.columns]
        rows.extend({"name": row.name, **dict(zip(names, row.counts, strict=True))} for row in shown.rows)

    drive(browser(query), scenario, SMALL)
    main([*shlex.split(commands[0])[1:], "--no-snapshot", "--format=json"])
    printed = json.loads(capsys.readouterr().out)["rows"]
    assert sorted([{"name": row["row"], **row["cells"]} for row in printed], key=str) == sorted(rows, key=str)


def test_all_tags_are_spelled_in_the_command(drive: Drive, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[str] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t", "home", "enter", "c")
        shows(pilot, "4 packages by 13 stacks (without root) · all tags")
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        commands.append(screen.copies()[0][1])

    drive(browser(), scenario, SMALL)
    main([*shlex.split(commands[0])[1:], "--no-snapshot", "--count"])
    assert "searched: develop, develop-2025-04-20" in capsys.readouterr().err


def test_the_matrix_is_exported(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "o", "e", "enter")
        shows(pilot, "written: coverage-package-stack-gaps.csv")

    drive(browser(), scenario, SMALL)
    lines = (tmp_path / "coverage-package-stack-gaps.csv").read_text().splitlines()
    assert lines[0].startswith("package,specs,data-vis-sdk,e4s,")
    assert len(lines) == 5


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_of_a_long_name_of_a_file_both_ends_are_seen(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s neoverse-v2")
        await pressed(pilot, "i", "e")
        for ending in ("csv", "json", "md"):
            assert [
                line for line in screen_lines(pilot.app) if re.search(rf" coverage-package-e4s-\S*v2\.{ending}", line)
            ]

    drive(browser(), scenario, size)


def test_a_file_of_compared_columns_says_what_it_is_and_how_to_make_it_again(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    numbers: list[int] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "o", "e", "down", "enter", "o", "slash", *"hep", "space", *"oneapi", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        for keys in ((), ("o",), ("i",), ("i",)):
            await pressed(pilot, *keys, "e", "down", "enter")
            numbers.append(len(screen.shown.rows) if screen.shown else 0)
            await pressed(pilot, *(["o"] if keys == ("o",) else []))

    drive(browser(), scenario, WIDE)
    pair = ("hep-e4s-oneapi", "hep-e4s-oneapi-gaps", "hep-not-e4s-oneapi", "e4s-oneapi-not-hep")
    names = (f"coverage-package-{columns}.json" for columns in ("stack-gaps", *pair))
    documents = [json.loads((tmp_path / name).read_text()) for name in names]
    contexts = [document["context"] for document in documents]
    assert re.fullmatch(r"\d+ packages? with a gap", contexts[0]["shows"])
    differ = "in which hep, e4s-oneapi differ in number"
    assert [each["shows"].split(" ", 2)[2] for each in contexts[1:]] == [
        differ,
        f"with a gap {differ}",
        "in hep, not in e4s-oneapi",
        "in e4s-oneapi, not in hep",
    ]
    assert [int(each["shows"].split()[0]) for each in contexts[1:]] == numbers
    assert {each["query"] for each in contexts} == {"no filter"}
    assert ["note" in each for each in contexts] == [False, True, False, False, False]
    for document in (documents[0], *documents[2:]):
        main([*shlex.split(document["context"]["command"])[1:], "--no-snapshot", "--format=json"])
        printed = [each["row"] for each in json.loads(capsys.readouterr().out)["rows"]]
        assert sorted(each["row"] for each in document["rows"]) == sorted(printed)


@pytest.mark.parametrize("close", ["q", "escape"])
def test_help_and_matrix_close(drive: Drive, close: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "question_mark")
        shows(pilot, "only the rows with a gap")
        await pressed(pilot, close)
        shows(pilot, "4 packages by 13 stacks")
        await pressed(pilot, close)
        shows(pilot, "413")

    drive(browser(), scenario, SMALL)


def test_a_long_name_keeps_both_ends() -> None:
    assert without_middle("aws-pcluster-neoverse_v1", 20, "…") == "aws-pclus…eoverse_v1"
    assert without_middle("e4s", 20, "…") == "e4s"


def test_columns_of_a_legend_that_want_little_leave_it_to_the_others() -> None:
    assert divided(80, [20, 10, 12], 4) == [20, 20, 20]
    assert divided(80, [40, 10, 12], 3) == [40, 10, 12]
    assert divided(80, [50, 60, 10], 3) == [35, 35, 10]
    assert divided(80, [], 3) == []


def test_names_that_stand_together_are_told_apart() -> None:
    names = ["developer-tools-aarch64-linux-gnu", "developer-tools-x86_64_v3-linux-gnu", "e4s"]
    assert without_middle(names[0], 20, "…") == without_middle(names[1], 20, "…")
    assert told_apart(names, [20] * 3, "…") == ["develope…4-linux-gnu", "develope…3-linux-gnu", "e4s"]


def test_numbers_are_rounded_where_they_are_too_long() -> None:
    assert [short(number, 3) for number in (999, 1000, 15_973, 10_554)] == ["999", "1k", "16k", "11k"]
    assert short(15_973, 5) == "15973"


def test_a_comparison_is_turned_round_and_copies_all_names(drive: Drive, capsys: pytest.CaptureFixture[str]) -> None:
    copied: list[Sequence[tuple[str, str]]] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "slash", *"hep", "space", *"oneapi", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        for heading in ("In hep, not in e4s-oneapi: ", "In e4s-oneapi, not in hep: "):
            await pressed(pilot, "i")
            shows(pilot, heading)
            copied.append(screen.copies())
        await pressed(pilot, "i")
        shows(pilot, "e4s-oneapi lacks")
        both.update(screen.copies()[1:-1])

    both: dict[str, str] = {}
    drive(browser(), scenario, WIDE)
    (_, hep_alone), (_, oneapi_alone) = (texts[0] for texts in copied)
    alone = {"e4s-oneapi": hep_alone.split(), "hep": oneapi_alone.split()}
    assert both == {f"{len(names)} not in {stack}": "\n".join(names) for stack, names in alone.items() if names}
    sides = []
    for (label, names), (_, command) in copied:
        main([*shlex.split(command)[1:], "--no-snapshot", "--format=json"])
        printed = [each["row"] for each in json.loads(capsys.readouterr().out)["rows"]]
        assert sorted(names.split()) == sorted(printed)
        assert label == plural(len(printed), "name")
        sides.append(set(printed))
    assert sides[0].isdisjoint(sides[1])
    assert any(sides)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_what_one_side_lacks_begins_on_top_where_the_row_is_not_there_and_has_no_totals_of_more(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "slash", *"hep", "space", *"oneapi", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        found, matrix = screen.shown, screen._matrix
        assert found is not None

        def totals() -> list[str]:
            return [line for line in screen_lines(pilot.app) if line.lstrip("> ").startswith("all ")]

        assert len(totals()) == 1
        differ = len(found.rows)
        for side, name in ((1, "e4s-oneapi"), (0, "hep")):
            lacking = [row for row in found.rows if not row.counts[side]]
            await pressed(pilot, "home", "i")
            shows(pilot, f"not in {name}: {len(lacking)} of {differ} packages that differ")
            assert totals() == []
            assert matrix.cursor_row == (0 if lacking else None)
            assert [row.name for row in matrix.rows_here] == [row.name for row in lacking[:1]]
            for k, each in enumerate(lacking):
                assert matrix.rows.find(each.name) == k
                assert matrix.rows.key(k) == each.name
        await pressed(pilot, "home", "i")
        assert len(totals()) == 1

    drive(browser(), scenario, size)


@pytest.mark.parametrize(("before", "then"), [((), ("down", "right")), (("right",) * 3, ())])
def test_where_only_what_one_column_lacks_is_shown_the_cursor_is_on_one_that_has_it(
    drive: Drive, before: tuple[str, ...], then: tuple[str, ...]
) -> None:
    """Whether it was moved to the other one, or came to it as its own is not compared."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", *before)
        await sought(pilot, "e4s hep")
        await pressed(pilot, *then)
        assert matrix_of(pilot).column_name == "hep"
        await pressed(pilot, "i")
        assert matrix_of(pilot).column_name == "e4s"
        await pressed(pilot, "enter")
        shows(pilot, "Esc goes back to the coverage")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_turned_round_and_back_a_comparison_stands_on_the_same_cell(drive: Drive, size: tuple[int, int]) -> None:
    stacks = {"a": ["one"], "b": ["two"], "c": ["one", "two"], "d": ["xyz"], "e": ["two"]}
    index = index_of([row(name, stacks=stacks[name]) for name in "abcde"] + [row("c", stacks=["one"])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, CoverageView(row="d", column="xyz")))
        matrix = matrix_of(pilot)

        def here() -> tuple[object, str | None]:
            return matrix.cursor_key, matrix.column_name

        async def gone_through(*keys: str) -> list[tuple[object, str | None]]:
            cells = []
            for key in keys:
                await pressed(pilot, key)
                cells.append(here())
            return cells

        await pressed(pilot, "left", "space", "left", "space", "right", "right")
        assert here() == ("d", "xyz")
        await pressed(pilot, "equals_sign")
        assert here() == (TOTAL, "one"), "the row and the column are not compared"
        assert await gone_through("i", "i", "i") == [("b", "two"), ("a", "one"), (TOTAL, "one")]
        assert await gone_through("equals_sign") == [("d", "xyz")]
        await pressed(pilot, "equals_sign", "left")
        matrix.go_to_row("e")
        assert await gone_through("i", "i", "i") == [("e", "two"), ("a", "one"), ("e", "two")]
        assert await gone_through("equals_sign") == [("e", "two")], "where the cursor was moved to"

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize("key", ["escape", "q"])
def test_escape_leads_from_one_side_of_a_comparison_back_to_where_it_was_turned(
    drive: Drive, size: tuple[int, int], key: str
) -> None:
    index = index_of([row(f"p{k:03}", stacks=[("one", "two")[k % 2]]) for k in range(90)])

    async def scenario(pilot: Pilot[Any]) -> None:
        view = CoverageView(marks=("one", "two"), compared=True)
        await opened(pilot, CoverageScreen(index, Query(), None, view))
        await pressed(pilot, "right", *["down"] * 45, *["up"] * 5)
        matrix, before = matrix_of(pilot), screen_lines(pilot.app)
        cell = matrix.cell
        for turns in (["i"], ["i", "i"], ["i", "down"], ["i", "z", "z", "end"]):
            await pressed(pilot, *turns)
            shows(pilot, "In ", " that differ")
            await pressed(pilot, key)
            assert (matrix.cell, screen_lines(pilot.app)) == (cell, before), turns
        await pressed(pilot, key)
        shows(pilot, "Coverage  ")
        await pressed(pilot, key)
        assert pilot.app.screen is browse_of(pilot)

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_after_a_look_at_specs_a_comparison_stands_at_the_row_that_was_left(
    drive: Drive, size: tuple[int, int]
) -> None:
    index = index_of([row(f"p{k:03}", stacks=[("one", "two")[k % 2]]) for k in range(200)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).arrivals.show_index(index)
        await pressed(pilot, "c")
        await sought(pilot, "one two")
        await pressed(pilot, "down", "i", "pagedown", "pagedown", "up", "up", "up")
        matrix, before = matrix_of(pilot), screen_lines(pilot.app)
        cell = matrix.cell
        await pressed(pilot, "enter")
        assert pilot.app.screen is browse_of(pilot)
        await pressed(pilot, "escape")
        await settled(pilot)
        assert (matrix_of(pilot).cell, screen_lines(pilot.app)) == (cell, before)
        await pressed(pilot, "escape")
        shows(pilot, "two lacks 100 that one has", f">{cell[0]}")
        assert matrix_of(pilot).cell == cell

    drive(browser(), scenario, size)


def test_what_one_column_has_and_another_lacks_is_counted_of_the_rows_on_screen(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s hep")
        shows(pilot, "e4s: 52 specs, 0 gaps")
        await answered(pilot, "i", "In e4s, not in hep: 2 of 3 packages that differ", "of these 2 packages")
        lacks(pilot, "gaps  ")
        await answered(pilot, "right", "hep: none of these 2 packages")

    drive(browser(), scenario, SMALL)


def test_columns_that_a_filter_leaves_out_are_not_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        shows(pilot, "3 packages by 1 stack")
        assert [column.name for column in pilot.app.screen.shown.columns] == ["e4s"]  # type: ignore[attr-defined]  # the coverage

    drive(browser("stack=e4s"), scenario, WIDE)


def test_content_without_stacks_says_so_and_which_key_shows_other_columns(drive: Drive) -> None:
    index = index_of([row(stacks=[]), row("zlib", stacks=["root"])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, CoverageView()))
        await pressed(pilot)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        shows(
            pilot,
            "2 packages by 0 stacks",
            "No spec here has a stack, so there are no columns: m shows them by target.",
        )
        await pressed(pilot, "enter", "z", "z", "space", "equals_sign", "o", "o", "m")
        shows(pilot, "2 packages by 1 target", "hdf5")

    drive(browser(), scenario, SMALL)


def test_rows_go_on_to_systems_and_targets(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "M", "M", "M")
        assert "ubuntu22.04" in rows_of(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        assert "--rows=os" in screen.copies()[0][1]
        await pressed(pilot, "M")
        assert "x86_64_v3" in rows_of(pilot)
        await pressed(pilot, "M")
        assert "py-mpi4py" in rows_of(pilot)

    drive(browser(), scenario, SMALL)


def test_rows_go_on_to_stacks_where_these_are_no_columns(drive: Drive, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[str] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "m", *["M"] * 4)
        assert "e4s-oneapi" in rows_of(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, CoverageScreen)
        assert screen.look.rows == "stack"
        assert CoverageView.of(screen.look).row_axis == "stack"
        commands.append(screen.copies()[0][1])

    drive(browser(), scenario, SMALL)
    assert "--rows=stack" in commands[0]
    main([*shlex.split(commands[0])[1:], "--no-snapshot"])
    assert "e4s-oneapi" in capsys.readouterr().out


MANY = index_of(
    [
        row(f"p{k:03}", hash=f"{k:03}{stack[0]}".replace("1", "x").replace("0", "y").ljust(32, "a"), stacks=[stack])
        for k in range(120)
        for stack in (("hep", "e4s") if k % 2 else ("e4s",))
    ]
)
"""As many packages as a screen has no room for; `hep` has every other one of them."""


@pytest.mark.parametrize(("row", "key", "first"), [("p100", ("total",), "p000"), ("p004", "p004", "p000")])
def test_a_comparison_shows_its_first_rows_first(drive: Drive, row: str, key: object, first: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(MANY, Query(), None, CoverageView(row=row)))
        await pressed(pilot)
        await sought(pilot, "e4s hep")
        assert matrix_of(pilot).cursor_key == key
        assert screen_lines(pilot.app)[3].split()[0].lstrip(">") == "all"
        assert screen_lines(pilot.app)[4].split()[0] == first

    drive(browser(), scenario, SMALL)


def test_only_gaps_in_a_comparison_ends_with_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await sought(pilot, "e4s hep")
        await pressed(pilot, "o", "escape")
        shows(pilot, "4 packages by 13 stacks")
        await pressed(pilot, "o")
        shows(pilot, "4 packages with gaps by 13 stacks")
        await sought(pilot, "e4s hep")
        await pressed(pilot, "o", "escape")
        shows(pilot, "4 packages with gaps by 13 stacks")

    drive(browser(), scenario, SMALL)


def test_a_word_is_a_row_before_it_is_a_column(drive: Drive) -> None:
    index = index_of([row("zlib", hash="a" * 32, stacks=["hep", "e4s"]), row("hdf5", hash="b" * 32, stacks=["e4s"])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, CoverageView()))
        await pressed(pilot, "slash", "h")
        assert (matrix_of(pilot).cursor_key, matrix_of(pilot).column_name) == ("hdf5", "e4s")
        await pressed(pilot, "e")
        assert matrix_of(pilot).column_name == "hep"
        await pressed(pilot, "backspace", "tab")
        assert matrix_of(pilot).cursor_key == "hdf5"

    drive(browser(), scenario, SMALL)


def test_the_row_stays_where_a_column_is_typed(drive: Drive) -> None:
    packages = ("eigen", "hdf5", "zlib")
    stacks = ["e4s", "hep", "hz"]
    index = index_of([row(name, hash=name[0] * 32, stacks=stacks) for name in packages])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, CoverageView()))
        await sought(pilot, "hdf5")
        await pressed(pilot, "slash", "e")
        assert matrix_of(pilot).cursor_key == "eigen"
        await pressed(pilot, "4", "s")
        assert matrix_of(pilot).cell == ("hdf5", "e4s")
        await pressed(pilot, "space", "h", "e", "p")
        assert matrix_of(pilot).cursor_key == "hdf5"
        await pressed(pilot, "ctrl+u", "h", "z")
        assert matrix_of(pilot).cell == ("hdf5", "hz")
        await pressed(pilot, "ctrl+u", "z", "l")
        assert matrix_of(pilot).cell == ("zlib", "e4s"), "in the column where it began"
        await pressed(pilot, "escape", "slash", "h", "z", "enter")
        assert matrix_of(pilot).cell == ("hdf5", "hz"), "Esc leads back to where it began"

    drive(browser(), scenario, SMALL)


HIDDEN = [
    row("hdf5", hash="a" * 32, stacks=["e4s"], os="rhel8"),
    row("hdf5", hash="b" * 32, stacks=["e4s-neoverse-v2"], os="rhel9"),
    row("zlib", hash="c" * 32, stacks=["e4s"], os="rhel9"),
    row("zlib", hash="d" * 32, stacks=["hep"], tag="v1", os="rhel9"),
]


@pytest.mark.parametrize(
    ("query", "word", "said"),
    [
        ("stack=e4s", "neoverse", "no column like neoverse here: hidden by stack=e4s; in the lists w takes it out"),
        ("stack=e4s os=rhel8", "neoverse", "hidden by stack=e4s; in the lists w takes it out"),
        ("stack=e4s", "qqqq", "no column and no row like qqqq"),
        ("hdf5 os=rhel8", "zlib", "no row like zlib here: hidden by the filters; in the lists x clears all"),
        ("zlib", "hdf5", "no row like hdf5 here: hidden by zlib; in the lists w takes it out"),
        ("tag=develop", "hep", "no column like hep here: hidden by tag=develop; in the lists t chooses another"),
    ],
)
def test_what_hides_a_column_or_row_that_is_sought_is_said(drive: Drive, query: str, word: str, said: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index_of(HIDDEN), Query.parse(query), None, CoverageView()))
        await pressed(pilot, "slash")
        await typed(pilot, word)
        assert screen_lines(pilot.app)[-1].endswith(said)
        await pressed(pilot, "enter")
        assert screen_lines(pilot.app)[-1].endswith(said)

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("view", "word", "said"),
    [
        (CoverageView(only_gaps=True), "acts", "no row like acts here: o shows the rows without a gap too"),
        (
            CoverageView(marks=("e4s", "hep"), compared=True),
            "neoverse",
            "no column like neoverse here: = shows all columns and rows",
        ),
    ],
)
def test_a_row_or_column_that_is_left_out_is_said_with_the_key_to_it(
    drive: Drive, view: CoverageView, word: str, said: str
) -> None:
    index = index_of([*HIDDEN, row("acts", hash="e" * 32, stacks=["e4s", "e4s-neoverse-v2", "hep"])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, view))
        await pressed(pilot, "slash")
        await typed(pilot, word)
        shows(pilot, said)

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("dense", [False, True])
def test_what_is_sought_in_vain_or_left_moves_neither_cursor_nor_view(drive: Drive, *, dense: bool) -> None:
    index = index_of([row(f"p{k:03}", hash=f"{k:032}", stacks=[f"s{k:02}"]) for k in range(40)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, CoverageView(dense=dense)))
        await pressed(pilot, *["pagedown"] * 2, "up", "up", *["right"] * 25, "left", "left")
        before = matrix_of(pilot).cell
        await pressed(pilot, "slash", *"p001")
        assert matrix_of(pilot).cell != before
        await pressed(pilot, "ctrl+u", "q", "q")
        shows(pilot, "no column and no row like qq")
        assert matrix_of(pilot).cell == before
        await pressed(pilot, "escape")
        await comes_back(pilot, "slash", *"p001", "escape")
        await comes_back(pilot, "slash", *"s01", "escape")
        stood = matrix_of(pilot).cell_standing
        await pressed(pilot, "slash", *"s01", "ctrl+u", "q", "q", "enter")
        shows(pilot, "no column and no row like qq")
        assert matrix_of(pilot).cell_standing == stood

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize(("keys", "rows"), [((), 60), (["up"] * 9, 60), (["up"] * 45, 60), (["z", "up"], 9)])
def test_who_comes_back_from_a_cell_finds_rows_and_columns_as_they_stood(
    drive: Drive, tmp_path: Path, size: tuple[int, int], keys: Sequence[str], rows: int
) -> None:
    """In a map too."""
    stacks = [f"the-stack-{number:03}" for number in range(130)]
    write(tmp_path, [row(f"p{number:02}", stacks=stacks) for number in range(rows)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c", "end", *keys, *["right"] * 128, *["left"] * 3)
        await comes_back(pilot, "enter", "escape")

    drive(cache_browser("", str(tmp_path)), scenario, size)


def test_while_a_second_name_is_typed_the_columns_of_the_first_stay(drive: Drive) -> None:
    index = index_of([row(f"p{k:02}", hash=f"{k:032}", stacks=[f"s{k:02}"]) for k in range(40)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(index, Query(), None, CoverageView()))
        before = matrix_of(pilot).cell_standing
        await pressed(pilot, "slash", *"s37")
        found = matrix_of(pilot).cell_standing
        assert found != before
        for key in ("space", "q", "backspace", *"s02"):
            await pressed(pilot, key)
            assert matrix_of(pilot).cell_standing == found, key
        shows(pilot, "Enter compares s37, s02")
        await pressed(pilot, "escape")
        assert matrix_of(pilot).cell_standing == before
        await sought(pilot, "s37 qq")
        shows(pilot, "no column like qq")
        assert matrix_of(pilot).cell_standing == before

    drive(browser(), scenario, SMALL)


def test_of_a_name_that_nothing_has_the_nearest_is_said_and_tab_takes_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "/ find or compare")
        await sought(pilot, "e4z")
        assert screen_lines(pilot.app)[-1].strip() == "no column and no row like e4z; nearest: e4s"
        await typed(pilot, "/e4z")
        await answered(pilot, "tab", "/ e4s", "column e4s")
        assert matrix_of(pilot).column_name == "e4s"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("keys", [(), (*["up"] * 6, "down", "down")])
def test_another_size_leaves_the_rows_where_they_stand_once_one_has_come_back_from_a_cell(
    drive: Drive, tmp_path: Path, keys: Sequence[str]
) -> None:
    """As they stood before the cell was opened, or where the user has gone since."""
    write(tmp_path, [row(f"p{number:02}", stacks=["e4s", "hep"]) for number in range(60)])

    def rows(pilot: Pilot[Any]) -> list[str]:
        return re.findall(r"\bp\d\d\b", "\n".join(screen_lines(pilot.app)))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "c", "end", *["up"] * 24, "down", "down", "enter", "escape", *keys)
        before = rows(pilot)
        for size in ((90, 25), SMALL):
            await resized(pilot, size)
            assert rows(pilot)[: len(before)] == before

    drive(cache_browser("", str(tmp_path)), scenario, SMALL)


def test_what_enter_compares_is_said_as_long_as_the_words_stand_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "slash", "e", "4", "s", "space", "h", "e", "tab")
        assert screen_lines(pilot.app)[-1].strip() == "Enter compares e4s, hep"
        assert matrix_of(pilot).cursor_key == ("total",)
        await pressed(pilot, "escape")
        assert "compares" not in screen_lines(pilot.app)[-1]
        await typed(pilot, "/e4s e4s-onapi")
        assert screen_lines(pilot.app)[-1].strip() == "no column e4s-onapi: Enter compares e4s, e4s-oneapi"

    drive(browser(), scenario, SMALL)


def test_tab_goes_through_the_names_that_a_word_may_mean(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "c/e4s rocm")
        shows(pilot, "Enter compares e4s, e4s-rocm-external; Tab: another of 2 like rocm")
        await pressed(pilot, "tab")
        assert screen_lines(pilot.app)[-1].strip() == "Enter compares e4s, ml-linux-x86_64-rocm"
        await pressed(pilot, "tab")
        assert screen_lines(pilot.app)[-1].strip() == "Enter compares e4s, e4s-rocm-external"
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "py-m")
        assert matrix_of(pilot).cursor_key == "py-mpi4py"
        await pressed(pilot, "tab")
        assert matrix_of(pilot).cursor_key == "py-ml-dtypes"
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "e4s py-ml")
        await pressed(pilot, "tab")
        assert screen_lines(pilot.app)[-1].strip() == "no column like py-ml", "a row is compared with no column"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("e4s xyzzy", "no column like xyzzy"),
        ("e4s hpe", "no column like hpe; nearest: hep"),
        ("xyzzy qqqqq", "no column like xyzzy or qqqqq"),
        ("hep he", "hep and he are one column, hep"),
    ],
)
def test_of_columns_to_compare_the_one_that_is_not_there_is_named(
    drive: Drive, words: str, said: str, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        await typed(pilot, f"/{words}")
        assert screen_lines(pilot.app)[-1].strip() == said
        await pressed(pilot, "enter")
        assert screen_lines(pilot.app)[-1].strip() == said

    drive(browser(), scenario, size)


def test_the_last_line_names_the_keys_of_a_comparison(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "/ find or compare")
        await sought(pilot, "e4s hep")
        shows(pilot, "Enter specs  i only in e4s  y copy  e export  = all columns")
        await pressed(pilot, "i")
        shows(pilot, "Enter specs  i other side  y copy  e export  = all columns")
        await answered(pilot, "escape", "i only in e4s")
        await answered(pilot, "escape", "= compare 2 marked  Space mark")

    drive(browser(), scenario, SMALL)


def test_of_three_columns_none_is_named_for_what_it_alone_has(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", *("space", "right") * 3)
        await answered(pilot, "equals_sign", "i only what one has  y copy  e export")

    drive(browser(), scenario, SMALL)


def test_the_names_of_what_is_copied_are_not_cut(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c", "slash", "e", "space", "h", "e", "enter", "y")
        for label in ("3 names", "2 not in hep", "these columns"):
            lines = [line for line in screen_lines(pilot.app) if f"{label[:5]}" in line]
            assert lines
            assert all(label in line for line in lines), lines
            await pressed(pilot, "down")

    drive(browser(), scenario, SMALL)


def test_of_a_comparison_the_names_are_the_first_thing_to_copy(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await answered(pilot, "c", "/ find or compare")
        await answered(pilot, "y", ">this view ")
        await pressed(pilot, "escape")
        await sought(pilot, "e4s hep")
        await answered(pilot, "y", ">3 names ", " these columns ")
        await pressed(pilot, "escape")
        await answered(pilot, "i", "In e4s, not in hep")
        await answered(pilot, "y", ">2 names ", " this view ")

    drive(browser(), scenario, SMALL)


def test_what_is_copied_is_shown_as_far_as_the_screen_has_lines(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, CoverageScreen(MANY, Query(), None, CoverageView()))
        await pressed(pilot, "y", "down")
        await shown_meanwhile(pilot, "p014")
        shows(pilot, *(f"p{k:03}" for k in range(15)), "Copy", "Enter copy")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("size", "named"), [(WIDE, True), (SMALL, True), (LEAST, False)])
def test_the_title_names_the_filters(drive: Drive, size: tuple[int, int], named: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "c")
        (title, *_) = screen_lines(pilot.app)
        assert "develop · os=" in title
        assert ("os=ubuntu22.04" in title) is named
        assert title.endswith(" gaps")
        await pressed(pilot, "space", "right", "equals_sign")
        (title, *_) = screen_lines(pilot.app)
        assert title.endswith(" · os=ubuntu22.04")

    drive(browser("os=ubuntu22.04"), scenario, size)


LONG = "the-first-of-both-stacks-on-aarch64", "the-other-of-both-stacks-on-aarch64"


@pytest.mark.parametrize(
    ("stacks", "width", "said"),
    [
        (("one", "two"), 80, "two lacks 1 that one has, one lacks 0; 1 differs in number · target=zen3"),
        (("one", "two"), 60, "two lacks 1 that one has, one lacks 0 · target=zen3"),
        (LONG, 80, f"{LONG[1]} lacks 1 that … · target=zen3"),
    ],
)
def test_beside_how_columns_differ_stand_the_filters_that_hold(
    drive: Drive, stacks: tuple[str, str], width: int, said: str
) -> None:
    one, _ = stacks
    held = (("a", [one]), ("b", stacks), ("b", [one]))
    index = index_of(
        [
            row(name, hash=letter * 32, target="zen3", stacks=where)
            for letter, (name, where) in zip("xyz", held, strict=True)
        ]
    )

    async def scenario(pilot: Pilot[Any]) -> None:
        view = CoverageView(marks=stacks, compared=True)
        await opened(pilot, CoverageScreen(index, Query.parse("target=zen3"), None, view))
        assert screen_lines(pilot.app)[0].strip() == said

    drive(browser(), scenario, (width, 24))
