"""A screen as cells: looks and the codes between them, wide and combining characters, frames that stay."""

from __future__ import annotations

import pytest

from cachetui.tui.painter.cells import (
    Canvas,
    Codebook,
    blank_row,
    characters,
    look_of,
    sequence_of,
    text_of,
)
from tests.support.frames import draw_on


@pytest.mark.parametrize(
    ("codes", "written"),
    [
        ("", "\x1b[m"),
        ("1;31;49", "\x1b[;1;31m"),
        ("1;2;38;5;200;44", "\x1b[;1;2;38;5;200;44m"),
        ("53;48;2;4;5;6", "\x1b[;53;48;2;4;5;6m"),
    ],
)
def test_a_look_is_written_whatever_was_before(codes: str, written: str) -> None:
    assert sequence_of(look_of(codes)) == written


def test_a_half_of_a_wide_character_is_a_blank() -> None:
    canvas = Canvas(6, 1)
    draw_on(canvas, 0, 0, "漢字漢", "")
    draw_on(canvas, 1, 0, "xx", "")
    assert text_of(canvas.frame((0, 0)).rows[0].text) == " xx 漢"


def test_what_finds_no_sign_any_more_is_told_by_another_one() -> None:
    signs = Codebook(range(ord("a"), ord("c")), "first", "?")
    assert [signs[text] for text in ("first", "second", "third", "second")] == ["a", "b", "?", "b"]
    assert "a?b".translate(signs.values_of) == "first?second"


def test_frames_stay_as_they_were_taken() -> None:
    canvas = Canvas(4, 1)
    frame = canvas.frame((0, 0))
    draw_on(canvas, 0, 0, "abcdef", "")
    assert frame.rows[0] == blank_row(4)


def test_characters_have_what_combines_with_them() -> None:
    assert characters("\u0301ae\u0301漢\u2764\ufe0f") == (("a", 1), ("e\u0301", 1), ("漢", 2), ("\u2764\ufe0f", 2))


@pytest.mark.parametrize(
    ("codes", "foreground", "background"),
    [
        ("38;2;95;215;255", "38;5;81", ""),
        ("1;38;2;0;0;0;48;2;168;168;168", "38;5;16", "48;5;248"),
        ("38;2;95;215;254;48;2;9;9;9", "38;2;95;215;254", "48;2;9;9;9"),
        ("38;5;81", "38;5;81", ""),
    ],
)
def test_a_colour_that_is_one_of_the_256_is_sent_as_its_number(codes: str, foreground: str, background: str) -> None:
    look = look_of(codes)
    assert (look.foreground, look.background) == (foreground, background)
