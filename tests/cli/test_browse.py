"""The browser's command: what it does before there is a screen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.cli.browse import BrowseOptions, _beginning
from tests.support.places import ROOT, SAMPLE_CONTENT
from tests.support.screens import Terminal

START = """
import sys, time
from cachetui.__main__ import start
from cachetui.catalogue import Catalogue
from cachetui.cli import browse
from cachetui.workers import beside
beside.cores = lambda: 2
browse.PATIENCE = 60
sys.argv = ["cachetui", sys.argv[1]]
"""

SLOW = """
browse.PATIENCE = 0.001
Catalogue.beginning = lambda _: time.sleep(3600)
"""

EMPTY = b"Reading: nothing is"

NOT_AT_FIRST = (
    "cachetui.explain.completion",
    "cachetui.explain.unknown_values",
    "cachetui.analysis",
    "cachetui.workers.beside",
)
"""What the first screen of a saved index has no use for."""


def test_what_the_first_screen_has_no_use_for_is_imported_later() -> None:
    code = "import sys, cachetui.cli.browse, cachetui.tui.app; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert "cachetui.tui.screens.browse" in found.stdout.split()
    assert not set(NOT_AT_FIRST) & set(found.stdout.split())


def test_no_copy_is_made_where_an_index_is_saved_nor_for_the_sample(tmp_path: Path) -> None:
    catalogue = Catalogue(SAMPLE_CONTENT, {"CACHETUI_CACHE_DIR": str(tmp_path)})
    new, sample = BrowseOptions(content=(SAMPLE_CONTENT,)), BrowseOptions()
    with _beginning(sample, catalogue) as beside:
        assert beside is None
    with _beginning(new, catalogue) as beside:
        assert beside is not None
    catalogue.load()
    with _beginning(new, catalogue) as beside:
        assert beside is None


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells how many threads run")
@pytest.mark.parametrize("slow", ["", SLOW])
def test_the_first_screen_of_new_content_has_packages_where_they_are_soon_read(tmp_path: Path, slow: str) -> None:
    command = [sys.executable, "-c", f"{START}{slow}start()", SAMPLE_CONTENT]
    with Terminal(command, env={"PYTHONPATH": str(ROOT), "CACHETUI_CACHE_DIR": str(tmp_path)}) as terminal:
        terminal.wait_for("413 of 413 specs")
        assert (EMPTY in terminal.output) == bool(slow)
        terminal.send("q")
        assert terminal.exitstatus() == 0
