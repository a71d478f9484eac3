"""The matrix: a cursor on a cell, columns that scroll sideways."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual.pilot import Pilot

from cachetui.tui.rows.layout import Column
from cachetui.tui.widgets.matrix import Matrix
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.table_app import Many, PaneApp


def test_a_matrix_scrolls_sideways_beside_its_frozen_column(drive: Drive) -> None:
    columns = [Column("package", 8), *(Column(f"stack{k}", 6, right=True) for k in range(1, 6))]
    matrix = Matrix(columns)
    matrix.show(Many(3, 6))
    app = PaneApp(matrix)
    cells = []

    async def scenario(pilot: Pilot[None]) -> None:
        assert screen_lines(app)[0] == " package  stack1 stack2›"
        for key in ("l", "right", "left", "h", "h", "j", "enter", "l", "l"):
            await pilot.press(key)
            cells.append((matrix.cursor_row, matrix.cursor_column))
        assert screen_lines(app)[:3] == [
            "‹package  stack2 stack3›",
            " 0.0         0.2    0.3",
            ">1.0         1.2    1.3",
        ]
        matrix.go_column(99)
        await pilot.pause()
        assert screen_lines(app)[0] == "‹package  stack4 stack5"

    drive(app, scenario, (24, 6))
    assert cells == [(0, 2), (0, 3), (0, 2), (0, 1), (0, 1), (1, 1), (1, 1), (1, 2), (1, 3)]
    assert app.said == [(0, 0)] * 5 + [(1, 1), ("chosen", 1)] + [(1, 1)] * 3


class WatchedMatrix(Matrix):
    """Notes each width that it was fitted into."""

    def __init__(self, columns: Sequence[Column]) -> None:
        super().__init__(columns)
        self.widths: asyncio.Queue[int] = asyncio.Queue()

    def resized(self) -> None:
        super().resized()
        self.widths.put_nowait(self.size.width)


async def resized(pilot: Pilot[None], matrix: WatchedMatrix, width: int) -> None:
    """Makes the terminal so wide, and waits until the matrix is fitted into it and painted."""
    await pilot.resize_terminal(width, 6)
    while await matrix.widths.get() != width:
        pass
    await pilot.pause()


def test_no_column_stays_hidden_beside_empty_cells(drive: Drive) -> None:
    columns = [Column("package", 8), *(Column(f"stack{k}", 6, right=True) for k in range(1, 6))]
    matrix = WatchedMatrix(columns)
    matrix.show(Many(3, 6))
    app = PaneApp(matrix)

    async def scenario(pilot: Pilot[None]) -> None:
        matrix.go_column(5)
        await pilot.pause()
        assert screen_lines(app)[0] == "‹package  stack4 stack5"
        await resized(pilot, matrix, 34)
        assert screen_lines(app)[0] == "‹package  stack3 stack4 stack5"
        await resized(pilot, matrix, 60)
        assert screen_lines(app)[0] == " package  stack1 stack2 stack3 stack4 stack5"

    drive(app, scenario, (24, 6))
