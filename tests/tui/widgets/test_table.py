"""The list: where its cursor stays, what it says and what it paints again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import cast

import pytest
from textual import events
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip

from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line
from cachetui.tui.rows.line_pieces import Piece
from cachetui.tui.widgets.table import MarkedTable, Table
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.table_app import SPECS, Many, PaneApp, TableApp, line, named


@pytest.mark.parametrize(("key", "top"), [(3, "0.0"), (30, "22.0")])
def test_a_list_that_opens_on_one_of_its_rows_scrolls_no_more_than_it_must(drive: Drive, key: int, top: str) -> None:
    app = TableApp(FixedRows(()))
    app.table.show(Many(40), key=key)

    async def look(_: Pilot[None]) -> None:
        assert app.table.cursor_row == key
        assert screen_lines(app)[1].split()[0] == top

    drive(app, look, (60, 10))


def test_the_cursor_stays_on_its_key_and_in_its_place(drive: Drive) -> None:
    app = TableApp(Many(1000))

    async def scenario(_: Pilot[None]) -> None:
        app.table.go(500)
        app.table.move(-3)
        app.table.show(FixedRows([line(str(k)) for k in range(200, 800)], range(200, 800)))
        assert (app.table.cursor_row, app.table.cursor_key) == (297, 497)

    drive(app, scenario)


def test_the_place_on_screen_stays(drive: Drive) -> None:
    app = TableApp(Many(1000))

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.go(500)
        app.table.move(-3)
        await pilot.pause()
        before = [text.startswith(">") for text in screen_lines(app)].index(True)
        app.table.show(FixedRows([line(str(k)) for k in range(400, 800)], range(400, 800)))
        await pilot.pause()
        assert [text.startswith(">") for text in screen_lines(app)].index(True) == before

    drive(app, scenario)


def test_a_cursor_that_nobody_has_moved_stays_on_the_first_row(drive: Drive) -> None:
    app = TableApp(named("a", "b", "c"))

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.show(named("c", "b", "a"))
        assert (app.table.cursor_row, app.table.cursor_key) == (0, "c")
        app.table.show(named())
        app.table.show(named("b", "c"))
        assert (app.table.cursor_row, app.table.cursor_key) == (0, "b")
        await pilot.press("down", "up")  # now it is there on purpose
        app.table.show(named("c", "a", "b"))
        assert (app.table.cursor_row, app.table.cursor_key) == (2, "b")
        app.table.show(named("a", "b"), begins=True)
        app.table.show(named("b", "a"))
        assert (app.table.cursor_row, app.table.cursor_key) == (0, "b")

    drive(app, scenario)


def test_a_row_that_was_gone_into_keeps_the_cursor(drive: Drive) -> None:
    app = TableApp(named("a", "b", "c"))

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        app.table.show(named("c", "b", "a"))
        assert (app.table.cursor_row, app.table.cursor_key) == (2, "a")

    drive(app, scenario)


@pytest.mark.parametrize("make", [Table, MarkedTable])
def test_where_other_rows_come_before_the_cursor_it_shows_its_top_or_stays_in_its_line(
    drive: Drive, make: type[Table]
) -> None:
    app = PaneApp(make([Column("what", 20)]))
    table = cast(Table, app.pane)

    async def scenario(pilot: Pilot[None]) -> None:
        keys = list("abcdefghijklmnopqrstuvwxyz")
        table.show(named(*keys))
        await pilot.press("down")
        table.show(named(*"zyx", *keys))
        assert (table.cursor_key, table.cursor_row, table.first_in_view) == ("b", 4, 0)
        table.show(named(*reversed(keys)))
        assert (table.cursor_key, table.cursor_row, table.first_in_view) == ("b", 24, len(keys) - table.page)
        table.show(named(*keys))
        assert (table.cursor_key, table.first_in_view) == ("b", 0)
        table.go(17)
        table.move(-5)
        assert table.place == ("m", 3)
        table.show(named("A", "B", *reversed(keys[:12]), *keys[12:]))
        assert (table.cursor_row, table.place) == (14, ("m", 3)), "it has not moved on screen"

    drive(app, scenario, (60, 10))


@pytest.mark.parametrize("make", [Table, MarkedTable])
def test_a_row_that_comes_back_is_in_the_line_in_which_it_was(drive: Drive, make: type[Table]) -> None:
    app = PaneApp(make([Column("what", 20)]))
    table = cast(Table, app.pane)

    async def scenario(pilot: Pilot[None]) -> None:
        keys = list("abcdefghijklmnopqrstuvwxyz")
        table.show(named(*keys))
        table.go(20)
        table.move(-5)
        place, first = table.place, table.first_in_view
        assert place == ("p", 3)
        for _ in range(2):
            table.show(named(*keys[:15]), else_first=True)
            assert table.cursor_key == "a"
            table.show(named(*keys[:10]), else_first=True)
            table.show(named(*keys))
            assert (table.place, table.first_in_view) == (place, first)
        table.show(named(*keys[:15]), else_first=True)
        await pilot.press("down")
        table.show(named(*keys))
        assert table.place == ("b", 1), "who moves on does not go back"

    drive(app, scenario, (60, 10))


def test_the_same_rows_stay_where_they_are_on_screen(drive: Drive) -> None:
    """As where one of them is marked, folded or taken away."""
    app = TableApp(Many(100))

    async def scenario(_: Pilot[None]) -> None:
        app.table.go(50)
        app.table.move(-3)
        top = app.table.first_in_view
        app.table.show(Many(100))
        assert (app.table.cursor_row, app.table.first_in_view) == (47, top)
        keys = [k for k in range(100) if k != 47]
        app.table.show(FixedRows([line(str(k)) for k in keys], keys))
        assert (app.table.cursor_row, app.table.cursor_key, app.table.first_in_view) == (47, 48, top)

    drive(app, scenario, (60, 10))


def test_a_list_that_is_hidden_and_gets_shorter_can_be_painted_at_once(drive: Drive) -> None:
    """It comes back with the size that it had, before it is told of any."""
    app = TableApp(Many(1000))

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.go(500)
        app.table.display = False
        await pilot.pause()
        assert app.table.page == 0
        app.table.show(named("a", "b"))
        assert list(app.table.pieces(1)) != []
        app.table.display = True
        await pilot.pause()
        assert len([line for line in screen_lines(app)[1:] if line.strip()]) == 2

    drive(app, scenario)


def test_a_key_that_is_gone_leaves_the_row_number(drive: Drive) -> None:
    app = TableApp(named("a", "b", "c", "d"))

    async def scenario(_: Pilot[None]) -> None:
        app.table.go(2)
        app.table.show(named("a", "b", "d", "e"))
        assert (app.table.cursor_row, app.table.cursor_key) == (2, "d")
        app.table.show(named("a"))
        assert (app.table.cursor_row, app.table.cursor_key) == (0, "a")

    drive(app, scenario)


@pytest.mark.parametrize("make", [Table, MarkedTable])
def test_the_cursor_comes_back_to_the_row_that_the_user_went_to(drive: Drive, make: type[Table]) -> None:
    app = PaneApp(make([Column("what", 20)]))
    table = cast(Table, app.pane)
    table.show(named(*"abcd"))

    def shown(keys: str, key: str | None = None, *, begins: bool = False) -> object:
        table.show(named(*keys), key=key, begins=begins)
        return table.cursor_key

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("down", "down")
        assert [shown(keys) for keys in ("abd", "da", "abcd", "abd")] == ["d", "d", "c", "d"]
        await pilot.press("up")
        assert shown("abcd") == "b", "he went somewhere else in the meantime"
        assert [shown("cb", "c"), shown("bd"), shown("bc")] == ["c", "b", "c"], "and so he does where he is led"
        assert shown("xc", begins=True) == "x"

    drive(app, scenario)


def test_a_list_that_was_empty_for_a_while_finds_its_row_again(drive: Drive) -> None:
    app = TableApp(named("a", "b", "c"), placeholder="nothing\nleft")

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.go(1)
        app.table.show(named())
        await pilot.pause()
        assert (app.table.cursor_row, app.table.cursor_key) == (None, None)
        assert screen_lines(app)[1:3] == [" nothing", " left"]
        app.table.show(named("x", "y", "b"))
        assert (app.table.cursor_row, app.table.cursor_key) == (2, "b")

    drive(app, scenario)


def test_it_says_when_the_cursor_is_on_something_else(drive: Drive) -> None:
    app = TableApp(named("a", "b", "c"))

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("j", "up", "up", "G", "g", "enter")
        app.table.show(named("x", "a", "b"))  # the same thing at another place
        app.table.refresh()
        await pilot.pause()
        app.table.show(named("b"))
        app.table.show(named())
        await pilot.pause()

    drive(app, scenario)
    moves = [(0, "a"), (1, "b"), (0, "a"), (2, "c"), (0, "a"), ("chosen", "a"), (0, "b"), (None, None)]
    assert app.said == moves


def test_keys_that_mean_nothing_to_it_go_on(drive: Drive) -> None:
    app = TableApp(named())

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("l", "enter")

    drive(app, scenario)
    assert app.said == [("key", "l"), ("key", "enter")]


def test_pages_keep_the_place_of_the_cursor(drive: Drive) -> None:
    app = TableApp(Many(100))

    async def scenario(pilot: Pilot[None]) -> None:
        rows = []
        for key in ("pagedown", "pagedown", "pageup", "ctrl+d", "ctrl+u", "end", "pageup", "home", "ctrl+u"):
            await pilot.press(key)
            rows.append(app.table.cursor_row)
        assert rows == [8, 16, 8, 12, 8, 99, 91, 0, 0]

    drive(app, scenario, (60, 10))


def test_half_a_page_is_a_row_where_only_two_are_in_view(drive: Drive) -> None:
    app = TableApp(Many(100))

    async def scenario(pilot: Pilot[None]) -> None:
        assert app.table.page == 2
        for key, row in (("ctrl+d", 1), ("ctrl+d", 2), ("ctrl+u", 1)):
            await pilot.press(key)
            assert app.table.cursor_row == row

    drive(app, scenario, (60, 3))


def test_a_step_paints_two_rows(drive: Drive) -> None:
    app = TableApp(Many(100))

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.painted = []
        await pilot.press("down")
        assert app.table.painted == [Region(0, 1, 60, 1), Region(0, 2, 60, 1)]
        app.table.painted = []
        app.table.repaint_row(50)
        assert app.table.painted == []

    drive(app, scenario, (60, 10))


def test_the_mouse_moves_and_scrolls(drive: Drive) -> None:
    app = TableApp(Many(100))

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.click(app.table, offset=(5, 4))
        assert app.table.cursor_row == 3
        notch = events.MouseScrollDown(app.table, 5, 4, 0, 1, 0, False, False, False)
        for _ in range(2):
            app.table.post_message(notch)
        await pilot.pause()
        assert screen_lines(app)[1].startswith(">6.0")  # as far as it must to stay in view

    drive(app, scenario, (60, 10))


def test_the_row_under_the_cursor_is_of_one_colour_whatever_it_means(drive: Drive) -> None:
    toned = Line((Cell("abcdefg", "fault"), Cell("hdf5", "", [(0, 2, "match")]), "4.0.1", "", ""), tone="dim")
    app = TableApp(FixedRows([toned, toned]))

    async def scenario(_: Pilot[None]) -> None:
        here, below = (app.table.render_line(y) for y in (1, 2))
        assert len({segment.style.color for segment in here if segment.style and segment.text.strip()}) == 1
        assert len({segment.style.color for segment in below if segment.style and segment.text.strip()}) > 2

    drive(app, scenario)


def test_the_bar_of_the_cursor_goes_to_the_edge_where_columns_do_not(drive: Drive) -> None:
    table = MarkedTable([Column("hash", 7), Column("package", 8)])
    table.show(named("hdf5", "zlib"))
    app = PaneApp(table)

    async def scenario(_: Pilot[None]) -> None:
        table.focus()
        segments = [segment for segment in table.render_line(1) if segment.text]
        assert sum(len(segment.text) for segment in segments) == table.size.width > 40
        assert all(segment.style and segment.style.reverse for segment in segments[:-1])

    drive(app, scenario)


def test_the_cursor_hides_no_sign_of_its_row(drive: Drive) -> None:
    table = MarkedTable(SPECS)
    table.show(FixedRows([line("both", marked=True, sign="!"), line("mark", marked=True), line("sign", sign="?")]))
    app = PaneApp(table)

    async def scenario(pilot: Pilot[None]) -> None:
        table.focus()
        assert [text[:10] for text in screen_lines(app)[1:4]] == ["*!>abcdefg", "*  abcdefg", " ? abcdefg"]
        await pilot.press("down", "down")
        assert [text[:10] for text in screen_lines(app)[1:4]] == ["*! abcdefg", "*  abcdefg", " ?>abcdefg"]

    drive(app, scenario)


class CountedTable(MarkedTable):
    """Notes how many lines are made."""

    made = 0

    def strip_of(self, pieces: Iterable[Piece]) -> Strip:
        self.made += 1
        return super().strip_of(pieces)


class ForgetfulTable(CountedTable):
    """Makes every line anew."""

    def make_line(self, y: int) -> Strip:
        self._kept.clear()
        return super().make_line(y)


def test_scrolling_makes_only_those_lines_that_come_or_change(drive: Drive) -> None:
    rows = FixedRows([line(str(k), marked=k % 5 == 0) for k in range(100)], range(100))
    seen: dict[str, list[list[str]]] = {}
    made: dict[str, int] = {}
    for name, table in {"kept": CountedTable(SPECS), "anew": ForgetfulTable(SPECS)}.items():
        table.show(rows)
        app = PaneApp(table)

        async def scenario(
            pilot: Pilot[None], app: PaneApp = app, table: CountedTable = table, name: str = name
        ) -> None:
            table.go(20)
            for delta in (1, 1, -3, -7, -1, 12, 2):
                table.move(delta)
                await pilot.pause()
                seen.setdefault(name, []).append(screen_lines(app))
            table.made = 0
            table.move(1)
            await pilot.pause()
            made[name] = table.made
            table.show(rows, [*SPECS[1:3], SPECS[0]])
            await pilot.pause()
            seen[name].append(screen_lines(app))

        drive(app, scenario, (60, 10))
    assert seen["kept"] == seen["anew"]
    assert made["kept"] <= 5 < 10 <= made["anew"]


class CountedRows(FixedRows):
    """Notes how often each row is asked for."""

    def __init__(self, lines: Iterable[Line]) -> None:
        super().__init__(lines)
        self.asked: Counter[int] = Counter()

    def row(self, k: int) -> Line:
        self.asked[k] += 1
        return super().row(k)


def test_a_row_is_asked_for_once_to_make_its_line(drive: Drive) -> None:
    table = Table(SPECS)
    table.show(FixedRows([]))

    async def scenario(pilot: Pilot[None]) -> None:
        rows = CountedRows(map(line, "abcdefg"))
        table.show(rows, SPECS)
        await pilot.pause()
        assert rows.asked == Counter(range(7))

    drive(PaneApp(table), scenario)


def test_other_rows_make_only_the_lines_that_are_not_as_they_were(drive: Drive) -> None:
    table = CountedTable(SPECS)
    table.show(FixedRows([]))

    async def scenario(pilot: Pilot[None]) -> None:
        for name in ("one", "other", "third"):
            table.made = 0
            table.show(FixedRows([line(name if k == 3 else str(k)) for k in range(7)]), SPECS)
            await pilot.pause()
            assert f" {name} " in screen_lines(pilot.app)[4]
            if name != "one":
                assert table.made == 3, "the header, the row under the cursor, the one that is another"

    drive(PaneApp(table), scenario, (60, 8))
