"""Copying in a plain terminal, a real tmux and a real GNU screen: the received text, and the message."""

import base64
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cachetui.tui.terminal import clipboard
from tests.support.places import CACHETUI
from tests.support.screens import Terminal

INSTALL = "spack install --cache-only /24fngvd4f3yz7zj63yh4i2wjhfyscqp3"
"""The install command of the first spec in the browser, which is the first text to copy."""

OSC_52 = re.compile(rb"\x1b\]52;[a-z]*;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)")

OVER_SSH = {"SSH_CONNECTION": "here", "SSH_TTY": "x"}
"""Variables of an ssh session, so that the clipboard of this machine is not used."""

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
needs_screen = pytest.mark.skipif(shutil.which("screen") is None, reason="needs GNU screen")


def copied(output: bytes) -> list[bytes]:
    """Return the texts that the output sends to the clipboard of the terminal."""
    return [base64.b64decode(text) for text in OSC_52.findall(output)]


def copy_first_text(terminal: Terminal, message: str) -> None:
    """Copy the first text. Check that a message confirms the copy, and that the text is selectable by hand."""
    terminal.wait_for("q quit")
    terminal.wait_for("413")
    terminal.send("y")
    terminal.wait_for("Enter copy")
    terminal.send("g\r")
    terminal.wait_for(lambda terminal: message in "\n".join(terminal.lines))
    terminal.wait_for(lambda terminal: any(INSTALL in line for line in terminal.lines))
    terminal.wait_for(lambda terminal: copied(terminal.output) == [INSTALL.encode()])
    assert "copied" not in "\n".join(terminal.lines)


def test_plain_terminal_gets_copied_text_by_osc_52() -> None:
    with Terminal(CACHETUI, env=OVER_SSH) as terminal:
        copy_first_text(terminal, "sent to the terminal (OSC 52)")


@needs_tmux
def test_tmux_passes_copied_text_to_terminal(sockets: Path) -> None:
    tmux = ["tmux", "-S", str(sockets / "tmux"), "-f", "/dev/null"]
    try:
        with Terminal([*tmux, "new-session", *CACHETUI], env=OVER_SSH) as terminal:
            copy_first_text(terminal, "sent to tmux")
            shown = subprocess.run([*tmux, "show-buffer"], capture_output=True, check=True).stdout
            assert shown == INSTALL.encode()
            terminal.send("qq")
            terminal.exitstatus()
    finally:
        subprocess.run([*tmux, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def in_screen(sockets: Path) -> Callable[..., Terminal]:
    """Start a program in a GNU screen."""
    env = {**OVER_SSH, "SCREENDIR": str(sockets)}

    def run(*command: str) -> Terminal:
        return Terminal(["screen", "-U", "-c", "/dev/null", *command], env=env, cols=120)

    return run


@needs_screen
def test_gnu_screen_passes_copied_text_to_terminal(in_screen: Callable[..., Terminal]) -> None:
    with in_screen(*CACHETUI) as terminal:
        copy_first_text(terminal, "sent through GNU screen")
        terminal.send("qq")
        terminal.exitstatus()


@needs_screen
def test_too_long_text_is_not_sent_to_gnu_screen(in_screen: Callable[..., Terminal]) -> None:
    """Short texts arrive unchanged; longer ones are not sent, and the message says so."""
    lengths = [300, 360, 361, 369, 370, 380, 500]
    code = (
        "import os, sys; from cachetui.tui.terminal.clipboard import send\n"
        "for length in map(int, sys.argv[1:]): print(length, send('x' * length, os.environ, sys.stdout.write))\n"
        "print('end', flush=True); input()"
    )
    with in_screen(sys.executable, "-c", code, *map(str, lengths)) as terminal:
        terminal.wait_for("end")
        said = [line for length in lengths for line in terminal.lines if line.startswith(f"{length} ")]
        terminal.send("\r")
        terminal.exitstatus()
    sent = [length for length, line in zip(lengths, said, strict=True) if "sent through" in line]
    assert all("not sent" in line for length, line in zip(lengths, said, strict=True) if length not in sent)
    assert 300 in sent
    assert 500 not in sent
    assert copied(terminal.output) == [b"x" * length for length in sent]


# The way of the text


def copying_of(environ: dict[str, str], text: str = "text") -> tuple[str, list[str]]:
    written: list[str] = []
    return clipboard.send(text, environ, written.append), written


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the only programs that can be run."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_clipboard_program_gets_copied_text(programs: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    program(programs, "xclip", f'while read -r line; do echo "$line" >> {shlex.quote(str(taken))}; done')
    message, written = copying_of({"DISPLAY": ":0"}, "one\ntwo\n")
    assert (message, written) == ("sent to xclip", [])
    assert taken.read_text() == "one\ntwo\n"


def test_ssh_session_never_starts_clipboard_program(programs: Path) -> None:
    program(programs, "xclip", "exit 0")
    assert copying_of({"DISPLAY": ":0", "SSH_CONNECTION": "a"})[0] == "sent to the terminal (OSC 52)"


def test_failing_or_hanging_clipboard_program_is_skipped(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "_PROGRAM_SECONDS", 0.1)
    program(programs, "wl-copy", "exit 1")
    program(programs, "xclip", "while :; do :; done")
    message, written = copying_of({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"})
    assert message == "sent to the terminal (OSC 52)"
    assert written == [f"\x1b]52;c;{base64.b64encode(b'text').decode()}\x07"]


def test_too_long_copied_text_is_not_sent(programs: Path) -> None:
    for environ in ({}, {"STY": "s"}):
        message, written = copying_of(environ, "x" * 100_000)
        assert message.startswith("not sent")
        assert "select the text" in message
        assert written == []


def test_copied_text_cannot_end_escape_sequence() -> None:
    environ = dict.fromkeys(os.environ, "") | {"SSH_TTY": "x"}
    _, (sequence,) = copying_of(environ, "\x07\x1b\\\x1b]0;title\x07\udcff")
    assert re.fullmatch(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07", sequence)
