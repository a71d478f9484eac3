"""Completions of a partly typed command line, and the shell scripts that ask for them."""

import os
import shutil
import sys
from pathlib import Path

import pexpect
import pytest

from cachetui.catalogue import Catalogue
from cachetui.cli.completion import Candidates, candidates, script
from cachetui.settings.saved_views import SavedView, save_view
from cachetui.settings.settings import Settings
from cachetui.sources.kinds import open_source
from cachetui.sources.source import Asking
from tests.support.installs import INSTALLS
from tests.support.rows import VARIED, write


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("pages"), VARIED)


@pytest.fixture
def saved(content: Path) -> Path:
    Catalogue(str(content), Settings(os.environ)).load()
    return content


def offered(*line: str) -> Candidates:
    return candidates(line, Settings(os.environ))


def words(*line: str) -> tuple[str, ...]:
    return offered(*line).words


def test_names_of_saved_views_are_completed(content: Path, tmp_path: Path, home: Path) -> None:
    at, other = str(content), str(write(tmp_path / "other", VARIED))
    for place, names in ((at, ("weekly", "gaps", "two words")), (other, ("elsewhere",))):
        identity = open_source([place], Settings(os.environ), Asking()).identity
        for name in names:
            save_view(Settings(os.environ).views_path(identity), identity, name, SavedView())
    assert words(at, "--view", "") == ("gaps", "weekly")
    assert words(at, "--view=w") == ("--view=weekly",)
    assert words("--view", "") == ()
    assert words("views", at, "--remove", "") == ("gaps", "weekly")
    assert words("views", str(tmp_path / "none"), "--remove", "") == ()


def test_first_argument_is_completed_as_package_or_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHETUI_CONTENT", str(saved))
    assert offered("find", "zl") == Candidates(("zlib",), files=True)
    assert offered("find", "hdf5", "zl").files is False


@pytest.mark.parametrize("option", ["-e", "--env"])
def test_names_of_environments_are_completed(option: str, home: Path) -> None:
    tree = str(INSTALLS / "1.1.0")
    assert words("unused", tree, option, "") == ()
    Catalogue(tree, Settings(os.environ)).load()
    assert words("unused", tree, option, "l") == ("lab",)
    assert words("find", tree, option, "l") == ()


def test_completion_does_not_read_content_without_an_index_cache(content: Path, home: Path) -> None:
    assert words("find", str(content), "hd") == ()
    assert not (home / "cache").exists()


PROMPT = "ready> "


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_works_in_every_supported_shell(shell: str, saved: Path, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "cachetui"
    program.write_text(f'#!/bin/sh\n[ "$1" = __complete ] && exec "{sys.executable}" -m cachetui "$@"\necho "got $*"\n')
    program.chmod(0o755)
    (tmp_path / "script").write_text(script(shell))
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb", "PS1": PROMPT}
    child = pexpect.spawn(*COMMANDS[shell], env=environ, encoding="utf-8", timeout=60, dimensions=(24, 200))
    try:
        child.sendline(START[shell].format(script=tmp_path / "script"))
        child.expect("started\r\n")
        for typed, expected in (
            ("hdf5@1.9:1.14", "hdf5@1.9:1.14.3"),
            ("hdf5 os=rh", "hdf5 os=rhel8"),
            ("'zlib +sh", "zlib +shared"),
        ):
            child.send(f"cachetui find {saved} {typed}\t\r")
            child.expect_exact(f"got find {saved} {expected}\r\n")
    finally:
        child.close(force=True)


COMMANDS: dict[str, tuple[str, list[str]]] = {
    "bash": ("bash", ["--noprofile", "--norc", "-i"]),
    "zsh": ("zsh", ["-f", "-i"]),
    "fish": ("fish", ["--no-config", "-i"]),
}
START = {
    "bash": "bind 'set enable-bracketed-paste off'; source {script}; echo star''ted",
    "zsh": "autoload -U compinit; compinit -u -D; source {script}; echo star''ted",
    "fish": "source {script}; echo star''ted",
}
