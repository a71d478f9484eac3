"""The lowest versions that `pyproject.toml` allows: in an environment of their own, the tests pass."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.places import ROOT

TESTS = ("model", "query", "store", "search", "sources", "suggest", "analysis", "report", "tui/test_app.py")
"""What is run there: every package that imports a dependency, and the browser as a whole."""

pytestmark = pytest.mark.soak


def lowest() -> list[str]:
    """Each dependency as `name==version`, with the condition on which it is one; pip takes no extras there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = [re.sub(r"(?:\[\w+\])?>=\s*([\w.]+)[^;]*", r"==\1", each) for each in project["dependencies"]]
    assert all("==" in each for each in pinned), f"a dependency without a lower bound: {pinned}"
    return pinned


def run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]


def test_the_lowest_versions_are_enough(tmp_path: Path) -> None:
    (tmp_path / "lowest.txt").write_text("\n".join(lowest()))
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*install, "--constraint", tmp_path / "lowest.txt", "--editable", ".[dev]")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{part}" for part in TESTS))
