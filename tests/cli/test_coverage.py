"""`coverage`: what stands on which stream, in which form, and the exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OLD, NEW = "develop-2025-04-20", "develop"


def test_expectations_come_from_standard_input_but_from_no_device(content: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cachetui", "coverage", content, "--expect"]
    done = subprocess.run([*command, "-"], input="hdf5\nboost\n", capture_output=True, text=True, timeout=60)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["verdict", "missing", "covered"]
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        done = subprocess.run([*command, path], capture_output=True, text=True, timeout=60)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert "is no regular file" in done.stderr
