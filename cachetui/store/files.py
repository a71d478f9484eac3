"""Where saved indexes lie: one file for each content, in the user's cache folder.

Input: the environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from pathlib import Path

NAME = "cachetui"

INDEX_ENDING = ".index"

CHECKED = ".checked"
"""Ending of the name of the note on a file that was found whole: its time is that of the file's last change."""


def snapshot_folder(environ: Mapping[str, str]) -> str:
    """`CACHETUI_CACHE_DIR`, else the user's cache folder for this program."""
    chosen = environ.get("CACHETUI_CACHE_DIR")
    if chosen:
        return os.path.expanduser(chosen)
    if sys.platform == "linux":
        # As platformdirs has it, whose import takes a tenth of the time of a command.
        base = environ.get("XDG_CACHE_HOME", "").strip()
        return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), NAME)
    from platformdirs import user_cache_dir

    return user_cache_dir(NAME)


def snapshot_path(folder: str, identity: str) -> str:
    """The file for the content of this identity.

    In one of some 10**19 pairs two contents share a name; then the file is of the one that was looked at last.
    """
    text = os.fsencode(identity)
    # No cryptographic digest: loading one takes longer than to open the file.
    return os.path.join(folder, f"{crc32(text):08x}{crc32(text[::-1]):08x}{INDEX_ENDING}")


def make_private(folder: Path) -> None:
    """Makes a folder of the cache and those above it, for the user alone; raises OSError."""
    for each in (*reversed(folder.parents), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def stored_snapshots(folder: Path) -> list[Path]:
    """Every saved index in a folder, of whatever content."""
    return sorted(folder.glob(f"*{INDEX_ENDING}"))
