"""Text from a page made safe: for the eye and for a shell.

A page is hostile until proven otherwise, so what is shown, printed or copied goes through here first.
JSON and CSV carry the text itself, escaped by their own rules.
"""

from __future__ import annotations

import re
import shlex
import unicodedata

_SUSPECT = re.compile(r"[^\x20-\x7e]")

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""The categories of characters that act on a terminal, turn the text around, or cannot be seen or told apart."""


def visible(text: str) -> str:
    """The text with every character that would act, hide or reorder written out, such as `\\x1b` or `\\u202e`."""
    return text if text.isascii() and text.isprintable() else _SUSPECT.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    letter = match.group()
    if unicodedata.category(letter) not in _HIDDEN:
        return letter
    return f"\\x{ord(letter):02x}" if ord(letter) < 0x100 else letter.encode("ascii", "backslashreplace").decode()


def shell_word(text: str) -> str:
    """The text as one word of a shell command that is safe to paste; hidden characters are written out."""
    return shlex.quote(visible(text))
