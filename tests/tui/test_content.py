"""Content that is hostile, or changes while two browsers and a command look at it, in real terminals."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cachetui.tui.reading import CatalogueReading
from tests.support.browsing import browser as browser_of_sample
from tests.support.browsing import lacks, pressed, settled, shows
from tests.support.caches import CACHES
from tests.support.hostile import EVIL_PAGE, harmless, page
from tests.support.hostile import row as plain_row
from tests.support.mirror_server import serving
from tests.support.places import ROOT
from tests.support.rows import row, write
from tests.support.screens import LEAVE, Terminal

CACHE = CACHES / "v3/spack-1.1.0/develop/tools"

OWN = re.compile(r"\x1b\[[0-9;?<>=]*[ $]?[@-~]|\x1bM|\x1b\]11;\?\x07|\r")
"""What the browser itself writes: cursor, looks, modes, the question for the background."""

BACK = "Esc packages"
"""A hint of the main screen, within a package."""

STEPS = (
    ("G\r\r", "Up Down scroll"),
    ("q", BACK),
    ("\x1b", "Enter specs"),
    ("f", "f hide"),
    ("GG ", "1 of 3 specs"),
    ("u", "3 of 3 specs"),
    ("f", "Enter specs"),
    ("\r", BACK),
    ("y", "Enter copy"),
    ("\x1b", BACK),
    ("!", "problems found"),
    ("\r", "Up Down scroll"),
    ("qq", BACK),
    ("c", "by 2 stacks"),
    ("q", BACK),
    ("w", "Why only 1 spec?"),
    ("q", BACK),
    ("v", "last seen in"),
    ("q", BACK),
    ("#[red]", "1 hash, 1 package"),
    ("\x1b", BACK),
)
"""Keys through every screen that shows what a page says, and what the screen shows then."""


def browser(content: Path | str, cache: Path, *options: str, cols: int = 80, rows: int = 24) -> Terminal:
    return Terminal(
        [sys.executable, "-m", "cachetui", *options, str(content)],
        cols=cols,
        rows=rows,
        env={"PYTHONPATH": str(ROOT), "CACHETUI_CACHE_DIR": str(cache)},
    )


@pytest.mark.parametrize(("options", "steps_back"), [((), "\b"), (("--full-repaint",), "")])
def test_nothing_of_a_page_acts_on_the_terminal(tmp_path: Path, options: tuple[str, ...], steps_back: str) -> None:
    """On every screen that shows it: lists, facets, detail, tags, coverage, timeline, copy, problems, why, lookup."""
    content = tmp_path / "content"
    content.mkdir()
    (content / "evil.md").write_text(EVIL_PAGE)
    (content / "good.md").write_text(page("good", plain_row("a")))
    Path(os.fsdecode(os.fsencode(content) + b"/\xff\x1b[31m\n.md")).write_text("---\nlayout: cache\n---\n")
    with browser(content, tmp_path / "cache", *options, cols=140, rows=40) as terminal:
        terminal.wait_for("1 of 1 specs")  # of the tag that is looked at first
        terminal.wait_for("2 faults in the pages")  # said when all is read, in the place of the hints
        terminal.send("t\x1b[H\r")  # all tags
        terminal.wait_for("3 of 3 specs")
        for keys, shown in STEPS:
            terminal.send(keys)
            terminal.wait_for(shown)
        assert "[red]x[/red]" in terminal.output.decode()
        terminal.send("\x03")
        assert terminal.exitstatus() == 130
    written = terminal.output.partition(b"\x1b[?1049h")[2].rpartition(LEAVE)[0].decode()
    harmless(OWN.sub("", written).replace(steps_back, ""))


def test_a_server_without_a_build_cache_is_not_said_to_be_read_still(tmp_path: Path) -> None:
    with serving({}) as server, browser(server.url, tmp_path / "cache") as terminal:
        terminal.wait_for(f"{server.url} is no build cache", timeout=30)
        terminal.wait_for("There is no page here.")
        terminal.send("q")
        assert terminal.exitstatus() == 0


def test_a_copy_of_a_server_that_is_away_has_a_lasting_sign(tmp_path: Path) -> None:
    cache, files = tmp_path / "cache", {}
    for path in CACHE.rglob("*"):
        if path.is_file():
            files[str(path.relative_to(CACHE))] = path.read_bytes()
    with serving(files) as server:
        command = [sys.executable, "-m", "cachetui", "tags", server.url]
        subprocess.run(command, env={**os.environ, "CACHETUI_CACHE_DIR": str(cache)}, check=True, cwd=ROOT)
        url = server.url
    for options, sign in ((), "copy of "), (("--offline",), "offline"):
        with browser(url, cache, *options, cols=120) as terminal:
            terminal.wait_for(sign, timeout=30)
            terminal.send("jjk!")
            terminal.wait_for("1 problem found")
            assert sign in terminal.lines[0]
            terminal.send("qq")
            assert terminal.exitstatus() == 0


def test_nothing_is_judged_before_the_content_is_read_whole() -> None:
    async def run() -> None:
        app = browser_of_sample("py-ml-dtypes")
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            index = app.browse.view.index
            for key in "cdv":
                app.progress = "reading 35 %"
                await pressed(pilot, key)
                shows(pilot, "reading 35 %")
                for word in ("lost", "gone", "missing", "complete"):
                    lacks(pilot, word)
                app.post_message(CatalogueReading.IndexArrived(index))
                await settled(pilot)
                lacks(pilot, "reading")
                await pressed(pilot, "escape")

    asyncio.run(run())


@pytest.mark.parametrize("changes", [3, pytest.param(5_000, marks=pytest.mark.soak)])
def test_two_browsers_and_a_command_see_what_changed(tmp_path: Path, changes: int) -> None:
    pages = [row(f"p{number}", tag="develop") for number in range(changes + 2)]
    content, cache = write(tmp_path / "content", pages), tmp_path / "cache"
    count = f"{len(pages):,} packages"
    with browser(content, cache, cols=100) as one, browser(content, cache, cols=100) as other:
        for terminal in (one, other):
            terminal.wait_for(count, timeout=30)
            terminal.wait_for(lambda terminal: "reading" not in terminal.lines[0], timeout=30)
            terminal.wait_for(lambda terminal: "comparing" not in terminal.lines[0], timeout=30)
        later = write(tmp_path / "later", [*({**each, "os": "changed9"} for each in pages[:-1]), row("fresh")])
        for path in later.iterdir():
            os.replace(path, content / path.name)
        command = [sys.executable, "-m", "cachetui", "find", str(content), "os=changed9", "--format", "json"]
        environ = {**os.environ, "CACHETUI_CACHE_DIR": str(cache)}
        found = json.loads(subprocess.run(command, env=environ, capture_output=True, check=True, cwd=ROOT).stdout)
        assert len(found) == changes + 1
        for terminal in (one, other):
            terminal.send("r")
            terminal.wait_for("changed", timeout=30)
            terminal.send("/fresh\r")
            terminal.wait_for("1 of")
            terminal.send("q")
            assert terminal.exitstatus() == 0
    assert len(list(cache.iterdir())) == 1
