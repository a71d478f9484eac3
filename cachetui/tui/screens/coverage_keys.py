"""The keys of the coverage, each with the action that it stands for."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from cachetui.tui.screens.survey_base import FILTER_KEYS

COVERAGE_KEYS: list[BindingType] = [
    Binding("slash", "find", "Find", id="coverage.find", tooltip="Find a column or a row; two columns compare"),
    Binding("o", "only_gaps", "Only gaps", id="coverage.gaps", tooltip="Only rows with a gap; again: all rows"),
    Binding("space", "mark", "Mark", id="coverage.mark", tooltip="Mark the column, or take the mark away"),
    Binding("equals_sign", "compare", "Compare", id="coverage.compare", tooltip="Only how marked columns differ"),
    Binding("i", "turn_round", "One side", id="coverage.side", tooltip="In one and not in the other; again: round"),
    Binding("m", "next_columns", "Columns", id="coverage.columns", tooltip="The next axis for the columns"),
    Binding("M", "next_rows", "Rows", id="coverage.rows", tooltip="The next axis for the rows"),
    Binding("z", "turn_dense", "Map", id="coverage.map", tooltip="All at a glance; again: the numbers"),
    Binding("s", "sort", "Sort", id="coverage.sort", tooltip="Sort by name, specs, gaps"),
    Binding("S", "reverse", "Reverse", id="coverage.reverse", tooltip="Turn the order round"),
    *FILTER_KEYS,
]
