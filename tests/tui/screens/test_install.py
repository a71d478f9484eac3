"""Would it install? Asked of a spec, of marks, of a package and of files; what is said, gone to and copied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.model.host import Host
from cachetui.tui.screens.install import InstallScreen
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    cache_browser,
    lacks,
    pressed,
    sample_browser,
    says,
    settled,
    shows,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.locks import BTEST, CORE, changed_at_the_bottom
from tests.support.screens import screen_lines

CACHES_OF_1_1 = str(CACHES / "v3/spack-1.1.0")
HOST = Host("linux", "debian12", "icelake")


async def asked(pilot: Pilot[Any], what: str) -> None:
    """Asks for what a user types behind the palette's entry."""
    await settled(pilot)
    browse_of(pilot).surveys.open_install_of_file()
    await settled(pilot)
    await typed(pilot, what)
    await pressed(pilot, "enter")


def copied(pilot: Pilot[Any]) -> dict[str, str]:
    screen = pilot.app.screen
    assert isinstance(screen, InstallScreen)
    return {label: text for label, text in screen.copies() if text}


def test_no_reason_is_cut_beside_blank_columns(drive: Drive, tmp_path: Path) -> None:
    lock = changed_at_the_bottom(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await asked(pilot, lock)
        lines = screen_lines(pilot.app)
        assert sum("in no cache; follows from bt-core" in line for line in lines) >= 5

    drive(cache_browser("", CACHES_OF_1_1), scenario, SMALL)


def test_a_name_spelled_wrong_is_said_with_the_nearest(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await asked(pilot, "bt-coer")
        shows(pilot, "no package bt-coer; nearest: bt-core")

    drive(cache_browser("", CACHES_OF_1_1), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_the_reason_of_an_error_stands_before_a_long_path(drive: Drive, tmp_path: Path, size: tuple[int, int]) -> None:
    folder = tmp_path / ("a-folder-with-a-long-name-" * 4) / "another" / "environment"
    folder.mkdir(parents=True)
    (folder / "spack.lock").write_text("{")

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).surveys.open_install_of_file()
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, InstallScreen)
        screen.take(str(folder / "spack.lock"))
        screen.ask()
        await settled(pilot)
        said = " ".join(screen_lines(pilot.app)[2:4])
        assert said.startswith("no readable spack.lock: ")
        assert "/\u2026/" in said
        assert said.endswith("/another/environment/spack.lock")

    drive(cache_browser("", CACHES_OF_1_1), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_first_line_of_a_lock_is_what_differs(drive: Drive, tmp_path: Path, size: tuple[int, int]) -> None:
    lock = changed_at_the_bottom(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await asked(pilot, lock)
        lines = screen_lines(pilot.app)
        verdict = lines[1]
        assert verdict.startswith("21 of 28 from binaries, 7 missing")
        assert " what differs by itself  1 " in f"{lines[3]} ", "the number of its rows stands beside a heading"
        assert lines[4].split()[0] == ">bt-core"
        assert "6 follow" in lines[4]
        assert all(len(line) <= size[0] for line in lines)
        if size == WIDE:
            shows(pilot, "~shared, cached +shared; require +shared", "in no cache; follows from bt-core")
        await pressed(pilot, "enter")
        assert screen_lines(pilot.app)[0].startswith("bt-core@")
        shows(pilot, CORE)
        await pressed(pilot, "escape")
        shows(pilot, "Would it install?")
        assert copied(pilot)["require"] == 'packages:\n  bt-core:\n    require: "bt-core +shared"'
        assert copied(pilot)["this view"].endswith(f"{CACHES_OF_1_1}/develop/btest {lock}")
        await pressed(pilot, "space")
        shows(pilot, "differs ~shared, cached +shared", "require bt-core +shared")

    drive(cache_browser("", f"{CACHES_OF_1_1}/develop/btest", HOST), scenario, size)


def test_what_is_missing_is_elsewhere_and_gone_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await asked(pilot, BTEST)
        shows(pilot, "needs the mirror develop/btest", "in develop/btest")
        assert "spack mirror add" in copied(pilot)["mirrors"]
        assert "--stack=tools" in copied(pilot)["this view"]
        at = next(k for k, line in enumerate(screen_lines(pilot.app)) if "in develop/btest" in line)
        await pilot.press("home", *["down"] * (at - 3))
        await pressed(pilot, "enter")
        shows(pilot, "stacks btest")
        await pressed(pilot, "escape")
        lacks(pilot, "that was the nearest build")

    drive(cache_browser("stack=tools", CACHES_OF_1_1, HOST), scenario, WIDE)


def test_asked_of_a_spec_from_the_list_and_from_its_sheet(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "i")
        shows(pilot, "Would it install?  netcdf-c@4.9.2 /", "all 7 from binaries", "301 B to download")
        shows(
            pilot,
            "largest binaries",
            "glibc@2.39",
            "/usr; too old",
            "(none of them runs on the host)",
            "does not run here",
        )
        assert "spack install --cache-only /" in copied(pilot)["install"]
        await pressed(pilot, "escape", "enter", "i")
        shows(pilot, "Would it install?  netcdf-c@4.9.2 /", "tag=site")
        await pressed(pilot, "escape")
        assert screen_lines(pilot.app)[0] == "netcdf-c@4.9.2"

    drive(sample_browser("netcdf-c tag=site"), scenario, SMALL)


def test_asked_of_marks_and_of_a_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "i")
        shows(pilot, "Would it install?  bt-app", "all 9 from binaries", "complete; 3 of 3 are")
        assert copied(pilot)["this view"].endswith("bt-app")
        await pressed(pilot, "escape", "enter", "space", "down", "space", "i")
        shows(pilot, "asked for", "bt-app@main")
        assert copied(pilot)["this view"].count(" /") == 3

    folder = str(CACHES / "v3/spack-1.1.0/develop/btest")
    drive(cache_browser("bt-app", folder, HOST), scenario, SMALL)


def test_sizes_stand_as_bars_in_ascii_too(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        pilot.app.add_class("-ascii")
        await settled(pilot)
        await pressed(pilot, "enter", "i")
        shows(pilot, "########################", "43 B")

    drive(sample_browser("netcdf-c tag=site"), scenario, SMALL)


def test_what_cannot_be_read_is_said_and_asked_again(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spack.lock").write_text("{")
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await asked(pilot, "/nowhere/spack.lock")
        shows(pilot, "cannot be read: No such file or directory: /nowhere/spack.lock")
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "-")
        await pressed(pilot, "enter")
        shows(pilot, "standard input is the keyboard here")
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "./spack.lock")
        await pressed(pilot, "enter")
        shows(pilot, "spack.lock: ")
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "bt-app 'x")
        await pressed(pilot, "enter")
        shows(pilot, "spec bt-app 'x: column 8: cannot read")
        await pressed(pilot, "escape")
        shows(pilot, "packages")

    drive(cache_browser("", CACHES_OF_1_1, HOST), scenario, WIDE)


def test_pages_record_no_dependencies_and_say_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "i")
        shows(pilot, "what it needs is not recorded in this content; a build cache itself records it")
        await pressed(pilot, "enter", "enter", "i")
        shows(pilot, "no dependencies are recorded of this spec")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_another_host_is_chosen_and_it_is_looked_again(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "i")
        shows(pilot, "on linux-rhel8-zen3", "no build of 1 root", "/ a spack.lock or spec")
        await pressed(pilot, "H")
        shows(pilot, ": a part of one below, or any other: zen4, linux-rhel9-zen4", "Enter choose", ">linux-rhel8-zen3")
        await typed(pilot, "???")
        await pressed(pilot, "enter")
        says(pilot, "no target '???'")
        shows(pilot, "on linux-rhel8-zen3", ": ???")
        await pressed(pilot, "escape")
        await pilot.press("ctrl+p", *"host")
        await settled(pilot)
        assert "Choose the host" in screen_lines(pilot.app)[2]  # the first below the frame and what is typed
        await pressed(pilot, "enter")
        await typed(pilot, "linux-ubuntu24.04-icelake")
        await pressed(pilot, "enter")
        shows(pilot, "on linux-ubuntu24.04-icelake", "all 9 from binaries")
        assert "--fits=linux-ubuntu24.04-icelake" in copied(pilot)["this view"]

    folder = str(CACHES / "v3/spack-1.1.0/develop/btest")
    drive(cache_browser("bt-app", folder, Host("linux", "rhel8", "zen3")), scenario, size)


def test_an_answer_is_exported(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = changed_at_the_bottom(tmp_path)
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await asked(pilot, lock)
        await pressed(pilot, "e", "down", "enter")
        shows(pilot, "written: install.json")
        document = json.loads((tmp_path / "install.json").read_text())
        assert document["context"]["command"].startswith("cachetui check --")
        assert [cause["package"] for cause in document["causes"]] == ["bt-core"]
        assert document["mirrors"] == [[f"{CACHES_OF_1_1}/develop/btest", "btest", ""]]

    drive(cache_browser("", f"{CACHES_OF_1_1}/develop/btest", HOST), scenario, SMALL)


def test_a_newer_index_leaves_the_cursor_where_it_is(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await asked(pilot, BTEST)
        await pressed(pilot, "down", "down")
        before = [line for line in screen_lines(pilot.app) if line.startswith(">")]
        screen = pilot.app.screen
        assert isinstance(screen, InstallScreen)
        screen.follow_view(browse_of(pilot).view)
        await settled(pilot)
        assert [line for line in screen_lines(pilot.app) if line.startswith(">")] == before

    drive(cache_browser("stack=tools", CACHES_OF_1_1, HOST), scenario, SMALL)


def test_the_palette_leads_to_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("ctrl+p", *"check")
        await settled(pilot)
        shows(pilot, "Check environment")
        await pilot.press("enter")
        await settled(pilot)
        shows(pilot, "Would it install?", "a spack.lock, a spack.yaml")

    drive(cache_browser("", CACHES_OF_1_1, HOST), scenario, SMALL)


def test_what_the_host_has_to_have_is_not_said_to_lack_a_binary(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "i")
        shows(pilot, "has to be on the host", "glibc@2.36")
        await pressed(pilot, "end", "enter")
        shows(pilot, "is the host's own: it has to be there, no binary of it is needed")
        lacks(pilot, "there is no binary of it here")

    drive(cache_browser("bt-blas-b", str(CACHES / "v3/spack-1.1.0/develop/btest"), HOST), scenario, WIDE)


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (("space", "down", "space"), "2 of 2 here (none of them runs on the host), but what they need"),
        (("space",), "1 of 1 here (it does not run on the host), but what it needs"),
    ],
)
def test_where_no_dependencies_are_recorded_nothing_is_said_to_come_whole_from_binaries(
    drive: Drive, marks: tuple[str, ...], said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", *marks, "i")
        shows(pilot, f"{said} is not recorded", "its dependencies are not recorded")
        lacks(pilot, "from binaries")

    drive(sample_browser("py-ml-dtypes"), scenario, WIDE)
