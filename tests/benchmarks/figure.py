"""The figures, and the content on which they are measured."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

FOLDER = Path(".bench")

TIMES = 3
"""Number of runs of which a figure is the median."""


class Figure(NamedTuple):
    """A measurement, and the value that it is compared with, if any."""

    what: str
    value: float
    unit: Literal["s", "ms", "MB", "B"]
    compared: str = ""
    floor: float | None = None


def kept(name: str, write: Callable[[Path], object]) -> Path:
    """Return the folder of this name in `.bench`; it is written if it is missing."""
    folder = FOLDER / name
    if not folder.exists():
        print(f"writing {folder}", file=sys.stderr)
        unfinished = FOLDER / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        write(unfinished)
        unfinished.rename(folder)
    return folder
