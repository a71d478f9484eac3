"""The browser as started by a user, with a config file and with saved views."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.saved_views import SavedView, read_views, save_view
from cachetui.settings.settings import Settings
from cachetui.tui.app import BrowserApp
from tests.support.commands import answered
from tests.support.drive import driven
from tests.support.places import CACHETUI, SAMPLE_CONTENT
from tests.support.screens import Terminal
from tests.support.users import needs_root, open_folder, user_command

SPECS = SavedView(query="py-mpi4py os=ubuntu22.04 tag=develop", screen="specs", package="py-mpi4py")


class Session(NamedTuple):
    """A command line, and the browser that it opened, if any."""

    status: int
    said: str
    screens: list[str]
    """The text at first, and after each key."""
    themes: list[str]
    picked: list[str]


Open = Callable[..., Session]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Open:
    """Run a command line without a terminal, and send these keys to its browser."""
    monkeypatch.setattr("cachetui.tui.terminal.preflight.check_terminal", lambda _: None)
    monkeypatch.setattr("cachetui.tui.terminal.preflight.prepare_environment", lambda _: None)

    def run(*words: str, keys: str = "q") -> Session:
        screens, themes = list[str](), list[str]()

        def session(app: BrowserApp, **_: bool) -> int:
            with driven(app) as pilot:
                for key in ("", *keys.split()):
                    pilot.press(*filter(None, [key]))
                    screens.append(pilot.text if app.screen_stack else "")
                themes.append(app.theme)
            return app.return_code or 0

        monkeypatch.setattr("cachetui.tui.app.run_in_terminal", session)
        status, out, said = answered(capsys, *words)
        assert not out or "--pick" in words
        return Session(status, said, screens, themes, out.splitlines())

    return run


def saved() -> Path:
    identity = Catalogue(SAMPLE_CONTENT, Settings(), index_cache=False).source.identity
    path = Settings(os.environ).views_path(identity)
    save_view(path, identity, "weekly", SPECS)
    return path


def test_option_view_opens_saved_view(home: Path, opened: Open) -> None:
    saved()
    status, _, screens, *_ = opened("--view", "weekly", SAMPLE_CONTENT, keys="escape x q")
    assert status == 0
    assert "py-mpi4py · 52 specs" in screens[0]
    assert "Enter open" in screens[0]
    assert "Packages 1" in screens[1]
    assert "52 of 413 specs" in screens[1].splitlines()[0]
    assert "413 of 413 specs" in screens[2]


def assert_left_in_the_package(opened: Open) -> None:
    last = read_views(saved()).last
    assert last is not None
    assert (last.query, last.package, last.screen) == ("os=ubuntu22.04 tag=develop", "py-mpi4py", "specs")
    assert "py-mpi4py · 52 specs" in opened("--resume", SAMPLE_CONTENT).screens[0]


def test_resumed_browser_restores_view_after_quit_key(home: Path, opened: Open) -> None:
    assert opened(SAMPLE_CONTENT, "os=ubuntu22.04", keys="j enter ctrl+c").status == 130
    assert_left_in_the_package(opened)
    assert opened(SAMPLE_CONTENT, "os=ubuntu22.04", keys="j enter q q").status == 0
    last = read_views(saved()).last
    assert last is not None
    assert last.screen == "packages"


PICKED = ["/3u2lcy4icmxvfeff3h2hn5tslclkrm33", "/h2hxl5bfkcozftyzf3zcvvvqyf4wqaaa"]


@pytest.mark.parametrize(
    ("keys", "status", "picked"),
    [
        (
            "enter enter space space enter",
            0,
            PICKED,
        ),
        ("q", 130, []),
        ("slash x ctrl+c number_sign x ctrl+c ctrl+p x ctrl+c ctrl+c", 130, []),  # this key only leaves the input line
    ],
)
def test_option_pick_prints_marked_hashes_one_per_line(opened: Open, keys: str, status: int, picked: list[str]) -> None:
    left = opened("--no-index-cache", "--pick", SAMPLE_CONTENT, "py-mpi4py", "stack=hep", keys=keys)
    assert (left.status, left.picked) == (status, picked)
    assert all(left.screens[:-1])


def test_resumed_browser_restores_view_after_signal(home: Path, opened: Open) -> None:
    with Terminal([*CACHETUI, SAMPLE_CONTENT, "os=ubuntu22.04"]) as terminal:
        terminal.wait_for("108 of 413 specs")
        terminal.send("j\r")
        terminal.wait_for("py-mpi4py · 52 specs")
        terminal.kill(signal.SIGHUP)
        assert terminal.exitstatus() == 129
    assert_left_in_the_package(opened)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--view", "no"], "no view no; views: "),
        (["--view", "wekly"], "no view wekly; nearest: weekly"),
        (["--view", "weekly", "--resume"], "give one of them"),
        (["--view", "weekly", "--tag", "develop"], "give one of them"),
    ],
)
def test_unknown_view_or_conflicting_options_give_one_line_error(
    home: Path, opened: Open, words: list[str], said: str
) -> None:
    saved()
    status, line, *_ = opened(*words, SAMPLE_CONTENT)
    assert (status, line.count("\n")) == (2, 1)
    assert said in line


def test_browser_leaves_unreadable_views_file_unchanged(home: Path, opened: Open) -> None:
    path = saved()
    path.write_text("{")
    status, _, screens, *_ = opened(SAMPLE_CONTENT)
    assert status == 0
    assert "413 of 413 specs" in screens[0]
    assert path.read_text() == "{"


@needs_root
def test_browser_without_home_folder_quits_without_message() -> None:
    with open_folder() as place:
        environ = {"CACHETUI_CACHE_DIR": str(place), "XDG_CONFIG_HOME": ""}
        with Terminal(user_command(), env=environ) as terminal:
            terminal.wait_for("413 of 413 specs")
            terminal.send("q")
            assert terminal.exitstatus() == 0
            assert "cachetui" not in terminal.farewell


def test_config_file_sets_columns_keys_and_theme(home: Path, opened: Open) -> None:
    path = home / ".config" / "cachetui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        'theme = "plain"\ncolumns = ["target", "hash", "variants"]\nhost = "zen3"\n'
        '[keys]\nbrowse.filter = ["ctrl+o"]\nbrowse.clear = "c"\n'
    )
    status, _, screens, themes, _ = opened(SAMPLE_CONTENT, keys="slash ctrl+o escape enter q")
    assert (status, themes) == (0, ["plain"])
    assert "413 of 413 specs" in screens[0]
    assert "config.toml: keys.browse.clear: this key is already used for browse.coverage" in screens[0]
    assert ["a spec as Spack" in screen for screen in screens[:3]] == [False, False, True]
    assert screens[4].splitlines()[3].split()[:3] == ["target", "hash", "variants"]


@pytest.mark.parametrize("name", ["cachetui-drak", "xyz", "\x1b]0;x"])
def test_error_message_about_unknown_theme_suggests_nearest_theme(home: Path, opened: Open, name: str) -> None:
    path = home / ".config" / "cachetui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f"theme = {json.dumps(name)}\n")
    nearest = {"cachetui-drak": "; nearest: cachetui-dark"}
    screen = " ".join(opened(SAMPLE_CONTENT).screens[0].split())
    assert "config.toml: theme: no theme" in screen
    if name in nearest:
        assert f"config.toml: theme: no theme {name}{nearest[name]}" in screen
    status, said, *_ = opened("--theme", name, SAMPLE_CONTENT)
    assert status == 2
    assert nearest.get(name, "; choose one of plain, cachetui-dark, cachetui-light") in said
    assert "\x1b]0;x" not in screen + said
