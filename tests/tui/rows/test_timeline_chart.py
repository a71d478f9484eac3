"""The chart above a timeline: its columns are the same in all lines."""

from __future__ import annotations

from cachetui.analysis.timeline import Moment
from cachetui.tui.rows.layout import Cell, measure
from cachetui.tui.rows.pictures import ASCII_BLOCKS
from cachetui.tui.rows.timeline_chart import chart


def test_the_line_between_two_series_stands_in_one_place_whatever_letters_their_tags_have() -> None:
    tags = ["develop", *(f"\u65b0\u3057\u3044-{k}" for k in range(12))]
    moments = [Moment(tag, 3, ("1.0",), ()) for tag in tags]
    texts = [
        cell.text for line in chart(moments, 0, None, 100, 3, ASCII_BLOCKS) if isinstance(cell := line.cells[1], Cell)
    ]
    assert texts[-1].startswith("other \u65b0\u3057\u3044-11 to \u65b0\u3057\u3044-0 ")
    assert {measure(text[: text.index(ASCII_BLOCKS.middle)]) for text in texts} == {36}
