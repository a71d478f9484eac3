"""An app that is one list, for the tests of the widgets: it notes what the list says and what it paints again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region
from textual.widget import Widget

from cachetui.tui.rows.layout import Column, FixedRows, Line, Rows
from cachetui.tui.widgets.table import Table
from tests.support.styled import StyledApp

SPECS = [
    Column("hash", 7),
    Column("package", 8, share=1),
    Column("version", 8, order="falling"),
    Column("os", 11, drop=2),
    Column("size", 6, right=True, drop=1),
]


def line(name: str, *, marked: bool = False, sign: str = "") -> Line:
    return Line(("abcdefg", name, "4.0.1", "ubuntu22.04", "12 kB"), marked=marked, sign=sign)


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


class PaneApp(StyledApp):
    """One widget, and the keys that it lets through."""

    BINDINGS: ClassVar[list[BindingType]] = [("l", "note('l')", "Note"), ("enter", "note('enter')", "Note")]

    def __init__(self, pane: Widget) -> None:
        super().__init__()
        self.pane = pane
        self.said: list[tuple[object, ...]] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_table_moved(self, event: Table.Moved) -> None:
        self.said.append((event.row, event.key))

    def on_table_chosen(self, event: Table.Chosen) -> None:
        self.said.append(("chosen", event.key))

    def action_note(self, key: str) -> None:
        self.said.append(("key", key))


class TableApp(PaneApp):
    """A list of specs, with a cursor."""

    def __init__(self, rows: Rows, *, placeholder: str = "") -> None:
        self.table = WatchedTable(SPECS, placeholder=placeholder)
        super().__init__(self.table)
        self.table.show(rows)
