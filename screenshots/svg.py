"""Draws screens of a terminal as SVG with Rich: one, or several that follow each other, without script or network.

The screens are one long page of which one screen is visible; keyframes of CSS move the page.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, TerminalTheme

CELL_WIDTH, LINE_HEIGHT = 12.2, 24.4
"""Pixels of a cell, as Rich draws it."""

MARGIN = 12
"""Pixels around the screen."""

TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 WIDTH HEIGHT" role="img">
<title>TITLE</title>
<style>
.c-matrix {{ font: 21px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace }}
@keyframes c {{ FRAMES }}
.c-page {{ animation: c SECONDSs step-end infinite }}
{styles}
</style>
<rect width="100%" height="100%" rx="8" fill="BACKGROUND"/>
<svg x="MARGIN" y="MARGIN" width="INNER_WIDTH" height="INNER_HEIGHT">
<g class="c-page">{backgrounds}<g class="c-matrix">{matrix}</g></g>
</svg>
</svg>
"""
"""The font size lets the lines of a frame join in most fonts."""


class Shown(NamedTuple):
    """A screen, and for how many seconds it is shown."""

    rows: Sequence[Sequence[Segment]]
    seconds: float = 1.0


_COLORS = [tuple(DEFAULT_TERMINAL_THEME.ansi_colors[number]) for number in range(8)]

DARK = TerminalTheme((0x16, 0x18, 0x1D), (0xD6, 0xDA, 0xE0), _COLORS)


def drawn(screens: Sequence[Shown], paper: TerminalTheme, what: str) -> str:
    """Return an SVG of the screens, one after the other and again and again; `what` says what there is to see."""
    columns, height = sum(cell_len(part.text) for part in screens[0].rows[0]), len(screens[0].rows) * LINE_HEIGHT
    console = Console(width=columns, file=io.StringIO(), record=True, force_terminal=True, color_system="truecolor")
    for row in (row for screen in screens for row in screen.rows):
        console.print(Segments([*row, Segment.line()]), end="", soft_wrap=True)
    *starts, whole = accumulate((screen.seconds for screen in screens), initial=0.0)
    moves = ((100 * start / whole, -k * height) for k, start in enumerate(starts))
    frames = [f"{at:.3f}% {{{{ transform: translateY({moved:g}px) }}}}" for at, moved in moves]
    values = {
        "INNER_WIDTH": f"{columns * CELL_WIDTH:g}",
        "INNER_HEIGHT": f"{height:g}",
        "MARGIN": str(MARGIN),
        "WIDTH": f"{columns * CELL_WIDTH + 2 * MARGIN:g}",
        "HEIGHT": f"{height + 2 * MARGIN:g}",
        "TITLE": escape(what).replace("{", "{{").replace("}", "}}"),
        "FRAMES": " ".join(frames),
        "SECONDS": f"{whole:g}",
        "BACKGROUND": paper.background_color.hex,
    }
    template = TEMPLATE
    for name, value in values.items():
        template = template.replace(name, value)
    svg = console.export_svg(title="", theme=paper, code_format=template, unique_id="c")
    return re.sub(r' clip-path="[^"]*"|<text[^>]*>\n</text>', "", svg).replace("&#160;", "\N{NO-BREAK SPACE}")
