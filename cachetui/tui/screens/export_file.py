"""The file that a view is exported to: a name that is free, written as a whole or not at all.

Input: a path that the user has typed, and the lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import count
from pathlib import Path


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Writes a file as a whole or not at all, and none that is there already; raises OSError."""
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


def current_folder() -> str:
    """The folder that relative paths start from; `.` for one that is gone."""
    try:
        return os.getcwd()
    except OSError:
        return "."


def is_folder(typed: str) -> bool:
    """Whether a path that is typed is one of a folder."""
    return typed.endswith("/") or os.path.isdir(typed)


def free_path(name: str, ending: str, folder: str = "") -> Path:
    """A file of this name in a folder, by itself the current one, that is not there yet."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    names = (f"{plain}-{number}.{ending}" if number > 1 else f"{plain}.{ending}" for number in count(1))
    paths = (Path(folder, name) for name in names)
    return next(path for path in paths if not os.path.lexists(path))
