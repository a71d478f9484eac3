"""How much of a line is painted again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from cachetui.tui.widgets.linewise import end_of_change

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
