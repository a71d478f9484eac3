"""A table: its visible rows, and the redrawn rows."""

import pytest
from textual.strip import Strip

from cachetui.tui.lines import Column, FixedRows, Line
from cachetui.tui.widgets.list_pane import Table
from tests.support.drive import WIDE, Drive, browser


def rows(names: str) -> FixedRows:
    return FixedRows({name: Line((name,)) for name in names})


def test_table_without_height_starts_at_its_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "is_active", False)  # the table is on no screen
    columns = (Column("name", 4),)
    table = Table(columns, heads=False)
    table.show(rows("abcde"), columns, 4)
    table.show(rows("ea"), columns, 0)
    assert table.key == "e"
    assert all(len(list(table.pieces(y))) for y in range(2))  # both lines show existing rows


def test_cursor_step_redraws_only_two_lines(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    pilot, made, render_line = drive(browser(), WIDE), list[tuple[str | None, int]](), Table.render_line

    def noted(table: Table, y: int) -> Strip:
        made.append((table.id, y))
        return render_line(table, y)

    monkeypatch.setattr(Table, "render_line", noted)
    pilot.press("j")
    assert [line for line in made if line[0] != "specs"] == [("packages", 2), ("packages", 3)]
