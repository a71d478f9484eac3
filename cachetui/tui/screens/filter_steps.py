"""The steps of the filters that are taken on a screen over the lists, and what is said there of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from cachetui.tui.screens.lines import change_text, step_text

if TYPE_CHECKING:
    from cachetui.tui.screens.browse import BrowseScreen

FilterStep = Literal["clear", "undo", "redo"]


class TakenOut(NamedTuple):
    """The step that takes all filters of a key out."""

    key: str
    purpose: str
    """What they are in the way of, as a verb: `compare`."""


NO_STEP: Mapping[FilterStep, str] = {
    "clear": "no filter to clear",
    "undo": "no filter step to take back",
    "redo": "nothing to do again",
}


def take_over_lists(browse: BrowseScreen, step: FilterStep | TakenOut) -> str:
    """Takes a step of the filters of the browse screen, which is under another one; returns what it changed."""
    view, filters, bars = browse.view, browse.filters, browse.bars
    before, judging = view.query, view.host
    if isinstance(step, TakenOut):
        filters.step(before.without_key(step.key))
    else:
        {"clear": filters.clear, "undo": filters.undo, "redo": filters.redo}[step]()
    bars.say("")  # it is said where the key was pressed
    if isinstance(step, TakenOut) or step == "clear":
        said = change_text(before, judging, view, step.purpose if isinstance(step, TakenOut) else "")
        return f"{said}; {bars.key_of('survey.undo', 'u')} goes back" if said else NO_STEP["clear"]
    return step_text("back" if step == "undo" else "again", before, judging, view) or NO_STEP[step]
