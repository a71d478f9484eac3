"""The table: what it shows at which width, where its cursor stays, what it says and what it asks for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip

from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, Rows, cell_pieces, fit, lay_out
from cachetui.tui.widgets.linewise import end_of_change
from cachetui.tui.widgets.table import Table
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.strategies import CHARACTERS

SPECS = [
    Column("hash", 7),
    Column("package", 8, share=1),
    Column("version", 8, order="falling"),
    Column("os", 11, drop=2),
    Column("size", 6, right=True, drop=1),
]


def line(name: str, *, marked: bool = False) -> Line:
    return Line(("abcdefg", name, "4.0.1", "ubuntu22.04", "12 kB"), marked=marked)


def named(*names: str) -> FixedRows:
    return FixedRows([line(name) for name in names], names)


class Many:
    """Rows made on demand; it notes which were asked for."""

    def __init__(self, count: int, columns: int = 5) -> None:
        self.count = count
        self.columns = columns
        self.asked: set[int] = set()

    def __len__(self) -> int:
        return self.count

    def row(self, k: int) -> Line:
        self.asked.add(k)
        return Line([f"{k}.{column}" for column in range(self.columns)])

    def key(self, k: int) -> Hashable:
        return k

    def find(self, key: Hashable) -> int | None:
        return key if isinstance(key, int) and key < self.count else None


class WatchedTable(Table):
    """Notes the regions that it paints again; None is the whole of it."""

    painted: list[Region | None]

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Any:
        if hasattr(self, "painted"):
            self.painted += regions or [None]
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


class TableApp(App[None]):
    CSS_PATH = "../../../cachetui/tui/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("l", "note('l')", "Note"), ("enter", "note('enter')", "Note")]

    def __init__(
        self,
        rows: Rows,
        columns: Sequence[Column] = SPECS,
        *,
        cursor: Literal["row", "cell", "none"] = "row",
        header: bool = True,
        placeholder: str = "",
    ) -> None:
        super().__init__()
        self.table = WatchedTable(columns, cursor=cursor, header=header, placeholder=placeholder)
        self.table.show(rows)
        self.said: list[tuple[object, ...]] = []

    def compose(self) -> ComposeResult:
        yield self.table

    def on_table_moved(self, event: Table.Moved) -> None:
        self.said.append((event.row, event.key) if event.column is None else (event.row, event.column))

    def on_table_chosen(self, event: Table.Chosen) -> None:
        self.said.append(("chosen", event.key))

    def action_note(self, key: str) -> None:
        self.said.append(("key", key))


@pytest.mark.parametrize(("key", "top"), [(3, "0.0"), (30, "22.0")])
def test_a_list_that_opens_on_one_of_its_rows_scrolls_no_more_than_it_must(drive: Drive, key: int, top: str) -> None:
    app = TableApp(FixedRows(()))
    app.table.show(Many(40), key=key)

    async def look(_: Pilot[None]) -> None:
        assert app.table.cursor_row == key
        assert screen_lines(app)[1].split()[0] == top

    drive(app, look, (60, 10))


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


@given(
    st.lists(
        st.builds(
            Column,
            st.just("c"),
            st.integers(1, 40),
            st.integers(0, 3),
            drop=st.integers(0, 3),
            most=st.sampled_from([0, 1, 20]),
        ),
        max_size=9,
    ),
    st.integers(0, 200),
)
def test_slots_lie_apart_and_fill_the_width(columns: list[Column], width: int) -> None:
    slots = lay_out(columns, width)
    ends = [slot.x + slot.width for slot in slots]
    assert all(slot.width > 0 for slot in slots)
    assert all(end + 1 == slot.x for end, slot in zip(ends, slots[1:], strict=False))
    assert all(end <= width for end in ends)
    shown = [(columns[slot.column], slot.width) for slot in slots]
    too_wide = sum(column.width + 1 for column in columns if not column.drop) - 1 > width
    if not too_wide:
        assert all(column.width <= wide <= max(column.width, column.most or width) for column, wide in shown)
        can_grow = any(column.share and (not column.most or wide < column.most) for column, wide in shown)
        assert ends[-1:] == [width] or not can_grow


@given(st.text(CHARACTERS), st.integers(0, 20))
def test_text_fits_or_is_marked_as_cut(text: str, width: int) -> None:
    shown = fit(text, width, "…")
    assert cell_len(shown) <= width
    assert shown == text or not width or (shown.endswith("…") and cell_len(shown) == width)


@pytest.mark.parametrize(
    ("width", "shown"), [(0, ""), (1, "…"), (2, "m…"), (3, "m…a"), (8, "ml-l…uda"), (15, "ml-linu…64-cuda")]
)
def test_what_is_told_apart_by_its_ends_loses_its_middle(width: int, shown: str) -> None:
    assert fit("ml-linux-x86_64-cuda", width, "…", ends=True) == shown


@pytest.mark.parametrize(
    ("width", "shown"),
    [(9, "inte….1.0"), (11, "i…@2025.1.0"), (20, "intel-onea…@2025.1.0"), (24, "intel-oneapi…rs@2025.1.0")],
)
def test_what_is_behind_an_at_sign_is_cut_last(width: int, shown: str) -> None:
    assert fit("intel-oneapi-compilers@2025.1.0", width, "…", ends=True) == shown


def test_a_match_in_a_cell_keeps_its_place_whatever_is_cut() -> None:
    cell = Cell("intel-oneapi-mkl", spans=[(0, 5, "match")])
    pieces = [piece for piece in cell_pieces(cell, 9, (), "…", ends=True) if piece[0]]
    assert pieces == [("intel", ("match",)), ("-on…", ())]


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


def test_a_key_that_is_gone_leaves_the_row_number(drive: Drive) -> None:
    app = TableApp(named("a", "b", "c", "d"))

    async def scenario(_: Pilot[None]) -> None:
        app.table.go(2)
        app.table.show(named("a", "b", "d", "e"))
        assert (app.table.cursor_row, app.table.cursor_key) == (2, "d")
        app.table.show(named("a"))
        assert (app.table.cursor_row, app.table.cursor_key) == (0, "a")

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
        for key in ("pagedown", "pagedown", "pageup", "end", "pageup", "home"):
            await pilot.press(key)
            rows.append(app.table.cursor_row)
        assert rows == [8, 16, 8, 99, 91, 0]

    drive(app, scenario, (60, 10))


def test_rows_that_change_and_change_back_before_they_are_painted_are_as_they_were(drive: Drive) -> None:
    app = TableApp(named("hdf5"))

    async def scenario(pilot: Pilot[None]) -> None:
        before = screen_lines(app)
        app.table.show(named("zlib"))
        app.table.show(named("hdf5"))
        await pilot.pause()
        assert screen_lines(app) == before

    drive(app, scenario, (60, 6))


def test_columns_stay_where_they_are_whether_the_rows_scroll_or_not(drive: Drive) -> None:
    app = TableApp(Many(3))

    async def scenario(pilot: Pilot[None]) -> None:
        few = screen_lines(app)[:1]
        app.table.show(Many(100))
        await pilot.pause()
        assert screen_lines(app)[:1] == few

    drive(app, scenario, (60, 6))


STRIPS = st.lists(
    st.tuples(st.text("ab e\u0301\u65e5\u2503", min_size=1, max_size=4), st.sampled_from([Style(), Style(bold=True)])),
    max_size=4,
).map(lambda pieces: Strip([Segment(text, style) for text, style in pieces]).adjust_cell_length(20, Style()).simplify())


def cells(strip: Strip) -> list[tuple[str, object]]:
    """What a terminal shows for a strip, a cell for each sign that takes any."""
    shown: list[tuple[str, object]] = []
    for segment in strip:
        for sign in segment.text:
            if cell_len(sign):
                shown += [(sign, segment.style), *[("", segment.style)] * (cell_len(sign) - 1)]
            elif shown:
                shown[-1] = (shown[-1][0] + sign, shown[-1][1])
    return shown


@given(STRIPS, STRIPS)
def test_a_line_is_painted_up_to_where_it_is_as_before(old: Strip, new: Strip) -> None:
    end = end_of_change(old, new)
    assert cells(new)[end:] == cells(old)[end:]
    assert bool(end) == (old != new)


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


def test_it_asks_for_no_row_that_is_not_seen(drive: Drive) -> None:
    app = TableApp(Many(10))
    rows = Many(425_000)

    async def scenario(pilot: Pilot[None]) -> None:
        app.table.show(rows, key=400_000)
        await pilot.pause()
        assert screen_lines(app)[1].startswith(">400000…")
        assert rows.asked == set(range(400_000, 400_009))

    drive(app, scenario, (60, 10))


def test_a_matrix_scrolls_sideways_beside_its_frozen_column(drive: Drive) -> None:
    columns = [Column("package", 8), *(Column(f"stack{k}", 6, right=True) for k in range(1, 6))]
    app = TableApp(Many(3, 6), columns, cursor="cell")

    async def scenario(pilot: Pilot[None]) -> None:
        assert screen_lines(app)[0] == " package  stack1 stack2›"
        await pilot.press("l", "right", "left", "h", "h", "j", "enter")
        await pilot.press("l", "l")
        assert screen_lines(app)[:3] == [
            "‹package  stack2 stack3›",
            " 0.0         0.2    0.3",
            ">1.0         1.2    1.3",
        ]
        app.table.go_column(99)
        await pilot.pause()
        assert screen_lines(app)[0] == "‹package  stack4 stack5"

    drive(app, scenario, (24, 6))
    moves = [(0, 1), (0, 2), (0, 3), (0, 2), (0, 1), (1, 1), ("chosen", 1), (1, 2), (1, 3), (1, 5)]
    assert app.said == moves


def test_text_without_a_cursor_scrolls(drive: Drive) -> None:
    app = TableApp(Many(20, 1), [Column("", 10, share=1)], cursor="none", header=False)

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("down", "down")
        assert [text.split()[0] for text in screen_lines(app)] == ["2.0", "3.0", "4.0", "5.0", "6.0"]
        await pilot.press("G")
        assert screen_lines(app)[-1].startswith("19.0")

    drive(app, scenario, (60, 5))
    assert app.said == []


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
            line("marked", marked=True),
        ]
    )
    app = TableApp(rows)

    async def scenario(_: Pilot[None]) -> None:
        assert screen_lines(app)[1:4] == [
            ">[b]x[/… a b c [31m             日本語 … x                x",
            " one cell spans the table",
            "*abcdefg marked                 4.0.1    ubuntu22.04  12 kB",
        ]

    drive(app, scenario, (60, 6))


def test_an_ascii_terminal_gets_ascii(drive: Drive) -> None:
    app = TableApp(FixedRows([Line(("abcdefghi", "", "", "", ""))] * 9))
    app.add_class("-ascii")

    async def scenario(_: Pilot[None]) -> None:
        lines = screen_lines(app)
        assert "versionv" in lines[0]
        assert lines[1].startswith(">abcdef~")
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
