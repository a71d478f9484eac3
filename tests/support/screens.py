"""A program of its own in a real terminal: pexpect runs it, and pyte puts its output on a screen."""

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
"""What a program writes when it leaves its full screen."""

ASK_BACKGROUND = b"\x1b]11;?"

Predicate = Callable[["Terminal"], bool]


def processes(cache: Path) -> list[int]:
    """All processes that know this cache folder."""
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
    """Whether no such process is left after so long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not processes(cache):
            return True
        time.sleep(0.01)  # whoever is to go needs the processor too
    return False


class EmulatedScreen(pyte.Screen):
    """A screen whose cursor, if it is beyond the lines that scroll, goes on to the edge of the screen.

    As in real terminals (VT220, xterm): pyte itself puts it on the nearest line that scrolls, also at a line feed.
    """

    def cursor_down(self, count: int | None = None) -> None:
        end = self.margins.bottom if self.margins and self.cursor.y <= self.margins.bottom else self.lines - 1
        self.cursor.y = min(self.cursor.y + (count or 1), end)

    def cursor_up(self, count: int | None = None) -> None:
        end = self.margins.top if self.margins and self.cursor.y >= self.margins.top else 0
        self.cursor.y = max(self.cursor.y - (count or 1), end)


def seen(cell: pyte.screens.Char) -> pyte.screens.Char:
    """What is seen of a cell: of a space neither bold, dim and italic nor the colour of text."""
    if cell.data != " " or cell.reverse:
        return cell
    return cell._replace(fg="default", bold=False, blink=False, italics=False)


class Terminal:
    """One program in one terminal, from its start until it is closed."""

    def __init__(
        self, command: Sequence[str], *, cols: int = 80, rows: int = 24, env: Mapping[str, str] | None = None
    ) -> None:
        """`env` is laid over the environment of the tests."""
        self.process: pexpect.spawn[bytes] = pexpect.spawn(
            command[0], list(command[1:]), dimensions=(rows, cols), env=os.environ | dict(env or {}), timeout=30
        )
        # A tenth of a second here and there, in case that a program is slow: we wait for what it does instead.
        self.process.delaybeforesend = None
        self.process.ptyproc.delayafterclose = 0  # type: ignore[attr-defined]  # the stubs leave it out
        self.screen = EmulatedScreen(cols, rows)
        # pyte's hook for answers: a program that ends waits for those that are still on their way
        self.screen.write_process_input = self.send  # type: ignore[assignment, method-assign]  # a no-op of pyte
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        """Every byte that the program wrote."""
        self.background = ""
        """What it answers when it is asked for its background, as in `rgb:0000/0000/0000`; empty for nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.close(force=True)

    @property
    def lines(self) -> list[str]:
        """The lines on screen, without spaces at their ends."""
        return [line.rstrip() for line in self.screen.display]

    def send(self, keys: str | bytes) -> None:
        """Types the keys."""
        self.process.send(keys)

    def wait_for(self, wanted: str | Predicate, timeout: float = 60) -> None:
        """Reads until the screen holds the text, or until the predicate holds."""
        holds = wanted if callable(wanted) else lambda terminal: any(wanted in line for line in terminal.lines)
        deadline = time.monotonic() + timeout
        while not holds(self):
            if not self._read(deadline):
                raise AssertionError(f"the program ended and never showed {wanted!r}:\n{self._picture()}")

    def exitstatus(self, timeout: float = 60) -> int | None:
        """Reads until the program has ended; its status, None if a signal killed it."""
        deadline = time.monotonic() + timeout
        while self._read(deadline):
            pass
        return self._status()

    @property
    def farewell(self) -> str:
        """What was printed since the program left its full screen."""
        return self.output.rpartition(LEAVE)[2].decode()

    def is_silent(self, seconds: float) -> bool:
        """Whether nothing is written for so long; reads what comes first otherwise."""
        before = len(self.output)
        with suppress(AssertionError):
            self._read(time.monotonic() + seconds)
        return len(self.output) == before

    def resize(self, cols: int, rows: int) -> None:
        """Gives the terminal another size, of which the program is told."""
        self.process.setwinsize(rows, cols)
        self.screen.resize(rows, cols)

    def kill(self, number: int) -> None:
        """Sends the program a signal."""
        self.process.kill(number)

    def end_unread(self, timeout: float) -> int | None:
        """Reads nothing any more; the status of the program, or None if it has not ended in time."""
        assert self.process.pid is not None
        process = os.pidfd_open(self.process.pid)
        ended, _, _ = select.select([process], [], [], timeout)
        os.close(process)
        return self._status() if ended else None

    def hang_up(self) -> None:
        """Closes the terminal, as a lost connection does."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self.process.child_fd)
        os.close(nothing)

    def _status(self) -> int | None:
        self.process.wait()
        return self.process.exitstatus

    def _picture(self) -> str:
        return "\n".join(self.lines).rstrip()

    def _read(self, deadline: float) -> bool:
        """Takes in what there is, as soon as there is something; False at the end of it all."""
        try:
            more = self.process.read_nonblocking(65536, max(0.0, deadline - time.monotonic()))
        except pexpect.EOF:
            return False
        except pexpect.TIMEOUT:
            raise AssertionError(f"waited in vain; the screen:\n{self._picture()}") from None
        self.take_in(more)
        return True

    def take_in(self, more: bytes) -> None:
        """Puts what the program wrote on the screen, and answers it."""
        asked = self.output.count(ASK_BACKGROUND)
        self.output += more
        # pyte takes the end of this one for text
        self._stream.feed(more.replace(b"\x1b[<u", b""))
        if self.background:
            self.send(f"\x1b]11;{self.background}\x1b\\" * (self.output.count(ASK_BACKGROUND) - asked))
