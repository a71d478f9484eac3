"""The browser as a program in a terminal: its errors, its ends, and the state of the terminal afterwards."""

import os
import re
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from cachetui.tui.terminal import preflight as checks
from cachetui.tui.terminal.lifecycle import EXIT_STATUS, OBJECTS_BETWEEN_COLLECTIONS
from tests.support.places import ROOT
from tests.support.screens import LEAVE, Terminal

TINY = [sys.executable, str(ROOT / "tests" / "support" / "tiny.py")]

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start the tiny program (or another command) in a terminal, with its error log in a folder of the test."""

    def run(*options: str, command: list[str] | None = None, **env: str) -> Terminal:
        env = {"CACHETUI_CACHE_DIR": str(tmp_path), **env}
        return Terminal(command or [*TINY, *options], env=env)

    return run


def pid(terminal: Terminal) -> int:
    """Return the process that draws the screen."""
    found = re.search(r"pid +(\d+)", "\n".join(terminal.lines))
    assert found is not None
    return int(found[1])


class FakeFile:
    closed = False

    def __init__(self, *, terminal: bool = True, encoding: str = "utf-8") -> None:
        self.isatty = lambda: terminal
        self.encoding = encoding


@pytest.mark.parametrize(
    ("stdin", "stderr", "term", "said"),
    [
        (FakeFile(terminal=False), FakeFile(), "xterm", "standard input"),
        (None, FakeFile(), "xterm", "standard input"),
        (FakeFile(), FakeFile(terminal=False), "xterm", "standard error"),
        (FakeFile(), FakeFile(), "", "TERM"),
        (FakeFile(), FakeFile(), "dumb", "TERM='dumb'"),
        (FakeFile(), FakeFile(), "unknown", "TERM='unknown'"),
    ],
)
def test_unsupported_terminal_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, stdin: FakeFile | None, stderr: FakeFile, term: str, said: str
) -> None:
    monkeypatch.setattr(sys, "__stdin__", stdin)
    monkeypatch.setattr(sys, "__stderr__", stderr)
    why = checks.check_terminal({"TERM": term})
    assert why is not None
    assert said in why
    assert "\n" not in why


@pytest.mark.parametrize(
    ("encoding", "environ", "ascii"),
    [
        ("UTF8", {"LC_ALL": "de_DE.UTF-8"}, False),
        ("latin-1", {}, True),
        ("ascii", {}, True),
        ("utf-8", {}, False),
        ("utf-8", {"LANG": "C"}, True),
        ("utf-8", {"LC_ALL": "C"}, True),
        ("utf-8", {"LANG": "POSIX", "LC_CTYPE": "C.UTF-8"}, True),  # Python itself sets this
        ("utf-8", {"LC_CTYPE": "C.UTF-8"}, False),
        ("utf-8", {"LANG": "en_US.UTF-8"}, False),
        ("utf-8", {"LANG": "en_US.utf8"}, False),
        ("utf-8", {"LANG": "de_DE@euro"}, False),
        ("utf-8", {"LANG": "en_US.UTF-8", "LC_ALL": "C"}, True),
        ("utf-8", {"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False),
        ("utf-8", {"LANG": "ja_JP.eucJP"}, True),
        ("utf-8", {"LANG": "xx.no-such-encoding"}, True),
        ("utf-8", {"LANG": "en_US.UTF-8", "TERM": "linux"}, True),
    ],
)
def test_locale_decides_whether_only_ascii_symbols_are_shown(
    monkeypatch: pytest.MonkeyPatch, encoding: str, environ: dict[str, str], ascii: bool
) -> None:
    monkeypatch.setattr(sys, "__stderr__", FakeFile(encoding=encoding))
    assert checks.is_ascii(environ) is ascii


def test_environment_variables_reduce_bytes_that_textual_writes() -> None:
    environ = {"NO_COLOR": "", **dict.fromkeys(checks.SETTINGS, "x")}
    checks.prepare_environment(environ)
    assert environ == checks.SETTINGS  # an empty NO_COLOR has no meaning, but Textual would apply it


@pytest.mark.parametrize(("term", "status"), [("nosuchterminal", 2), ("xterm-nosuch", 0)])
def test_terminal_of_known_family_needs_no_terminfo_entry(start: Start, term: str, status: int) -> None:
    with start(TERM=term) as terminal:
        if not status:
            terminal.wait_for("2feova4")
            terminal.send("q")
        assert terminal.exitstatus() == status


STATUSES = {"TERM": 143, "INT": 130, "ABRT": 134}


@pytest.mark.parametrize("name", STATUSES)
def test_signal_ends_browser_and_restores_terminal(start: Start, name: str) -> None:
    """After the signal of a crash, Python may also print its stack."""
    with start(PYTHONFAULTHANDLER="1" if name == "ABRT" else "") as terminal:
        terminal.wait_for("2feova4")
        terminal.kill(signal.Signals[f"SIG{name}"])
        assert terminal.exitstatus() == STATUSES[name]
        assert terminal.farewell.startswith("\x1b[?25h")
        assert termios.tcgetattr(terminal.process.child_fd)[tty.LFLAG] & termios.ECHO


def test_every_terminating_signal_has_an_exit_status() -> None:
    """Uncatchable, ignored and real-time signals and signals of crashes are exceptions."""
    left = {"KILL", "STOP", "SEGV", "BUS", "ILL", "FPE", "SYS", "TRAP", "STKFLT", "EMT", "PIPE", "XFSZ", "IO", "POLL"}
    harmless = {"CHLD", "CLD", "CONT", "TSTP", "TTIN", "TTOU", "URG", "WINCH", "INFO", "RTMIN", "RTMAX", "PWR", "IOT"}
    named = {number.name.removeprefix("SIG") for number in signal.Signals}
    assert named - left - harmless <= {signal.Signals(number).name.removeprefix("SIG") for number in EXIT_STATUS}


def test_terminal_settings_are_restored_after_signal(start: Start, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    script = f"stty -g > {before}; {' '.join(TINY)}; stty -g > {after}"
    with start(command=["/bin/sh", "-c", script]) as terminal:
        terminal.wait_for("2feova4")
        os.kill(pid(terminal), signal.SIGTERM)
        assert terminal.exitstatus() == 0
    assert before.read_text() == after.read_text()


needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits by a file descriptor of Linux")


@needs_pidfd
def test_closed_terminal_ends_browser_that_ignores_sighup(start: Start) -> None:
    with start("--nohup") as terminal:
        terminal.wait_for("2feova4")
        terminal.hang_up()
        assert terminal.end_unread(timeout=60) == 129


@needs_pidfd
def test_signal_ends_browser_with_blocked_output_or_busy_thread(start: Start) -> None:
    """A thread that writes is ended by force; the browser does not wait for any other thread."""
    with start(PATIENCE="0.1") as blocked, start() as busy:
        for terminal, key, shown in ((blocked, "o", "xxx"), (busy, "w", "busy")):
            terminal.wait_for("2feova4")
            terminal.send(key)
            terminal.wait_for(shown)
            terminal.kill(signal.SIGTERM)
        assert blocked.end_unread(timeout=60) == 143
        assert busy.exitstatus() == 143
        assert busy.farewell.startswith("\x1b[?25h")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with job control")
def test_browser_is_repainted_after_ctrl_z_and_fg(start: Start) -> None:
    with start(command=["bash", "--norc", "--noprofile", "-i"], PS1="prompt> ") as terminal:
        terminal.wait_for("prompt>")
        terminal.send(f"{' '.join(TINY)}\r")
        terminal.wait_for("2feova4")
        terminal.send("\x1a")
        terminal.wait_for("Stopped")
        terminal.send("clear\r")
        terminal.wait_for(lambda terminal: "prompt>" in terminal.lines[0] and not any(terminal.lines[1:]))
        terminal.send("fg\r")
        terminal.wait_for("2feova4")
        terminal.send("q")
        terminal.wait_for(lambda terminal: terminal.output.count(LEAVE) == 2 and "prompt>" in terminal.farewell)
        terminal.send("exit\r")
        assert terminal.exitstatus() == 0


def test_ctrl_z_without_job_control_keeps_browser_running(
    start: Start,
) -> None:
    """A terminal that hangs up also sends a signal to continue."""
    with start() as terminal:
        terminal.wait_for("2feova4")
        terminal.screen.erase_in_display(2)
        terminal.send("\x1a")
        terminal.kill(signal.SIGCONT)
        terminal.wait_for("2feova4")
        terminal.send("\x03")
        assert terminal.exitstatus() == 130
        assert terminal.output.count(b"\x1b[?1049h") == 1


def test_unexpected_error_writes_a_log(start: Start, tmp_path: Path) -> None:
    with start() as terminal:
        terminal.wait_for("2feova4")
        terminal.send("b")
        assert terminal.exitstatus() == 2
        lines = re.sub(r"\x1b\[\S*?[a-z]", "", terminal.farewell).split("\r\n")
    log = tmp_path / "error.log"
    said = f"cachetui: unexpected error: ValueError: two lines and  [31m 7; please report it with {log}"
    assert lines == [said, ""]
    assert "in action_break" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    assert b"hunter2" not in terminal.output


COLLECTED = """
import gc
from textual.widgets import Static
from cachetui.settings.settings import Settings
from cachetui.tui.terminal.lifecycle import TerminalApp, run_in_terminal

class Collected(TerminalApp[None]):
    def compose(self):
        yield Static(self.said)

    @property
    def said(self):
        return f"{gc.get_threshold()[0]} made, {gc.get_freeze_count() > 1000} frozen"

run_in_terminal(Collected(Settings()))
"""
"""A program that shows how often garbage is collected."""


def test_garbage_collection_skips_imported_modules(start: Start) -> None:
    with start(command=[sys.executable, "-c", COLLECTED]) as terminal:
        terminal.wait_for(f"{OBJECTS_BETWEEN_COLLECTIONS} made, True frozen")
        terminal.send("\x03")
        terminal.exitstatus()


def test_ascii_terminal_shows_substitute_symbols(start: Start) -> None:
    with start(LC_ALL="C", PYTHONIOENCODING="ascii") as terminal:
        terminal.wait_for(lambda terminal: re.match(r" +last +\?$", terminal.lines[3]) is not None)
        terminal.send("q")
        assert terminal.exitstatus() == 0
