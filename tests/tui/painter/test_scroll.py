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
        ("abcdefg", "acdefyg", "\x1b[2;6r\x1b[6H\n\x1b[r\x1b[6Hyyyyyyyyyyyyyyyyyyyy\x1b[1H"),
        ("abcdefg", "axbcdeg", "\x1b[2;6r\x1b[2H\x1bM\x1b[r\x1b[2Hxxxxxxxxxxxxxxxxxxxx\x1b[1H"),
        ("abcdefg", "defg   ", "\x1b[1;7r\x1b[7H\n\n\n\x1b[r\x1b[1H"),
        ("abcdefg", "abdefgc", "\x1b[3;7r\x1b[7H\n\x1b[r\x1b[7Hcccccccccccccccccccc\x1b[1H"),
        ("ab", "ba", "\x1b[1Hbbbbbbbbbbbbbbbbbbbb\x1b[2Haaaaaaaaaaaaaaaaaaaa\x1b[1H"),
    ],
)
def test_rows_that_only_moved_are_not_written_again(old: str, new: str, written: str) -> None:
    assert difference(frame_of(*(20 * sign for sign in old)), frame_of(*(20 * sign for sign in new))) == written
