"""The browser as a user starts it, with a config file and with saved views."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.views import SavedView, choose_start, read_views, save_view, views_path
from tests.support.caches import CACHES
from tests.support.places import ROOT, SAMPLE_CONTENT
from tests.support.screens import Terminal
from tests.support.users import needs_root, open_folder, user_command

SPECS = SavedView(query="py-mpi4py os=ubuntu22.04 tag=develop", screen="specs", package="py-mpi4py")


def opened(*words: str) -> Terminal:
    return Terminal([sys.executable, "-m", "cachetui", *words], env={"PYTHONPATH": str(ROOT)})


def saved() -> Path:
    identity = Catalogue(SAMPLE_CONTENT, {}, snapshot=False).identity
    path = views_path(os.environ, identity)
    save_view(path, identity, "weekly", SPECS)
    return path


def test_a_view_is_opened_by_name_and_one_is_begun_with(home: Path) -> None:
    path = saved()
    with opened("--view", "weekly", SAMPLE_CONTENT) as terminal:
        terminal.wait_for("py-mpi4py · 52 specs")
        terminal.wait_for("Enter in full")
        terminal.send("\x1b")
        terminal.wait_for("Packages 1")
        assert "52 of 413 specs" in terminal.lines[0]
        terminal.send("x")
        terminal.wait_for("413 of 413 specs")
        terminal.send("q")
        assert terminal.exitstatus() == 0
    choose_start(path, "", "weekly")
    with opened(SAMPLE_CONTENT) as terminal:
        terminal.wait_for("py-mpi4py · 52 specs")
        terminal.send("q")
        assert terminal.exitstatus() == 0
    with opened(SAMPLE_CONTENT, "py-ml-dtypes") as terminal:
        terminal.wait_for("129 of 413 specs")


@pytest.mark.parametrize("end", ["q", "\x03", signal.SIGTERM, signal.SIGHUP])
def test_it_opens_where_it_was_left_however_that_was(home: Path, end: str | signal.Signals) -> None:
    with opened(SAMPLE_CONTENT, "os=ubuntu22.04") as terminal:
        terminal.wait_for("108 of 413 specs")
        terminal.send("j\r")
        terminal.wait_for("py-mpi4py · 52 specs")
        terminal.kill(end) if isinstance(end, signal.Signals) else terminal.send(end)
        terminal.exitstatus()
    last = read_views(saved()).last
    assert last is not None
    assert (last.query, last.package, last.screen) == ("os=ubuntu22.04 tag=develop", "py-mpi4py", "specs")
    with opened("--resume", SAMPLE_CONTENT) as terminal:
        terminal.wait_for("py-mpi4py · 52 specs")


def test_without_content_it_opens_what_was_left_last(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(shown: str, *words: str) -> bytes:
        with opened(*words) as terminal:
            terminal.wait_for(shown)
            terminal.send("q")
            assert terminal.exitstatus() == 0
        return terminal.output

    folder = home / "pages"
    shutil.copytree(SAMPLE_CONTENT, folder)
    assert b"the browser has not been left yet: it opens as always" in leave("413 of 413 specs", "--resume")
    leave("52 of 413", SAMPLE_CONTENT, "py-mpi4py", "os=ubuntu22.04")
    leave("91 of 413", str(folder), "py-mpi4py")
    leave("91 of 413", "--resume")
    monkeypatch.setenv("CACHETUI_CONTENT", SAMPLE_CONTENT)
    leave("91 of 413", "--resume")
    leave("52 of 413", "--resume", SAMPLE_CONTENT)
    leave("91 of 413", "--resume", str(folder))
    monkeypatch.setenv("CACHETUI_CONTENT", str(home / "gone"))
    leave("91 of 413", "--resume")
    leave("52 of 413", "--resume", SAMPLE_CONTENT)
    monkeypatch.delenv("CACHETUI_CONTENT")
    leave("52 of 413", "--resume")
    leave("91 of 413", "--resume", str(folder))
    shutil.rmtree(folder)
    with opened("--resume") as terminal:
        assert terminal.exitstatus() == 2
    assert "the browser was left there the last time" in terminal.output.decode()


def test_a_view_opens_with_its_content_where_none_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved()
    cache = str(CACHES / "v3/spack-1.1.0/develop/btest")
    for default in ("", cache):
        monkeypatch.setenv("CACHETUI_CONTENT", default)
        with opened("--view", "weekly") as terminal:
            terminal.wait_for("py-mpi4py · 52 specs")
            terminal.send("q")
            assert terminal.exitstatus() == 0
    identity = Catalogue(cache, {}, snapshot=False).identity
    save_view(views_path(os.environ, identity), identity, "weekly", SPECS)
    monkeypatch.setenv("CACHETUI_CONTENT", "")
    with opened("--view", "weekly") as terminal:
        assert terminal.exitstatus() == 2
    said = terminal.output.decode()
    assert "give the content that it is saved of: " in said
    assert cache in said


def test_a_view_that_is_saved_of_another_content_says_of_which(home: Path) -> None:
    saved()
    with opened("--view", "weekly", str(CACHES / "v3/spack-1.1.0/develop/btest")) as terminal:
        assert terminal.exitstatus() == 2
        said = terminal.output.decode()
    assert "no view weekly: none is saved of this content; give the content that it is saved of: " in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--view", "no"], "no view no: there is weekly"),
        (["--view", "wekly"], "no view wekly: nearest: weekly"),
        (["--view", "weekly", "--resume"], "give one of them"),
        (["--view", "weekly", "--tag", "develop"], "give one of them"),
    ],
)
def test_what_cannot_be_opened_is_one_line(home: Path, words: list[str], said: str) -> None:
    saved()
    with opened(*words, SAMPLE_CONTENT) as terminal:
        assert terminal.exitstatus() == 2
        lines = terminal.output.decode().splitlines()
        assert len(lines) == 1
        assert said in lines[0]


def test_views_that_cannot_be_read_are_said_and_cost_nothing(home: Path) -> None:
    path = saved()
    path.write_text("{")
    with opened(SAMPLE_CONTENT) as terminal:
        terminal.wait_for("413 of 413 specs")
        terminal.send("q")
        assert terminal.exitstatus() == 0
        assert b"the view to begin with cannot be opened" in terminal.output
    assert path.read_text() == "{"


@needs_root
def test_somebody_without_a_home_leaves_without_a_word() -> None:
    with open_folder() as place:
        environ = {"CACHETUI_CACHE_DIR": str(place), "XDG_CONFIG_HOME": ""}
        with Terminal(user_command(), env=environ) as terminal:
            terminal.wait_for("413 of 413 specs")
            terminal.send("q")
            assert terminal.exitstatus() == 0
            assert "cachetui" not in terminal.farewell


def test_the_config_file_sets_columns_keys_and_theme(home: Path) -> None:
    path = home / ".config" / "cachetui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        'theme = "nord"\ncolumns = ["target", "hash", "variants"]\nhost = "zen3"\n'
        '[keys]\nbrowse.filter = ["ctrl+f"]\nbrowse.clear = "c"\n'
    )
    with opened(SAMPLE_CONTENT) as terminal:
        terminal.wait_for("413 of 413 specs")
        terminal.wait_for("config.toml:6: keys.browse.clear: that key is browse.coverage (Package by")
        terminal.send("j/\x06")
        terminal.wait_for("a spec as Spack")
        terminal.send("os=ubuntu22.04\r\r")
        terminal.wait_for(lambda shown: shown.lines[3].split()[:3] == ["target", "hash", "variants"])
        assert "\x1b[38;2;136;192;208" in terminal.output.decode() or "38;5;" in terminal.output.decode()
        terminal.send("q")
        assert terminal.exitstatus() == 0


@pytest.mark.parametrize("name", ["nordd", "cachetui-drak", "xyz", "\x1b]0;x"])
def test_a_theme_that_there_is_not_is_one_line_with_the_nearest(home: Path, name: str) -> None:
    path = home / ".config" / "cachetui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f"theme = {json.dumps(name)}\n")
    nearest = {"nordd": "; nearest: nord", "cachetui-drak": "; nearest: cachetui-dark"}
    with opened(SAMPLE_CONTENT) as terminal:
        terminal.wait_for("413 of 413 specs")
        terminal.wait_for("config.toml:1: theme: no theme")
        if name in nearest:
            assert terminal.lines[-1].strip() == f"config.toml:1: theme: no theme {name}{nearest[name]}"
        terminal.send("q")
        assert terminal.exitstatus() == 0
    with opened("--theme", name, SAMPLE_CONTENT) as terminal:
        assert terminal.exitstatus() == 2
        assert nearest.get(name, "; there are plain, cachetui-dark, cachetui-light") in terminal.output.decode()
        assert b"\x1b]0;x" not in terminal.output
