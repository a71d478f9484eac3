"""Old files: cachetui reads recent files again, because their modification times are unreliable."""

import os
from pathlib import Path

LONG_AGO = 1_600_000_000
"""Seconds since 1970."""


def aged(folder: Path) -> Path:
    """Make a folder and all its files old; return the folder."""
    for place, _, names in os.walk(folder):
        for path in (place, *(f"{place}/{name}" for name in names)):
            os.utime(path, (LONG_AGO, LONG_AGO))
    return folder
