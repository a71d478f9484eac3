"""The diff screen, on the sample content."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from cachetui.analysis.diff import diff
from cachetui.catalogue import Catalogue
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.tui.app import ContentReading
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.diff.screen import Changes, DiffState, items
from cachetui.tui.view.view import View
from tests.support.drive import HOST, SMALL, WIDE, Drive, browser, sample_browser
from tests.support.frozen_screens import assert_screen_after
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import index_of, row

WEEKS = ("develop-2025-04-20", "develop-2025-04-13", "develop-2025-04-06")


def compared(state: DiffState) -> DiffState:
    """Compute the pending answer of a state; return the state with the answer."""
    return state if state.question is None else state.answered(state.question, Changes(diff(*state.question)))


def sample() -> DiffState:
    index = Catalogue(SAMPLE_CONTENT, Settings(), index_cache=False).load()
    return compared(DiffState.of(View(index=index, host=HOST)))


def weeks() -> Index:
    """Return an index with a version that rises each week, and a package that is new in the last week."""
    rows = [row(version=f"1.{k}", tag=tag) for k, tag in enumerate(reversed(WEEKS))]
    return index_of([*rows, row("zlib", tag=WEEKS[0])])


def shown(state: DiffState) -> Sequence[str]:
    rows = state.rows
    return [] if rows is None else [item.name if item else f"# {section}" for section, item in rows.places]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([], ["# packages new", "# version up"]),
        ([("fold",)], ["# packages new", "zlib", "# version up"]),
        ([("fold",), ("fold",)], ["# packages new", "# version up"]),
        ([("find", "VERSION")], ["# version up", "hdf5"]),
        ([("find", "e4s")], ["# version up", "hdf5"]),
        ([("find", "nothing")], []),
        ([("step", -1)], ["# version up"]),
    ],
)
def test_each_diff_action_gives_expected_rows(steps: list[tuple[Any, ...]], expected: list[str]) -> None:
    state = compared(DiffState.of(View(index=weeks(), host=HOST, tag=WEEKS[0])))
    for name, *arguments in steps:
        state = compared(getattr(state, name)(*arguments))
    assert shown(state) == expected


def test_diff_compares_shown_tag_with_previous_tag() -> None:
    index = index_of(row(tag=tag) for tag in ("develop", *WEEKS))
    state = DiffState.of(View(index=index, host=HOST, tag="develop"))
    assert (state.old, state.new) == (WEEKS[0], "develop")


def test_step_beyond_last_tag_leaves_diff_unchanged() -> None:
    state = compared(DiffState.of(View(index=weeks(), host=HOST, tag=WEEKS[0])))
    assert state.step(1) is state
    assert state.step(-1).step(-1) == state.step(-1)


def test_folding_a_section_moves_cursor_to_its_heading() -> None:
    state = compared(DiffState.of(View(index=weeks(), host=HOST, tag=WEEKS[0]))).fold()
    assert state.rows is not None
    inside = state.move(state.rows.key(1), 1)
    assert inside.current[1] is not None
    assert inside.fold().current == ("packages new", None)


def test_diff_shows_previous_result_until_next_result_arrives() -> None:
    state = compared(DiffState.of(View(index=weeks(), host=HOST, tag=WEEKS[0])))
    stepped = state.step(-1)
    assert stepped.question is not None
    assert shown(stepped) == shown(state)
    assert state.question is None
    late = replace(stepped.step(1), old=WEEKS[2])
    assert late.answered(stepped.question, Changes(diff(*stepped.question))) is late


@pytest.mark.parametrize(("tags", "pair"), [(WEEKS[1:], WEEKS[:0:-1]), (WEEKS[:1], ("", WEEKS[0]))])
def test_diff_selects_other_tags_if_compared_tags_disappear(tags: tuple[str, ...], pair: tuple[str, ...]) -> None:
    state = DiffState.of(View(index=weeks(), host=HOST, tag=WEEKS[0]))
    newer = state.on_view(View(index=index_of(row(tag=tag) for tag in tags), host=HOST))
    assert (newer.old, newer.new) == pair


def test_diff_row_opens_exactly_its_counted_specs() -> None:
    state = sample()
    assert state.difference is not None
    for section in {item.section for item in items(state.difference)}:
        state = state.move((section, None), 0).fold()
    assert state.rows is not None
    opened = 0
    for k, (_, item) in enumerate(state.rows.places):
        view = state.move(state.rows.key(k), k).opened()
        assert (view is None) == (item is None)
        if view is None or item is None or not item.old + item.new:
            continue
        counts = {tag: len(view.results.rows & view.index.value_rows("tag", tag)) for tag in (state.old, state.new)}
        if item.section.startswith("packages"):
            assert counts == {state.old: item.old, state.new: item.new}
        elif item.change is not None:
            assert sum(counts.values()) == len({*item.change.old_rows, *item.change.new_rows})
        opened += 1
    assert opened > 5


def test_diff_verdict_counts_listed_changes() -> None:
    index = index_of([row(tag=WEEKS[1]), row(tag=WEEKS[0], hash="a" * 32), row("zlib", tag=WEEKS[0])])
    assert Changes(diff(index, *WEEKS[1::-1])).verdict == "1 change"
    assert Changes(diff(index, *WEEKS[:2])).verdict == "1 change"
    assert Changes(diff(index, WEEKS[0], WEEKS[0])).verdict == "nothing changed"


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_diff_screen_shows_sections_and_selected_change(drive: Drive, size: tuple[int, int]) -> None:
    keys = ("d", "space", *"jjjjjj", "space", "j")
    assert_screen_after(keys, drive(browser(), size), f"diff_{size[0]}x{size[1]}")


def test_typed_word_filters_the_diff(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("d")
    pilot.press("slash", *"safetensors", "enter", "j", "enter")
    assert isinstance(pilot.app.screen, BrowseScreen)
    assert pilot.app.screen.state.view.package == "py-safetensors"
    pilot.press("escape")
    assert "/ safetensors" in pilot.lines[1]


def test_older_tag_of_diff_is_selected_in_dialog(drive: Drive) -> None:
    pilot = drive(sample_browser())
    pilot.press("d")
    pilot.press("T", *"site", "enter")
    assert "sample_mirror/site → sample/develop" in pilot.lines[0]
    assert "packages removed" in pilot.text


def test_diff_screen_waits_for_whole_content_before_its_verdict(drive: Drive) -> None:
    app = browser()
    pilot = drive(app)
    app._reading = ContentReading("reading 35 %", is_first=True)
    pilot.press("d")
    assert pilot.lines[2].endswith("reading 35 % ━")
    assert "packages new" not in pilot.text
