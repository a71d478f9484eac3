"""A day of use in a terminal, a hundred thousand keys: all is answered, memory stays where it is, no key gets slower.

The browser is a program of its own. Its terminal takes all that it writes and answers its questions, and draws nothing
until the day is over.
"""

import os
import re
import time
from collections import deque
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import NamedTuple

import pexpect
import pytest
from textual._xterm_parser import XTermParser

from tests.support.full_catalogue import write_catalogue
from tests.support.places import CACHETUI
from tests.support.wire_bytes import Metered

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads memory as Linux shows it"),
]


KEYS = 100_000
STRETCHES = 20
"""Into so many parts the day is divided; the first ones warm up, until what is kept of answers is as much as it may be.
"""

WARM = 10

STEPS = (
    *("j", "k", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "g", "G", "\r", "l", "h", "\t", "\x1b[Z"),
    *("/hdf5\r", "/py +mpi\r", "/@1: %gcc\r", "/\r", "#abc\x7f\x7fdef\r", "#2\r", "x", "u", "U", "s", "S", ",", "."),
    *("f \r", "t\r", "!\x1b", "?\x1b", "y\x1b", "c \x1b", "d\x1b", "v\x1b", "w\x1b", "H", " ", "\x1b"),
)
"""What a user does."""

BACK = (*("\x1b",) * 40, "x", "g")
"""Escape leads back from everywhere, and never out; now and then a user wants to be at the beginning again, on the
first of all packages."""

ANSWERED = ("j", "j", "j", "/hdf5\r", "\r", "\r", "?")
"""Steps from there: to a package, to all of hdf5, into it, to a spec, to the help.

No screen among these comes twice, so that each is painted, by itself or with the next; those of `STEPS` may change
nothing.
"""

BELL = "\x1a"
"""Ctrl+Z, which rings the bell where there is no shell to go back to: all keys before it are dealt with."""

FOCUS = "\x1b[I"
"""What a terminal says when it gets the focus. After an Escape, it tells at once that this was the key: the browser
would wait a moment otherwise."""

QUESTION = b"\x1b[6n"

TEXT = b"\x1b]"
"""What a text for the terminal itself begins with, as a copy does; it ends with what rings the bell elsewhere."""

TOO_LONG = 10.0
"""Seconds without a byte after which the browser hangs."""

LAST = 20
"""Steps, and pieces of output, that a failure tells."""


class Stretch(NamedTuple):
    """What one part of the day took."""

    memory: int
    """Bytes at its end."""
    spent: float
    """Seconds of the processor for a key."""
    usual: float
    """Seconds from a step to the bell after it, the median."""
    slow: float
    """The same: 95 % of the steps take no more."""
    questions: int
    """How often the browser asked how far the terminal has come: once for a frame that it paints cell by cell."""
    written: int
    """Bytes."""

    def __str__(self) -> str:
        return (
            f"{self.memory / 2**20:.1f} MB, {1000 * self.spent:.2f} ms of the processor a key, "
            f"{1000 * self.usual:.0f} ms a step (95 %: {1000 * self.slow:.0f} ms), "
            f"{self.questions:,} questions, {self.written:,} bytes"
        )


