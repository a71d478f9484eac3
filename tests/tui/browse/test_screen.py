"""The main screen: after some keys, at three sizes, and the effects that only the whole app shows."""

import re
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.tui.app import BrowserApp
from cachetui.tui.frame import tag_text
from cachetui.tui.view.view import View
from cachetui.tui.widgets.line_widget import Bar
from tests.support.drive import HOST, LEAST, SMALL, WIDE, Drive, browser
from tests.support.frozen_screens import assert_screen, assert_screen_after
from tests.support.places import SAMPLE_CONTENT, SAMPLE_MIRROR
from tests.support.rows import row, write

MEDIUM = (100, 30)

SCREENS = {
    "browse_140x40": (WIDE, ()),
    "browse_80x24": (SMALL, ("j",)),
    "browse_60x20": (LEAST, ()),
    "browse_package_140x40": (WIDE, ("j", "enter", "space", "j", "space")),
    "browse_package_80x24": (SMALL, ("j", "enter", "space")),
    "browse_package_100x30": (MEDIUM, ("j", "enter")),
    "browse_facets_100x30": (MEDIUM, ("f", "j", "space")),
    "browse_selected_140x40": (WIDE, ("f", "j", "space", "j", "minus", "escape")),
    "browse_typing_80x24": (SMALL, ("slash", *"mpi os=ub")),
    "browse_refused_80x24": (SMALL, ("slash", *"mpi %%", "enter")),
    "browse_nothing_80x24": (SMALL, ("slash", *"mpi@9", "enter")),
}


@pytest.mark.parametrize("name", SCREENS)
def test_browser_screen_matches_expected_lines(drive: Drive, name: str) -> None:
    size, keys = SCREENS[name]
    assert_screen_after(keys, drive(browser(), size), name)


def test_unmatched_term_is_red_in_query_line(drive: Drive) -> None:
    pilot = drive(browser(), SMALL)
    pilot.press("slash", *"py-mpi4py@99", "enter")
    red = [text for text, names in pilot.app.screen.query_one("#filter", Bar).pieces(0) if "bad" in names]
    assert "".join(red).strip() == "@99"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("", "develop"),
        ("tag=latest", "develop-2025-04-20"),
        ("tag=develop,latest", "tag=develop,latest"),
        ("tag!=develop", "tag!=develop"),
    ],
)
def test_header_states_the_shown_tags(query: str, text: str) -> None:
    assert tag_text(browser(query)._first.state.view).text == f"{text} ▾"


def test_typed_query_can_be_recalled_unchanged(drive: Drive) -> None:
    app = browser()
    pilot = drive(app)
    pilot.press("slash", *"mpi4  %gcc", "enter")
    assert app._first.state.view.query.line == "mpi4 %gcc"
    pilot.press("slash", *"os=x", "escape")
    assert " / mpi4 %gcc" in pilot.lines[1]
    pilot.press("x", "slash", "ctrl+p", "ctrl+n", "ctrl+p", "enter")
    assert " / mpi4 %gcc" in pilot.lines[1]


@pytest.mark.parametrize(
    ("typed", "counter"),
    [
        ("mpi4", "91 of 413 specs"),
        ("mpi4 os=", "91 without os="),
        ("mpi4 os=haiku", "0 of 413 · 91 without os=haiku"),
        ("os=haiku mpi9", "0 of 413 specs"),
    ],
)
def test_counter_in_header_is_updated_with_typed_query(drive: Drive, typed: str, counter: str) -> None:
    pilot = drive(browser())
    pilot.press("slash", *typed)
    assert pilot.lines[0].endswith(f" {counter}")


def test_key_q_goes_up_one_level_or_quits(drive: Drive) -> None:
    app = browser()
    pilot = drive(app)
    pilot.press("c", "q", "enter")
    assert "Esc q back" in pilot.lines[-1]
    pilot.press("q", "f", "q")
    assert (app._first.state.view.package, app._first.state.view.pane, app.return_code) == (None, "packages", None)
    pilot.press("q")
    assert app.return_code == 0


def test_long_error_message_wraps_over_several_lines(drive: Drive) -> None:
    app = browser()
    pilot = drive(app)
    pilot.press("slash", *"mpi ^mpich", "enter")
    typed = app._first.state.typed
    assert typed is not None
    assert " ".join(line.strip() for line in pilot.lines[-3:-1]) == str(typed.error)
    assert pilot.lines[-1].split() == ["Enter", "keep", "Esc", "back"]
    pilot.press("escape")
    assert pilot.lines[-1].startswith(" Enter specs")
    assert pilot.lines[-2].startswith("  ")


def test_values_found_in_facets_can_be_selected(drive: Drive) -> None:
    pilot = drive(browser(), WIDE)
    pilot.press("f", "slash", *"hep", "enter", "slash", *"e4s", "enter")
    assert " / stack=hep,e4s " in pilot.lines[1]


