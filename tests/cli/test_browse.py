"""The browser's command: what it does before there is a screen."""

from __future__ import annotations

import subprocess
import sys

from tests.support.places import ROOT

NOT_AT_FIRST = (
    "cachetui.suggest.nearest_build",
    "cachetui.analysis",
)
"""What the first screen of a saved index has no use for."""


def test_what_the_first_screen_has_no_use_for_is_imported_later() -> None:
    code = "import sys, cachetui.cli.browse, cachetui.tui.app; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert "cachetui.tui.browse.screen" in found.stdout.split()
    assert not set(NOT_AT_FIRST) & set(found.stdout.split())
