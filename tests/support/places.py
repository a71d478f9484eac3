"""The paths of files in the checkout."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

MACHINE = ROOT / "tests" / "support" / "machine"
"""The folder for PYTHONPATH that makes Python simulate the machine of the tests."""

CACHETUI = (sys.executable, "-m", "cachetui")
"""The command that runs cachetui."""

SAMPLE = ROOT / "cachetui" / "sample"
"""The built-in sample catalogue."""

SAMPLE_CONTENT = str(SAMPLE)
"""The sample in the form that a user types."""

SAMPLE_MIRROR = str(ROOT / "cachetui" / "sample_mirror")
"""The build cache of the sample in the form that a user types."""

PAGES = ROOT / "tests" / "pages"
"""Pages in every format and with every error."""

QUERIES = ROOT / "tests" / "queries"
"""Queries with results of Spack: 0.22 on `rows.json` and `pages`, 1.1 on `tree` and on two specs written by hand."""
