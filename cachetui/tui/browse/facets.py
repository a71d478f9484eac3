"""The facets: a list with as many values as there is room for, and a dialog that finds any value."""

from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import BindingType
from textual.message import Message

from cachetui.safe_text import containing, visible
from cachetui.tui.browse.state import BrowseState
from cachetui.tui.column_widths import Column
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, StateScreen
from cachetui.tui.keymap import Actions, bindings
from cachetui.tui.lines import Cell, FixedRows, Line
from cachetui.tui.view.facet_rows import HEADING, facet_values
from cachetui.tui.widgets.table import Table


class FacetList(Table):
    """The list of facets: a value is ticked or excluded, a heading folds."""

    GUTTER = 2

    BINDINGS: ClassVar[list[BindingType]] = bindings("facets")

    @dataclass
    class Ticked(Message):
        """The value under the cursor is to be ticked or excluded, or no longer."""

        excludes: bool

    class FindAsked(Message):
        """A value is to be found by a part of it."""

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "facets.tick": lambda: self.post_message(self.Ticked(False)),
            "facets.exclude": lambda: self.post_message(self.Ticked(True)),
            "facets.find": lambda: self.post_message(self.FindAsked()),
        }


class FacetValueDialog(ListDialog):
    """Finds a value among those of all facets; the cursor of the facets goes to it."""

    def __init__(self, below: StateScreen[BrowseState]) -> None:
        value, specs = below.state.view.views.facet_columns
        super().__init__(
            below,
            "Find a value",
            (value._replace(width=28), Column("facet", HEADING), specs),
            placeholder="a part of a value or of a facet's name",
        )
        self.table.explain("No such value.")

    def rows(self, text: str) -> FixedRows:
        results = self.view.results
        found = {
            (facet, each.value): Line((visible(each.value), Cell(facet, "muted"), f"{each.specs:,}"))
            for facet in results.facets
            for each in facet_values(results, facet)
            if containing(text, facet, each.value)
        }
        return FixedRows(found)

    def answer(self, key: tuple[str, str]) -> Answer:
        return lambda view: replace(view.move("facets", key, 0), unfolded=view.unfolded | {key[0]})
