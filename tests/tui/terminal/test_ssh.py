"""The browser over a real ssh server: filter, look up a hash, quit; an idle browser sends nothing."""

import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.places import CACHETUI, ROOT
from tests.support.screens import Terminal, gone_within, processes
from tests.support.slow_link import NoServerError, link, sshd

pytestmark = pytest.mark.skipif(sshd() is None, reason="needs the ssh server, ssh and ssh-keygen")


@pytest.fixture(scope="module")
def ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """A prefix that runs a command on the ssh server of the tests."""
    with ExitStack() as stack:
        try:
            yield stack.enter_context(link(tmp_path_factory.mktemp("ssh")))
        except NoServerError as refusal:
            pytest.skip(f"the ssh server cannot be run here: {refusal}")


@pytest.fixture
def session(ssh: list[str], tmp_path: Path) -> Iterator[Terminal]:
    remote = f"cd {shlex.quote(str(ROOT))} && CACHETUI_CACHE_DIR={tmp_path}/cache {shlex.join(CACHETUI)}"
    with Terminal([*ssh, remote]) as terminal:
        yield terminal


@pytest.mark.parametrize("seconds", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_idle_ssh_session_receives_no_bytes(session: Terminal, seconds: int) -> None:
    """The session is idle with and without the cursor in an input line."""
    session.wait_for("q quit")
    session.send("/mpi4py @4: %gcc")
    session.wait_for("/ mpi4py @4: %gcc")
    session.wait_for("72 of 413 specs")
    deadline = time.monotonic() + 60 + 2 * seconds  # earlier output comes first
    while not session.is_silent(seconds):
        assert time.monotonic() < deadline
    session.send("\r#2feova4\r")
    session.wait_for("2feova4prghd2gkebr23if6bojkyydpt")
    session.send("qq")
    assert session.exitstatus() == 0


def test_keys_typed_ahead_over_ssh_are_kept(session: Terminal) -> None:
    """All keys are sent at once, before the browser has started."""
    session.send("/mpi4py\r#2feova4\r")
    session.wait_for("2feova4prghd2gkebr23if6bojkyydpt")
    session.send("qq")
    assert session.exitstatus() == 0


def test_lost_ssh_connection_ends_browser(session: Terminal, tmp_path: Path) -> None:
    session.wait_for("q quit")
    assert processes(tmp_path / "cache")
    session.kill(signal.SIGKILL)
    assert gone_within(tmp_path / "cache", 60)
