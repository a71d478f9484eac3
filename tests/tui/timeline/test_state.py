"""The steps of the timeline, and that a row opens the tag that it tells of."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.timeline import timeline
from cachetui.query.query import Query
from cachetui.tui.lines import text_of
from cachetui.tui.timeline.state import TimelineState
from cachetui.tui.view.view import View
from tests.support.browsing import HOST
from tests.support.random_rows import CATALOGUES
from tests.support.rows import index_of, row

NEW, OLD, RELEASE = "develop-2025-04-20", "develop-2025-04-13", "v1.0.0"

ROWS = [
    row("hdf5", "1.10", tag=RELEASE),
    row("hdf5", "1.12", tag=OLD),
    row("hdf5", "1.14", tag=NEW, stacks=["e4s", "hep"]),
    row("hdf5", "1.14", tag="develop", stacks=["hep"]),
    row("zlib", tag="develop"),
]


def answered(state: TimelineState) -> TimelineState:
    """Return the state with the answer to its question."""
    return state if state.question is None else state.answered(state.asks, timeline(*state.asks))


def opened(text: str = "hdf5", rows: list[dict[str, Any]] = ROWS, **fields: Any) -> TimelineState:
    view = View(index=index_of(rows), host=HOST, query=Query.parse(text, fuzzy_name=True), **fields)
    return answered(TimelineState.of(view))


def shown(state: TimelineState) -> list[str]:
    lines = (state.rows.row(k) for k in range(len(state.rows)))
    return [" ".join(" ".join(map(text_of, (*line.cells[:2], *line.cells[3:]))).split()) for line in lines]


BY_TAG = [
    "develop 1 1.14 1 -e4s",
    f"{RELEASE} 1 1.10 1",
    f"{NEW} 1 1.14 2 +1.14 +hep -1.12",
    f"{OLD} 1 1.12 1",
]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", BY_TAG),
        ("1.1", BY_TAG),
        ("1.10", BY_TAG[1:2]),
        ("V1", BY_TAG[1:2]),
        ("HE", BY_TAG[:3:2]),
        ("20", BY_TAG[2:]),
    ],
)
def test_word_filters_tags_versions_and_stacks(word: str, expected: list[str]) -> None:
    assert shown(opened().find(word)) == expected


def test_cursor_is_on_the_shown_tag() -> None:
    state = opened(tag=NEW)
    assert state.rows.key(state.cursor.on(state.rows)) == NEW
    other = state.on_view(state.view.step_tag(-1))
    assert other.found is state.found
    assert other.rows.key(other.cursor.on(other.rows)) == OLD
    assert state.move(OLD, 3).on_view(state.view).cursor.key == OLD


def test_other_filters_ask_again_and_late_answers_are_dropped() -> None:
    state = opened("hdf5 stack=hep", rows=ROWS)
    cleared = state.on_view(state.view.clear())
    assert cleared.question is not None
    assert shown(state)[0].startswith("develop 1")
    late = cleared.on_view(state.view)
    assert late.answered(cleared.question, timeline(*cleared.question)) is late
    assert answered(cleared).package == "hdf5"


def test_details_describe_the_tag_under_the_cursor() -> None:
    state = opened().move(NEW, 2)
    assert {field.label: field.lines for field in state.fields} == {
        "new": ("1.14", "hep"),
        "gone": ("1.12",),
        "versions": ("1.14",),
        "stacks": ("e4s", "hep"),
    }
    assert opened("nothing").opened() is None


@given(CATALOGUES, st.sampled_from(["hdf5", "hdf5 os=rhel8", "zlib stack=hep"]))
def test_a_row_opens_the_specs_of_its_tag(rows: list[dict[str, Any]], text: str) -> None:
    state = opened(text, rows)
    for k, moment in enumerate(state.listed):
        view = state.move(moment.tag, k).opened()
        assert (view is None) == (moment.specs == 0)
        if view is not None:
            assert (view.tag, view.package) == (moment.tag, state.package)
            assert len(view.results.rows) == moment.specs
