"""The text that changes one screen into another: correct for any drawing, and short."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style
from textual.strip import Strip

from cachetui.tui.painter.cells import NOWHERE, Canvas
from cachetui.tui.painter.changed_cells import difference
from tests.support.frames import STYLES, draw_on, frame_of
from tests.support.twin import COLORS, Emulator

TEXTS = st.text(st.sampled_from("ab  │é漢한"), max_size=12) | st.sampled_from(
    ["e\u0301x", " " * 20, "n\u0303漢字", "漢\u0301xy"]
)

WIDTH, HEIGHT = 24, 3

DRAWN = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), TEXTS, STYLES)


@pytest.mark.parametrize("colors", COLORS)
@given(frames=st.lists(st.lists(DRAWN, max_size=6), min_size=1, max_size=4))
def test_partial_update_shows_same_cells_as_whole_frame(
    colors: ColorSystem, frames: list[list[tuple[int, int, str, Style]]]
) -> None:
    """Writing only the changes since the last frame gives the same screen as writing the whole frame."""
    canvas, shown = Canvas(WIDTH, HEIGHT), None
    followed = Emulator(WIDTH, HEIGHT)
    for drawn in frames:
        for x, y, text, style in drawn:
            draw_on(canvas, x, y, text, Strip.render_ansi(style, colors))
        frame = canvas.frame((0, 0))
        followed.feed(difference(shown, frame))
        shown = frame
        afresh = Emulator(WIDTH, HEIGHT)
        afresh.show(frame)
        assert followed.cells() == afresh.cells()


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        (["same", "same"], ["same", "same"], ""),
        (["abcd", "abcd"], ["abcd", "abXd"], "\x1b[2;3HX\x1b[1H"),
        (["abcdefghijkl"], ["Xbcdefghijkl"], "\x1b[1HX\r"),
        (["abcdefghijkl"], ["aXcXefghijkl"], "\x1b[1;2HXcX\r"),
        (["abcdefghijkl"], ["aXcdefghijXl"], "\x1b[1;2HX\x1b[8CX\r"),
        (["abcdefghijkl"], ["aécdefghijXl"], "\x1b[1;2Hé\r\x1b[10CX\r"),
        (["abcdefghijkl"], ["ab          "], "\x1b[1;3H\x1b[K\r"),
        (["abcdefghijklmnop"], ["ab     hijklmnop"], "\x1b[1;3H     \r"),
        (["abcdefghijklmnop"], ["ab          mnop"], "\x1b[1;3H\x1b[10X\r"),
        (["abcdefghijklmnop"], ["ab        XXmnop"], "\x1b[1;3H\x1b[8X\x1b[8CXX\r"),
        (["abc", "abc", "abc"], ["aXc", "aXc", "aXc"], "\x1b[1;2HX\n\bX\n\bX\x1b[1H"),
        (["abcd", "abcd", "abcd"], ["abcX", "abcd", "aXcd"], "\x1b[1;4HX\x1b[3;2HX\x1b[1H"),
        (["abcd", "abcd", "abcd"], ["aXcd", "abcd", "Xbcd"], "\x1b[1;2HX\r\n\nX\x1b[1H"),
        (["漢b"], ["a b"], "\x1b[1Ha \r"),
        (["漢字"], ["字字"], "\x1b[1H字\r"),
        (["abcd"], ["a\u0301bcX"], "\x1b[1H\x1b[1Ha\u0301\x1b[1;2Hb\x1b[1;3Hc\x1b[1;4HX\x1b[1;5H\r"),
    ],
)
def test_changed_cells_of_frame_are_written_in_few_bytes(old: Sequence[str], new: Sequence[str], written: str) -> None:
    assert difference(frame_of(*old), frame_of(*new)) == written


@pytest.mark.parametrize(
    ("looks", "written"),
    [
        (("1", "1"), "\x1b[1ma b\x1b[m"),
        (("1", "1;38;5;244"), "\x1b[1ma \x1b[38;5;244mb\x1b[m"),
        (("1", "107"), "\x1b[1ma \x1b[;107mb\x1b[m"),
        (("7", ""), "\x1b[7ma\x1b[m b"),
    ],
)
def test_space_is_redrawn_only_if_its_style_is_visible(looks: tuple[str, str], written: str) -> None:
    before, canvas = frame_of("xxx"), Canvas(3, 1)
    for x, (text, look) in enumerate(zip("a b", (looks[0], "2", looks[1]), strict=True)):
        draw_on(canvas, x, 0, text, look)
    assert difference(before, canvas.frame(NOWHERE)) == f"\x1b[1H{written}"


def test_terminal_cursor_without_input_line_stays_after_last_change() -> None:
    before, after = frame_of("abc"), frame_of("abX")
    assert difference(before, after._replace(cursor=NOWHERE)) == "\x1b[1;3HX"
    assert difference(before, before._replace(cursor=NOWHERE)) == ""
    assert difference(before._replace(cursor=NOWHERE), before) == "\x1b[1H"


def test_screen_with_unknown_text_is_cleared_before_first_frame() -> None:
    assert difference(None, frame_of("ab  ", "    ")) == "\x1b[m\x1b[H\x1b[2Jab\r"
