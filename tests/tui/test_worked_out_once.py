"""That the tests of the screen see the styles that Textual finds, though each is searched for once."""

from __future__ import annotations

from typing import Any

import pytest
from textual.dom import DOMNode
from textual.pilot import Pilot

from cachetui.tui.terminal.theme import DARK, THEME
from tests.support.browsing import LEAST, WIDE, browser, settled
from tests.support.drive import Drive
from tests.support.worked_out_once import plain_styles

KEYS = ("down", "space", "question_mark", "q", "c", "q", "slash")


def styles_of(node: DOMNode) -> dict[str, object]:
    """All values that a widget has from style sheets, and those of its parts."""
    return dict(node._css_styles.get_rules()) | {
        part: styles.base.get_rules() for part, styles in node._component_styles.items()
    }


@pytest.mark.parametrize(("theme", "size"), [(THEME.name, LEAST), (DARK.name, WIDE)])
def test_styles_that_are_known_are_those_that_are_found(drive: Drive, theme: str, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for key in KEYS:
            await pilot.press(key)
            await settled(pilot)
            for node in pilot.app.screen.walk_children(with_self=True):
                known = styles_of(node)
                with plain_styles():
                    pilot.app.stylesheet.apply(node)
                assert styles_of(node) == known

    app = browser()
    app.theme = theme
    drive(app, scenario, size)
