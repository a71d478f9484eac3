"""Dialogs on screen, driven by keys, on the sample catalogue."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events

from cachetui.settings.settings import Settings
from cachetui.tui.app import BrowserApp
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.check.screen import CheckScreen
from cachetui.tui.dialogs.choices import TagDialog
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import AllChanged, TagAsked
from tests.support.drive import LEAST, SMALL, WIDE, Drive, Pilot, browser
from tests.support.frozen_screens import assert_screen
from tests.support.places import ROOT
from tests.support.rows import VARIED, write

HASH = "2feova4prghd2gkebr23if6bojkyydpt"


@pytest.fixture(autouse=True)
def in_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the content relative to the checkout; save views in a home for the test."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSH_TTY", "/dev/pts/0")
    monkeypatch.chdir(ROOT)


def app_on(query: str = "") -> BrowserApp:
    return browser(query, "cachetui/sample")


def press(pilot: Pilot, keys: str) -> None:
    """Press keys, and type any text that is not the name of a key."""
    for word in keys.split():
        typed = [word] if word in NAMED or word.startswith("ctrl+") else word
        pilot.press(*({"/": "slash", "~": "tilde", ".": "full_stop", "-": "minus"}.get(key, key) for key in typed))


NAMED = ("exclamation_mark", "enter", "escape", "number_sign", "question_mark", "down", "up", "tab", "end", "space")


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("lookup_80x24", "number_sign 2feovb4", SMALL),
        ("lookup_140x40", "number_sign 4d", WIDE),
        ("lookup_60x20", "number_sign py", LEAST),
        ("tags_80x24", "t", SMALL),
        ("copy_80x24", "enter y end", SMALL),
        ("help_80x24", "question_mark", SMALL),
        ("palette_80x24", "ctrl+p ta", SMALL),
        ("without_each_filter_80x24", "w", SMALL),
    ],
)
def test_dialog_screen_matches_expected_lines(drive: Drive, name: str, keys: str, size: tuple[int, int]) -> None:
    query = "os=ubuntu22.04 target=zen9" if keys == "w" else "os=ubuntu22.04" if keys == "t" else ""
    pilot = drive(app_on(query), size)
    press(pilot, keys)
    assert_screen(pilot.lines, name)


@pytest.mark.parametrize(
    ("keys", "query", "expected"),
    [
        (f"number_sign {HASH[:9]} enter", "os=rhel7", ("develop", "", "py-mpi4py")),
        ("number_sign mpi4 enter", "os=rhel7", ("develop", "", "py-mpi4py")),
        ("number_sign 2feo escape", "os=rhel7", ("develop", "os=rhel7", None)),
        ("t 04-20 enter", "os=rhel7", ("develop-2025-04-20", "os=rhel7", None)),
        ("t down enter", "", ("develop-2025-04-20", "", None)),
        ("w 1", "os=rhel7", ("develop", "", None)),
        ("ctrl+p clear enter", "os=rhel7", ("develop", "", None)),
    ],
)
def test_selected_row_of_dialog_changes_the_view(drive: Drive, keys: str, query: str, expected: Sequence[str]) -> None:
    pilot = drive(app_on(query))
    press(pilot, keys)
    assert isinstance(pilot.app.screen, BrowseScreen)
    view = pilot.app.screen.state.view
    assert (view.shown_tag, view.query.line, view.package) == expected


@pytest.mark.parametrize(
    ("query", "key", "expected"),
    [
        ("os=rhel9 target=zen9", "w", "removing one term is not enough: remove at least two terms"),
        ("", "exclamation_mark", "No errors, no warnings."),
    ],
)
def test_empty_dialog_explains_the_missing_rows(drive: Drive, query: str, key: str, expected: str) -> None:
    pilot = drive(app_on(query))
    press(pilot, key)
    assert expected in pilot.text


def test_environment_is_checked_from_command_palette(drive: Drive) -> None:
    pilot = drive(app_on())
    press(pilot, "ctrl+p environment enter")
    assert isinstance(pilot.app.screen, CheckScreen)


def test_typed_host_is_applied_and_saved_as_default(drive: Drive) -> None:
    pilot = drive(app_on())
    press(pilot, "p rhel9 space zen4 down enter")
    assert isinstance(pilot.app.screen, BrowseScreen)
    assert str(pilot.app.screen.state.view.host) == "linux-rhel9-zen4"
    assert Settings(os.environ).with_config().value("host") == "linux-rhel9-zen4"


def test_dialog_removes_unmatched_term_from_query(drive: Drive) -> None:
    pilot = drive(app_on())
    press(pilot, "/ py-mpi4py @ 9 space os= ubuntu22.04 space")
    screen = pilot.app.screen
    assert isinstance(screen, BrowseScreen)
    assert screen.state.lost == [(9, 11)]
    press(pilot, "escape j enter space m")
    assert " marked" in pilot.lines[1]
    press(pilot, "w enter")
    assert "413 of 413 specs" in pilot.lines[0]
    press(pilot, "c o / zzz enter enter enter")
    assert "4 packages" in pilot.lines[0]


def test_copied_text_is_sent_to_the_terminal(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    app = app_on()
    monkeypatch.setattr(app, "send_to_terminal", sent.append)
    pilot = drive(app)
    press(pilot, "enter y enter")
    assert len([text for text in sent if "]52;" in text]) == 1
    assert "OSC 52" in pilot.lines[-1]
    assert "spack install --cache-only /" in pilot.text
    press(pilot, "escape")
    assert isinstance(app.screen, BrowseScreen)


def test_export_never_replaces_an_existing_file(drive: Drive, tmp_path: Path) -> None:
    app = app_on("os=ubuntu20.04")
    (tmp_path / "specs.json").write_text("mine")
    pilot = drive(app)
    press(pilot, "e ~/ down down enter")
    assert "specs-2.json" in pilot.lines[-1]
    press(pilot, "e ~/specs.json enter")
    assert "was not written" in pilot.text
    assert (tmp_path / "specs.json").read_text() == "mine"
    document = json.loads((tmp_path / "specs-2.json").read_text())
    assert len(document) == app._first.state.view.results.specs


def test_saved_view_is_opened_and_removed_in_dialog(drive: Drive) -> None:
    app = app_on("os=ubuntu20.04")
    pilot = drive(app)
    press(pilot, "V mine enter")
    assert "saved as mine" in pilot.lines[-1]
    press(pilot, "x V enter")
    assert isinstance(app.screen, BrowseScreen)
    assert app.screen.state.view.query.line == "os=ubuntu20.04"
    press(pilot, "V enter")
    assert isinstance(app.screen, BrowseScreen)
    assert len(app.screen_stack) == 3
    press(pilot, "V ctrl+r")
    assert any("removed" in line and "mine" in line for line in pilot.lines)
    press(pilot, "ctrl+r")
    assert not any("removed" in line for line in pilot.lines[:-1])
    press(pilot, "ctrl+r escape V")
    assert "+ save this view as packages os=ubuntu20.04" in pilot.text
    press(pilot, "enter x V enter")
    assert isinstance(app.screen, BrowseScreen)
    assert app.screen.state.view.query.line == "os=ubuntu20.04"
    assert "q back" in pilot.lines[-1]


def test_view_name_may_be_part_of_another_view_name(drive: Drive) -> None:
    pilot = drive(app_on("os=ubuntu20.04"))
    press(pilot, "V mine enter V in enter")
    assert "saved as in" in pilot.lines[-1]


def test_message_after_paste_outside_text_field_names_right_key(drive: Drive) -> None:
    app = app_on("")
    pilot = drive(app)
    pilot.run(app.on_event(events.Paste("2feova4")))
    pilot.settle()
    assert "press # first" in pilot.lines[-1]


def test_unreadable_views_file_is_reported_before_saving_a_view(drive: Drive) -> None:
    app = app_on()
    path = app._first.state.view.settings.views_path(app.catalogue.source.identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    pilot = drive(app)
    press(pilot, "V")
    assert "+ save" not in pilot.text
    assert path.name in "".join(pilot.text.split())


def test_command_palette_lists_each_key_only_once(drive: Drive) -> None:
    pilot = drive(app_on("os=ubuntu20.04"))
    press(pilot, "i ctrl+p host")
    shown = pilot.text
    assert shown.count("Show only specs that run on the host") == 1


def test_newer_index_leaves_cursor_and_text_of_dialog_unchanged(drive: Drive) -> None:
    app, newer = app_on(), app_on()
    pilot = drive(app)
    press(pilot, "number_sign py down")
    assert isinstance(app.screen, ListDialog)
    key, index = app.screen.table.key, newer._first.state.view.index
    app.post_message(AllChanged(lambda view: view.on_index(index)))
    pilot.settle()
    assert app.screen.view.index is index
    assert (app.screen.table.key, app.screen.line.text) == (key, "py")


def test_tag_dialog_lists_unread_tag_last(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BrowserApp, "unread_tags", ("develop", "v9.9"))
    pilot = drive(app_on())
    press(pilot, "t")
    assert isinstance(pilot.app.screen, TagDialog)
    rows = pilot.app.screen.rows("")
    assert [rows.key(k) for k in range(len(rows))] == ["", "develop", "develop-2025-04-20", "v9.9"]
    assert pilot.app.screen.answer("v9.9") == TagAsked(["v9.9"])


def test_error_dialog_shows_details_of_selected_error(drive: Drive, tmp_path: Path) -> None:
    write(tmp_path / "pages", VARIED)
    (tmp_path / "pages" / "broken.md").write_text(
        '---\ntitle: "x"\nlayout: cache\ncategories: [package, develop]\nspec_details: [{"hash": 3\n---\n'
    )
    pilot = drive(browser("", str(tmp_path / "pages")))
    press(pilot, "exclamation_mark broken")
    assert any("error" in line and "broken.md" in line for line in pilot.lines)
    assert "Details" in pilot.text
    press(pilot, "zzz")
    assert "broken.md" not in pilot.text


def test_dialog_adapts_to_resized_terminal(drive: Drive) -> None:
    pilot = drive(app_on())
    press(pilot, "question_mark")
    pilot.resize(*WIDE)
    assert_screen(pilot.lines, "help_140x40")
    pilot.resize(*LEAST)
    assert all(len(line) <= 60 for line in pilot.lines)
