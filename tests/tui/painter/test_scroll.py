"""Rows that only scrolled are moved by the terminal."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.tui.painter.cells import PLAIN, Canvas, look_of
from cachetui.tui.painter.changed_cells import difference
from tests.support.frames import frame_of
from tests.support.twin import Emulator

WIDTH = 48

LINES = st.sampled_from(["", "ab", "漢字 and more", "é" * 12, "a line that is long", "another one of them", "one more"])

BESIDE = ("facets", "stack 12", "  e4s 9", "  漢字 8", "os", "  amzn2", "target", "  zen4", "")


@given(
    old=st.lists(LINES, min_size=9, max_size=9),
    come=st.lists(LINES, min_size=4, max_size=4),
    region=st.tuples(st.integers(0, 8), st.integers(0, 9)).map(sorted),
    lines=st.integers(-4, 4),
    beside=st.sampled_from([BESIDE, ("",) * 9]),
)
def test_scrolled_rows_appear_at_their_new_positions(
    old: list[str], come: list[str], region: list[int], lines: int, beside: Sequence[str]
) -> None:
    """The moved rows fill the whole screen, or only a part of it."""
    top, bottom = region
    moving = old[top:bottom]
    moved = [*moving[lines:], *come[:lines]] if lines > 0 else [*come[:-lines], *moving[: len(moving) + lines]]
    new = [*old[:top], *moved[: len(moving)], *old[bottom:]]
    new += old[len(new) :]
    frames = [Canvas(WIDTH, 9) for _ in range(2)]
    for canvas, texts in zip(frames, (old, new), strict=True):
        for y, text in enumerate(texts):
            canvas.draw(0, y, [(beside[y], PLAIN)])
            canvas.draw(12 if any(beside) else 0, y, [(text, look_of("7" if y == 4 else ""))])
    before, after = (canvas.frame((0, 0)) for canvas in frames)
    followed, afresh = Emulator(WIDTH, 9), Emulator(WIDTH, 9)
    followed.feed(difference(None, before) + difference(before, after))
    afresh.show(after)
    assert followed.cells() == afresh.cells()


def rows(signs: str) -> list[str]:
    """Return a row for each character, which is repeated twenty times."""
    return [20 * sign for sign in signs]


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        (rows("abcdefg"), rows("acdefyg"), f"\x1b[2;6r\x1b[6H\n\x1b[r\x1b[6H{20 * 'y'}\x1b[1H"),
        (rows("abcdefg"), rows("axbcdeg"), f"\x1b[2;6r\x1b[2H\x1bM\x1b[r\x1b[2H{20 * 'x'}\x1b[1H"),
        (rows("abcdefg"), rows("  abcde"), "\x1b[1;7r\x1b[1H\x1bM\x1bM\x1b[r\x1b[1H"),
        (rows("abcdefg"), rows("defg   "), "\x1b[1;7r\x1b[7H\n\n\n\x1b[r\x1b[1H"),
        (rows("abcdefg"), rows("abdefgc"), f"\x1b[3;7r\x1b[7H\n\x1b[r\x1b[7H{20 * 'c'}\x1b[1H"),
        (rows("ab"), rows("ba"), f"\x1b[1;2r\x1b[2H\n\x1b[r\x1b[2H{20 * 'a'}\x1b[1H"),
        (["ab  x", "cd  y", "ef  z"], ["cd  x", "ef  y", "gh  z"], "\x1b[1Hcd\r\nef\r\ngh\x1b[1H"),
        (
            [*map("{}  {}".format, "12345", rows("abcde"))],
            [*map("{}  {}".format, "12345", rows("bcdef"))],
            f"\x1b[1;5r\x1b[5H\n\x1b[r\x1b[1H1\r\n2\r\n3\r\n4\r\n5  {20 * 'f'}\x1b[1H",
        ),
    ],
)
def test_scrolling_rewrites_only_text_outside_the_scrolled_rows(old: list[str], new: list[str], written: str) -> None:
    assert difference(frame_of(*old), frame_of(*new)) == written
