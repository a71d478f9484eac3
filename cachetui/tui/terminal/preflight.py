"""Checks of the terminal, and settings for Textual, before the browser starts.

This module does not import Textual, for two reasons: `prepare_environment` must run before Textual is imported, and an
error message should appear quickly.
"""

import codecs
import sys
from collections.abc import Mapping, MutableMapping
from typing import TextIO

SETTINGS = {
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "TEXTUAL_DISABLE_KITTY_KEY": "1",
    "TEXTUAL_FPS": "120",
}
"""Environment variables that make Textual write fewer bytes, use the same keys in all terminals, and avoid delays."""

NO_SCREEN = ("dumb", "unknown")
"""Values of TERM for terminals that cannot position the cursor."""

FAMILIES = ("xterm", "screen", "tmux", "rxvt", "alacritty", "foot", "wezterm", "contour", "st", "vte")
"""Prefixes of TERM for terminals that are accepted without a terminfo entry. Remote machines often lack the entry."""

PLAIN_LOCALES = ("C", "POSIX")

COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""The values of LC_CTYPE that Python sets if the locale is `C` (PEP 538)."""

OTHERWISE = "for the commands, see cachetui --help"


def prepare_environment(environ: MutableMapping[str, str]) -> None:
    """Set the environment variables that Textual reads. Call this function before Textual is imported."""
    environ.update(SETTINGS)
    if not has_no_color(environ):
        environ.pop("NO_COLOR", None)
    # Variables that a shell exported may be out of date, or describe another terminal.
    for name in ("COLUMNS", "LINES"):
        environ.pop(name, None)


def check_terminal(environ: Mapping[str, str]) -> str | None:
    """Return None if the terminal is suitable. Otherwise return a message with the reason and a remedy."""
    if not _is_terminal(sys.__stdin__):
        return f"the browser needs a terminal, but standard input is not one; {OTHERWISE}"
    if not _is_terminal(sys.__stderr__):
        return f"the browser draws on standard error, which is not a terminal; {OTHERWISE}"
    term = environ.get("TERM", "")
    if not term:
        return f"the browser needs TERM, which is not set: try TERM=xterm; {OTHERWISE}"
    if not _places_cursor(term):
        return f"the browser cannot be drawn with TERM={term!a}; {OTHERWISE}"
    return None


def is_ascii(environ: Mapping[str, str]) -> bool:
    """Return whether to use only ASCII: on the Linux console, or if the locale or the output does not use UTF-8."""
    if environ.get("TERM") == "linux":
        return True
    locale = _locale(environ)
    named = locale.partition(".")[2].partition("@")[0]
    written = sys.__stderr__.encoding if sys.__stderr__ else "ascii"
    return locale in PLAIN_LOCALES or not all(map(_is_utf_8, filter(None, (named, written))))


def _locale(environ: Mapping[str, str]) -> str:
    """Return the locale that decides the character encoding. Return an empty string if no locale is set.

    If the locale is `C`, Python itself sets LC_CTYPE. Ignore this value.
    """
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


def has_no_color(environ: Mapping[str, str]) -> bool:
    """Return whether NO_COLOR has a value (https://no-color.org)."""
    return bool(environ.get("NO_COLOR"))


def _is_terminal(file: TextIO | None) -> bool:
    return file is not None and not file.closed and file.isatty()


def _places_cursor(term: str) -> bool:
    if term in NO_SCREEN:
        return False
    if term.partition("-")[0] in FAMILIES:
        return True
    try:
        import curses
    except ImportError:  # some builds of Python lack curses
        return True
    try:
        curses.setupterm(term, 2)
    except curses.error:
        return False
    return curses.tigetstr("cup") is not None
