"""Names of files that go on as typed: in a folder, behind others on a line, in quotes, below a home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.suggest.completion import Completion
from cachetui.tui.screens.install import InstallScreen
from cachetui.tui.screens.paths import path_completions, word_completions
from tests.support.browsing import SMALL, browse_of, browser, pressed, settled, shows, typed
from tests.support.drive import Drive


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("spack.lock", "spack.yaml", ".hidden", "with blank.lock", "odd\x1b.lock"):
        (tmp_path / name).touch()
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "spack.lock").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("typed_text", "found"),
    [
        ("", ["env/", "spack.lock", "spack.yaml", "with blank.lock"]),
        ("sp", ["spack.lock", "spack.yaml"]),
        ("e", ["env/"]),
        ("env/", ["env/spack.lock"]),
        ("~/e", ["~/env/"]),
        (".h", [".hidden"]),
        ("odd", []),
        ("none/x", []),
        ("a\0b/", []),
    ],
)
def test_a_path_goes_on(folder: Path, typed_text: str, found: list[str]) -> None:
    assert [each.text for each in path_completions(typed_text, len(typed_text))] == found
    absolute = f"{folder}/{typed_text}"
    if "~" not in typed_text:
        assert [each.text for each in path_completions(absolute, len(absolute))] == [
            f"{folder}/{each}" for each in found
        ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hdf5 en", Completion(5, 7, "env/")),
        ("env/spack.lock ~/e", Completion(15, 18, "~/env/")),
        ("w", Completion(0, 1, "'with blank.lock'")),
        ("x 'with b", Completion(2, 9, "'with blank.lock'")),
        ('"with b', Completion(0, 7, "'with blank.lock'")),
    ],
)
def test_the_last_word_of_a_line_goes_on(folder: Path, text: str, found: Completion) -> None:
    assert word_completions(text, len(text)) == [found]


def test_a_folder_that_is_the_only_way_on_goes_on_itself(drive: Drive, folder: Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).surveys.open_install_of_file()
        await settled(pilot)
        shows(pilot, "Enter check  Tab complete  Up Down earlier lines  Esc leave")
        await typed(pilot, "s")
        await pressed(pilot, "tab")
        shows(pilot, ": spack.lock", "Enter check  Tab spack.lock  spack.yaml")
        await pressed(pilot, "tab")
        shows(pilot, ": spack.yaml")
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "e")
        await pressed(pilot, "tab", "tab")
        shows(pilot, ": env/spack.lock")
        assert isinstance(pilot.app.screen, InstallScreen)

    drive(browser(), scenario, SMALL)
