"""The glyphs that are drawn, each one cell wide. Where the terminal takes no UTF-8 they are written in ASCII."""

from __future__ import annotations

from rich.cells import cell_len

CUT = "…"
"""Stands for text that did not fit."""
RISING, FALLING = "▲", "▼"
THUMB = "┃"
"""The part of the scroll mark that shows where the view is."""
RIGHT = "›"
"""More columns on that side."""
DOT = "·"
FOLDED, UNFOLDED = "▸", "▾"
CHOICE = "▾"
"""Behind what can be chosen."""
CURSOR = "▌"
RULE, FOCUSED_RULE, EDGE, TEE, SIDE_TEE = "─", "━", "│", "┬", "├"
GOOD, BAD, ARROW, TIMES = "✓", "✗", "→", "×"
EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Parts of a cell from the left, from nothing to all of it."""
HALVES = " ▀▄█"
"""Half blocks: none, upper, lower, both."""

TO_ASCII = str.maketrans(
    "…▲▼┃‹›·▸▾▌─━│┬├┼┴╭╮╰╯✓✗→×▏▎▍▋▊▉█▁▂▃▄▅▆▇░▒▓▀",
    "$^v#<>.>v>-=|+++++++++x>x   ####___===#.:#'",
)
"""No `~`, which is Spack's for "off"."""


def in_ascii(text: str) -> str:
    """The text as a terminal without UTF-8 can show it: a `?` for each cell that it has no sign for."""
    text = text.translate(TO_ASCII)
    return text if text.isascii() else "".join(a if a.isascii() else "?" * cell_len(a) for a in text)


def bar(value: float, whole: float, width: int) -> str:
    """A bar of a value's share of the whole in at most `width` cells; a value above zero has at least an eighth."""
    if value <= 0 or whole <= 0 or width <= 0:
        return ""
    eighths = max(1, round(8 * width * min(1.0, value / whole)))
    return (EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
