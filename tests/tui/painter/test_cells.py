"""A screen of cells: styles and the codes between them, wide and combining characters, and unchanged frames."""

import pytest

from cachetui.tui.painter.cells import (
    PLAIN,
    Canvas,
    Codebook,
    blank_row,
    characters,
    look_of,
    text_of,
)
from tests.support.frames import draw_on


def test_half_overwritten_wide_character_becomes_a_space() -> None:
    canvas = Canvas(6, 1)
    draw_on(canvas, 0, 0, "漢字漢", "")
    draw_on(canvas, 1, 0, "xx", "")
    assert text_of(canvas.frame((0, 0)).rows[0].text) == " xx 漢"


def test_text_becomes_substitute_symbol_if_no_code_is_left() -> None:
    signs = Codebook(range(ord("a"), ord("c")), "first", "?")
    assert [signs[text] for text in ("first", "second", "third", "second")] == ["a", "b", "?", "b"]
    assert "a?b".translate(signs.values_of) == "first?second"


def test_finished_frame_is_not_changed_by_later_drawing() -> None:
    canvas = Canvas(4, 1)
    frame = canvas.frame((0, 0))
    draw_on(canvas, 0, 0, "abcdef", "")
    assert frame.rows[0] == blank_row(4)


def test_characters_include_their_combining_marks() -> None:
    assert characters("\u0301ae\u0301漢\u2764\ufe0f") == (("a", 1), ("e\u0301", 1), ("漢", 2), ("\u2764\ufe0f", 2))


@pytest.mark.parametrize(
    ("codes", "look"),
    [
        ("", PLAIN),
        ("39;49", PLAIN),
        ("1;2;31;49", "1;2;31"),
        ("38;2;95;215;255", "38;5;81"),
        ("1;38;2;0;0;0;48;2;168;168;168", "1;38;5;16;48;5;248"),
        ("38;2;95;215;254;48;2;9;9;9", "38;2;95;215;254;48;2;9;9;9"),
        ("38;5;39;48;5;49", "38;5;39;48;5;49"),
    ],
)
def test_terminal_codes_of_a_style_are_simplified(codes: str, look: str) -> None:
    assert look_of(codes) == look
