"""What the browse screen is made of, for those who do a part of its work: selection, surveys and saved views."""

from __future__ import annotations

from typing import NamedTuple

from textual.screen import Screen

from cachetui.tui.screens.bars import Bars
from cachetui.tui.screens.filters import Filters
from cachetui.tui.screens.panes import Panes
from cachetui.tui.state.view import View


class BrowseParts(NamedTuple):
    """The browse screen and its parts, which all show one view."""

    owner: Screen[None]
    """The browse screen itself, that others are opened from."""
    view: View
    panes: Panes
    bars: Bars
    filters: Filters
