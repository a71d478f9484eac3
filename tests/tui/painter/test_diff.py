"""The text from one screen to another: it leads there, whatever is drawn, and it is short."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style
from textual.strip import Strip

from cachetui.tui.painter.cells import (
    NOWHERE,
    Canvas,
)
from cachetui.tui.painter.diff import difference
from tests.support.frames import STYLES, draw_on, frame_of
from tests.support.twin import COLORS, Emulator

TEXTS = st.text(st.sampled_from("ab  │é漢한"), max_size=12) | st.sampled_from(
    ["e\u0301x", " " * 20, "n\u0303漢字", "漢\u0301xy"]
)

WIDTH, HEIGHT = 24, 3

DRAWN = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), TEXTS, STYLES)


@pytest.mark.parametrize("colors", COLORS)
@given(frames=st.lists(st.lists(DRAWN, max_size=6), min_size=1, max_size=4))
def test_a_terminal_shows_what_was_drawn(colors: ColorSystem, frames: list[list[tuple[int, int, str, Style]]]) -> None:
    """The difference to the last frame leads to the same screen as the whole of the new one."""
    canvas, shown = Canvas(WIDTH, HEIGHT), None
    followed = Emulator(WIDTH, HEIGHT)
    for drawn in frames:
        for x, y, text, style in drawn:
            draw_on(canvas, x, y, text, Strip.render_ansi(style, colors))
        frame = canvas.frame((0, 0))
        followed.feed(difference(shown, frame))
        shown = frame
        afresh = Emulator(WIDTH, HEIGHT)
        for y, row in enumerate(frame.rows):
            for x, (text, look) in enumerate(row.cells()):
                afresh.feed(f"\x1b[{y + 1};{x + 1}H\x1b[0;{look}m{text}" if text else "")
        assert followed.cells() == afresh.cells()


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        (["same", "same"], ["same", "same"], ""),
        (["abcd", "abcd"], ["abcd", "abXd"], "\x1b[2;3HX\x1b[1H"),
        (["abcdefghijkl"], ["Xbcdefghijkl"], "\x1b[1HX\x1b[1H"),
        (["abcdefghijkl"], ["aXcXefghijkl"], "\x1b[1;2HXcX\x1b[1H"),
        (["abcdefghijkl"], ["aXcdefghijXl"], "\x1b[1;2HX\x1b[8CX\x1b[1H"),
        (["abcdefghijkl"], ["aécdefghijXl"], "\x1b[1;2Hé\x1b[1;11HX\x1b[1H"),
        (["abcdefghijkl"], ["ab          "], "\x1b[1;3H\x1b[K\x1b[1H"),
        (["abcdefghijklmnop"], ["ab          mnop"], "\x1b[1;3H          \x1b[1H"),
        (["abcdefghijklmnop"], ["ab        XXmnop"], "\x1b[1;3H        XX\x1b[1H"),
        (["abc", "abc", "abc"], ["aXc", "aXc", "aXc"], "\x1b[1;2HX\x1b[2;2HX\x1b[3;2HX\x1b[1H"),
        (["abcd", "abcd", "abcd"], ["abcX", "abcd", "aXcd"], "\x1b[1;4HX\x1b[3;2HX\x1b[1H"),
        (["漢b"], ["a b"], "\x1b[1Ha \x1b[1H"),
        (["漢字"], ["字字"], "\x1b[1H字\x1b[1H"),
        (["abcd"], ["a\u0301bcX"], "\x1b[1H\x1b[1Ha\u0301\x1b[1;2Hb\x1b[1;3Hc\x1b[1;4HX\x1b[1;5H\x1b[1H"),
    ],
)
def test_a_difference_is_short(old: Sequence[str], new: Sequence[str], written: str) -> None:
    assert difference(frame_of(*old), frame_of(*new)) == written


def test_where_nobody_types_the_cursor_stays_where_it_is() -> None:
    before, after = frame_of("abc"), frame_of("abX")
    assert difference(before, after._replace(cursor=NOWHERE)) == "\x1b[1;3HX"
    assert difference(before, before._replace(cursor=NOWHERE)) == ""
    assert difference(before._replace(cursor=NOWHERE), before) == "\x1b[1H"


def test_a_screen_that_may_show_anything_is_cleared_first() -> None:
    assert difference(None, frame_of("ab  ", "    ")) == "\x1b[m\x1b[H\x1b[2J\x1b[1Hab\x1b[1H"
