"""The name of a file that is typed, completed as a shell does; a file that is written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import escape, iglob
from itertools import count, islice
from pathlib import Path

from cachetui.safe_text import visible

MOST_NAMES = 20_000
"""The most files that are looked at."""


def completed(text: str) -> str:
    """The text with its last word, the name of a file, completed as far as all files agree that begin so."""
    words, blank, word = text.rpartition(" ")
    start = os.path.expanduser(word)
    paths = [path for path in islice(iglob(f"{escape(start)}*"), MOST_NAMES) if visible(path) == path]
    begin_so = os.path.commonprefix([f"{path}/" if os.path.isdir(path) else path for path in paths])  # noqa: RUF071  # letters in common, not folders
    return words + blank + word + begin_so[len(start) :]


def free_path(name: str, ending: str, folder: Path) -> Path:
    """A file of this name in a folder that is not there yet."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    names = (f"{plain}-{number}.{ending}" if number > 1 else f"{plain}.{ending}" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a new file as a whole or not at all; raises OSError, also where there is a file of this name."""
    with open(path, "x", encoding="utf-8") as file:
        try:
            file.writelines(lines)
            file.flush()
        except BaseException:
            path.unlink()
            raise
