"""The chart of the timeline: which tags have a column, where these stand, and how high they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.timeline import Moment
from cachetui.tui.glyphs import RISING
from cachetui.tui.lines import plain_text
from cachetui.tui.timeline.chart import LABEL, LINES, SCALE, chart, column_of

TAGS = ["develop", "develop-2025-04-20", "develop-2025-04-13", "v1.1.0", "v1.0.0", "site"]

MOMENTS = [
    Moment(tag, specs, (), (), ("new",) * (k % 2 == 0), ("old",) * (k % 3 == 0))
    for k, (tag, specs) in enumerate(zip(TAGS, (900, 64, 60, 8, 1, 0), strict=True))
]


def drawn(moments: list[Moment], at: int | None, width: int) -> list[str]:
    return [plain_text(line.cells).rstrip() for line in chart(moments, at, width)]


def test_a_series_follows_the_other_from_the_oldest() -> None:
    assert drawn(MOMENTS, 1, 80) == [
        "            │      │      │███ 900",
        "  specs     │▁▁▁▁▁▁│▁▁▁▁▁▁│███",
        "changes     │ +  - │ +    │ *",
        "            │      │    ▲ │",
        "            │      │weeks │develop",
    ]


@given(st.integers(0, 150), st.integers(0, 149), st.integers(20, 140))
def test_the_tag_under_the_cursor_has_a_column_at_any_width(weeks: int, at: int, width: int) -> None:
    moments = [*MOMENTS, *(Moment(f"v0.{k}.0", k, (), ()) for k in range(weeks))]
    found = drawn(moments, at % len(moments), width)
    assert len(found) == LINES + 3
    assert all(len(line) <= max(width, LABEL + SCALE + 4) for line in found)
    assert RISING in found[LINES + 1]


def test_columns_rise_with_the_numbers() -> None:
    for number in range(101):
        eighths = [" ▁▂▃▄▅▆▇█".index(column_of(number, 100, line)) for line in range(LINES)]
        assert abs(sum(eighths) - 8 * LINES * number / 100) <= (1 if number else 0)
        assert eighths == sorted(eighths, reverse=True)