def test_tab_cycles_through_completions(drive: Drive) -> None:
    app = browser()
    drive(app).press("slash", *"py-m", "tab", "tab", "enter")
    assert app._first.state.view.query.line == "py-mpi4py"


def test_closing_a_screen_restores_the_previous_screen(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("j", "j")
    before = pilot.lines
    pilot.press("c", "enter")
    assert len(pilot.app.screen_stack) == 3
    pilot.press("space", "escape", "escape")
    assert pilot.lines[3:] == before[3:]
    assert " marked " in pilot.lines[2]


def test_resized_browser_matches_expected_lines_of_new_size(drive: Drive) -> None:
    pilot = drive(browser(), WIDE)
    pilot.press("j")
    pilot.resize(*SMALL)
    assert_screen(pilot.lines, "browse_80x24")


def test_keys_apply_to_the_visible_list_in_narrowed_terminal(drive: Drive) -> None:
    app = browser()
    pilot = drive(app, WIDE)
    pilot.press("tab", "j")
    pilot.resize(*SMALL)
    pilot.press("s", "j")
    assert app._first.state.view.package_order.column == "specs"
    assert app._first.state.view.current_package == "py-safetensors"


def test_long_content_path_is_shortened_in_the_middle(drive: Drive, tmp_path: Path) -> None:
    folder = write(tmp_path / "a_folder_far_down" / "the_last_one", [row(tag="develop")])
    catalogue = Catalogue(str(folder), Settings(), index_cache=False)
    pilot = drive(BrowserApp(catalogue, View(index=catalogue.load(), host=HOST), content=str(folder)), SMALL)
    assert re.search(r"  /.*….*the_last_one · develop ▾ .*specs$", pilot.lines[0])


def test_key_m_inside_list_of_marked_specs_opens_nothing(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("m")
    assert "nothing is marked" in pilot.lines[-1]
    pilot.press("enter", "space", "m", "m")
    assert " 30 marked" in pilot.lines[1]
    assert "nothing else is marked" in pilot.lines[-1]
    assert len(pilot.app.screen_stack) == 2


def test_option_pick_returns_only_valid_hashes(drive: Drive, tmp_path: Path) -> None:
    hashes = ("a" * 32, "b$(id) --no-check-signature")
    write(tmp_path, [row(hash=hash, tag=tag) for hash in hashes for tag in ("develop", "v1.0.0")])
    catalogue = Catalogue(str(tmp_path), Settings(), index_cache=False)
    view = View(index=catalogue.load(), host=HOST, tag=None)
    app = BrowserApp(catalogue, view, picks=True)
    pilot = drive(app)
    pilot.press("enter", "slash", *"zlib", "enter", "j", "j", "enter", *["space"] * 4, "enter")
    assert app.return_value == [f"/{hashes[0]}"]


def test_every_screen_shows_the_number_of_errors_in_content(drive: Drive, tmp_path: Path) -> None:
    write(tmp_path, [row(hash="none")])
    catalogue = Catalogue(str(tmp_path), Settings(), index_cache=False)
    pilot = drive(BrowserApp(catalogue, View(index=catalogue.load(), host=HOST)))
    assert pilot.lines[1].endswith(" ! 1 error")
    pilot.press("d")
    assert pilot.lines[1].endswith(" ! 1 error")


def test_cursor_moves_past_rows_with_the_same_hash(drive: Drive, tmp_path: Path) -> None:
    write(tmp_path, [row(hash="b" * 32), row(hash="b" * 32), row(hash="c" * 32)])
    catalogue = Catalogue(str(tmp_path), Settings(), index_cache=False)
    app = BrowserApp(catalogue, View(index=catalogue.load(), host=HOST))
    drive(app).press("enter", "enter", "j", "j")
    assert app._first.state.view.current_spec is not None
    assert app._first.state.view.current_spec[2] == "c" * 32


def test_package_row_cannot_be_marked(drive: Drive) -> None:
    app = browser()
    pilot = drive(app, WIDE)
    pilot.press("tab")
    assert pilot.lines[-1].startswith(" Enter specs")
    pilot.press("space")
    assert "to mark a spec, open its package" in pilot.lines[-1]
    assert not app._first.state.view.marks
    pilot.press("enter", "space")
    assert len(app._first.state.view.marks) == 20


@pytest.mark.parametrize(
    ("content", "package", "has_mirror"), [(SAMPLE_MIRROR, "hdf5", False), (SAMPLE_CONTENT, "py-mpi4py", True)]
)
def test_details_omit_mirror_command_if_content_is_one_cache(
    drive: Drive, content: str, package: str, has_mirror: bool
) -> None:
    pilot = drive(browser(package, content), WIDE)
    pilot.press("enter")
    assert ("spack mirror add" in pilot.text) is has_mirror
    assert " variants " in pilot.text
