"""The stacks screen, on the sample catalogue."""

import pytest

from cachetui.analysis.stacks import stack_sizes
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.lines import lay_out, text_of
from cachetui.tui.stacks.screen import Stacks, StacksScreen, StacksState
from cachetui.tui.view.view import View
from tests.support.drive import HOST, SMALL, WIDE, Drive, browser
from tests.support.frozen_screens import assert_screen_after
from tests.support.rows import index_of, row


def test_stacks_are_listed_worst_first(drive: Drive) -> None:
    assert_screen_after(("o",), drive(browser(), WIDE), "stacks_140x40")
    pilot = drive(browser(), SMALL)
    assert_screen_after(("o", "j"), pilot, "stacks_80x24")
    screen = pilot.app.screen
    assert isinstance(screen, StacksScreen)
    size = screen.state.current
    assert size is not None
    pilot.press("enter")
    specs = pilot.app.screen
    assert isinstance(specs, BrowseScreen)
    assert (specs.state.view.query.line, specs.state.view.results.specs) == (f"stack={size.stack}", size.specs)


@pytest.mark.parametrize(
    ("width", "stack", "name", "tags"), [(76, "e4s", 7, 20), (76, "x" * 40, 25, 12), (57, "e4s", 7, 11)]
)
def test_long_stack_names_leave_space_for_tag_columns(width: int, stack: str, name: int, tags: int) -> None:
    weeks = [f"develop-2025-{month:02}-{day:02}" for month in (1, 2, 3, 4) for day in (1, 8, 15, 22, 28)]
    index = index_of([row(f"p{k}", tag=tag, stacks=[stack]) for tag in weeks for k in range(3)])
    state = StacksState.of(View(index=index, host=HOST, tag=weeks[-1]))
    state = state.answered(state.asks, Stacks(stack_sizes(*state.asks[:2])))
    wide = StacksState(view=state.view, answer=state.answer, width=width)
    slots = lay_out(wide.columns, width)
    assert (slots[0].width, slots[-1].width) == (name, tags)
    assert wide.rows is not None
    assert len(text_of(wide.rows.row[0].cells[-1])) == tags
