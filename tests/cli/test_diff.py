"""`diff`: what stands on which stream, in which form, and the exit status."""

from __future__ import annotations

import sys
from pathlib import Path

import pexpect
import pytest

from tests.support.commands import answered
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import row, write

OLD, NEW = "develop-2025-04-20", "develop"
PAIR = f"{OLD}..{NEW}"


def test_the_report_of_a_stack_says_what_it_lost_gained_and_changed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is gone everywhere and what only the stack has lost stand apart, ready for the notes of a meeting."""
    own = ["e4s"]
    stays = row("cmake", hash="e" * 32, stacks=["e4s", "hep"])
    old = [
        stays,
        row(stacks=own),
        row("zlib", stacks=["e4s", "hep"]),
        row("zfp", "1.0", stacks=own),
        row("petsc", hash="a" * 32, stacks=own),
    ]
    new = [stays, row("zlib", stacks=["hep"]), row("zfp", "1.1", stacks=own), row("new", stacks=own)]
    new += [row("petsc", hash=letter * 32, stacks=own) for letter in "bcd"]
    rows = [*({**each, "tag": OLD} for each in old), *({**each, "tag": NEW} for each in new)]
    content = str(write(tmp_path / "content", rows))
    _, out, _ = answered(capsys, "diff", content, "--stack=e4s", "--format=markdown")
    lines = [line for line in out.splitlines() if line and not line.startswith(("| ---", "| package"))]
    build = "@1.14.3 %gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3"
    assert lines[1:] == [
        "- packages gone: 1",
        "- packages gone from e4s: 1",
        "- packages new: 1",
        "- version up: 1",
        "- count: 1",
        "- unchanged, same hash: 1",
        "- rebuilt, same signature: 1",
        *("### gone", "| hdf5 |", "### gone from e4s", "| zlib |", "### new", "| new |"),
        *("### count", f"| petsc | 1 | 3 of {build} | 2 | e4s |"),
        *("### version up", "| zfp | 1.0 | 1.1 | 1 | e4s |"),
    ]


def test_the_lines_of_a_diff_fit_the_terminal() -> None:
    out = str(
        pexpect.run(
            f"{sys.executable} -m cachetui diff {SAMPLE_CONTENT} {PAIR}",
            encoding="utf-8",
            dimensions=(24, 80),
            timeout=60,
        )
    )
    assert "py-ml-dtypes" in out
    assert max(map(len, out.splitlines())) <= 80