class BlindTerminal(Metered):
    """A terminal that answers at once, and draws nothing as long as steps are taken."""

    questions = 0
    written = 0

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        super().__init__(command, cols=140, rows=40, env=env)
        self._process = Path(f"/proc/{self.process.pid}")
        self._steps: deque[str] = deque(maxlen=LAST)
        self._pieces: deque[bytes] = deque(maxlen=LAST)
        self._bells = 0
        self._end = b""
        """The end of the output, in case that what is looked for was cut in two."""

    def take_step(self, step: str, *, is_painted: bool = False) -> float:
        """Types a step in one go; the seconds until the browser has dealt with it, and painted a frame if it must."""
        self._steps.append(step)
        self._bells -= 1
        started, before = time.perf_counter(), self.questions
        self.send(step + (FOCUS if step.endswith("\x1b") else "") + BELL)
        try:
            while self._bells < 0 or (is_painted and self.questions == before):
                self._take_blindly()
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            raise AssertionError(f"{error!r} after {list(self._steps)}: {b''.join(self._pieces)!r}") from None
        assert self._bells == 0
        return time.perf_counter() - started

    def _take_blindly(self) -> None:
        """Takes in what comes next, and answers."""
        more = self.process.read_nonblocking(65536, TOO_LONG)
        self._pieces.append(more)
        self.written += len(more)
        self._bells += more.count(b"\a") - self._count(TEXT, more)
        asked = self._count(QUESTION, more)
        self.questions += asked
        self.send("\x1b[40;140R" * asked)
        self._end = (self._end + more)[-len(QUESTION) :]

    def _count(self, wanted: bytes, more: bytes) -> int:
        """How often it has come to its end within what has just come."""
        return (self._end[1 - len(wanted) :] + more).count(wanted)

    @property
    def memory(self) -> int:
        """Bytes that the browser has in memory."""
        lines = (self._process / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) * 1024

    @property
    def spent(self) -> float:
        """Seconds that the browser has had of the processor."""
        fields = (self._process / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def keys_in(step: str) -> int:
    """How many keys are pressed."""
    parser = XTermParser()
    return len([*parser.feed(step), *parser.feed("")])


def stretch_of(terminal: BlindTerminal, random: Random, keys: int) -> Stretch:
    """Types as many keys, as fast as they are dealt with."""
    spent, questions, written = terminal.spent, terminal.questions, terminal.written
    typed, delays = 0, []
    while typed < keys:
        is_back = random.random() < 0.01
        for step in BACK if is_back else (random.choice(STEPS),):
            delays.append(terminal.take_step(step))
            typed += keys_in(step)
        for step in ANSWERED if is_back else ():
            terminal.take_step(step, is_painted=True)
            typed += keys_in(step)
    return Stretch(
        terminal.memory,
        (terminal.spent - spent) / typed,
        median(delays),
        quantiles(delays, n=20)[-1],
        terminal.questions - questions,
        terminal.written - written,
    )


def test_long_session_keeps_memory_and_key_speed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a step that finds another screen open may write a file
    content = tmp_path / "content"
    write_catalogue(content, scale=0.02, seed=0)
    env = {"CACHETUI_HOST": "linux-ubuntu22.04-zen3"}
    stretches: list[Stretch] = []
    with BlindTerminal([*CACHETUI, str(content)], env) as terminal:
        terminal.wait_for("q quit", timeout=60)
        terminal.settle()
        random = Random(1)
        for number in range(1, STRETCHES + 1):
            stretches.append(stretch_of(terminal, random, KEYS // STRETCHES))
            print(f"{KEYS * number // STRETCHES:,} keys: {stretches[-1]}", flush=True)
        # Back to the packages, all of them, on a screen that is painted again.
        for step in BACK:
            terminal.take_step(step)
        terminal.send("\x0c")
        terminal.settle()
        header, query, _, titles, *rows, hints = terminal.lines
        assert header.startswith(" cachetui")
        assert query.startswith(" / type to filter")
        assert hints.endswith("? help  q quit")
        packages = re.search(r"(\d+) of \1 packages$", header)
        assert packages is not None
        listed = {row[titles.index("package") :].partition(" ")[0] for row in rows[: int(packages[1])]}
        assert len(listed) == int(packages[1])
        terminal.send("qq")
        assert terminal.exitstatus() == 0
    warm, early, late = stretches[WARM], stretches[WARM : WARM + 5], stretches[-5:]
    assert stretches[-1].memory - warm.memory < 6 * 2**20
    assert median(each.spent for each in late) < 1.25 * median(each.spent for each in early)
    assert median(each.usual for each in late) < 1.5 * median(each.usual for each in early)
    assert all(each.written > 100 * KEYS // STRETCHES for each in stretches)
