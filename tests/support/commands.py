"""Command lines run in this process."""

from collections.abc import Sequence

import pytest

from cachetui.cli.main import main


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command line."""
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def refusal(capsys: pytest.CaptureFixture[str], words: Sequence[str]) -> str:
    """The one line that says why a command line is refused."""
    status, out, err = answered(capsys, *words)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    return err
