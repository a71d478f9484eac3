"""The program in real terminals, in tmux and in GNU screen: the same screen with full and partial repaint."""

import pty
import shutil
import subprocess
import sys
import termios
import time
import tty
from contextlib import ExitStack
from pathlib import Path

import pyte
import pytest

from cachetui.tui.painter.output_queue import ASK
from cachetui.tui.painter.painter import pass_line_feeds
from tests.support.places import CACHETUI, SAMPLE
from tests.support.screens import EmulatedScreen, seen
from tests.support.wire_bytes import Metered


def test_full_and_partial_repaint_look_same_in_real_terminal() -> None:
    """The emulator answers the queries of the real program. Its screens are compared at the start and after a key."""
    command = [*CACHETUI, str(SAMPLE)]
    with Metered(command) as cells, Metered([*command, "--full-repaint"]) as whole:
        steps = [("", "py-ml-dtypes"), ("j", "▌  py-mpi4py"), ("\r", "py-mpi4py · 91"), ("\x1b[6~", "4wo4wu3")]
        for key, shown in steps:
            for terminal in (cells, whole):
                terminal.send(key)
            for terminal in (cells, whole):
                terminal.wait_for(shown)
            settle(cells, whole)
            assert difference_of(cells, whole) == []
        for terminal in (cells, whole):
            terminal.send("qq")
            assert terminal.exitstatus() == 0
        assert ASK.encode() in cells.output
        assert ASK.encode() not in whole.output


@pytest.mark.parametrize("program", ["tmux", "screen"])
def test_lists_scroll_correctly_inside_tmux_and_screen(program: str, tmp_path: Path, sockets: Path) -> None:
    """Both programs scroll lines instead of drawing them again."""
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    (tmp_path / "tmux.conf").write_text("set -g status off\n")
    env = {"SCREENDIR": str(sockets), "TERM": "vt220"}  # this terminal scrolls with the features that pyte supports
    with ExitStack() as stack:
        terminals: list[Metered] = []
        for options in ([], ["--full-repaint"]):
            command = [*CACHETUI, *options, str(SAMPLE)]
            if program == "tmux":
                tmux = ["tmux", "-u", "-S", str(sockets / f"{len(terminals)}"), "-f", str(tmp_path / "tmux.conf")]
                stack.callback(subprocess.run, [*tmux, "kill-server"], capture_output=True, check=False)
                command = [*tmux, "new-session", *command]
            else:
                command = ["screen", "-U", "-c", "/dev/null", *command]
            terminals.append(stack.enter_context(Metered(command, env=env)))
        cells, whole = terminals
        for terminal in terminals:
            terminal.wait_for("129  0.4.0")
        for keys in ("\r", "j" * 4, "j", "jj", "\x1b[6~", "k" * 3, "k", "\x1b[5~", "G", "c", "jj", "q"):
            before = picture_of(whole)
            for terminal in terminals:
                terminal.send(keys)
            settle(cells, whole, before)
            assert difference_of(cells, whole) == [], keys
        for terminal in terminals:
            terminal.send("qq")
            terminal.exitstatus()


def test_only_own_terminal_has_its_line_feed_translation_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    (near, one), (far, other) = pty.openpty(), pty.openpty()
    with open(one, "w") as same, open(other, "w") as another, open(near), open(far):
        for stream, passed in ((another, False), (same, True)):
            monkeypatch.setattr(sys, "__stderr__", stream)
            assert pass_line_feeds(one) is passed
        assert not termios.tcgetattr(one)[tty.OFLAG] & termios.OPOST
        assert termios.tcgetattr(other)[tty.OFLAG] & termios.OPOST


def test_emulator_moves_cursor_outside_scroll_region_correctly() -> None:
    """tmux writes these sequences if it reads scrolling lines slowly."""
    screen = EmulatedScreen(20, 24)
    stream = pyte.ByteStream(screen)
    stream.feed(b"\x1b[4;11r\x1b[15;3Ha\nb\x1b[99Bc\nd\x1b[11;1He\x1b[99Bf\x1b[2;9Hg\x1b[99Ah\x1b[5;1H\x1b[99Ai")
    shown = {letter: y for y, line in enumerate(screen.display, 1) for letter in line.strip()}
    assert shown == {"a": 15, "b": 16, "c": 24, "d": 24, "e": 11, "f": 11, "g": 2, "h": 1, "i": 4}


def settle(one: Metered, other: Metered, before: list[list[object]] | None = None) -> None:
    """Read until both are silent and show the same screen, other than `before`; one of them may be slow."""
    deadline = time.monotonic() + 60
    is_done = False
    while not is_done and time.monotonic() < deadline:
        one.settle(0.02)
        other.settle(0.02)
        is_done = before != picture_of(one) == picture_of(other)


def difference_of(one: Metered, other: Metered) -> list[str]:
    """Return the cells in which two terminals differ, because pytest would need minutes to compare whole screens."""
    rows = enumerate(zip(picture_of(one), picture_of(other), strict=True))
    cells = ((x, y, pair) for y, row in rows for x, pair in enumerate(zip(*row, strict=True)))
    return [f"{x},{y}: {here!r} is {there!r}" for x, y, (here, there) in cells if here != there]


def picture_of(terminal: Metered) -> list[list[object]]:
    """Return every cell with its look but without underlines, because GNU screen underlines dim text in a VT220."""
    return [[seen(terminal.screen.buffer[y][x]._replace(underscore=False)) for x in range(80)] for y in range(24)]
