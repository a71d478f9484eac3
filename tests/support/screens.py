"""A program in a real terminal: pexpect runs it, and pyte draws its output."""

import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

LEAVE = b"\x1b[?1049l"
"""The bytes that a program writes when it leaves its full screen."""

ASK_BACKGROUND = b"\x1b]11;?"

Predicate = Callable[["Terminal"], bool]


def processes(cache: Path) -> list[int]:
    """Return all processes that use this cache folder."""
    mark = f"CACHETUI_CACHE_DIR={cache}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0") and (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def gone_within(cache: Path, seconds: float) -> bool:
    """Return whether all processes that use this cache folder have ended within the given time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not processes(cache):
            return True
        time.sleep(0.01)  # leave the processor to the processes that are ending
    return False


class EmulatedScreen(pyte.Screen):
    """A screen whose cursor, if it is outside the scrolling region, moves to the edge of the screen.

    Real terminals (VT220, xterm) do the same, but pyte moves the cursor to the nearest line of the scrolling region.
    """

    def cursor_down(self, count: int | None = None) -> None:
        end = self.margins.bottom if self.margins and self.cursor.y <= self.margins.bottom else self.lines - 1
        self.cursor.y = min(self.cursor.y + (count or 1), end)

    def cursor_up(self, count: int | None = None) -> None:
        end = self.margins.top if self.margins and self.cursor.y >= self.margins.top else 0
        self.cursor.y = max(self.cursor.y - (count or 1), end)


def seen(cell: pyte.screens.Char) -> pyte.screens.Char:
    """Return a cell with only its visible attributes. A space does not show bold, dim, italic and the text colour."""
    if cell.data != " " or cell.reverse:
        return cell
    return cell._replace(fg="default", bold=False, blink=False, italics=False)


class Terminal:
    """A program in a terminal."""

    def __init__(
        self, command: Sequence[str], *, cols: int = 80, rows: int = 24, env: Mapping[str, str] | None = None
    ) -> None:
        """Run a command with the environment of the tests and with `env`."""
        self.process: pexpect.spawn[bytes] = pexpect.spawn(
            command[0], list(command[1:]), dimensions=(rows, cols), env=os.environ | dict(env or {}), timeout=30
        )
        # pexpect waits for slow programs at fixed places; the tests wait for output instead.
        self.process.delaybeforesend = None
        self.process.ptyproc.delayafterclose = 0  # type: ignore[attr-defined]  # missing in the stubs
        self.screen = EmulatedScreen(cols, rows)
        # pyte calls this function to answer the program, which waits for all answers before it ends
        self.screen.write_process_input = self.send  # type: ignore[assignment, method-assign]  # a no-op of pyte
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        """Every byte that the program wrote."""
        self.background = ""
        """The answer to a query for the background, such as `rgb:0000/0000/0000`; empty for no answer."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.close(force=True)

    @property
    def lines(self) -> list[str]:
        """Return the lines on screen, without spaces at their ends."""
        return [line.rstrip() for line in self.screen.display]

    def send(self, keys: str | bytes) -> None:
        """Type the keys."""
        self.process.send(keys)

    def wait_for(self, expected: str | Predicate, timeout: float = 60) -> None:
        """Read until the screen contains the text, or until the predicate is true."""
        holds = expected if callable(expected) else lambda terminal: any(expected in line for line in terminal.lines)
        deadline = time.monotonic() + timeout
        while not holds(self):
            if not self._read(deadline):
                raise AssertionError(f"the program ended and never showed {expected!r}:\n{self._picture()}")

    def exitstatus(self, timeout: float = 60) -> int | None:
        """Read until the program has ended; return its status, None if a signal killed it."""
        deadline = time.monotonic() + timeout
        while self._read(deadline):
            pass
        return self._status()

    @property
    def farewell(self) -> str:
        """Return the text that was printed after the program left its full screen."""
        return self.output.rpartition(LEAVE)[2].decode()

    def is_silent(self, seconds: float) -> bool:
        """Return whether nothing is written for the given time; any output is read."""
        before = len(self.output)
        with suppress(AssertionError):
            self._read(time.monotonic() + seconds)
        return len(self.output) == before

    def resize(self, cols: int, rows: int) -> None:
        """Resize the terminal, and tell the program."""
        self.process.setwinsize(rows, cols)
        self.screen.resize(rows, cols)

    def kill(self, number: int) -> None:
        """Send a signal to the program."""
        self.process.kill(number)

    def end_unread(self, timeout: float) -> int | None:
        """Stop reading; return the status of the program, or None if it has not ended in time."""
        assert self.process.pid is not None
        process = os.pidfd_open(self.process.pid)
        ended, _, _ = select.select([process], [], [], timeout)
        os.close(process)
        return self._status() if ended else None

    def hang_up(self) -> None:
        """Close the terminal, like a lost connection."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self.process.child_fd)
        os.close(nothing)

    def _status(self) -> int | None:
        self.process.wait()
        return self.process.exitstatus

    def _picture(self) -> str:
        return "\n".join(self.lines).rstrip()

    def _read(self, deadline: float) -> bool:
        """Wait for output and read it; return False if the program has ended."""
        try:
            more = self.process.read_nonblocking(65536, max(0.0, deadline - time.monotonic()))
        except pexpect.EOF:
            return False
        except pexpect.TIMEOUT:
            raise AssertionError(f"waited in vain; the screen:\n{self._picture()}") from None
        self.take_in(more)
        return True

    def take_in(self, more: bytes) -> None:
        """Draw the output of the program, and answer its queries."""
        asked = self.output.count(ASK_BACKGROUND)
        self.output += more
        # pyte reads the end of this sequence as text
        self._stream.feed(more.replace(b"\x1b[<u", b""))
        if self.background:
            self.send(f"\x1b]11;{self.background}\x1b\\" * (self.output.count(ASK_BACKGROUND) - asked))
