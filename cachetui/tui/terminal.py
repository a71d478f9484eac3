"""What the browser asks of a terminal, decided before anything is drawn.

Textual is not imported here: its settings are read once, at its import, so that
`prepare_environment` has to come first, and a refusal should cost nothing.
"""

from __future__ import annotations

import codecs
import os
import sys
from typing import TextIO

SETTINGS = {
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "TEXTUAL_DISABLE_KITTY_KEY": "1",
}
"""Fewer bytes and the same keys everywhere; a user's own setting stays."""

NO_SCREEN = ("dumb", "unknown")
"""Names of terminals that cannot place a cursor."""

FAMILIES = ("xterm", "screen", "tmux", "rxvt", "alacritty", "foot", "wezterm", "contour", "st", "vte")
"""Terminals that are drawn even where the machine has no terminfo entry, as is usual on a remote one."""

OTHERWISE = "for the commands see cachetui --help"


def prepare_environment() -> None:
    """Sets what Textual reads when it is imported; call it before that."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    if not has_no_color():
        os.environ.pop("NO_COLOR", None)


def check_terminal() -> str | None:
    """One line that says why the browser cannot be drawn and what to do; None if it can."""
    if not _is_terminal(sys.__stdin__):
        return f"the browser needs a terminal, and standard input is none; {OTHERWISE}"
    if not _is_terminal(sys.__stderr__):
        return f"the browser draws on standard error, which is no terminal; {OTHERWISE}"
    term = os.environ.get("TERM", "")
    if not term:
        return f"the browser needs TERM, which is not set (try TERM=xterm); {OTHERWISE}"
    if not _places_cursor(term):
        return f"the browser cannot be drawn with TERM={term!a}; {OTHERWISE}"
    return None


def is_ascii() -> bool:
    """Whether the terminal takes ASCII alone, as far as the locale tells."""
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        return True
    encoding = sys.__stderr__.encoding if sys.__stderr__ else "ascii"
    return codecs.lookup(encoding).name != "utf-8"


def has_no_color() -> bool:
    """Whether the user wants no colour (https://no-color.org: set, and not empty)."""
    return bool(os.environ.get("NO_COLOR"))


def _is_terminal(file: TextIO | None) -> bool:
    return file is not None and not file.closed and file.isatty()


def _places_cursor(term: str) -> bool:
    if term in NO_SCREEN:
        return False
    try:
        import curses
    except ImportError:  # an optional part of Python
        return True
    try:
        curses.setupterm(term, 2)
    except curses.error:
        return term.partition("-")[0] in FAMILIES
    return curses.tigetstr("cup") is not None
