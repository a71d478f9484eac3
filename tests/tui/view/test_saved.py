"""A view that is saved and reopened, and its command."""

import csv
import json
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cachetui.analysis.diff import diff
from cachetui.cli.main import main
from cachetui.model.host import Host
from cachetui.model.spec import AXES
from cachetui.settings.saved_views import SavedView
from cachetui.settings.settings import COLUMNS
from cachetui.tui.browse.state import copies_of, marked_specs, shown_specs
from cachetui.tui.coverage.screen import CoverageState, count_specs
from cachetui.tui.diff.screen import Changes, DiffState
from cachetui.tui.frame import ScreenAsked, StateScreen
from cachetui.tui.view.rows import Order, sortable, spec_key
from cachetui.tui.view.saved import VIEW, command_of, saved_list, screen_of, view_of
from cachetui.tui.view.view import View
from tests.support.drive import WIDE, Drive, Pilot, browser
from tests.support.places import SAMPLE_CONTENT, SAMPLE_MIRROR
from tests.support.rows import VARIED, index_of, row, write

HERE = Host.parse("here")
OTHER = Host("linux", "rhel9", "zen4")


def view(query: str = "", host: Host = HERE) -> View:
    start = View(index=index_of(VARIED), host=host)
    return start.ask(start.parsed(query))


def saved_of(state: Any) -> SavedView:
    """Return the saved view of a state that has one."""
    saved = saved_list(state) if isinstance(state, View) else state.saved
    assert saved is not None
    return saved


@pytest.mark.parametrize(
    "before",
    [
        view(),
        view("hdf5 os=rhel8").choose_tag(None),
        view("os=ubuntu20.04").choose_tag("v0.20.0").sort().turn_order(),
        view("tag=v0.20.0,develop +mpi"),
        view(host=OTHER).turn_host(),
        view(host=OTHER).enter("hdf5").sort(),
        view("nothinglikeit"),
    ],
)
def test_saved_view_of_browse_screen_is_restored(before: View) -> None:
    saved = saved_of(before)
    after = view_of(saved, view("zlib"))
    assert screen_of(saved) == "browse"
    assert (after.asked, after.shown_tag, after.host) == (before.asked, before.shown_tag, before.host)
    assert (after.package_order, after.spec_order) == (before.package_order, before.spec_order)
    assert after.package == before.package
    assert saved_list(after) == saved


def coverage_of(start: View, steps: str) -> CoverageState:
    """Return the coverage state after some steps; `:` separates the argument of a step."""
    state = CoverageState.of(start)
    state = state.answered(state.asks, count_specs(state.asks))
    for name, _, text in (step.partition(":") for step in steps.split()):
        state = getattr(state, name)(*[int(text) if text.isdigit() else text] * bool(text))
        state = state.answered(state.asks, count_specs(state.asks))
    return state


