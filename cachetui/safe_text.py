"""Text from a page made safe: for the eye and for a shell.

A page is hostile until proven otherwise, so what is shown, printed or copied goes through here first.
JSON carries the text itself, escaped by its own rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# The letters of Unicode are imported where there are any: most texts are ASCII.

FEW = 5
"""So many values are named in a list of them."""

_SUSPECT = re.compile(r"[^\x20-\x7e]")

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""The categories of characters that act on a terminal, turn the text around, or cannot be seen or told apart."""

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""

_SELECTORS = (("\u180b", "\u180f"), ("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
"""The first and last of the variation selectors, which show nothing by themselves."""


def visible(text: str) -> str:
    """The text with every character that would act, hide or reorder written out, such as `\\x1b` or `\\u202e`."""
    return text if text.isascii() and text.isprintable() else _SUSPECT.sub(_written_out, text)


def json_visible(document: str) -> str:
    """The same JSON document, with an escape of JSON for each such character within its strings."""
    return document if document.isascii() and "\x7f" not in document else re.sub(r"[^\n\x20-\x7e]", _escaped, document)


def _escaped(match: re.Match[str]) -> str:
    letter = match.group()
    if not _is_hidden(letter):
        return letter
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _is_hidden(letter: str) -> bool:
    import unicodedata

    return (
        unicodedata.category(letter) in _HIDDEN
        or letter in _BLANK_LETTERS
        or any(first <= letter <= last for first, last in _SELECTORS)
    )


def _written_out(match: re.Match[str]) -> str:
    letter = match.group()
    if not _is_hidden(letter):
        return letter
    return f"\\x{ord(letter):02x}" if ord(letter) < 0x100 else letter.encode("ascii", "backslashreplace").decode()


def shell_word(text: str) -> str:
    """The text as one word of a shell command that is safe to paste and means this very text.

    Hidden characters are bytes of `$'...'`, which bash and zsh read. No quote stands within it, so that a shell
    that does not know it takes it for one word too. Give text of a page through `visible` where another program
    than this one may print it.
    """
    if not any(map(_is_hidden_in_shell, text)):
        from shlex import quote  # late: only what is copied or advised needs it

        return quote(text)
    return f"$'{''.join(map(_shell_letter, text))}'"


def _is_hidden_in_shell(letter: str) -> bool:
    return letter != " " and _is_hidden(letter)


def _shell_letter(letter: str) -> str:
    if letter in "'\\" or _is_hidden_in_shell(letter):
        # a byte of a file name that is no UTF-8 is half a surrogate in Python, and is that byte again here
        errors = "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass"
        return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", errors))
    return letter


def plural(number: int, name: str) -> str:
    """`1 stack`, `44 stacks`, `2 oses`, `3 hashes`."""
    return f"{number:,} {name}{'' if number == 1 else 'es' if name.endswith(('s', 'sh')) else 's'}"


def size_text(size: int) -> str:
    """Bytes for people: `1.4 GB`, `12 MB`, `900 B`."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}" if size < 100 * unit else f"{size // unit:,} {name}"
    return f"{size} B"


def ago(seconds: float) -> str:
    """`less than a minute ago`, `5 minutes ago`, `47 hours ago`, `3 days ago`."""
    if seconds < 0:
        return "at a time that this machine's clock has not reached"
    if seconds < 60:
        return "less than a minute ago"
    if seconds < 7200:
        return f"{seconds // 60:.0f} minutes ago"
    return f"{seconds // 3600:.0f} hours ago" if seconds < 172_800 else f"{seconds // 86400:.0f} days ago"


def listed(values: Sequence[str], most: int = FEW) -> str:
    """The first few values and how many there are beyond them."""
    shown = ", ".join(values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def joined(texts: Iterable[str]) -> str:
    """Texts behind each other in one line, those that are empty left out; behind a question no `;` stands."""
    line = ""
    for text in filter(None, texts):
        line += f"{line and (' ' if line.endswith('?') else '; ')}{text}"
    return line
