"""The timeline screen, on the sample catalogue."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.timeline import timeline
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.frame import Status
from cachetui.tui.lines import BAD, text_of
from cachetui.tui.timeline.screen import TimelineState
from cachetui.tui.view.view import View
from tests.support.drive import HOST, SMALL, WIDE, Drive, browser
from tests.support.frozen_screens import assert_screen_after
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
    """Compute the pending answer of a state; return the state with the answer."""
    return state if state.question is None else state.answered(state.asks, timeline(*state.asks))


def opened(text: str = "hdf5", rows: list[dict[str, Any]] = ROWS, **fields: Any) -> TimelineState:
    view = View(index=index_of(rows), host=HOST, query=Query.parse(text, fuzzy_name=True), **fields)
    return answered(TimelineState.of(view))


def shown(state: TimelineState) -> list[str]:
    lines = (state.rows.row[k] for k in range(len(state.rows)))
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
def test_typed_word_filters_the_timeline(word: str, expected: list[str]) -> None:
    assert shown(opened().find(word)) == expected


def test_timeline_cursor_starts_on_shown_tag() -> None:
    state = opened(tag=NEW)
    assert state.rows.key(state.cursor.on(state.rows)) == NEW
    other = state.on_view(state.view.step_tag(-1))
    assert other.found is state.found
    assert other.rows.key(other.cursor.on(other.rows)) == OLD
    assert state.move(OLD, 3).on_view(state.view).cursor.key == OLD


def test_changed_filter_reloads_the_timeline() -> None:
    state = opened("hdf5 stack=hep", rows=ROWS)
    cleared = state.on_view(state.view.clear())
    assert cleared.question is not None
    assert shown(state)[0].startswith("develop 1")
    late = cleared.on_view(state.view)
    assert late.answered(cleared.question, timeline(*cleared.question)) is late
    assert answered(cleared).package == "hdf5"


def test_timeline_details_describe_selected_tag() -> None:
    state = opened().move(NEW, 2)
    assert {field.label: field.lines for field in state.fields} == {
        "new": ("1.14", "hep"),
        "removed": ("1.12",),
        "versions": ("1.14",),
        "stacks": ("e4s", "hep"),
    }
    assert opened("nothing").opened() is None


@pytest.mark.parametrize(
    ("package", "expected"),
    [("hdf5", "last change in develop: 1 removed"), ("nothing", f"{BAD} not in develop")],
)
def test_timeline_title_states_last_change_of_package(package: str, expected: str) -> None:
    assert "".join(map(text_of, opened(package).title_answer)) == expected


@given(CATALOGUES, st.sampled_from(["hdf5", "hdf5 os=rhel8", "zlib stack=hep"]))
def test_timeline_row_opens_specs_of_its_tag(rows: list[dict[str, Any]], text: str) -> None:
    state = opened(text, rows)
    for k, moment in enumerate(state.listed):
        view = state.move(moment.tag, k).opened()
        assert (view is None) == (moment.specs == 0)
        if view is not None:
            assert (view.tag, view.package) == (moment.tag, state.package)
            assert len(view.results.rows) == moment.specs


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_timeline_screen_shows_chart_and_details(drive: Drive, size: tuple[int, int]) -> None:
    assert_screen_after(("v", "j"), drive(browser(), size), f"timeline_{size[0]}x{size[1]}")


def test_enter_in_timeline_opens_specs_of_tag(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("v")
    pilot.press("j", "enter")
    assert isinstance(pilot.app.screen, BrowseScreen)
    assert (pilot.app.screen.state.view.package, pilot.app.screen.state.view.tag) == (
        "py-ml-dtypes",
        "develop-2025-04-20",
    )
    pilot.press("escape", "slash", *"nothing", "enter")
    assert "Tags 0" in pilot.text


@pytest.mark.parametrize(
    ("key", "judged"), [("c", ("a gap", "18 gaps")), ("v", ("develop-2025-04-20", "+e4s-neoverse_v1"))]
)
def test_coverage_and_timeline_wait_for_content_before_their_verdicts(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, key: str, judged: tuple[str, str]
) -> None:
    pilot = drive(browser())
    for progress, is_judged in (("reading 35 %", False), ("", True)):
        monkeypatch.setattr(BrowserApp, "status", Status("content", progress=progress))
        pilot.press(key)
        shown = [text in pilot.text for text in (*judged, "reading 35 %")]
        assert shown == [is_judged, is_judged, not is_judged]
        pilot.press("escape")


def test_timeline_is_exported_as_html(drive: Drive, tmp_path: Path) -> None:
    pilot = drive(browser())
    pilot.press("v", "e", *f"{tmp_path}/map.html", "enter")
    text = (tmp_path / "map.html").read_text()
    assert "<h1>py-ml-dtypes across the tags </h1>" in text
    assert text.count("<tr>") == 3


def test_copying_in_timeline_without_package_reports_nothing_to_copy(drive: Drive) -> None:
    pilot = drive(browser("@99"))
    pilot.press("v", "y")
    assert "The list is empty." in pilot.text
