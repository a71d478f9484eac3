"""The colours of the themes: told apart in lightness, and the same names in every theme."""

from __future__ import annotations

from itertools import combinations

import pytest
from textual.theme import BUILTIN_THEMES

from cachetui.tui.theme import DARK_COLORS, LIGHT_COLORS, PLAIN_COLORS, Colors, variables_of
from tests.support.palettes import contrast

APART = 1.2
"""The least contrast between colours that mean the opposite of each other."""


@pytest.mark.parametrize("colors", [DARK_COLORS, LIGHT_COLORS], ids=["dark", "light"])
def test_good_warn_and_bad_differ_for_who_sees_no_colours(colors: Colors) -> None:
    for one, other in combinations((colors.good, colors.warn, colors.bad), 2):
        assert contrast(one[1:], other[1:]) >= APART


@pytest.mark.parametrize("colors", [DARK_COLORS, LIGHT_COLORS], ids=["dark", "light"])
def test_a_number_reads_on_each_shade_and_shades_go_one_way(colors: Colors) -> None:
    for text, behind in colors.heat:
        assert contrast(text[1:], behind[1:]) >= 4.5
    lightness = [contrast(behind[1:], "000000") for _, behind in colors.heat]
    assert lightness == sorted(lightness, reverse=colors is LIGHT_COLORS)


def test_every_theme_has_the_same_variables() -> None:
    for theme in BUILTIN_THEMES.values():
        assert variables_of(theme).keys() == PLAIN_COLORS.variables.keys()
