"""The colours of the themes: told apart in lightness, and the same for a theme of Textual's, which has no shades."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.theme import BUILTIN_THEMES

from cachetui.tui.terminal.theme import (
    DARK_COLORS,
    LIGHT_COLORS,
    PLAIN_COLORS,
    THEMES,
    Colors,
    variables_of,
)
from tests.support.browsing import WIDE, browser, settled
from tests.support.drive import Drive
from tests.support.palettes import contrast

APART = 1.2
"""The least contrast between colours that mean the opposite of each other."""


@pytest.mark.parametrize("colors", [DARK_COLORS, LIGHT_COLORS], ids=["dark", "light"])
def test_green_amber_and_red_differ_for_who_sees_no_colours(colors: Colors) -> None:
    for one, other in combinations((colors.green, colors.amber, colors.red), 2):
        assert contrast(one[1:], other[1:]) >= APART


@pytest.mark.parametrize("colors", [DARK_COLORS, LIGHT_COLORS], ids=["dark", "light"])
def test_a_number_reads_on_each_shade_and_shades_go_one_way(colors: Colors) -> None:
    for text, behind in colors.shades:
        assert contrast(text[1:], behind[1:]) >= 4.5
    lightness = [contrast(behind[1:], "000000") for _, behind in colors.shades]
    assert lightness == sorted(lightness, reverse=colors is LIGHT_COLORS)
    assert all(max(pair) / min(pair) > APART for pair in pairwise(lightness))


def test_every_theme_has_the_same_variables() -> None:
    for theme in BUILTIN_THEMES.values():
        assert variables_of(theme).keys() == PLAIN_COLORS.variables.keys()


def styles_of(node: DOMNode) -> dict[str, object]:
    """All values that a widget has from style sheets, and those of its parts."""
    return dict(node._css_styles.get_rules()) | {
        part: styles.base.get_rules() for part, styles in node._component_styles.items()
    }


@pytest.mark.parametrize("theme", [*(theme.name for theme in THEMES), "nord"])
def test_style_sheets_are_read_once_at_the_start(drive: Drive, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    """With the colours of the theme: to read them again changes nothing, until another theme is chosen."""
    read_again: list[Stylesheet] = []
    reparse = Stylesheet.reparse

    def counted(sheet: Stylesheet) -> None:
        read_again.append(sheet)
        reparse(sheet)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert not read_again
        styles = {node: styles_of(node) for node in (pilot.app, *pilot.app.screen.walk_children(with_self=True))}
        App.refresh_css(pilot.app, animate=False)
        assert styles == {node: styles_of(node) for node in styles}
        background = pilot.app.screen.styles.background
        pilot.app.theme = "dracula"
        await settled(pilot)
        assert len(read_again) == 2
        assert pilot.app.screen.styles.background != background

    monkeypatch.setattr(Stylesheet, "reparse", counted)
    app = browser()
    app.theme = theme
    drive(app, scenario, WIDE)
