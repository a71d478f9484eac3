"""Helpers for tests of screens: a driver for an app without a terminal."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.drive import Drive, driven


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder for the sockets of tmux and GNU screen, whose paths have at most a hundred characters."""
    with TemporaryDirectory(prefix="cachetui-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def drive() -> Iterator[Drive]:
    """Run an app on a screen of a given size until the test ends."""
    with ExitStack() as stack:
        yield lambda *app_and_size: stack.enter_context(driven(*app_and_size))