STEPS = ["", "turn_gaps", "sort turn_order", "mark move_column:2 mark compare compare compare"]
STEPS += ["find:hdf5", "find:e4s", "mark move_column:1 mark", "mark move_column:2 mark compare turn_gaps sort"]


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("tag", ["develop", None])
def test_command_of_saved_coverage_view_prints_the_same_table(
    tag: str | None, steps: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = coverage_of(view().choose_tag(tag), steps)
    saved = saved_of(state)
    again = CoverageState.of(view_of(saved, view())).with_words(saved.words)
    again = again.answered(again.asks, count_specs(again.asks))
    assert state.coverage is not None
    assert again.coverage is not None
    assert (again.saved, again.coverage.rows, again.coverage.columns) == (
        saved,
        state.coverage.rows,
        state.coverage.columns,
    )
    command = command_of(saved, str(write(tmp_path, VARIED)), state.view.index)
    assert main([*shlex.split(command)[1:], "--format", "csv"]) == (0 if state.coverage.rows else 1)
    head, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert head[2:] == [column.name for column in state.coverage.columns]
    assert [row[0] for row in rows] == [row.name for row in state.coverage.rows]


@pytest.mark.parametrize(("old", "new", "word"), [("v0.20.0", "develop", ""), ("develop", "v0.20.0", "zlib")])
def test_command_of_saved_diff_view_prints_the_same_changes(
    old: str, new: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = replace(DiffState.of(view()), old=old, new=new, word=word)
    saved = saved_of(state)
    again = DiffState.of(view_of(saved, view("zlib"))).with_words(saved.words)
    assert (again.old, again.new, again.word, again.query) == (old, new, word, state.query)
    command = command_of(saved, str(write(tmp_path, VARIED)), state.view.index)
    assert main([*shlex.split(command)[1:], "--format", "json"]) == 0
    assert state.asks is not None
    state = state.answered(state.asks, Changes(diff(*state.asks)))
    document = json.loads(capsys.readouterr().out)
    assert (document["old"], document["new"]) == (old, new)
    listed = {item.name for own in state.rows.sections.values() for item in own} if state.rows else set()
    packages = (*document["packages_gone"], *document["packages_new"], *document["changes"])
    assert listed == {*document["stacks_gained"], *document["stacks_lost"], *(each["package"] for each in packages)}


@pytest.mark.parametrize(
    "saved",
    [
        SavedView(screen="specs", package="gone"),
        SavedView(words=("--sort=gone",)),
        SavedView(host="no-"),
        SavedView(screen="coverage", words=("--rows=os", "--cols=gone", "--sort=gone")),
    ],
)
def test_invalid_values_in_saved_view_are_dropped(saved: SavedView) -> None:
    after = CoverageState.of(view_of(saved, view())).with_words(saved.words).view
    assert after.axes == AXES
    assert (after.package, after.package_order, after.spec_order, after.host) == (None, Order(), Order(), HERE)


@pytest.mark.parametrize(
    ("shown_view", "command"),
    [
        (view(), "cachetui find . --packages tag=develop"),
        (view("hdf").choose_tag(None), "cachetui find . --packages --fuzzy hdf"),
        (view("hdf5").choose_tag(None), "cachetui find . --packages hdf5"),
        (view("os=rhel8").choose_tag(None).sort(), "cachetui find . --packages --sort=-specs os=rhel8"),
        (view().choose_tag(None).turn_order(), "cachetui find . --packages --sort=-package"),
        (view("hdf").choose_tag(None).enter("hdf5"), "cachetui find . hdf5"),
        (view().enter("hdf5").turn_order(), "cachetui find . --sort=version 'hdf5 tag=develop'"),
        (view().choose_tag(None).enter("hdf5").sort(), "cachetui find . --sort=compiler hdf5"),
        (
            view("fits=linux-ubuntu22.04-zen4").choose_tag(None).enter("hdf5"),
            "cachetui find . --sort=-version 'hdf5 fits=linux-ubuntu22.04-zen4'",
        ),
    ],
)
def test_copied_command_reproduces_the_view(shown_view: View, command: str) -> None:
    assert command_of(saved_of(shown_view), ".", shown_view.index) == command


TAGS = ("develop", "develop-2025-04-20", "develop-2025-04-13", "v1.0.0", "other")
KEPT = {"a": TAGS, "b": TAGS[1:3], "c": TAGS[:1], "d": TAGS[2:4], "e": TAGS[4:]}
"""Specs by the first character of their hashes, and the tags of each."""


@pytest.mark.parametrize("column", [None, *sortable(COLUMNS)])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("query", ["", "fits=linux-ubuntu24.04-zen4"])
def test_command_of_view_prints_rows_in_screen_order(
    column: str | None, reverse: bool, query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(hash=letter * 32, version=f"1.{k}", tag=tag) for k, letter in enumerate(KEPT) for tag in KEPT[letter]]
    write(tmp_path, [*VARIED, *rows])
    whole = View(index=index_of([*VARIED, *rows]), host=HERE).choose_tag(None)
    shown = whole.ask(whole.parsed(query)).enter("hdf5")
    shown = replace(shown, spec_order=Order(column, reverse))
    assert (
        main([*shlex.split(command_of(saved_of(shown), str(tmp_path), shown.index))[1:], "--format", "{hash} {tag}"])
        == 0
    )
    assert capsys.readouterr().out.splitlines() == [f"{spec.hash} {spec.tag}" for spec in shown_specs(shown)]


def test_marked_specs_are_copied_instead_of_listed_specs() -> None:
    inside = view().enter("hdf5")
    assert inside.current_row is not None
    assert dict(copies_of(inside))["hash"] == inside.index.spec(inside.current_row).hash
    assert [spec.package for spec in shown_specs(inside)] == ["hdf5"] * inside.results.specs_of(
        inside.index.package_number("hdf5") or 0
    )
    keys = [spec_key(inside.index, row) for row in inside.index.all_rows][3:6]
    marked = replace(inside, marks=frozenset(keys))
    assert sorted(spec.hash or "" for spec in marked_specs(marked)) == sorted(key[2] for key in keys)
    in_order = map(marked.index.spec, marked.choose_tag(None).results.in_order())
    assert marked_specs(marked) == [spec for spec in in_order if spec.hash in [key[2] for key in keys]]
    assert list(shown_specs(marked)) == marked_specs(marked)
    assert len(dict(copies_of(marked))["hash"].split()) == 3


SCREENS = [
    *(
        "v",
        "c m o s enter",
        "c space right space = =",
        "d",
        "d slash h d f 5 enter",
        "o",
        "o H",
        "enter i",
        "enter i H",
    ),
    *("enter n", "enter n g", "slash z l i b minus n g enter enter space j space ="),
]
"""Keys that open a screen of the built-in content."""


@pytest.mark.parametrize("keys", SCREENS)
def test_copied_command_of_each_saved_screen_runs(keys: str, drive: Drive) -> None:
    pilot = drive(browser(content=SAMPLE_CONTENT if keys[0] == "d" else SAMPLE_MIRROR), WIDE)
    pilot.press(*keys.split())
    lines, below, (saved, copied) = pilot.lines, pilot.app.screen_stack[1], shown(pilot)
    pilot.press(*["escape"] * 4)
    assert pilot.lines[2:-1] != lines[2:-1]
    assert isinstance(below, StateScreen)
    pilot.app.post_message(ScreenAsked(screen_of(saved), view_of(saved, below.state.view), saved.words))
    pilot.settle()
    assert shown(pilot) == (saved, copied)
    assert pilot.lines[2:-1] == lines[2:-1]
    with redirect_stdout(StringIO()) as out:
        assert main(shlex.split(copied)[1:]) in (0, 1)
    assert out.getvalue()


def shown(pilot: Pilot) -> tuple[SavedView, str]:
    """Return the saved view of the top screen, and the command that `y` copies."""
    screen = pilot.app.screen
    assert isinstance(screen, StateScreen)
    return saved_of(screen.state), screen.texts()[VIEW]


def test_view_of_a_fixed_list_of_specs_cannot_be_saved() -> None:
    inside = view().enter("hdf5")
    assert inside.current_spec is not None
    assert saved_list(inside)
    assert saved_list(inside.of_specs([inside.current_spec])) is None
