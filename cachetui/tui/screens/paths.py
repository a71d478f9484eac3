"""Ways on for the name of a file that is typed: the files and folders that begin so. No widget in it.

A folder is looked into only when somebody asks, and a name with a character that a terminal does not show is left out.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from cachetui.safe_text import shell_word, visible
from cachetui.suggest.completion import Completion

MOST = 50
"""The most names that are offered."""

MOST_NAMES = 20_000
"""The most names of a folder that are looked at."""


def path_completions(text: str, cursor: int) -> list[Completion]:
    """What the text up to the cursor, the name of a file, may go on with; folders end with a `/`."""
    return [Completion(0, cursor, found) for found in _paths(text[:cursor])]


def word_completions(text: str, cursor: int) -> list[Completion]:
    """The same for the last of several words, as a shell reads them; what needs quotes gets them."""
    start, word = _last_word(text[:cursor])
    return [Completion(start, cursor, _quoted(found)) for found in _paths(word)]


def _paths(typed: str) -> Sequence[str]:
    folder, name = os.path.split(typed)
    before = typed[: len(typed) - len(name)]
    found: list[str] = []
    with suppress(OSError, ValueError), os.scandir(os.path.expanduser(folder) or ".") as entries:
        for entry in islice(entries, MOST_NAMES):
            is_hidden = entry.name.startswith(".") and not name.startswith(".")
            if entry.name.startswith(name) and not is_hidden and visible(entry.name) == entry.name:
                found.append(f"{before}{entry.name}{'/' if entry.is_dir() else ''}")
    return sorted(found)[:MOST]


def _last_word(text: str) -> tuple[int, str]:
    """Where the last word of a line begins, and what it says without its quotes."""
    start, word, quote = 0, "", ""
    for k, letter in enumerate(text):
        if quote:
            quote, word = ("", word) if letter == quote else (quote, word + letter)
        elif letter in "'\"":
            quote = letter
        elif letter == " ":
            start, word = k + 1, ""
        else:
            word += letter
    return start, word


def _quoted(path: str) -> str:
    """The path as one word; a `~` at its front means the same with quotes, as they are taken off first."""
    home = "~" if path.startswith("~") else ""
    word = shell_word(path.removeprefix("~"))
    return home + word if word == path.removeprefix("~") else shell_word(path)
