"""Marks, and what is copied and exported of the view."""

from __future__ import annotations

import io
import json
import os
import pathlib
import re
import shlex
import sys
from collections.abc import Iterator
from errno import ENOSPC
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.cli.main import main
from cachetui.search.index import Index
from cachetui.store.merge import merge_all
from cachetui.tui.screens import copies, spec_export
from cachetui.tui.screens.comparison import ComparisonScreen
from cachetui.tui.screens.export import ExportScreen
from cachetui.tui.terminal.clipboard import NOT_SENT
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    cache_browser,
    lacks,
    opened,
    pressed,
    resized,
    settled,
    shown_meanwhile,
    shows,
    sought,
    spec_of,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import in_tags, index_of, row, write
from tests.support.screens import screen_lines


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder that the browser runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_marks_stay_with_their_specs(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "l", "space", "down", "space")
        browse = browse_of(pilot)
        shows(pilot, "2 marked", "*! 24fngvd", "*!>2i24sur")
        browse.arrivals.show_index(browse.view.index)
        await pressed(pilot, "space")
        shows(pilot, "1 marked")

    drive(browser(), scenario, WIDE)


def test_a_mark_is_taken_away_by_the_key_that_made_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space")
        shows(pilot, "1 marked", "*!>24fngvd")
        await pressed(pilot, "space")
        assert not browse_of(pilot).view.marks
        shows(pilot, " !>24fngvd", "its mark is taken away, 0 marks left")

    drive(browser(), scenario, SMALL)


def test_texts_are_shown_before_they_are_copied(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def send(text: str, *_: object) -> str:
        sent.append(text)
        return "sent to the terminal (OSC 52)"

    monkeypatch.setattr(copies, "send", send)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "y")
        shows(pilot, "hash", "name/hash", ">install ", "mirror", "this view")
        shows(pilot, "\u2500in full: to install it, from binaries only; most copy this one\u2500")
        await pressed(pilot, "end")
        shows(pilot, f"cachetui find {SAMPLE_CONTENT} --tag"[:76])
        await pressed(pilot, "enter")
        assert sent == [f"cachetui find {SAMPLE_CONTENT} --tag develop --packages 'py-mpi4py %gcc@11'"]

    drive(browser("py-mpi4py %gcc@11"), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize("keys", [[], ["enter"], ["enter", "enter"], ["c"]])
def test_what_was_copied_is_said_in_full_where_it_was_copied_from(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], keys: list[str]
) -> None:
    monkeypatch.setattr(copies, "send", lambda *_: "sent to the terminal (OSC 52)")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, *keys)
        screen = pilot.app.screen
        await pressed(pilot, "y", *(["end"] if keys == ["c"] else ["home"]), "enter")
        assert pilot.app.screen is screen
        last = " ".join(screen_lines(pilot.app)[-2:])
        copied = "1 name: sent to the terminal (OSC 52): py-mpi4py" if keys == ["c"] else f"hash: {SENT}"
        assert last.strip().endswith(copied)
        await pressed(pilot, "down")
        lacks(pilot, "OSC 52")

    drive(browser("py-mpi4py %gcc@11"), scenario, size)


SENT = "sent to the terminal (OSC 52): 2feova4prghd2gkebr23if6bojkyydpt"


@pytest.mark.parametrize("keys", [[], ["c"]])
def test_what_the_last_line_has_no_room_for_is_said_as_far_as_it_goes(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, keys: list[str]
) -> None:
    monkeypatch.setattr(copies, "send", lambda *_: "sent to the terminal (OSC 52)")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, *keys)
        screen = pilot.app.screen
        await pressed(pilot, "y", *(["end"] if keys else ["down"]), "enter")
        assert pilot.app.screen is screen
        last = " ".join(line.strip() for line in screen_lines(pilot.app)[-2:])
        said, first = ("4 names", "py-ml-dtypes (+3 lines)") if keys else ("mirror", "spack mirror add spack-develop")
        assert last.startswith(f"{said}: sent to the terminal (OSC 52); y shows all of it: {first}")
        await pressed(pilot, "y", *(["end"] if keys else ["down"]))
        shows(pilot, "py-safetensors" if keys else "spack buildcache keys --install --trust")

    drive(browser(), scenario, SMALL)


def test_what_no_way_takes_stays_where_it_can_be_selected(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "send", lambda *_: f"{NOT_SENT}: too much")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "y", "enter")
        assert isinstance(pilot.app.screen, copies.CopyScreen)
        shows(pilot, "install: not sent: too much", "spack install --cache-only /")

    drive(browser(), scenario, SMALL)


