"""The browser ends at once while it reads large content: no process is left, and the index cache is valid."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from tests.support.places import CACHETUI
from tests.support.screens import Terminal, gone_within, processes

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes as Linux shows them")

ROW = {
    "hash": "a" * 32,
    "compiler": "gcc@11.4.0",
    "versions": ["1.2"],
    "os": "rhel8",
    "platform": "linux",
    "target": "zen3",
    "variants": ["+shared"],
    "stacks": ["e4s"],
    "size": "-",
}


@pytest.fixture(scope="module")
def slow_content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that takes some seconds to read, in several processes."""
    folder = tmp_path_factory.mktemp("content")
    head = '---\ntitle: "large"\nlayout: cache\ncategories: [package, develop]\n'
    (folder / "0.md").write_text(f"{head}spec_details: {json.dumps([ROW] * 40)}\n---\n")
    for number in range(1, 10_000):
        os.link(folder / "0.md", folder / f"{number}.md")
    return folder


@pytest.fixture(params=[30, pytest.param(1, marks=[pytest.mark.soak, pytest.mark.alone])])
def soon(request: pytest.FixtureRequest) -> float:
    """Seconds within which all processes end: one second, if no other test runs at the same time."""
    return float(request.param)


def start_reading(content: Path, cache: Path) -> Terminal:
    """Start the browser, and wait until it reads in several processes."""
    terminal = Terminal([*CACHETUI, str(content)], env={"CACHETUI_CACHE_DIR": str(cache)})
    terminal.wait_for("reading")
    deadline = time.monotonic() + 60
    while len(processes(cache)) < 2 and time.monotonic() < deadline:
        terminal.is_silent(0.01)
    assert len(processes(cache)) >= 2
    return terminal


ENDS: dict[str, tuple[Callable[[Terminal], None], int]] = {
    "SIGTERM": (lambda terminal: terminal.kill(signal.SIGTERM), 143),
    "SIGHUP": (lambda terminal: terminal.kill(signal.SIGHUP), 129),
    "Ctrl+C": (lambda terminal: terminal.send("\x03"), 130),
    "q": (lambda terminal: terminal.send("q"), 0),
}


@pytest.mark.parametrize(
    "end", [each if each == "SIGTERM" else pytest.param(each, marks=pytest.mark.soak) for each in ENDS]
)
def test_processes_that_read_content_end_with_the_browser(
    slow_content: Path, tmp_path: Path, end: str, soon: float
) -> None:
    act, status = ENDS[end]
    with start_reading(slow_content, tmp_path) as terminal:
        act(terminal)
        assert terminal.exitstatus(timeout=soon) == status
        assert terminal.farewell.startswith("\x1b[?25h")
        assert gone_within(tmp_path, soon)
    assert list(tmp_path.iterdir()) == []


def test_processes_that_read_content_end_with_the_terminal(slow_content: Path, tmp_path: Path, soon: float) -> None:
    with start_reading(slow_content, tmp_path) as terminal:
        terminal.hang_up()
        assert terminal.end_unread(timeout=soon) == 129
        assert gone_within(tmp_path, soon)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_processes_that_read_content_end_with_the_command(
    slow_content: Path, tmp_path: Path, number: int, soon: float
) -> None:
    command = subprocess.Popen(
        [*CACHETUI, "find", str(slow_content)],
        env={**os.environ, "CACHETUI_CACHE_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while len(processes(tmp_path)) < 2 and command.poll() is None:
        time.sleep(0.01)
    command.send_signal(number)
    try:
        out, err = command.communicate(timeout=60)
    finally:
        command.kill()
    assert (out, err) == ("", "")
    assert command.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert gone_within(tmp_path, soon)
    assert Catalogue(str(slow_content), Settings({"CACHETUI_CACHE_DIR": str(tmp_path)})).saved() is None
