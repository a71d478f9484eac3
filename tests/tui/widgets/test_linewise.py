"""How much of a line is painted again, and that lines are painted as Textual would."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size, Spacing
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from cachetui.tui.widgets.linewise import LinewiseWidget, end_of_change
from tests.support.browsing import SMALL, WIDE, browser, settled
from tests.support.drive import Drive

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


KEYS = (
    "j",
    "j",
    "pagedown",
    "slash",
    "m",
    "p",
    "enter",
    "x",
    "enter",
    "m",
    "s",
    "escape",
    "f",
    "space",
    "question_mark",
)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_lines_are_those_that_textual_would_paint(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        compared = 0
        for key in KEYS:
            await pilot.press(key)
            await pilot.pause()
            for widget in pilot.app.screen.walk_children():
                if isinstance(widget, LinewiseWidget) and widget.is_on_screen and widget.size:
                    compared += 1
                    shown = [widget.render_lines(part) for part in parts_of(widget.outer_size)]
                    widget.refresh()
                    assert shown == [Widget.render_lines(widget, part) for part in parts_of(widget.outer_size)], key
        assert compared > 50

    drive(browser(), scenario, size)


def parts_of(size: Size) -> list[Region]:
    """All of a widget, and what is left of it without its edges."""
    return [size.region, size.region.shrink(Spacing(0, 3, 0, 2))]
