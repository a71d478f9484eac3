"""Rows in columns: what is shown at which width, and how it looks."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from cachetui.tui.rows.layout import Cell, FixedRows, Line
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.table_app import Many, TableApp, line, named


def test_columns_go_by_their_rank_and_the_rest_is_shared(drive: Drive) -> None:
    pictures = {}
    for width in (60, 40, 28):
        app = TableApp(named("hdf5", "py-mpi4py"))

        async def look(_: Pilot[None], app: TableApp = app, width: int = width) -> None:
            pictures[width] = screen_lines(app)[:3]

        drive(app, look, (width, 6))
    assert pictures == {
        60: [
            " hash    package                version▼ os            size",
            ">abcdefg hdf5                   4.0.1    ubuntu22.04  12 kB",
            " abcdefg py-mpi4py              4.0.1    ubuntu22.04  12 kB",
        ],
        40: [
            " hash    package        version▼   size",
            ">abcdefg hdf5           4.0.1     12 kB",
            " abcdefg py-mpi4py      4.0.1     12 kB",
        ],
        28: [
            " hash    package   version▼",
            ">abcdefg hdf5      4.0.1",
            " abcdefg py-mpi4py 4.0.1",
        ],
    }


def test_columns_stay_where_they_are_whether_the_rows_scroll_or_not(drive: Drive) -> None:
    app = TableApp(Many(3))

    async def scenario(pilot: Pilot[None]) -> None:
        few = screen_lines(app)[:1]
        app.table.show(Many(100))
        await pilot.pause()
        assert screen_lines(app)[:1] == few

    drive(app, scenario, (60, 6))


def test_it_asks_for_no_row_that_is_not_seen(drive: Drive) -> None:
    app = TableApp(Many(10))
    rows = Many(425_000)

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.show(rows, key=400_000)
        await pilot.pause()
        assert screen_lines(app)[-1].startswith(">400000…")
        assert rows.asked == set(range(399_992, 400_001))

    drive(app, scenario, (60, 10))


@pytest.mark.parametrize(("rows", "thumb"), [(4, []), (6, [1, 2]), (400, [1])])
def test_the_scroll_mark_is_there_when_needed(drive: Drive, rows: int, thumb: list[int]) -> None:
    app = TableApp(Many(rows))

    async def scenario(_: Pilot[None]) -> None:
        marks = [y for y, text in enumerate(screen_lines(app)) if text.endswith("┃")]
        assert marks == thumb

    drive(app, scenario, (60, 5))


def test_what_it_shows_is_plain_text(drive: Drive) -> None:
    rows = FixedRows(
        [
            Line(("[b]x[/b]", "a\tb\nc\x1b[31m", "日本語日本語", "x", "x")),
            Line(("one cell spans the table",), tone="title"),
            line("hdf5"),
        ]
    )
    app = TableApp(rows)

    async def scenario(_: Pilot[None]) -> None:
        assert screen_lines(app)[1:4] == [
            ">[b]x[/… a b c [31m             日本語 … x                x",
            " one cell spans the table",
            " abcdefg hdf5                   4.0.1    ubuntu22.04  12 kB",
        ]

    drive(app, scenario, (60, 6))


def test_an_ascii_terminal_gets_ascii(drive: Drive) -> None:
    app = TableApp(FixedRows([Line(("abcdefghi", "", "", "", ""))] * 9))
    app.add_class("-ascii")

    async def scenario(_: Pilot[None]) -> None:
        lines = screen_lines(app)
        assert "versionv" in lines[0]
        assert lines[1].startswith(">abcdef$")
        assert "".join(lines).isascii()
        assert lines[1].endswith("#")

    drive(app, scenario, (60, 6))


def test_an_ascii_terminal_gets_a_sign_for_each_cell_that_it_lacks(drive: Drive) -> None:
    app = TableApp(FixedRows([Line(("日本", "é", "", "", ""))]))
    app.add_class("-ascii")

    async def scenario(_: Pilot[None]) -> None:
        assert screen_lines(app)[1].split() == [">????", "?"]

    drive(app, scenario, (60, 6))


def test_what_an_empty_list_says_takes_as_many_lines_as_it_needs(drive: Drive) -> None:
    app = TableApp(FixedRows(()), placeholder="nothing is left: the filters of this view take none\nw says why")

    async def scenario(_: Pilot[None]) -> None:
        said = [line.strip() for line in screen_lines(app)[1:4]]
        assert said == ["nothing is left: the filters of", "this view take none", "w says why"]

    drive(app, scenario, (34, 8))


def test_looks_are_few_and_meanings_are_seen_without_colour(drive: Drive) -> None:
    found = Cell("2feova4", spans=[(0, 3, "match")])
    app = TableApp(FixedRows([line("a"), Line((found, "b", "", "", ""), tone="dim")]))

    async def scenario(_: Pilot[None]) -> None:
        whole, scroll_mark = app.table.render_line(1)
        assert scroll_mark.text == " "
        assert whole.style is not None
        assert whole.style.reverse
        before, match, after = app.table.render_line(2)
        assert (before.text, match.text) == (" ", "2fe")
        assert match.style is not None
        assert match.style.underline
        assert after.style is not None
        assert after.style.dim
        app.set_focus(None)
        assert app.table.render_line(1).text.startswith(">")

    drive(app, scenario, (60, 6))


def test_rows_that_change_and_change_back_before_they_are_painted_are_as_they_were(drive: Drive) -> None:
    app = TableApp(named("hdf5"))

    async def scenario(pilot: Pilot[None]) -> None:
        before = screen_lines(app)
        app.table.show(named("zlib"))
        app.table.show(named("hdf5"))
        await pilot.pause()
        assert screen_lines(app) == before

    drive(app, scenario, (60, 6))
