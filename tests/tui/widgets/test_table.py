"""A list: which rows are in view."""

from __future__ import annotations

from cachetui.tui.column_widths import Column
from cachetui.tui.lines import FixedRows, Line
from cachetui.tui.widgets.table import Table


def rows(names: str) -> FixedRows:
    return FixedRows({name: Line((name,)) for name in names})


def test_no_row_before_the_first_is_in_view_where_the_list_has_no_room_yet() -> None:
    columns = (Column("name", 4),)
    table = Table(columns, heads=False)
    table.show(rows("abcde"), columns, 4)
    table.show(rows("ea"), columns, 0)
    assert table.key == "e"
    assert all(len(list(table.pieces(y))) for y in range(2))  # rows that there are
