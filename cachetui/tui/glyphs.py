"""The symbols of the browser, and their ASCII replacements for terminals without UTF-8. Each is one cell wide."""

from rich.cells import cell_len

CUT = "…"
"""Replaces the part of a string that does not fit."""
RISING, FALLING = "▲", "▼"
THUMB = "┃"
"""The scroll mark, at the right edge of a list."""
LEFT, RIGHT = "‹", "›"
"""Show that columns are hidden at the left or at the right."""
DOT = "·"
FOLDED, UNFOLDED = "▸", "▾"
CHOICE = "▾"
"""Follows a value that the user can change with a list, such as the tag."""
CURSOR = "▌"
RULE, FOCUSED_RULE, EDGE, TEE, SIDE_TEE = "─", "━", "│", "┬", "├"
GOOD, BAD, ARROW = "✓", "✗", "→"
MEANS = {"runs": GOOD, "fails": "!", "missing": BAD, "unknown": "?", "gain": "+", "loss": "-"}
"""The symbol before a string, by the value of `Field.means`."""

BAR_CELLS = 12
"""Width of a full bar, in cells."""

BAR = "▂"
"""One cell of a bar."""

TO_ASCII = str.maketrans(
    "…▲▼┃‹›·▸▾▌─━│┬├┼┴╭╮╰╯✓✗→×█▁▂▃▄▅▆▇░▒▓▀",
    "$^v#<>.>v>-=|+++++++++x>x#___===#.:#'",
)
"""The ASCII replacements. None of them is `~`, because `~` means "off" in Spack."""


def in_ascii(text: str) -> str:
    """Replace non-ASCII characters in a string. A character that is not in `TO_ASCII` becomes a `?` for each cell."""
    text = text.translate(TO_ASCII)
    return text if text.isascii() else "".join(a if a.isascii() else "?" * cell_len(a) for a in text)


def bar(value: float, whole: float) -> str:
    """Return a bar: `BAR_CELLS` cells for `whole`, proportionally fewer for less, at least 1 for a positive value."""
    return BAR * max(1, round(BAR_CELLS * min(1.0, value / whole))) if value > 0 and whole > 0 else ""
