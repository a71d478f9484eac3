"""Shared helpers for tests of screens: a way to drive an app whose screen is drawn nowhere."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.drive import Drive, driven


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder for the sockets of tmux and GNU screen: their paths may have a hundred characters, no more."""
    with TemporaryDirectory(prefix="cachetui-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def drive() -> Iterator[Drive]:
    """Run an app until the test is over, on a screen of a given size."""
    with ExitStack() as stack:
        yield lambda *app_and_size: stack.enter_context(driven(*app_and_size))
