"""A table: its visible rows, and the redrawn rows."""

from collections.abc import Iterable

import pytest

from cachetui.tui.lines import Column, FixedRows, Line
from cachetui.tui.widgets.line_widget import Piece
from cachetui.tui.widgets.list_pane import Table
from tests.support.drive import WIDE, Drive, browser


def rows(names: str) -> FixedRows:
    return FixedRows({name: Line((name,)) for name in names})


def test_table_without_height_starts_at_its_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "is_active", False)  # the table is on no screen
    columns = (Column("", 4),)
    table = Table(columns)
    table.show(rows("abcde"), columns, 4)
    table.show(rows("ea"), columns, 0)
    assert table.key == "e"
    assert all(len(list(table.pieces(y))) for y in range(2))  # both lines show existing rows


def test_cursor_step_redraws_only_two_lines(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    pilot, made, pieces = drive(browser(), WIDE), list[tuple[str | None, int]](), Table.pieces

    def noted(table: Table, y: int) -> Iterable[Piece]:
        made.append((table.id, y))
        return pieces(table, y)

    monkeypatch.setattr(Table, "pieces", noted)
    pilot.press("j")
    assert [line for line in made if line[0] != "specs"] == [("packages", 2), ("packages", 3)]
