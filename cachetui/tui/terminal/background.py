"""Find the background colour of the terminal: query the terminal (OSC 11), or read the variable COLORFGBG.

The browser does not wait for the answer. Until it arrives, the theme uses the terminal's own colours.
"""

import re
from collections.abc import Mapping

from cachetui.tui.terminal.preflight import FAMILIES, has_no_color
from cachetui.tui.theme import Color

QUESTION = "\x1b]11;?\x07"

COLOR = re.compile(r"rgba?:([\da-f]{1,4})/([\da-f]{1,4})/([\da-f]{1,4})(?:/[\da-f]{1,4})?", re.IGNORECASE)

DARK_NUMBERS = {"0", "1", "2", "3", "4", "5", "6", "8"}
"""The numbers of the dark colours in a palette of 16 colours, as in vim."""

BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def question(environ: Mapping[str, str]) -> str:
    """Return the control sequence that queries the colour, wrapped so that tmux or GNU screen passes it on.

    Return an empty string if the terminal would ignore the query, or if the browser uses no colours.
    """
    if has_no_color(environ) or environ.get("TERM", "").partition("-")[0] not in FAMILIES:
        return ""
    if environ.get("TMUX"):
        inner = QUESTION.replace("\x1b", "\x1b\x1b")
        return f"{QUESTION}\x1bPtmux;{inner}\x1b\\"
    return f"\x1bP{QUESTION}\x1b\\" if environ.get("STY") else QUESTION


def answered_color(answer: str) -> Color | None:
    """Parse an answer such as `rgb:1c1c/1c1c/1c1c`. Return None if it is invalid."""
    found = COLOR.fullmatch(answer)
    if found is None:
        return None
    red, green, blue = (int(digits, 16) / (16 ** len(digits) - 1) for digits in found.groups())
    return red, green, blue


def background_of(environ: Mapping[str, str]) -> Color | None:
    """Return black or white for a value of COLORFGBG, such as `15;0`. Return None if it is missing or invalid."""
    number = environ.get("COLORFGBG", "").rpartition(";")[2]
    if has_no_color(environ) or not number.isdecimal() or int(number) > 15:
        return None
    return BLACK if number in DARK_NUMBERS else WHITE
