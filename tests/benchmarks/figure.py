"""What is measured, and the content that it is measured on."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

FOLDER = Path(".bench")

TIMES = 3
"""Runs of which a figure is the median."""


class Figure(NamedTuple):
    """One thing measured, and the value of what it is compared with, if anything."""

    what: str
    value: float
    unit: Literal["s", "ms", "MB", "B"]
    compared: str = ""
    floor: float | None = None


def kept(name: str, write: Callable[[Path], object]) -> Path:
    """The folder of this name in `.bench`, whole; it is written if it is not there."""
    folder = FOLDER / name
    if not folder.exists():
        print(f"writing {folder}", file=sys.stderr)
        unfinished = FOLDER / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        write(unfinished)
        unfinished.rename(folder)
    return folder
