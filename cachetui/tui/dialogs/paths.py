"""The name of a file that is typed, completed as a shell does; a file that is written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

from cachetui.safe_text import visible

MOST_NAMES = 20_000
"""The most names of a folder that are looked at."""


def completed(text: str) -> str:
    """The text with its last word, the name of a file, completed as far as all files agree that begin so."""
    words, blank, word = text.rpartition(" ")
    folder, name = os.path.split(word)
    found: list[str] = []
    with suppress(OSError, ValueError), os.scandir(os.path.expanduser(folder) or ".") as entries:
        for entry in islice(entries, MOST_NAMES):
            is_hidden = entry.name.startswith(".") and not name.startswith(".")
            if entry.name.startswith(name) and not is_hidden and visible(entry.name) == entry.name:
                found.append(f"{entry.name}/" if entry.is_dir() else entry.name)
    return words + blank + word[: len(word) - len(name)] + (os.path.commonprefix(found) or name)  # noqa: RUF071  # letters in common, not folders


def free_path(name: str, ending: str, folder: Path) -> Path:
    """A file of this name in a folder that is not there yet."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    names = (f"{plain}-{number}.{ending}" if number > 1 else f"{plain}.{ending}" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a file as a whole or not at all, and none that is there already; raises OSError."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "x", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        open(path, "x").close()  # from here on the name is taken, and nobody else's file is replaced
        try:
            aside.rename(path)
        except OSError:
            path.unlink(missing_ok=True)
            raise
    finally:
        aside.unlink(missing_ok=True)
