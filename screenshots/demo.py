"""Records the moving picture of the README: the program in a terminal, and keys at fixed times.

How fast the machine is does not matter: what the screen shows once a key is answered stands for a time that is fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import pyte
from rich.segment import Segment
from rich.style import Style

from screenshots.svg import DARK, Shown, drawn
from tests.support.places import CACHETUI, ROOT
from tests.support.screens import Terminal

SIZE = (100, 26)

HOST = "linux-ubuntu22.04-zen3"

QUIET = 0.4
"""Seconds without a byte after which a key is answered."""

LETTER, STEP, LOOK = 0.12, 0.35, 1.4
"""Seconds for a letter, for a step, and for what is to be read."""

WHAT = "The browser at work: a query, the specs of hdf5, a command to copy, the gaps by stack, a hash"


def steps() -> Iterator[tuple[str, float]]:
    """Yield what is typed, and how long what it leads to is shown."""
    yield "/", STEP
    yield from ((letter, LETTER) for letter in "hdf5 os=ub")
    yield "", LOOK
    yield "\t", LOOK
    yield "\r", STEP
    yield "\r", LOOK
    yield from (("j", STEP) for _ in range(3))
    yield "y", 2 * LOOK
    yield "\x1b", STEP
    yield "\x1b", STEP
    yield "x", STEP
    yield "c", LOOK
    yield from ((key, STEP) for key in "jjjjll")
    yield "z", LOOK
    yield "\x1b", STEP
    yield "#", STEP
    yield from ((letter, LETTER) for letter in "2ae3")
    yield "", LOOK
    yield "\r", 2 * LOOK


def recorded(folder: Path, content: str) -> str:
    """Return the SVG of the program on a content, as a user names it who stands in this folder."""
    with TemporaryDirectory() as home:
        env = {"CACHETUI_CACHE_DIR": home, "HOME": home, "CACHETUI_HOST": HOST, "PYTHONPATH": str(ROOT)}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "", "LC_ALL": "C.UTF-8"}
        command = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *CACHETUI, content]
        with Terminal(command, cols=SIZE[0], rows=SIZE[1], env=env) as terminal:
            terminal.background = "rgb:" + "/".join(f"{each:02x}" for each in DARK.background_color)
            terminal.wait_for(lambda terminal: "q quit" in terminal.lines[-1] and "reading" not in terminal.lines[1])
            shown = [_shown(terminal, LOOK)]
            for keys, seconds in steps():
                terminal.send(keys)
                shown.append(_shown(terminal, seconds))
    merged = [
        Shown(rows, sum(each.seconds for each in same)) for rows, same in groupby(shown, key=lambda each: each.rows)
    ]
    return drawn(merged, DARK, WHAT)


def _shown(terminal: Terminal, seconds: float) -> Shown:
    while not terminal.is_silent(QUIET):
        pass
    screen = terminal.screen
    return Shown([_row([screen.buffer[y][x] for x in range(screen.columns)]) for y in range(screen.lines)], seconds)


def _row(cells: list[pyte.screens.Char]) -> list[Segment]:
    return [Segment("".join(cell.data for cell in same), style) for style, same in groupby(cells, key=_style)]


def _style(cell: pyte.screens.Char) -> Style:
    color, behind = (None if each == "default" else f"#{each}" for each in (cell.fg, cell.bg))
    return Style(color=color, bgcolor=behind, bold=cell.bold, underline=cell.underscore, reverse=cell.reverse)
