"""The start of the browser, before its first screen."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import CACHETUI, ROOT, SAMPLE_CONTENT
from tests.support.screens import Terminal

NOT_AT_FIRST = (
    "cachetui.suggest.nearest_build",
    "cachetui.analysis",
)
"""Modules that the first screen of a loaded index does not need."""


def test_browser_start_imports_only_modules_that_the_first_screen_needs() -> None:
    code = "import sys, cachetui.cli.browse, cachetui.tui.app; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert "cachetui.tui.browse.screen" in found.stdout.split()
    assert not set(NOT_AT_FIRST) & set(found.stdout.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tag", "nope"], "no tag nope; tags: "),
        (["--tag", "nope", SAMPLE_CONTENT], "no tag nope; tags: "),
        ([SAMPLE_CONTENT, "hdf5", "^mpich"], "this content records neither dependencies"),
        (["EMPTY"], "has nothing that cachetui can read"),
    ],
)
def test_error_before_first_screen_ends_browser_with_status_2(words: list[str], said: str, tmp_path: Path) -> None:
    words = [str(tmp_path) if word == "EMPTY" else word for word in words]
    with Terminal([*CACHETUI, *words], cols=200) as terminal:
        assert terminal.exitstatus() == 2
        assert said in terminal.farewell
