"""Records the moving picture of the README: the program in a terminal, and keys at fixed times.

How fast the machine is does not matter: what the screen shows once a key is answered stands for a time that is fixed.
"""

from __future__ import annotations

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

WHAT = "The browser at work: a mistyped hash from a log, the spec that is meant, its install line to copy"

MISTYPED = "227tguwa2qonkiyn7mnfn55nh7zdhj62"
"""A hash of the made-up catalogue with one wrong character."""

STEPS = (("", 1.6), ("#", 1.2), (f"\x1b[200~{MISTYPED}\x1b[201~", 3.2), ("\r", 3.0), ("y", 3.0))
"""What is typed or pasted, and for how many seconds the screen after it is shown: twelve in all."""


def recorded(folder: Path, content: str) -> str:
    """Return the SVG of the program on a content, as a user names it who stands in this folder."""
    with TemporaryDirectory() as home:
        env = {"CACHETUI_CACHE_DIR": home, "HOME": home, "CACHETUI_HOST": HOST, "PYTHONPATH": str(ROOT)}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "", "LC_ALL": "C.UTF-8"}
        command = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *CACHETUI, content]
        with Terminal(command, cols=SIZE[0], rows=SIZE[1], env=env) as terminal:
            terminal.background = "rgb:" + "/".join(f"{each:02x}" for each in DARK.background_color)
            terminal.wait_for(lambda terminal: "q quit" in terminal.lines[-1] and "reading" not in terminal.lines[1])
            shown: list[Shown] = []
            for keys, seconds in STEPS:
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
