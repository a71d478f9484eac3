"""`diff`: what stands on which stream, in which form, and the exit status."""

from __future__ import annotations

import sys

import pexpect

from tests.support.places import SAMPLE_CONTENT

OLD, NEW = "develop-2025-04-20", "develop"
PAIR = f"{OLD}..{NEW}"


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
