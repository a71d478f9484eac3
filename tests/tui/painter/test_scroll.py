"""Rows that only went up or down are moved by the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.tui.painter.cells import (
    Canvas,
    look_of,
)
from cachetui.tui.painter.diff import difference
from tests.support.frames import frame_of
from tests.support.twin import Emulator

WIDTH = 24

LINES = st.sampled_from(
    ["", "ab", "漢字 and more", "é" * 12, "a line that is long", "another line", "one more of them"]
)


@given(
    old=st.lists(LINES, min_size=9, max_size=9),
    come=st.lists(LINES, min_size=4, max_size=4),
    region=st.tuples(st.integers(0, 8), st.integers(0, 9)).map(sorted),
    lines=st.integers(-4, 4),
)
def test_rows_that_went_up_or_down_are_where_they_are_wanted(
    old: list[str], come: list[str], region: list[int], lines: int
) -> None:
    top, bottom = region
    moving = old[top:bottom]
    moved = [*moving[lines:], *come[:lines]] if lines > 0 else [*come[:-lines], *moving[: len(moving) + lines]]
    new = [*old[:top], *moved[: len(moving)], *old[bottom:]]
    new += old[len(new) :]
    frames = [Canvas(WIDTH, 9) for _ in range(2)]
    for canvas, texts in zip(frames, (old, new), strict=True):
        for y, text in enumerate(texts):
            canvas.draw(0, y, [(text, look_of("7" if y == 4 else ""))])
    before, after = (canvas.frame((0, 0)) for canvas in frames)
    followed, afresh = Emulator(WIDTH, 9), Emulator(WIDTH, 9)
    followed.feed(difference(None, before) + difference(before, after))
    afresh.feed(difference(None, after))
    assert followed.cells() == afresh.cells()


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("abcdefg", "acdefyg", "\x1b[2;6r\x1b[6H\n\x1b[r\x1b[6Hyyyyyyyyyyyyyyyyyyyy\x1b[H"),
        ("abcdefg", "axbcdeg", "\x1b[2;6r\x1b[2H\x1bM\x1b[r\x1b[2Hxxxxxxxxxxxxxxxxxxxx\x1b[H"),
        ("abcdefg", "defg   ", "\x1b[1;7r\x1b[7H\n\n\n\x1b[r\x1b[H"),
        ("abcdefg", "abdefgc", "\x1b[3;7r\x1b[7H\n\x1b[r\x1b[7Hcccccccccccccccccccc\x1b[H"),
        ("ab", "ba", "\x1b[Hbbbbbbbbbbbbbbbbbbbb\r\naaaaaaaaaaaaaaaaaaaa\x1b[H"),
    ],
)
def test_rows_that_only_moved_are_not_written_again(old: str, new: str, written: str) -> None:
    assert difference(frame_of(*(20 * sign for sign in old)), frame_of(*(20 * sign for sign in new))) == written


def test_a_row_that_all_but_moved_too_is_moved_and_mended() -> None:
    """As those that a mark at the end of its row stays behind."""
    old, new = [[*(20 * sign for sign in text)] for text in ("abcdefg", "bcdefgx")]
    old[0], new[0] = old[0][:19] + "|", new[0][:19] + "|"
    assert difference(frame_of(*old), frame_of(*new)) == f"\x1b[1;7r\x1b[7H\n\x1b[r\x1b[1;20H|\x1b[7H{20 * 'x'}\x1b[H"


def test_the_last_row_that_all_but_moved_too_is_moved_and_mended() -> None:
    old, new = [[*(20 * sign for sign in text)] for text in ("abcdefg", "xabcdef")]
    old[6], new[6] = old[6][:19] + "|", new[6][:19] + "|"
    assert difference(frame_of(*old), frame_of(*new)) == f"\x1b[1;7r\x1b[1H\x1bM\x1b[r\x1b[H{20 * 'x'}\x1b[7;20H|\x1b[H"
