"""Which background the terminal has: it is asked (OSC 11), and nobody waits for the answer.

Until there is one, and where there is none, everything is drawn in the terminal's own foreground. COLORFGBG, which a
few terminals set, stands in for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cachetui.tui.terminal.preflight import FAMILIES, has_no_color
from cachetui.tui.theme import Color

QUESTION = "\x1b]11;?\x07"

COLOR = re.compile(r"rgba?:([\da-f]{1,4})/([\da-f]{1,4})/([\da-f]{1,4})(?:/[\da-f]{1,4})?", re.IGNORECASE)

DARK_NUMBERS = {"0", "1", "2", "3", "4", "5", "6", "8"}
"""Of the sixteen colours those that are dark, as vim takes them too; 7 and 9 to 15 are light."""

BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def question(environ: Mapping[str, str]) -> str:
    """The sequence that asks, in tmux and in GNU screen also the terminal outside; empty where none would answer."""
    if has_no_color() or environ.get("TERM", "").partition("-")[0] not in FAMILIES:
        return ""
    if environ.get("TMUX"):
        inner = QUESTION.replace("\x1b", "\x1b\x1b")
        return f"{QUESTION}\x1bPtmux;{inner}\x1b\\"
    return f"\x1bP{QUESTION}\x1b\\" if environ.get("STY") else QUESTION


def answered_color(answer: str) -> Color | None:
    """The colour of an answer, as in `rgb:1c1c/1c1c/1c1c`; None for one that cannot be read."""
    found = COLOR.fullmatch(answer)
    if found is None:
        return None
    red, green, blue = (int(digits, 16) / (16 ** len(digits) - 1) for digits in found.groups())
    return red, green, blue


def background_of(environ: Mapping[str, str]) -> Color | None:
    """The background that COLORFGBG tells, as in `15;0` or `0;default;15`: black or white; None where it tells none."""
    number = environ.get("COLORFGBG", "").rpartition(";")[2]
    if has_no_color() or not number.isdecimal() or int(number) > 15:
        return None
    return BLACK if number in DARK_NUMBERS else WHITE
