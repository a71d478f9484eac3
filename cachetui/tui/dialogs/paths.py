"""Complete and write files whose names are typed."""

import errno
import os
from collections.abc import Iterable
from glob import escape, iglob
from itertools import count, islice
from pathlib import Path

from cachetui.safe_text import visible
from cachetui.settings.folders import replacing

MOST_NAMES = 20_000
"""Maximum number of files of a folder that are considered."""


def completed(text: str) -> str:
    """Complete the file name that is the last word of a text, as far as all matching files agree."""
    words, blank, word = text.rpartition(" ")
    start = os.path.expanduser(word)
    paths = [path for path in islice(iglob(f"{escape(start)}*"), MOST_NAMES) if visible(path) == path]
    begin_so = os.path.commonprefix([f"{path}/" if os.path.isdir(path) else path for path in paths])  # noqa: RUF071  # characters, not folders
    return words + blank + word + begin_so[len(start) :]


def free_path(name: str, ending: str, folder: Path) -> Path:
    """Return a path for a new file of about this name in a folder."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    names = (f"{plain}-{number}.{ending}" if number > 1 else f"{plain}.{ending}" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a new file, which gets its name once complete; raises OSError, also if the file exists."""
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    with replacing(path, 0o666) as file:
        file.writelines(line.encode() for line in lines)
