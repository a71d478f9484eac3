"""What the browser asks of a terminal, decided before anything is drawn.

Textual is not imported here: its settings are read once, at its import, so that
`prepare_environment` has to come first, and a refusal should cost nothing.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Mapping
from typing import TextIO

SETTINGS = {
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "TEXTUAL_DISABLE_KITTY_KEY": "1",
    "TEXTUAL_FPS": "120",
}
"""Fewer bytes, the same keys everywhere, an answer that waits for no clock."""

NO_SCREEN = ("dumb", "unknown")
"""Names of terminals that cannot place a cursor."""

FAMILIES = ("xterm", "screen", "tmux", "rxvt", "alacritty", "foot", "wezterm", "contour", "st", "vte")
"""Terminals that are drawn whatever terminfo says: on a remote machine it often has no entry of theirs."""

PLAIN_LOCALES = ("C", "POSIX")

COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""What Python sets LC_CTYPE to where the locale is `C` (PEP 538)."""

OTHERWISE = "for the commands see cachetui --help"


def prepare_environment() -> None:
    """Sets what Textual reads when it is imported; call it before that."""
    os.environ |= SETTINGS
    if not has_no_color():
        os.environ.pop("NO_COLOR", None)
    # A size that a shell has exported is of that moment, and may be of another terminal.
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)


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
    """Whether the terminal takes ASCII alone, as far as the locale tells; the Linux console lacks most other signs."""
    if os.environ.get("TERM") == "linux":
        return True
    locale = _locale(os.environ)
    named = locale.partition(".")[2].partition("@")[0]
    written = sys.__stderr__.encoding if sys.__stderr__ else "ascii"
    return locale in PLAIN_LOCALES or not all(map(_is_utf_8, filter(None, (named, written))))


def _locale(environ: Mapping[str, str]) -> str:
    """The user's locale for characters, as it was before Python itself put UTF-8 in the place of `C`."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environ.get(name, "")
        coerced = name == "LC_CTYPE" and value in COERCED and environ.get("LANG") in PLAIN_LOCALES
        if value and not coerced:
            return value
    return ""


def _is_utf_8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        return False


def has_no_dim() -> bool:
    """Whether dim text cannot be read: the Linux console shows it in a grey of 2.8:1 on black."""
    return os.environ.get("TERM") == "linux"


def has_no_color() -> bool:
    """Whether the user wants no colour (https://no-color.org: set, and not empty)."""
    return bool(os.environ.get("NO_COLOR"))


def _is_terminal(file: TextIO | None) -> bool:
    return file is not None and not file.closed and file.isatty()


def _places_cursor(term: str) -> bool:
    if term in NO_SCREEN:
        return False
    if term.partition("-")[0] in FAMILIES:
        return True
    try:
        import curses
    except ImportError:  # an optional part of Python
        return True
    try:
        curses.setupterm(term, 2)
    except curses.error:
        return False
    return curses.tigetstr("cup") is not None
