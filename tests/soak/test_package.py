"""The wheel and the sdist have the same bytes wherever and whenever they are built; they can be installed and run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT
from tests.support.users import open_folder, user_command

pytestmark = pytest.mark.soak


def run(*command: str | Path, umask: int = 0o022) -> str:
    """Run a command that has to succeed, and return its output."""
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", env=environ, umask=umask)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_release_is_reproducible(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "build", "hatchling", "twine")
    built = []
    left_out = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "dist", "__pycache__")
    for place, copied, umask in (
        (tmp_path / "one", shutil.copy2, 0o022),
        (tmp_path / "or" / "two", shutil.copy, 0o077),
    ):
        shutil.copytree(ROOT, place, ignore=left_out, copy_function=copied)
        run(python, "-m", "build", "--no-isolation", place, umask=umask)
        built.append({path.name: path.read_bytes() for path in (place / "dist").iterdir()})
    assert built[0] == built[1]
    sdist, wheel = sorted((tmp_path / "one" / "dist").iterdir(), key=lambda path: path.suffix)
    run(python, "-m", "twine", "check", "--strict", sdist, wheel)
    run(python, "-m", "pip", "install", "--no-deps", wheel)
    for name in ("bash-completion/completions/cachetui", "man/man1/cachetui.1"):
        assert (tmp_path / "venv" / "share" / name).is_file()
    with open_folder() as folder:
        site = folder / "site"
        run(python, "-m", "pip", "install", "--no-deps", "--target", site, sdist)
        for path in (*site.rglob("*"), site):
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
        sample = site / "cachetui" / "sample"
        assert run(*user_command(site), "find", sample, "--count") == "413\n"
        assert {path: path.stat().st_mtime_ns for path in site.rglob("*")} == before
