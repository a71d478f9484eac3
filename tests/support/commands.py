"""Command lines run in this process."""

from __future__ import annotations

import pytest

from cachetui.cli.main import main


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command line."""
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err
