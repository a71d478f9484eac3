"""The chart of the timeline: which tags have a column, where these stand, and how high they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.timeline import Moment
from cachetui.tui.glyphs import RISING
from cachetui.tui.lines import plain_text
from cachetui.tui.timeline.chart import LABEL, LINES, SCALE, chart, column_of, top_of

TAGS = ["develop", "develop-2025-04-20", "develop-2025-04-13", "v1.1.0", "v1.0.0", "site"]

MOMENTS = [
    Moment(tag, specs, (), (), ("new",) * (k % 2 == 0), ("old",) * (k % 3 == 0))
    for k, (tag, specs) in enumerate(zip(TAGS, (900, 64, 60, 8, 1, 0), strict=True))
]


def drawn(moments: list[Moment], at: int | None, seen: set[str] | None, width: int) -> list[str]:
    return [plain_text(line.cells).rstrip() for line in chart(moments, at, seen, width)]


def test_a_series_follows_the_other_from_the_oldest() -> None:
    assert drawn(MOMENTS, 1, None, 80) == [
        "            │      │▇▇▇███│▲▲▲ 64",
        "  specs     │▁▁▁▂▂▂│██████│███",
        "changes     │ +  - │ +    │ *",
        "            │      │    ▲ │",
        "            │      │weeks │develop",
    ]
    assert drawn(MOMENTS, None, {"develop", "site"}, 80)[2:4] == [
        "   seen  ███│      │      │███",
        "            │      │      │",
    ]


@given(st.integers(0, 150), st.integers(0, 149), st.integers(20, 140), st.booleans())
def test_the_tag_under_the_cursor_has_a_column_at_any_width(weeks: int, at: int, width: int, is_seen: bool) -> None:
    moments = [*MOMENTS, *(Moment(f"v0.{k}.0", k, (), ()) for k in range(weeks))]
    here = None if is_seen else at % len(moments)
    found = drawn(moments, here, {"develop"} if is_seen else None, width)
    assert len(found) == LINES + 3
    assert all(len(line) <= max(width, LABEL + SCALE + 4) for line in found)
    assert (RISING in found[LINES + 1]) == (not is_seen)


def test_columns_rise_with_the_numbers_up_to_the_scale() -> None:
    assert [top_of(numbers) for numbers in ((), (0,), (7, 900), (9, 8, 7, 24), (9, 8, 7, 28))] == [1, 1, 900, 24, 9]
    for number in range(101):
        eighths = [" ▁▂▃▄▅▆▇█".index(column_of(number, 100, line)) for line in range(LINES)]
        assert abs(sum(eighths) - 8 * LINES * number / 100) <= (1 if number else 0)
        assert eighths == sorted(eighths, reverse=True)
    assert [column_of(300, 100, line) for line in (0, 1)] == ["█", RISING]