def test_marked_specs_are_written_to_a_file(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("l", "space", "down", "space")
        for _ in range(2):
            await pressed(pilot, "e", "end", "enter")
        shows(pilot, "written: cachetui-develop-marked-2.yaml")
        assert sorted(path.name for path in folder.iterdir()) == [
            "cachetui-develop-marked-2.yaml",
            "cachetui-develop-marked.yaml",
        ]
        text = (folder / "cachetui-develop-marked.yaml").read_text()
        assert [line for line in text.splitlines() if not line.startswith("#")] == [
            "spack:",
            "  specs:",
            '  - "py-ml-dtypes@0.4.0/24fngvd4f3yz7zj63yh4i2wjhfyscqp3"',
            '  - "py-ml-dtypes@0.4.0/2i24survziwdodvua4ny7xcx6bgc54qa"',
            "  mirrors:",
            '    spack-develop: "https://binaries.spack.io/develop"',
            "  concretizer:",
            "    unify: false",
        ]

    drive(browser(), scenario, WIDE)


def test_where_no_spec_is_shown_or_marked_there_is_nothing_to_export_or_to_unmark(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e")
        shows(pilot, "there is no spec to export")
        await pressed(pilot, "m")
        assert screen_lines(pilot.app)[-1] == "Esc back"

    drive(browser("py-none"), scenario, SMALL)


def test_a_file_of_marked_specs_says_how_many_and_has_the_command_for_these_alone(
    drive: Drive, folder: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "down", "down", "space", "e", "down", "down", "enter")
        asked.extend(spec.hash or "" for spec in browse_of(pilot).view.marked())
        monkeypatch.setattr(spec_export, "MOST_NAMED", 1)
        await pressed(pilot, "e", "down", "down", "enter", "escape", "escape", "down", "e", "down", "down", "enter")

    asked: list[str] = []
    drive(browser("%gcc"), scenario, WIDE)
    name = "cachetui-develop-marked"
    texts = [(folder / f"{name}{end}.md").read_text() for end in ("", "-2", "-3")]
    heads = [dict(line[2:].split(": ", 1) for line in text.split("\n\n")[1].splitlines()) for text in texts]
    assert re.fullmatch(r"2 marked of \d+ specs", heads[0]["shows"])
    assert heads[0]["command"] == f"`cachetui which {SAMPLE_CONTENT} --tag=develop /{asked[0]} /{asked[1]}`"
    assert "note" not in heads[0]
    assert heads[1]["command"] == f"`cachetui which {SAMPLE_CONTENT} --tag=develop - < FILE`"
    assert heads[1]["note"] == "FILE is this file: the command reads the hashes in it"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(texts[1].encode())))
    for words in (shlex.split(heads[0]["command"].strip("`")), shlex.split(heads[1]["command"].strip("`"))[:-2]):
        assert main([*words[1:], "--no-snapshot", "--format=json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [spec["hash"] for each in found for spec in each["specs"]] == asked


def test_a_mark_that_the_query_does_not_take_is_counted_apart(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "escape", "down", "enter", "e", "down", "enter")
        await pressed(pilot, "space", "e", "down", "enter")

    drive(browser(), scenario, WIDE)
    names = ("cachetui-develop-marked.json", "cachetui-develop-marked-2.json")
    shown = [json.loads((folder / name).read_text())["context"]["shows"] for name in names]
    assert shown[0] == "1 marked spec that the query does not take"
    assert re.fullmatch(r"1 marked of \d+ specs, and 1 marked spec that the query does not take", shown[1])


@pytest.mark.parametrize("spec_hash", [None, "a" * 31])
def test_marked_specs_without_a_whole_hash_are_in_no_command(
    spec_hash: object, drive: Drive, folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = write(tmp_path_factory.mktemp("content"), [row(hash=spec_hash), row(version="1.14.2", hash="b" * 32)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "home", "space", "e", "down", "enter", "end", "space", "e", "down", "enter")

    drive(cache_browser("", str(content)), scenario, SMALL)
    names = ("cachetui-develop-marked.json", "cachetui-develop-marked-2.json")
    of_one, of_two = (json.loads((folder / name).read_text())["context"] for name in names)
    assert of_one["note"] == "the command gives those too that are not marked"
    assert of_one["command"].startswith("cachetui find ")
    assert of_two["note"] == "1 without a whole hash, which no command gives"
    assert of_two["command"].endswith(f" --tag=develop /{'b' * 32}")


def test_markdown_of_specs_says_what_differs_in_the_words_of_the_list(
    drive: Drive, folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [
        row(hash="a" * 32, variants=["+mpi", "+hl", "~java"]),
        row(hash="b" * 32, variants=["+mpi", "~hl", "~java"]),
        row(hash="c" * 32, variants=["+mpi", "~hl", "+java"]),
        row("zlib", hash="d" * 32, variants=["+pic"]),
    ]
    content = write(tmp_path_factory.mktemp("content"), rows)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "e", "down", "down", "enter")
        await pressed(pilot, "space", "down", "space", "e", "down", "down", "enter")
        await pressed(pilot, "M", "space", "e", "down", "down", "enter")

    drive(cache_browser("", str(content)), scenario, WIDE)
    tables = {path.name: path.read_text().split("\n\n")[2].splitlines() for path in folder.glob("*.md")}
    names = sorted(tables)
    cells = {name: [[cell.strip() for cell in line.split("|")[1:-1]] for line in tables[name]] for name in names}
    whole, two, one = (cells[f"cachetui-{end}.md"] for end in ("develop-hdf5", "develop-marked", "develop-marked-2"))
    at = whole[0].index("differs")
    assert whole[0][at - 1 : at + 2] == ["target", "differs", "stacks"]
    assert [line[at] for line in whole[2:]] == ["+hl ~java", "~hl ~java", "~hl +java"]
    assert {line[0][0]: line[at] for line in two[2:]} == {"a": "+hl", "b": "~hl"}
    assert one[2][at] == "~hl ~java", "as the list says, though none is marked that looks like it"


def test_where_markdown_says_the_newest_tag_of_any_spec_it_says_that_of_each_and_heads_it(
    drive: Drive, folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hdf5, zlib = row(variants=["+hl"]), row("zlib", variants=["+pic"])
    builds = {"a": (hdf5, ["develop-2025-04-13"]), "b": (hdf5, []), "c": (zlib, ["v1.0"])}
    content = write(tmp_path_factory.mktemp("content"), in_tags(builds))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e", "down", "down", "enter")

    drive(cache_browser("tag=develop", str(content)), scenario, WIDE)
    table = next(folder.glob("*.md")).read_text().split("\n\n")[2]
    assert " newest tag, differs " in table
    said = {line[2]: line.split("|")[7].strip() for line in table.splitlines()[2:]}
    assert said == {"a": "2025-04-13", "b": "only develop", "c": "v1.0"}


def test_an_export_says_what_it_is_of(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "l", "space", "e", "down", "enter")
        document = json.loads((folder / "cachetui-develop-marked.json").read_text())
        assert len(document["found"]) == 1
        assert list(document["context"]) == ["content", "tags", "shows", "query", "date", "command"]
        assert document["context"]["tags"] == "develop"
        assert document["context"]["command"].startswith("cachetui which ")

    drive(browser(), scenario, WIDE)


def test_a_file_far_down_is_said_with_the_ends_of_its_path(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    folder = tmp_path / "of-a-long-name-1" / "of-a-long-name-2" / "of-a-long-name-3"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(folder)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e")
        shows(pilot, "Export 413 specs into ~/…/of-a-long-name-2/of-a-long-name-3\n")
        await pressed(pilot, "enter")
        shows(pilot, "written: cachetui-develop.csv in ~/…/of-a-long-name-3")

    drive(browser(), scenario, LEAST)


def test_a_full_disk_leaves_no_half_of_a_file(drive: Drive, folder: pathlib.Path) -> None:
    def full() -> Iterator[str]:
        yield "half"
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await opened(pilot, ExportScreen("view", "all", {"csv": full}))
        await pressed(pilot, "enter")
        shows(pilot, "No space left on device, nothing was written: view.csv")
        assert list(folder.iterdir()) == []

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_folders_that_tab_goes_through_leave_room_for_what_enter_does(
    drive: Drive, folder: pathlib.Path, size: tuple[int, int]
) -> None:
    for name in ("reports", "replies"):
        (folder / name).mkdir()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("e", "slash")
        await typed(pilot, "rep")
        await pressed(pilot, "tab")
        assert screen_lines(pilot.app)[-1].strip("│ ").startswith("Enter write it  Tab replies/  reports/")

    drive(browser(), scenario, size)


def test_an_export_goes_to_another_folder_or_name(drive: Drive, folder: pathlib.Path) -> None:
    (folder / "reports").mkdir()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("e")
        shows(pilot, "/ another folder or name")
        await pilot.press("slash")
        await typed(pilot, "rep")
        await pressed(pilot, "tab")
        shows(pilot, "reports/")
        await pressed(pilot, "enter")
        shows(pilot, "written: cachetui-develop.csv in ", "/reports")
        await pilot.press("e", "slash", "ctrl+u")
        await typed(pilot, "reports/mine.json\r")
        await pilot.press("e", "slash", "ctrl+u")
        await typed(pilot, "nowhere/mine.csv\r")
        await pilot.pause()
        shows(pilot, "No such file or directory, nothing was written: nowhere/mine.csv", ": nowhere/mine.csv")
        lacks(pilot, "type another name")
        await pilot.press("ctrl+u")
        await typed(pilot, "reports/mine.json\r")
        await pilot.pause()
        shows(pilot, "File exists, nothing was written: reports/mine.json; type another name")
        assert any(line.startswith("Export ") and line.endswith("/reports") for line in screen_lines(pilot.app))
        await pressed(pilot, "escape")
        shows(pilot, "Enter write the file")
        await pilot.press("slash", "ctrl+u")
        await typed(pilot, "reports/other-1.14\r")
        await pilot.pause()
        shows(pilot, "written: other-1.14.json in ")
        names = {path.name for path in folder.rglob("*.*")}
        assert names == {"cachetui-develop.csv", "mine.json", "other-1.14.json"}
        assert json.loads((folder / "reports" / "mine.json").read_text())["found"]

    drive(browser(), scenario, WIDE)


def test_the_name_of_a_file_that_is_typed_stands_in_the_line_of_its_format(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e", "slash", "ctrl+u")
        await typed(pilot, "mine.js")
        shows(pilot, "cachetui-develop.json")
        await typed(pilot, "on")
        shows(pilot, " mine.json", "cachetui-develop.csv")
        lacks(pilot, "cachetui-develop.json")
        await pressed(pilot, "escape")
        shows(pilot, "cachetui-develop.json")
        lacks(pilot, "mine")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("typed_folder", ["reports/", "reports", "~/reports", "~/reports/mine.json"])
def test_the_folder_that_was_written_into_is_offered_again(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, folder: pathlib.Path, typed_folder: str
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    (folder / "reports").mkdir()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e", "slash", "ctrl+u")
        await typed(pilot, f"{typed_folder}\r")
        await pressed(pilot, "e")
        shows(pilot, "Export 413 specs into ~/reports\n", " cachetui-develop.json")
        await pressed(pilot, "slash", "escape")
        shows(pilot, "Export 413 specs into ~/reports\n")
        await pressed(pilot, "home", "enter")
        shows(pilot, "in ~/reports")
        await pressed(pilot, "c", "e", "enter")
        shows(pilot, "written: coverage-package-stack.csv in ~/reports")
        await pressed(pilot, "escape", "e", "home", "slash")
        shows(pilot, "reports/cachetui-develop")
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "~/here.csv\r")
        await pressed(pilot, "e")
        shows(pilot, "Export 413 specs into ~\n")
        await pressed(pilot, "escape")
        assert {path.name for path in folder.iterdir()} == {"reports", "here.csv"}

    drive(browser(), scenario, SMALL)


def test_the_name_that_is_offered_is_one_that_is_free_in_the_folder_that_is_typed(
    drive: Drive, folder: pathlib.Path
) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e")
        await sought(pilot, "one/")
        await pressed(pilot, "e")
        shows(pilot, " cachetui-develop-2.csv", " cachetui-develop.json")
        await pressed(pilot, "slash")
        await typed(pilot, "two/")
        lacks(pilot, "cachetui-develop-2")
        await pressed(pilot, "escape")
        shows(pilot, "/one\n", " cachetui-develop-2.csv")
        await sought(pilot, "two/")
        shows(pilot, "written: cachetui-develop.csv in ")
        assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
            "one/cachetui-develop.csv",
            "two/cachetui-develop.csv",
        ]

    drive(browser(), scenario, SMALL)


def test_a_folder_that_is_gone_is_not_offered_again(drive: Drive, folder: pathlib.Path) -> None:
    (folder / "reports").mkdir()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e", "slash", "ctrl+u")
        await typed(pilot, "reports/\r")
        (folder / "reports" / "cachetui-develop.csv").unlink()
        (folder / "reports").rmdir()
        await pressed(pilot, "e", "enter")
        assert [path.name for path in folder.iterdir()] == ["cachetui-develop.csv"]

    drive(browser(), scenario, SMALL)


def test_the_title_of_an_export_follows_the_folder_that_is_typed(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, folder: pathlib.Path
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    (folder / "reports").mkdir()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("e", "slash", "ctrl+u")

        def into(folder: str) -> None:
            shows(pilot, f"Export 413 specs into {folder}\n")

        for text, folder in (
            ("rep", "~"),
            ("orts", "~/reports"),
            ("/mine.json", "~/reports"),
            ("/", "~/reports/mine.json"),
        ):
            await typed(pilot, text)
            into(folder)
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "~/reports")
        into("~/reports")
        await pressed(pilot, "escape")
        into("~")

    drive(browser(), scenario, SMALL)


def test_a_file_name_that_no_disk_takes_is_said(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("e", "slash", "ctrl+u")
        await typed(pilot, f"{300 * 'n'}\r")
        shows(pilot, "File name too long, nothing was written")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("key", "line"), [("end", ": cachetui-develop.csvx"), ("left", ": xcachetui-develop.csv")])
def test_a_name_that_stands_there_is_replaced_unless_the_cursor_is_moved(drive: Drive, key: str, line: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e", "slash")
        shows(pilot, "letters replace it, End keeps it  Enter write it")
        await pressed(pilot, "x")
        shows(pilot, ": x\n")
        lacks(pilot, "letters replace it")
        await pressed(pilot, "escape", "e", "slash", key, "x")
        shows(pilot, line)

    drive(browser(), scenario, SMALL)


def test_what_is_copied_is_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("y")
        shows(pilot, "Copy py-ml-dtypes@0.4.0 /24fngvd, one of 129")
        await pressed(pilot, "escape", "enter", "down", "y")
        shows(pilot, "Copy py-ml-dtypes@0.4.0 /2i24sur\n", "\n>install")
        await pressed(pilot, "escape", "enter", "y")
        shows(pilot, "\n>install")
        await pressed(pilot, "escape", "escape", "y")
        await pressed(pilot, "escape", "space", "down", "space", "y")
        shows(pilot, "Copy 2 marked specs, or at the cursor py-ml-dtypes@0.4.0 /")
        shows(pilot, "/hash, cursor", "install, cursor")
        await resized(pilot, LEAST)
        shows(pilot, "name/hash, cursor py-ml", "install           spack install --cache-only …")

    drive(browser(), scenario, WIDE)


def test_what_is_copied_and_exported_is_what_is_on_screen(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "s", "S", "y", "end")
        shows(pilot, "--sort -compiler py-ml-dtypes")
        await pressed(pilot, "q", "e")
        shows(pilot, f"Export 129 specs into {folder}", "Markdown, to be read       cachetui-develop-py-ml-dtypes.md")
        await pilot.press("q")
        folder.rmdir()
        await pressed(pilot, "e", "enter")
        shows(pilot, "Export 129 specs into .", "No such file or directory, nothing was written: ")

    drive(browser(), scenario, (200, 30))


def test_the_list_of_marked_specs_exports_them(drive: Drive, folder: pathlib.Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "escape", "down", "enter", "space", "m")
        shows(pilot, "2 marked specs", "e export")
        await pressed(pilot, "e")
        shows(pilot, "Export 2 marked specs into ")
        await pressed(pilot, "down", "enter")
        shows(pilot, "2 marked specs", "written: cachetui-develop-marked.json")
        document = json.loads((folder / "cachetui-develop-marked.json").read_text())
        assert {each["package"] for each in document["found"]} == {"py-ml-dtypes", "py-mpi4py"}
        await pressed(pilot, "home", "space", "down", "space", "e")
        shows(pilot, "there is no marked spec to export")

    drive(browser(), scenario, WIDE)


def test_marked_specs_are_listed_gone_to_and_taken_away(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "escape", "down", "enter", "space", "m")
        shows(pilot, "2 marked specs", "py-ml-dtypes", "24fngvd", "py-mpi4py", "2feova4")
        await pressed(pilot, "home", "enter")
        assert spec_of(browse).hash == "24fngvd4f3yz7zj63yh4i2wjhfyscqp3"
        await pressed(pilot, "m", "home", "space")
        shows(pilot, "1 marked spec\n")
        await shown_meanwhile(pilot, "1 marked · ")
        shows(pilot, "  >py-ml-dtypes", "*  py-mpi4py")
        await pressed(pilot, "equals_sign")
        shows(pilot, "its mark is taken away; only marked specs are compared")
        await pressed(pilot, "space")
        shows(pilot, "2 marked specs\n", "* >py-ml-dtypes", "*  py-mpi4py")
        await pressed(pilot, "space", "enter")
        assert spec_of(browse).hash == "24fngvd4f3yz7zj63yh4i2wjhfyscqp3"
        assert [mark[1] for mark in browse.view.marks] == ["py-mpi4py"]
        await pressed(pilot, "M")
        shows(pilot, "1 mark taken away")
        assert not browse.view.marks
        lacks(pilot, "1 marked")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("key", ["space", "equals_sign", "enter"])
def test_a_listed_mark_may_be_gone_with_a_newer_index(drive: Drive, tmp_path: pathlib.Path, key: str) -> None:
    rows = [row("zlib", f"1.{number}") for number in range(3)]
    write(tmp_path, rows)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "down", "space", "m", "end")
        shows(pilot, "3 marked specs")
        last = browse.view.marked()[-1].hash
        query = browse.view.query
        browse.arrivals.show_index(index_of([each for each in rows if each["hash"] != last]))
        await pressed(pilot, key)
        assert (len(browse.view.marks), browse.view.query) == (2, query)
        shows(pilot, "that spec is no more there" if key == "enter" else "2 marked specs")

    drive(cache_browser("", str(tmp_path)), scenario, SMALL)


def test_all_marks_that_were_removed_come_back_by_undo(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "m")
        shows(pilot, "M remove all")
        marks = browse.view.marks
        await pressed(pilot, "M")
        assert not browse.view.marks
        shows(pilot, "2 marks taken away: u goes back")
        await pressed(pilot, "u")
        assert browse.view.marks == marks
        shows(pilot, "2 specs marked again")
        await typed(pilot, "/+cuda\r")
        await pressed(pilot, "M", "x", "u")
        assert not browse.view.marks, "a filter step was the last one"
        await pressed(pilot, "u", "escape", "enter", "space", "x")
        shows(pilot, "1 spec stays marked: m lists them")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_of_more_than_two_marked_specs_the_last_line_offers_pairs(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space")
        shows(pilot, "m 1 marked  e export")
        await pressed(pilot, "down", "space")
        shows(pilot, "m 2 marked  = compare  e export")
        await pressed(pilot, "down", "space")
        shows(pilot, "m 3 marked  = compare pairs  e export")
        await pressed(pilot, "down", "enter", "space")
        shows(pilot, "marked, 4 are now: = compares them pair by pair")

    drive(browser(), scenario, size)


def test_with_marks_and_filters_the_last_line_of_the_packages_names_the_ways_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/os=ubuntu22.04\r")
        await pressed(pilot, "enter", "space", "down", "space", "escape", "j")
        shows(pilot, "Enter specs  m 2 marked  = compare  u undo  x clear")

    drive(browser(), scenario, SMALL)


def test_with_marks_the_last_line_of_all_packages_names_the_coverage_still(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", *["space", "down"] * 3, "escape", "j")
        shows(pilot, "# hash  m 3 marked  c coverage  f facets  ? help  q quit")
        await typed(pilot, "/py-mpi4py\r")
        await pressed(pilot, "x", "j")
        shows(pilot, "# hash  u undo  m 3 marked  c coverage  ? help  q quit")

    drive(browser(), scenario, SMALL)


def test_what_does_not_run_has_the_sign_of_its_row_in_the_detail(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter")
        shows(pilot, "!>24fngvd", "host ! does not run: needs glibc 2.39, the host has 2.35")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_of_three_marked_specs_each_pair_is_compared_and_it_is_said_which(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "down", "space")
        first, second, third = rows = browse.view.marked_rows()
        names = {row: f"{(spec := browse.view.index.spec(row)).version} {(spec.hash or '')[:7]}" for row in rows}
        pairs = [(first, second), (first, third), (second, third)]

        def compared(one: int, two: int, number: int = 1) -> None:
            shows(pilot, f"@{names[one]} and @{names[two]}", f"  {number} of 3 pairs of 3 marked", ", . other pairs")
            shows(pilot, f"/{names[one].split()[1]}", f"/{names[two].split()[1]}")

        await pressed(pilot, "equals_sign")
        compared(*pairs[0])
        await pressed(pilot, "escape", "down", "equals_sign")
        compared(*pairs[0])
        for number in (2, 3, 1, 2):
            await pressed(pilot, "full_stop")
            compared(*pairs[number - 1], number)
        for number in (1, 3):
            await pressed(pilot, "comma")
            compared(*pairs[number - 1], number)
        copied = pilot.app.screen
        assert isinstance(copied, ComparisonScreen)
        assert names[second].split()[1] in copied._pair.command
        await pressed(pilot, "escape", "m", "home", "down", "equals_sign")
        compared(second, third)
        await pressed(pilot, "escape")
        shows(pilot, "3 marked specs")

    drive(browser(), scenario, size)


def test_pairs_stand_in_the_order_of_the_list(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "S", "home", "space", "down", "space", "down", "down", "space")
        view = browse_of(pilot).view
        hashes = [(view.index.spec(row).hash or "")[:7] for row in view.lists.specs("py-mpi4py").rows[:4]]
        first, second, third = (hashes[k] for k in (0, 1, 3))
        await pressed(pilot, "equals_sign")
        for one, two in ((first, second), (first, third), (second, third)):
            title = screen_lines(pilot.app)[0]
            assert 0 < title.index(f" {one} and ") < title.index(f" {two} ")
            await pressed(pilot, "full_stop")

    drive(browser("py-mpi4py"), scenario, WIDE)


@pytest.mark.parametrize(("size", "is_whole"), [(WIDE, True), (SMALL, True), ((60, 12), False)])
def test_what_both_have_is_shown_whole_where_there_is_room(
    drive: Drive, tmp_path: pathlib.Path, size: tuple[int, int], is_whole: bool
) -> None:
    both = [f"+variant{letter}" for letter in "abcdefgh"]
    rows = [row(hash=letter * 32, variants=[*both, own]) for letter, own in (("a", "+hl"), ("b", "~hl"))]
    folder = write(tmp_path, rows)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "equals_sign")
        (shows if is_whole else lacks)(pilot, "+varianth")
        (lacks if is_whole else shows)(pilot, "and 3")

    drive(cache_browser("", str(folder)), scenario, size)


def test_other_pairs_are_of_the_same_specs_where_a_newer_index_comes_meanwhile(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "down", "space", "equals_sign")
        shown = pilot.app.screen
        assert isinstance(shown, ComparisonScreen)
        hashes = [(shown._compare(at).found.old.hash, shown._compare(at).found.new.hash) for at in range(3)]
        browse.arrivals.show_index(Index(merge_all([])))
        for at in (1, 2, 0):
            await pressed(pilot, "full_stop")
            assert (shown._found.old.hash, shown._found.new.hash) == hashes[at]

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("spec_hash", [None, "a" * 31])
def test_a_comparison_without_a_command_is_not_copied(drive: Drive, tmp_path: pathlib.Path, spec_hash: object) -> None:
    folder = write(tmp_path, [row(hash=spec_hash), row(version="1.14.2")])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "equals_sign", "y")
        shows(pilot, "What differs", "no command gives this comparison, as not both have a whole hash")

    drive(cache_browser("", str(folder)), scenario, SMALL)


def test_the_export_of_a_comparison_says_so_and_leads_to_that_of_the_marked_specs(
    drive: Drive, folder: pathlib.Path
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e", "m")
        shows(pilot, "Export 413 specs into ", "m (marked) is for the lists")
        await pressed(pilot, "escape", "enter", "space", "down", "space", "equals_sign", "e")
        shows(pilot, "Export the comparison of 2 specs into ", "m the marked specs")
        await pressed(pilot, "m")
        shows(pilot, "Export 2 marked specs into ", "yaml")
        lacks(pilot, "m the marked specs")
        await pressed(pilot, "enter")
        shows(pilot, "What differs", "written: cachetui-develop-marked.csv in ")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("key", "what"), [("c", "the coverage, 4 packages by 13 stacks"), ("v", "the timeline, 2 tags"), ("d", "the diff")]
)
def test_an_export_says_of_which_screen_it_is(key: str, what: str, drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, key, "e")
        shows(pilot, f"Export {what}")

    drive(browser(), scenario, SMALL)


def test_a_spec_without_a_version_is_called_by_its_package(drive: Drive, tmp_path: pathlib.Path) -> None:
    folder = write(tmp_path, [row("zlib", versions=[], variants=[])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "y")
        shows(pilot, "Copy zlib /")
        await pressed(pilot, "escape", "enter")
        assert screen_lines(pilot.app)[0].strip() == "zlib"
        await pressed(pilot, "space")
        assert screen_lines(pilot.app)[0].split()[:2] == ["*", "zlib"]
        await pressed(pilot, "escape", "number_sign", "z", "l", "i", "b")
        lacks(pilot, "None")

    drive(cache_browser("", str(folder)), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_of_two_specs_there_is_no_other_pair(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", "space", "equals_sign")
        shows(pilot, "mark two specs with Space, then = compares them (1 marked)")
        await pressed(pilot, "down", "equals_sign")
        shows(pilot, "  marked, cursor")
        lines = screen_lines(pilot.app)
        assert not lines[-1].startswith(", .")
        await pressed(pilot, "full_stop", "comma")
        assert screen_lines(pilot.app)[:-1] == lines[:-1]
        shows(pilot, "these two are the only pair")
        await pressed(pilot, "escape", "space", "equals_sign")
        assert "marked" not in screen_lines(pilot.app)[0]

    drive(browser(), scenario, size)


def test_a_spec_in_full_that_is_not_marked_is_compared_with_each_that_is(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "down", "enter", "equals_sign")
        here = (spec_of(browse).hash or "")[:7]
        marked = [(spec.hash or "")[:7] for spec in browse.view.marked()]
        for number in (0, 1, 0):
            shows(pilot, f"{marked[number]} and ", f" {here}", f"{number + 1} of 2 marked, cursor", ", . other pairs")
            await pressed(pilot, "full_stop")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_two_marked_specs_stand_side_by_side(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "equals_sign")
        shows(pilot, "mark two specs with Space")
        await pressed(pilot, "down", "enter", "space", "down", "down", "equals_sign")
        lines = [line.split() for line in screen_lines(pilot.app)]
        assert ["compiler", "gcc@11.4.0", "intel-oneapi-compilers@2025.1.0"] in [
            line[:3] for line in lines
        ] or size != WIDE
        assert lines[1][:2] == ["spec", "py-mpi4py@4.0.1"]
        shows(pilot, "/2feova4")
        shows(pilot, "no dependencies are recorded of either")
        assert all(len(line) <= size[0] for line in screen_lines(pilot.app))
        await pressed(pilot, "y")
        shows(pilot, "cachetui diff")

    drive(browser(), scenario, size)


def test_the_list_of_marks_is_as_wide_as_its_rows(drive: Drive, tmp_path: pathlib.Path) -> None:
    write(tmp_path, [row(compiler="apple-clang@16.0.0", target="x86_64_v3"), row("zlib", target="neoverse_v1")])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "escape", "down", "enter", "space", "m")
        shows(pilot, " 1.14.3  apple-clang@16.0.0 ubuntu22.04 x86_64_v3   develop", " ubuntu22.04 neoverse_v1 develop")

    drive(cache_browser("", str(tmp_path)), scenario, SMALL)


def test_in_the_list_of_packages_it_is_said_which_spec_records_no_needs(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        spec = spec_of(browse_of(pilot))
        await pressed(pilot, "n")
        shows(pilot, f"no dependencies are recorded of {spec.package}@{spec.version} /{(spec.hash or '')[:7]}")

    drive(browser(), scenario, SMALL)


def test_where_a_file_is_asked_for_the_format_follows_its_ending_and_nothing_moves(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "e")

        def places() -> list[int]:
            lines = screen_lines(pilot.app)
            return [k for k, line in enumerate(lines) if "Export" in line or "for spreadsheets" in line]

        before = places()
        await pressed(pilot, "slash", "ctrl+u")
        await typed(pilot, "mine.yaml")
        shows(pilot, ">yaml")
        assert places() == before

    drive(browser(), scenario, SMALL)


def test_escape_takes_a_message_away_that_asks_for_marks_and_stays(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)

        def level() -> str:
            return browse_of(pilot).panes.level

        await pressed(pilot, "down", "enter", "space", "equals_sign")
        shows(pilot, "mark two specs with Space")
        await pressed(pilot, "escape")
        lacks(pilot, "mark two specs")
        assert level() == "specs"
        await pressed(pilot, "escape")
        assert level() == "packages"
        await pressed(pilot, "enter", "equals_sign", "down", "escape")
        assert level() == "packages"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_spec_in_full_is_marked_and_compared(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = browse_of(pilot)
        await pressed(pilot, "down", "enter", "enter")
        assert screen_lines(pilot.app)[-1].split("  ")[-1].strip() == "Esc back"
        await pressed(pilot, "equals_sign")
        shows(pilot, "mark two specs with Space, then = compares them (0 marked)")
        await pressed(pilot, "space")
        shows(pilot, "marked, as the only one")
        assert len(browse.view.marks) == 1
        await pressed(pilot, "escape", "down", "enter", "equals_sign")
        shows(pilot, "marked, cursor")
        await pressed(pilot, "escape", "space")
        shows(pilot, "marked, 2 are now: = compares two")
        await pressed(pilot, "escape", "down", "enter", "equals_sign")
        spec = spec_of(browse)
        shows(pilot, f"and @{spec.version} {(spec.hash or '')[:7]} ", "1 of 2 marked, cursor")
        await pressed(pilot, "escape", "escape", "up", "enter", "space")
        shows(pilot, "its mark is taken away, 1 mark left")
        await pressed(pilot, "escape")
        shows(pilot, "1 marked")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_title_of_a_spec_in_full_says_that_it_is_marked(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        def title() -> list[str]:
            return screen_lines(pilot.app)[0].split()

        await pressed(pilot, "enter", "enter")
        (name,) = title()
        await pressed(pilot, "space")
        assert title() == ["*", name, "marked"]
        await pressed(pilot, "escape")
        assert re.search(r"\*.>\w{7} ", "\n".join(screen_lines(pilot.app))), "with the sign of the list"
        await pressed(pilot, "enter")
        assert title() == ["*", name, "marked"]
        shows(pilot, "Space unmark  ")
        await pressed(pilot, "space")
        assert title() == [name]
        await pressed(pilot, "down")
        shows(pilot, "Space mark  ")

    drive(browser("py-mpi4py"), scenario, size)


def test_a_mark_made_where_trees_lead_to_is_shown_on_the_way_back_too(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", "enter", "n", "end", "right", "down", "enter")
        assert screen_lines(pilot.app)[0] == "bt-app@3.2.1"
        await pressed(pilot, "n", *["down"] * 6, "enter")
        assert screen_lines(pilot.app)[0] == "py-bt-num@1.26.4"
        await pressed(pilot, "space", *["escape"] * 4)
        assert screen_lines(pilot.app)[0].split() == ["*", "py-bt-num@1.26.4", "marked"]
        await pressed(pilot, "escape")
        assert browse_of(pilot).panes.level == "specs"

    drive(cache_browser("py-bt-num", str(CACHES / "v3/spack-1.1.0/develop/btest")), scenario, SMALL)


def test_a_text_of_several_lines_says_how_many_more_it_has(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse = browse_of(pilot)
        await pressed(pilot, "enter", "space", "down", "space", "down", "space", "y")
        first = next(spec.hash for spec in browse.view.marked())
        shows(pilot, f" {first} (+2 lines)")

    drive(browser("py-mpi4py"), scenario, WIDE)
