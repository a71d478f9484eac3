"""The timeline of a package of the sample catalogue, which has two tags."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.analysis.timeline import Moment
from cachetui.cli.main import main
from cachetui.query.query import Query
from cachetui.tui.rows.layout import Cell, Line, text_in
from cachetui.tui.rows.pictures import ASCII_BLOCKS, UNICODE_BLOCKS, column_of
from cachetui.tui.rows.timeline import tag_columns
from cachetui.tui.rows.timeline_chart import chart, chart_note
from cachetui.tui.screens.timeline import TimelineScreen
from tests.support.browsing import LEAST, SMALL, WIDE, browser, opened, pressed, shows
from tests.support.drive import Drive
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines

OLD = "develop-2025-04-20"


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_every_tag_has_a_line(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        shows(pilot, "Timeline  py-ml-dtypes", "in 2 of 2 tags", "? help  Esc back")
        lines = screen_lines(pilot.app)
        heads = next(k for k, line in enumerate(lines) if line[1:].startswith("tag "))
        assert [line[1:].split()[:2] for line in lines[heads + 1 : heads + 3]] == [["develop", "129"], [OLD, "12"]]
        assert all(len(line) <= size[0] for line in lines)

    drive(browser(), scenario, size)


def test_the_help_keeps_what_stands_in_a_column_apart_from_the_keys(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "question_mark")
        lines = [line.strip() for line in screen_lines(pilot.app)]
        legend = lines.index("What stands where")
        assert lines.index("Timeline") < legend < lines.index("Everywhere")
        assert [line.split()[0] for line in lines[legend + 1 : legend + 3]] == ["+", "-"]
        assert not any(line.startswith(("+", "-")) for line in lines[:legend])

    drive(browser(), scenario, SMALL)


def test_a_tag_without_the_package_says_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "down", "v", "down")
        shows(pilot, "in 1 of 2 tags", "last seen in develop, first in develop", "specs 0", "versions none")

    drive(browser(), scenario, SMALL)


def test_versions_and_stacks_say_where_they_were_last_seen(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        shows(pilot, "Enter look at this tag  m versions, stacks  ")
        await pressed(pilot, "m")
        shows(pilot, "version", "first seen", "last seen", f"tags develop  {OLD}")
        shows(pilot, "Enter where last seen  m stacks, tags  ")
        await pressed(pilot, "m")
        shows(pilot, "stack", "e4s", "Enter where last seen  m tags, versions  ")
        await pressed(pilot, "m")
        shows(pilot, "since the tag before")

    drive(browser(), scenario, SMALL)


def test_enter_looks_at_the_tag(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "down", "enter")
        assert pilot.app.browse.view.tag == OLD  # type: ignore[attr-defined]  # the app of these tests
        await pressed(pilot, "u")
        assert pilot.app.browse.view.tag == "develop"  # type: ignore[attr-defined]  # the app of these tests

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_esc_goes_back_from_the_tag_to_the_timeline(drive: Drive, size: tuple[int, int], inside: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = pilot.app.browse  # type: ignore[attr-defined]  # the app of these tests
        await pressed(pilot, *["enter"] * inside, "v", "m", "m", "m", "down", "enter")
        assert browse.view.tag == OLD
        shows(pilot, "Esc goes back to the timeline")
        await pressed(pilot, "escape")
        assert isinstance(pilot.app.screen, TimelineScreen)
        assert pilot.app.screen._table.cursor_row == 1, "on the tag that was looked at"
        await pressed(pilot, "escape")
        assert (browse.view.tag, browse.view.inside is not None) == ("develop", inside)
        assert "Esc timeline" not in screen_lines(pilot.app)[-1], "the way back was gone"
        await pressed(pilot, "v", "down", "enter", "escape", "enter")
        shows(pilot, "Esc goes back to the timeline")
        assert "back in develop" not in screen_lines(pilot.app)[-1], "it is not"
        await pressed(pilot, "escape", "escape")
        await pressed(pilot, "v", "enter", "escape", "escape")
        assert "Esc timeline" not in screen_lines(pilot.app)[-1], "also from the tag that was looked at before"

    drive(browser(), scenario, size)


def test_without_a_package_there_is_no_timeline(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        shows(pilot, "there is no package under the cursor")

    drive(browser("os=amzn2"), scenario, SMALL)


def test_the_command_counts_the_same(drive: Drive, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[str] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        screen = pilot.app.screen
        assert isinstance(screen, TimelineScreen)
        commands.extend(text for _, text in screen.copies())

    drive(browser("os=ubuntu24.04"), scenario, SMALL)
    main([*shlex.split(commands[0])[1:], "--no-snapshot", "--format=json"])
    assert json.loads(capsys.readouterr().out)["rows"][0]["cells"] == {"develop": 90, OLD: 9}
    main([*shlex.split(commands[1])[1:], "--no-snapshot", "--count"])
    assert capsys.readouterr().out == "90\n"


def test_the_timeline_is_exported(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v", "e", "enter")
        shows(pilot, "written: timeline-py-ml-dtypes.csv")

    drive(browser(), scenario, SMALL)
    lines = (tmp_path / "timeline-py-ml-dtypes.csv").read_text().splitlines()
    assert [line.split(",")[:2] for line in lines] == [["tag", "specs"], ["develop", "129"], [OLD, "12"]]


@pytest.mark.parametrize("is_ascii", [False, True])
def test_a_chart_has_a_column_for_each_tag_and_a_number_for_the_one_under_the_cursor(
    drive: Drive, is_ascii: bool
) -> None:
    app = browser()
    app.set_class(is_ascii, "-ascii")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "v")
        lines = [line.rstrip() for line in screen_lines(pilot.app)[2:7]]
        full = "#" if is_ascii else "█"
        least = "_" if is_ascii else "▁"
        between = "|" if is_ascii else "│"
        assert lines[0] == f"    specs {least * 5}{between}{full * 5}".ljust(76) + "129"
        assert [line[:9].strip() for line in lines] == ["specs", "versions", "stacks", "came/went", ""]
        assert lines[3] == f"came/went      {between}+++++"
        assert lines[4].split() == [f"weeks{between}develop"], "the columns are as wide as these need"
        await pressed(pilot, "down")
        assert screen_lines(pilot.app)[2].split()[-1] == "12"
        await pressed(pilot, "m")
        assert screen_lines(pilot.app)[5].split() == ["seen", "in", f"{full * 5}{between}{full * 5}"]

    drive(app, scenario, SMALL)


WEEKS = [f"develop-{2023 + k // 12}-{k % 12 + 1:02}-01" for k in range(84)]
RELEASES = [f"v0.{k}.0" for k in range(16)]
SERIES = [Moment(tag, 5, (), ()) for tag in ("develop", *reversed(RELEASES), *reversed(WEEKS))]


def of_chart(line: Line) -> str:
    """The part of a line of the chart that is drawn."""
    return text_in(line.cells[1])


def test_a_line_stands_between_two_series_of_tags_and_each_is_named_below_its_columns() -> None:
    *drawn, names = (of_chart(line) for line in chart(SERIES, 0, None, 140, 3, UNICODE_BLOCKS))
    assert len(drawn) == 6
    assert {tuple(k for k, sign in enumerate(line) if sign == "│") for line in (*drawn, names)} == {(84, 101)}
    weeks, releases, develop = names.split("│")
    assert weeks.rstrip() == "weeks 2023-01-01 to 2029-12-01"
    assert (releases.rstrip(), develop) == ("releases", "develop")


def test_lines_between_series_take_cells_from_tags_and_never_the_tag_under_the_cursor() -> None:
    assert chart_note(SERIES, 80, UNICODE_BLOCKS) == "chart: 58 of 101"
    for here, moment in enumerate(SERIES):
        moments = [each if each.tag != moment.tag else Moment(moment.tag, 3, (), ()) for each in SERIES]
        specs, *_, names = chart(moments, here, None, 80, 1, UNICODE_BLOCKS)
        drawn = of_chart(specs)
        assert len(drawn.replace("│", "")) == 58
        assert len(drawn) <= 60
        ((start, end, _),) = [span for span in specs.cells[1].spans if span[2] == "label"]  # type: ignore[union-attr]
        assert drawn[start:end] == column_of(3, 5, UNICODE_BLOCKS)
        name = of_chart(names).split("│")[drawn[:start].count("│")].split()[0]
        assert name == ("develop" if not here else "releases" if here < 17 else "weeks")


def test_one_series_of_tags_needs_no_names_and_many_short_ones_no_lines() -> None:
    assert len(list(chart(SERIES[1:17], 0, None, 80, 1, UNICODE_BLOCKS))) == 4
    mixed = [SERIES[k % 2 + 1 + 30 * (k % 2)] for k in range(40)]
    drawn = [of_chart(line) for line in chart(mixed, 0, None, 80, 1, UNICODE_BLOCKS)]
    assert len(drawn) == 4
    assert not any("│" in line for line in drawn)


def test_where_there_are_more_tags_than_cells_the_chart_goes_with_the_cursor() -> None:
    moments = [Moment(f"t{k}", k, (), ()) for k in range(100, 0, -1)]
    for here in range(100):
        specs, *_, changes = chart(moments, here, None, 40, 1, UNICODE_BLOCKS)
        cell = specs.cells[1]
        assert isinstance(cell, Cell)
        assert len(cell.text) == 20
        ((start, end, _),) = [span for span in cell.spans if span[2] == "label"]
        assert cell.text[start:end] == column_of(moments[here].specs, 100, UNICODE_BLOCKS)
        assert specs.cells[2] == f"{moments[here].specs}"
        assert isinstance(changes.cells[1], Cell)
        assert changes.cells[1].spans == [(start, end, "here")]


def test_a_tag_that_towers_above_the_others_does_not_flatten_them() -> None:
    moments = [Moment(f"t{k}", specs, (), ()) for k, specs in enumerate((5000, 40, 20, 10, 30))]
    for lines in (1, 3):
        *specs, _, _, _ = chart(moments, None, None, 80, lines, UNICODE_BLOCKS)
        drawn = [str(cell.text if isinstance(cell, Cell) else cell)[::3] for cell in (line.cells[1] for line in specs)]
        assert drawn[0][-2:] == "█▲"
        assert drawn[-1] == ("▆▂▄█▲" if lines == 1 else "█▆███")
        assert chart_note(moments, 80, UNICODE_BLOCKS) == "▲ off scale"
        assert chart_note(moments, 80, ASCII_BLOCKS) == "^ off scale"
    assert chart_note(moments[1:], 80, UNICODE_BLOCKS) == ""


def test_where_the_chart_has_no_room_for_all_tags_it_says_how_many_it_shows(drive: Drive) -> None:
    tags = [f"v{k}" for k in range(108)]
    index = index_of([row(tag=tag) for tag in tags])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, TimelineScreen(index, Query(), None, "hdf5", None))
        assert screen_lines(pilot.app)[1].endswith("  chart: 60 of 108")
        assert len(screen_lines(pilot.app)[2].partition("specs ")[2].split()[0]) == 60

    drive(browser(), scenario, SMALL)


def test_versions_take_no_more_room_than_they_need() -> None:
    def moment(*versions: str) -> Moment:
        return Moment("develop", 1, versions, (), (), ())

    short, long = (tag_columns([moment(*versions)])[2] for versions in (("1.2",), ("1.12.2", "1.14.3", "1.14.5")))
    assert (short.most, long.most) == (8, len("1.12.2, 1.14.3, 1.14.5"))
