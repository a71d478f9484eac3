"""The glyphs of the browser, each one cell wide, and their stand-ins for a terminal without UTF-8."""

from rich.cells import cell_len

CUT = "…"
"""In place of text that did not fit."""
RISING, FALLING = "▲", "▼"
THUMB = "┃"
"""Drawn at the right edge of a list, at the place of the visible rows among all."""
LEFT, RIGHT = "‹", "›"
"""There are more columns on that side."""
DOT = "·"
FOLDED, UNFOLDED = "▸", "▾"
CHOICE = "▾"
"""After a value that opens a choice."""
CURSOR = "▌"
RULE, FOCUSED_RULE, EDGE, TEE, SIDE_TEE = "─", "━", "│", "┬", "├"
GOOD, BAD, ARROW = "✓", "✗", "→"
MEANS = {"runs": GOOD, "fails": "!", "missing": BAD, "unknown": "?", "gain": "+", "loss": "-"}
"""The sign before a text, by its meaning."""

BAR = "▂"
"""A cell of a bar: a line, not a block."""

TO_ASCII = str.maketrans(
    "…▲▼┃‹›·▸▾▌─━│┬├┼┴╭╮╰╯✓✗→×█▁▂▃▄▅▆▇░▒▓▀",
    "$^v#<>.>v>-=|+++++++++x>x#___===#.:#'",
)
"""The stand-ins; none is `~`, which in Spack means "off"."""


def in_ascii(text: str) -> str:
    """Return the text for a terminal without UTF-8; a `?` replaces each cell that has no equivalent."""
    text = text.translate(TO_ASCII)
    return text if text.isascii() else "".join(a if a.isascii() else "?" * cell_len(a) for a in text)


def bar(value: float, whole: float, width: int) -> str:
    """Return a bar for a share of the whole, at most `width` cells; a value above zero has at least one."""
    return BAR * max(1, round(width * min(1.0, value / whole))) if value > 0 and whole > 0 else ""
