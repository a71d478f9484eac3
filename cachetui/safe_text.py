"""Make text from the content safe to show and to paste, and format numbers, sizes and lists for messages.

Content may be hostile, so all its text passes these functions before it is shown, printed or copied.
"""

import re
import time
from collections.abc import Iterable, Sequence

# `unicodedata` is imported late, because most texts are ASCII.

MAX_LISTED_VALUES = 5
"""Maximum number of values that a message lists."""

_SUSPECT = re.compile(r"[^\x20-\x7e]")

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""Unicode categories of characters that control a terminal, change the direction of text, or are invisible."""

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible characters in other categories."""

_PLAIN_WORD = r"(?!=)[A-Za-z0-9_@%+=:,./-]+"
"""A word without special characters of any shell. zsh replaces `=ls` by the path of the program."""

_SELECTORS = (("\u180b", "\u180f"), ("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
"""Ranges of variation selectors, which are also invisible."""


def visible(text: str) -> str:
    """Replace each control or invisible character of the text by an escape, such as `\\x1b` or `\\u202e`."""
    return text if text.isascii() and text.isprintable() else _SUSPECT.sub(_written_out, text)


def json_visible(document: str) -> str:
    """Replace each control or invisible character in the strings of a JSON document by a JSON escape."""
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
    """Quote the text as one word of a shell command, with the same meaning in bash, zsh, dash and fish.

    `\\` and `'` stay outside of the quotes, because fish treats them specially inside quotes. A string with control or
    invisible characters becomes `$'...'` with escapes. bash and zsh decode the escapes. dash reads one word but does
    not decode it. fish refuses the line. If another program may print the text, call `visible` first.
    """
    if any(map(_is_hidden_in_shell, text)):
        return f"$'{''.join(map(_shell_letter, text))}'"
    if re.fullmatch(_PLAIN_WORD, text):
        return text
    return "".join(f"\\{part}" if part in "\\'" else f"'{part}'" for part in re.split(r"([\\'])", text) if part) or "''"


def _is_hidden_in_shell(letter: str) -> bool:
    return letter != " " and _is_hidden(letter)


def _shell_letter(letter: str) -> str:
    if letter in "'\\" or _is_hidden_in_shell(letter):
        # Python decodes an invalid byte of a file name as a surrogate; restore this byte
        errors = "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass"
        return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", errors))
    return letter


def plural(number: int, name: str) -> str:
    """Return a number and a noun: `1 stack`, `44 stacks`, `2 oses`, `3 hashes`, `4 binaries`."""
    if number != 1 and name.endswith(("ry", "cy")):
        return f"{number:,} {name[:-1]}ies"
    return f"{number:,} {name}{'' if number == 1 else 'es' if name.endswith(('s', 'sh')) else 's'}"


def local_time(seconds: float) -> str:
    """Return the local time: `21:50` if it is today, else `2026-11-28 21:50`."""
    then, now = time.localtime(seconds), time.localtime()
    return time.strftime("%H:%M" if then[:3] == now[:3] else "%Y-%m-%d %H:%M", then)


def utc_time(seconds: float) -> str:
    """Return the time in UTC: `2026-11-23T21:50:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def size_text(size: int) -> str:
    """Return a number of bytes as text: `1.4 GB`, `12 MB`, `900 B`."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}" if size < 100 * unit else f"{round(size / unit):,} {name}"
    return f"{size} B"


def ago(seconds: float) -> str:
    """Return an age as text: `less than a minute ago`, `5 minutes ago`, `47 hours ago`, `3 days ago`."""
    if seconds < 0:
        return "at a future time"
    if seconds < 60:
        return "less than a minute ago"
    if seconds < 7200:
        return f"{plural(int(seconds // 60), 'minute')} ago"
    return f"{seconds // 3600:.0f} hours ago" if seconds < 172_800 else f"{seconds // 86400:.0f} days ago"


def listed(values: Sequence[str], most: int = MAX_LISTED_VALUES) -> str:
    """Return the first `most` values, and how many values follow: `a, b, c and 4 more`."""
    shown = ", ".join(values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def cut(text: str, most: int) -> str:
    """Shorten a string to at most `most` characters, with `…` in place of the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def joined(texts: Iterable[str]) -> str:
    """Join the strings with `; `. After a question mark, use a space instead. Skip empty strings."""
    line = ""
    for text in filter(None, texts):
        line += f"{line and (' ' if line.endswith('?') else '; ')}{text}"
    return line


def containing(typed: str, *texts: str) -> bool:
    """Return whether the texts contain every typed word. Ignore upper and lower case."""
    whole = " ".join(texts).lower()
    return all(word in whole for word in typed.lower().split())
