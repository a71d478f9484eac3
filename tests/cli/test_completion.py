"""What a half-written command line may go on with, and the scripts that ask it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pexpect
import pytest

from cachetui.catalogue import Catalogue
from cachetui.cli.completion import SHELLS, Candidates, candidates, script
from cachetui.settings.views import SavedView, save_view, views_path
from cachetui.sources.kinds import open_source
from cachetui.sources.source import Asking
from tests.support.rows import VARIED, write


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("pages"), VARIED)


@pytest.fixture
def saved(content: Path) -> Path:
    Catalogue(str(content), os.environ).load()
    return content


def words(*line: str) -> tuple[str, ...]:
    return candidates(line, os.environ).words


def test_the_first_word_is_a_command_or_the_content() -> None:
    found = candidates(["fi"], os.environ)
    assert found == Candidates(("find",), files=True)
    assert candidates(["find", "some"], os.environ) == Candidates((), files=True)
    assert words("completion", "") == SHELLS


def test_words_behind_the_content(saved: Path) -> None:
    at = str(saved)
    assert words("find", at, "hd") == ("hdf5", "hdf5-vol")
    assert words("find", at, "hdf5@") == ("hdf5@1.14.3", "hdf5@1.9.2")
    assert words("find", at, "hdf5", "os=r") == ("os=rhel8",)
    assert words("find", at, "hdf5 %g") == ("hdf5 %gcc", "hdf5 %gcc@13.2.0", "hdf5 %gcc@11.4.0")
    assert words(at, "mpi4") == ("py-mpi4py",)
    assert words("find", "--content", at, "hdf5", "%gcc@1") == ("%gcc@13.2.0", "%gcc@11.4.0")
    assert words("find", "--tag", "v0.20.0", at, "hdf5", "os=") == ("os=ubuntu20.04",)
    assert words("which", at, "/2feo") == ("/2feova4prghd2gkebr23if6bojkyydpt",)
    assert words("which", at, "2feo") == ("2feova4prghd2gkebr23if6bojkyydpt",)


def test_names_of_saved_views(content: Path, tmp_path: Path, home: Path) -> None:
    at, other = str(content), str(write(tmp_path / "other", VARIED))
    for place, names in ((at, ("weekly", "gaps", "two words")), (other, ("elsewhere",))):
        identity = open_source([place], os.environ, Asking()).identity
        for name in names:
            save_view(views_path(os.environ, identity), identity, name, SavedView())
    assert words(at, "--view", "") == ("gaps", "weekly")
    assert words(at, "--view=w") == ("--view=weekly",)
    assert words("--view", "") == ("elsewhere", "gaps", "weekly")
    assert words("views", at, "--remove", "") == words("views", at, "--start", "") == ("gaps", "weekly")
    assert words("views", str(tmp_path / "none"), "--start", "") == ()


def test_options_and_their_values(saved: Path) -> None:
    at = str(saved)
    assert words("find", at, "--form") == ("--format",)
    assert words("find", at, "--w") == words("doctor", at, "--e") == ()
    assert words(at, "--w") == ("--watch",)
    assert words("--fresh", "--tag", "find", "--w") == ("--watch",)
    assert words("--tag", "find", "diff", at, "--e") == ("--exit-code",)
    assert words("find", at, "--limit", "") == ()
    assert words("find", at, "--format", "") == ("table", "json", "csv", "markdown")
    assert words("find", at, "--format=j") == ("--format=json",)
    assert words("find", at, "--sort", "ve") == ("version",)
    assert words("find", at, "--sort", "-ve") == ("-version",)
    assert words("coverage", at, "--sort", "") == ("name", "specs", "gaps")
    assert words("coverage", at, "--sort=-") == ("--sort=-name", "--sort=-specs", "--sort=-gaps")
    assert words("find", at, "--packages", "--sort", "") == ("name", "package", "specs", "versions")
    assert words("find", at, "--sort", "n") == ("name",)
    assert words("find", at, "--by", "") == words("diff", at, "--sort", "") == words("which", at, "--rows=") == ()
    assert words("diff", at, "--by", "") == ("signature", "hash")
    assert words("find", at, "--tag", "v") == ("v0.20.0",)
    assert words("find", at, "--fits", "z") == ("zen4",)
    assert words("coverage", at, "--cols", "ta") == ("target", "tag")
    assert words("coverage", at, "--stack", "h") == ("hep",)
    assert words("diff", at, "--by", "h") == ("hash",)
    assert words("diff", at, "v") == ("v0.20.0",)
    assert words("diff", at, "develop..v") == ("develop..v0.20.0",)
    assert words("diff", at, "develop..v0.20.0", "zl") == words("diff", at, "zl") == ("zlib",)
    assert candidates(["find", "--content", "x"], os.environ) == Candidates((), files=True)


def test_a_default_content_is_completed_beside_files(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHETUI_CONTENT", str(saved))
    assert candidates(["find", "zl"], os.environ) == Candidates(("zlib",), files=True)
    assert candidates(["find", "hdf5", "zl"], os.environ).files is False


def test_without_a_saved_index_nothing_is_read(content: Path, home: Path) -> None:
    assert words("find", str(content), "hd") == ()
    assert not (home / "cache").exists()


def test_a_page_cannot_write_a_command_for_its_reader(saved: Path) -> None:
    assert words("find", str(saved), "zlib", "stack=") == ()


PROMPT = "ready> "


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_completes_in_the_shell_itself(shell: str, saved: Path, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "cachetui"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = __complete ] && exec "{sys.executable}" -m cachetui "$@"\necho "was given $*"\n'
    )
    program.chmod(0o755)
    (tmp_path / "script").write_text(script(shell))
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb", "PS1": PROMPT}
    child = pexpect.spawn(*COMMANDS[shell], env=environ, encoding="utf-8", timeout=20, dimensions=(24, 200))
    try:
        child.sendline(START[shell].format(script=tmp_path / "script"))
        child.expect("started\r\n")
        for typed, expected in (
            ("hdf5@1.9:1.14", "hdf5@1.9:1.14.3"),
            ("hdf5 os=rh", "hdf5 os=rhel8"),
            ("'zlib +sh", "zlib +shared"),
        ):
            child.send(f"cachetui find {saved} {typed}\t\r")
            child.expect_exact(f"was given find {saved} {expected}\r\n")
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
