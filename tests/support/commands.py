"""Command lines run in this process."""

from collections.abc import Sequence

import pytest

from cachetui.cli.main import main


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command line; return its exit status, standard output and standard error."""
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def refusal(capsys: pytest.CaptureFixture[str], words: Sequence[str]) -> str:
    """Run a command line that must fail; return the only line on standard error."""
    status, out, err = answered(capsys, *words)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    return err
