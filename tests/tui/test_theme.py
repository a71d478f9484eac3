"""The colours of the themes: different in lightness, and with the same names in every theme."""

from itertools import combinations

import pytest

from cachetui.tui.theme import COLORS_256, DARK_COLORS, LIGHT_COLORS, Colors
from tests.support.palettes import PALETTES, contrast

APART = 1.2
"""The minimum contrast between colours of opposite meaning."""


ON_ANY = {"accent": 3.0, "muted": 3.1, "bar": 3.1, "bad": 3.1, "match": 3.2, "good": 2.9, "warn": 2.8}
"""The minimum contrast of each colour for an unknown background, over all terminal schemes."""

MORE_BACKGROUNDS = {"Nord": "2e3440", "Dracula": "282a36", "One Dark": "282c34"}


@pytest.mark.parametrize("name", ON_ANY)
def test_neutral_colour_is_visible_on_every_background(name: str) -> None:
    backgrounds = [*(each.background for each in PALETTES.values()), *MORE_BACKGROUNDS.values()]
    assert min(contrast(getattr(COLORS_256, name)[1:], each) for each in backgrounds) >= ON_ANY[name]


def test_cursor_row_is_readable_on_unknown_background() -> None:
    assert COLORS_256.cursor is not None
    text, behind = COLORS_256.cursor
    assert contrast(text[1:], behind[1:]) >= 5
    assert min(contrast(each.colors.split()[0], each.colors.split()[6]) for each in PALETTES.values()) >= 3.2


@pytest.mark.parametrize("colors", [DARK_COLORS, LIGHT_COLORS], ids=["dark", "light"])
def test_colours_of_different_verdicts_differ_in_lightness(colors: Colors) -> None:
    for one, other in combinations((colors.good, colors.warn, colors.bad), 2):
        assert contrast(one[1:], other[1:]) >= APART
