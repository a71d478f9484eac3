"""Pictures in cells: as wide as they should be, and in ASCII where there are no blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.tui.rows.pictures import (
    ASCII_BLOCKS,
    UNICODE_BLOCKS,
    Blocks,
    bar,
    column_of,
    digits,
    shade,
    shades,
    stacked,
    two_sided,
)
from cachetui.tui.rows.tones import HEAT

BLOCKS = st.sampled_from([UNICODE_BLOCKS, ASCII_BLOCKS])


@pytest.mark.parametrize(
    ("part", "blocks", "shown"),
    [
        (0, UNICODE_BLOCKS, ""),
        (0.1, UNICODE_BLOCKS, "▏"),
        (1, UNICODE_BLOCKS, "▏"),
        (8, UNICODE_BLOCKS, "█"),
        (13, UNICODE_BLOCKS, "█▋"),
        (32, UNICODE_BLOCKS, "████"),
        (99, UNICODE_BLOCKS, "████"),
        (13, ASCII_BLOCKS, "##"),
    ],
)
def test_a_bar_is_as_long_as_its_share(part: float, blocks: Blocks, shown: str) -> None:
    assert bar(part, 32, 4, blocks.across) == shown


def test_a_bar_may_be_left_out_where_it_is_too_short() -> None:
    assert [bar(part, 100, 4, UNICODE_BLOCKS.across, least=0) for part in (1, 2)] == ["", "▏"]


@given(st.integers(0, 200_000), st.integers(0, 2000), st.integers(7, 40), BLOCKS)
def test_two_sides_are_of_one_width_and_the_more_has_the_longer_bar(
    left: int, right: int, width: int, blocks: Blocks
) -> None:
    sides = two_sided(left, right, max(left, right, 1), width, blocks)
    assert [len(side) for side in sides] == [width, width]
    assert [side.strip(f" 0123456789,k{blocks.across}{blocks.from_right}") for side in sides] == ["", ""]
    lengths = [sum(sign not in " 0123456789,k" for sign in side) for side in sides]
    assert lengths == sorted(lengths, reverse=left > right) or abs(lengths[0] - lengths[1]) <= 1


def test_the_sides_grow_from_the_middle() -> None:
    assert two_sided(10, 5, 10, 8, UNICODE_BLOCKS) == ("10 █████", "██▌ 5   ")
    assert two_sided(0, 3400, 3400, 9, ASCII_BLOCKS) == ("         ", "### 3,400")
    assert two_sided(2824, 12, 2824, 7, UNICODE_BLOCKS) == ("2,824 █", "▌ 12   ")
    assert two_sided(0, 34_000, 34_000, 7, ASCII_BLOCKS) == ("       ", "### 34k")
    assert two_sided(1, 1, 133, 7, UNICODE_BLOCKS) == ("    1 ▐", "▌ 1    ")


def test_a_column_is_as_high_as_its_share() -> None:
    assert [column_of(number, 8, UNICODE_BLOCKS) for number in (0, 1, 4, 8)] == [" ", "▁", "▄", "█"]
    assert [column_of(number, 100, ASCII_BLOCKS) for number in (0, 1, 50, 100)] == [" ", "_", "-", "#"]


@given(st.integers(0, 100), st.integers(1, 4), BLOCKS)
def test_a_column_of_several_lines_is_filled_from_below(number: int, lines: int, blocks: Blocks) -> None:
    column = [column_of(number, 100, blocks, line, lines) for line in range(lines)]
    steps = sum(blocks.up.index(sign) + 1 for sign in column if sign != " ")
    assert steps == (max(1, round(number / 100 * lines * len(blocks.up))) if number else 0)
    heights = [0 if sign == " " else blocks.up.index(sign) + 1 for sign in column]
    assert heights == sorted(heights, reverse=True)


def test_a_cell_shows_a_number_or_that_it_has_no_room_for_it() -> None:
    assert [digits(number, 1) for number in (0, 1, 9, 10, 400)] == ["", "1", "9", "+", "+"]
    assert [digits(number, 2) for number in (0, 9, 10, 400)] == ["", "9", "10", "+"]


@pytest.mark.parametrize("largest", [1, 2, 3, 5, 20, 77, 1500])
def test_every_number_is_in_the_span_of_its_shade(largest: int) -> None:
    spans = shades(largest)
    named = [tone for first, last, tone in spans for _ in range(first, last + 1)]
    assert named == [shade(number, largest) for number in range(1, largest + 1)]
    assert len({tone for _, _, tone in spans}) == len(spans)


def test_four_lines_stand_in_one_cell() -> None:
    assert [stacked(filled, 4) for filled in ([], [True, False, True], [True] * 4)] == [" ", "⠭", "⣿"]
    assert [stacked(filled, 2) for filled in ([True], [False, True], [True, True], [False])] == ["▀", "▄", "█", " "]


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_more_has_no_lighter_shade(number: int, other: int) -> None:
    one, two = (HEAT.index(shade(each, 10_000)) for each in (number, other))
    assert (one - two) * (number - other) >= 0
    assert (shade(0, 10), shade(1, 10_000), shade(10_000, 10_000), shade(1, 1)) == ("", HEAT[0], HEAT[3], HEAT[3])
