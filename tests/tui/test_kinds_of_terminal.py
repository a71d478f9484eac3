"""The browser in terminals of every kind: the same picture in each, in the signs and colours that it has."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from textual import events
from textual.geometry import Size
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue, sample_content
from cachetui.host import Host
from cachetui.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.terminal import is_ascii
from tests.tui.conftest import Drive
from tests.tui.screens import Terminal

ROOT = Path(__file__).parents[2]
BROWSER = [sys.executable, "-m", "cachetui"]

COLOURS = {"31", "32", "35", "36"}
"""Red, green, magenta, cyan, in the shades of the terminal's own theme, light or dark."""

LOOKS = {"", "0", "1", "2", "4", "7", "22", "24", "27", "39"}

KINDS = {
    "truecolor": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    "16 colours": {"TERM": "xterm"},
    "screen": {"TERM": "screen"},
    "tmux": {"TERM": "tmux-256color"},
    "no colour": {"TERM": "xterm", "NO_COLOR": "1"},
    "console": {"TERM": "linux"},
    "C": {"TERM": "xterm", "LC_ALL": "", "LANG": "C"},
    "latin-1": {"TERM": "xterm", "LC_ALL": "de_DE.ISO-8859-1"},
}

PLAIN = ("console", "C", "latin-1")
"""Those that get signs of ASCII alone."""

QUICK = ("no colour", "C")
"""The others are tried by `make soak`."""


def first_screen(env: Mapping[str, str], cols: int = 80, rows: int = 24) -> tuple[list[str], str]:
    """The lines of the first screen, and all that was written for it."""
    with Terminal(BROWSER, cols=cols, rows=rows, env={"PYTHONPATH": str(ROOT)} | dict(env)) as terminal:
        terminal.wait_for(is_drawn)
        while not terminal.is_silent(0.2):
            pass
        lines, output = terminal.lines, terminal.output.decode()
        terminal.send("q")
        assert terminal.exitstatus() == 0
    return lines, output


def is_drawn(terminal: Terminal) -> bool:
    """Whether the screen shows the pages that were read, to the detail of the first package or spec."""
    text = "\n".join(terminal.lines)
    return "413" in text and "reading" not in text and ("0.4.0 (118)" in text or "--cache-only" in text)


@pytest.fixture(scope="module")
def usual() -> list[str]:
    """The picture that all others are held against."""
    lines, _ = first_screen({"TERM": "xterm-256color"})
    return lines


@pytest.mark.parametrize(
    "kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.soak) for kind in KINDS]
)
def test_the_first_screen_is_the_same_in_every_terminal(kind: str, usual: list[str]) -> None:
    lines, output = first_screen(KINDS[kind])
    assert [len(line) for line in lines] == [len(line) for line in usual]
    for line, known in zip(lines, usual, strict=True):
        pattern = "".join(re.escape(sign) if sign.isascii() or kind not in PLAIN else "[-|^v#~<>x]" for sign in known)
        assert re.fullmatch(pattern, line), f"{line!r} is not {known!r}"
    codes = {code for look in re.findall(r"\x1b\[([\d;]*)m", output) for code in look.split(";")}
    assert codes <= LOOKS | (set() if kind == "no colour" else COLOURS)
    if kind in PLAIN:
        assert output.isascii()


@pytest.mark.parametrize("size", [(60, 20), pytest.param((300, 100), marks=pytest.mark.soak)])
def test_the_first_screen_fills_every_size(size: tuple[int, int]) -> None:
    lines, output = first_screen({}, *size)
    assert len(lines) == size[1]
    assert "py-safetensors" in "\n".join(lines)
    assert "? help" in lines[-1]
    assert ("platform" in output) is (size[0] >= 120)  # in no frame are facets where there is no room for them


@pytest.mark.parametrize("times", [15, pytest.param(200, marks=pytest.mark.soak)])
def test_it_can_be_resized_at_any_moment(times: int, usual: list[str]) -> None:
    """Sizes and keys without a pause, from the start on; in the end the screen is that of the last size."""
    random = Random(times)
    with Terminal(BROWSER, env={"PYTHONPATH": str(ROOT)}) as terminal:
        for _ in range(times):
            terminal.resize(random.randint(20, 300), random.randint(5, 100))
            terminal.send(random.choice("jkgG"))
        terminal.resize(80, 24)
        terminal.send("g")
        terminal.wait_for(lambda terminal: terminal.lines == usual)
        terminal.send("q")
        assert terminal.exitstatus() == 0


@pytest.mark.parametrize(
    ("environ", "ascii"),
    [
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX", "LC_CTYPE": "C.UTF-8"}, True),  # so Python makes it
        ({"LC_CTYPE": "C.UTF-8"}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({"LANG": "en_US.utf8"}, False),
        ({"LANG": "de_DE@euro"}, False),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "C"}, True),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False),
        ({"LANG": "ja_JP.eucJP"}, True),
        ({"LANG": "xx.no-such-encoding"}, True),
        ({"LANG": "en_US.UTF-8", "TERM": "linux"}, True),
    ],
)
def test_signs_follow_the_locale(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], ascii: bool) -> None:
    class Utf8:
        encoding = "utf-8"

    monkeypatch.setattr(sys, "__stderr__", Utf8())
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert is_ascii() is ascii


def test_sizes_that_come_close_together_do_not_chase_each_other(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = pilot.app.screen
        for width in (100, 90, 110):
            screen.post_message(events.Resize(Size(width, 30), Size(width, 30)))
            screen.call_later(lambda: None)  # or else Textual makes one event of them all
        await pilot.pause()
        seen = set()
        for _ in range(200):
            await asyncio.sleep(0)
            seen.add(screen.size)
        assert seen == {pilot.app.size}

    drive(BrowserApp(Catalogue(sample_content(), {}, snapshot=False), Query(), Host("linux", "", "zen3")), scenario)
