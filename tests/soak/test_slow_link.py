"""The browser over ssh on a link with 8 KB/s and a round trip of 150 ms: the time from a key to its answer."""

import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median

import pexpect
import pytest

from tests.support.full_catalogue import write_catalogue
from tests.support.places import CACHETUI
from tests.support.slow_link import NoServerError, slow_link, sshd
from tests.support.wire_bytes import Metered

pytestmark = [
    pytest.mark.soak,
    pytest.mark.alone,
    pytest.mark.skipif(sshd() is None, reason="needs the ssh server, ssh and ssh-keygen"),
]

CONNECTED = "connected"

PAGE_DOWN = "\x1b[6~"


class Session(Metered):
    """A terminal that measures the time of the output."""

    def still_after(self, quiet: float = 0.8) -> float:
        """Read until nothing comes for a while; return the seconds until the last byte."""
        start = last = time.monotonic()
        try:
            while True:
                self.take(quiet)
                last = time.monotonic()
        except pexpect.TIMEOUT:
            return last - start

    def answered_after(self, key: str, columns: slice) -> float:
        """Press a key; return the seconds until these columns of the screen have their final text."""
        start, seen = time.monotonic(), []
        self.send(key)
        with suppress(pexpect.TIMEOUT):
            while True:
                self.take(0.8)
                seen.append((time.monotonic() - start, [line[columns] for line in self.lines]))
        return next(moment for moment, lines in seen if lines == seen[-1][1])

    def read_until(self, moment: float) -> None:
        """Read the output until the given time."""
        try:
            while True:
                self.take(max(0.0, moment - time.monotonic()))
        except pexpect.TIMEOUT:
            return


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that opens the browser on a catalogue with an index cache."""
    folder = tmp_path_factory.mktemp("catalogue")
    content, cache = folder / "content", folder / "cache"
    write_catalogue(content, scale=0.05, seed=0)
    environment = ["env", f"CACHETUI_CACHE_DIR={cache}"]
    subprocess.run([*environment, *CACHETUI, "find", str(content), "--count"], check=True, capture_output=True)
    return [*environment, *CACHETUI, str(content), "tag=develop"]


@pytest.fixture(params=[(80, 24), (140, 40)], ids=["80x24", "140x40"])
def session(request: pytest.FixtureRequest, browser: list[str], tmp_path: Path) -> Iterator[Session]:
    """A session before its first screen."""
    cols, rows = request.param
    remote = f"cd {shlex.quote(str(Path(__file__).parents[2]))} && printf {CONNECTED} && exec {shlex.join(browser)}"
    with ExitStack() as stack:
        try:
            link = stack.enter_context(slow_link(tmp_path))
        except NoServerError as refusal:
            pytest.skip(f"the ssh server cannot be run here: {refusal}")
        session = stack.enter_context(Session([*link, remote], cols=cols, rows=rows))
        session.wait_for(CONNECTED, timeout=30)
        yield session


@pytest.fixture
def started(session: Session) -> Session:
    """A session with a complete first screen."""
    session.wait_for("q quit", timeout=30)
    session.still_after(quiet=1.5)
    return session


def packages(session: Session) -> slice:
    """Return the columns of the packages."""
    return slice(32, 66) if session.screen.columns == 140 else slice(0, 80)


def test_first_screen_appears_soon_on_slow_link(session: Session) -> None:
    assert session.still_after(quiet=1.5) < 2.5
    assert any("q quit" in line for line in session.lines)


def test_filter_key_is_answered_soon_on_slow_link(started: Session) -> None:
    started.send("/")
    started.still_after()
    assert median(started.answered_after(key, packages(started)) for key in "hdf") < 0.3


def test_cursor_movement_is_answered_soon_on_slow_link(started: Session) -> None:
    assert min(started.answered_after("j", packages(started)) for _ in range(3)) < 0.3


def test_screen_settles_soon_after_held_key_on_slow_link(started: Session) -> None:
    for keys in ("/=hdf5\r", "\r"):
        started.send(keys)
        started.still_after()
    start = time.monotonic()
    for k in range(1, 21):
        started.send(PAGE_DOWN)
        started.read_until(start + k * 0.1)
    taken = started.still_after() + 0.1
    before = started.lines
    started.send("\x0c")
    started.still_after()
    assert started.lines == before
    assert taken < 0.5
