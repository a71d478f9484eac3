"""Run commands as a user other than root. Root may run the tests, but has all permissions."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.support.places import CACHETUI, MACHINE, ROOT

NOBODY = 65534

IS_ROOT = os.geteuid() == 0

needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root can give a file away")


def user_command(place: Path = ROOT) -> list[str]:
    """Return a command prefix that runs `cachetui` as a user other than root; skip the test if that is impossible."""
    paths = f"PYTHONPATH={MACHINE}:{place}:{sysconfig.get_path('purelib')}"
    if not IS_ROOT:
        return ["env", paths, *CACHETUI]
    python = _interpreter()
    if not python or not _is_open(place / "cachetui" / "__main__.py") or shutil.which("setpriv") is None:
        pytest.skip("no interpreter or no checkout that others may read, or no setpriv")
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return [*user, "env", paths, "HOME=/dev/null/home", "PYTHONDONTWRITEBYTECODE=1", python, "-m", "cachetui"]


@contextmanager
def open_folder() -> Iterator[Path]:
    """Create a folder that the user may enter, unlike the folders of pytest; remove it at the end."""
    folder = Path(mkdtemp(prefix="cachetui-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in (folder, *folder.rglob("*")):
            if path.is_dir():
                path.chmod(0o700)
        shutil.rmtree(folder)


def users_folder(path: Path) -> Path:
    """Create a folder that belongs only to the user."""
    path.mkdir(0o700)
    if IS_ROOT:
        os.chown(path, NOBODY, NOBODY)
    return path


def _interpreter() -> str:
    """Return the path of a Python interpreter of this version that other users may run; empty if there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    candidates = (sys.executable, shutil.which(version, path="/usr/local/bin:/usr/bin"))
    return next((path for path in candidates if path and _is_open(Path(path))), "")


def _is_open(path: Path) -> bool:
    """Return whether other users can reach and read this file."""
    path = path.resolve()
    return all(folder.stat().st_mode & 0o001 for folder in path.parents) and bool(path.stat().st_mode & 0o004)
