"""The symbols of the browser, each one cell wide, and their ASCII replacements for terminals without UTF-8."""

from rich.cells import cell_len

CUT = "…"
"""Replaces text that does not fit."""
RISING, FALLING = "▲", "▼"
THUMB = "┃"
"""The scroll mark, at the right edge of a list."""
LEFT, RIGHT = "‹", "›"
"""Show that there are more columns on this side."""
DOT = "·"
FOLDED, UNFOLDED = "▸", "▾"
CHOICE = "▾"
"""Follows a value that the user can select from a list."""
CURSOR = "▌"
RULE, FOCUSED_RULE, EDGE, TEE, SIDE_TEE = "─", "━", "│", "┬", "├"
GOOD, BAD, ARROW = "✓", "✗", "→"
MEANS = {"runs": GOOD, "fails": "!", "missing": BAD, "unknown": "?", "gain": "+", "loss": "-"}
"""The symbol before a text, by the meaning of the text."""

BAR = "▂"
"""A cell of a bar: a line, not a block."""

TO_ASCII = str.maketrans(
    "…▲▼┃‹›·▸▾▌─━│┬├┼┴╭╮╰╯✓✗→×█▁▂▃▄▅▆▇░▒▓▀",
    "$^v#<>.>v>-=|+++++++++x>x#___===#.:#'",
)
"""The ASCII replacements. They do not include `~`, which means "off" in Spack."""


def in_ascii(text: str) -> str:
    """Return the text in ASCII. A `?` replaces each cell of a character that is not in `TO_ASCII`."""
    text = text.translate(TO_ASCII)
    return text if text.isascii() else "".join(a if a.isascii() else "?" * cell_len(a) for a in text)


def bar(value: float, whole: float, width: int) -> str:
    """Return a bar for a share of the whole: at most `width` cells, and at least one cell for a value above zero."""
    return BAR * max(1, round(width * min(1.0, value / whole))) if value > 0 and whole > 0 else ""
