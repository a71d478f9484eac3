"""A session of a hundred thousand keys: every key is answered, and memory and speed are constant.

The browser is a separate program. Its terminal reads all output and answers all queries, but draws nothing until the
session ends.
"""

import re
import time
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import NamedTuple

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
"""Number of parts of the session; the first ones warm up the caches of results."""

WARM = 10

STEPS = (
    *("j", "k", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "g", "G", "\r", "l", "h", "\t", "\x1b[Z"),
    *("/hdf5\r", "/py +mpi\r", "/@1: %gcc\r", "/\r", "#abc\x7f\x7fdef\r", "#2\r", "x", "u", "U", "s", "S", ",", "."),
    *("f \r", "t\r", "!\x1b", "?\x1b", "y\x1b", "c \x1b", "d\x1b", "v\x1b", "w\x1b", "H", " ", "\x1b"),
)
"""The actions of a user."""

BACK = (*("\x1b",) * 40, "x", "g")
"""Return to the first of all packages: Escape leaves every screen except the first one."""

ANSWERED = ("j", "j", "j", "/hdf5\r", "\r", "\r", "?")
"""Steps after `BACK`, each of which changes the screen; a random step may change nothing."""

BELL = "\x1a"
"""Ctrl+Z, which rings the bell after all earlier keys, because there is no shell to return to."""

FOCUS = "\x1b[I"
"""A report of the terminal that it has the focus. After Escape it ends the wait for the rest of a key sequence."""

QUESTION = b"\x1b[6n"
"""The query for the cursor position, which tells the browser that its output has arrived."""

TEXT = b"\x1b]"
"""The beginning of a text for the terminal itself, such as a copied text; the same byte as a bell ends it."""

TOO_LONG = 10.0
"""Seconds without a byte after which the browser counts as hanging."""


class Stretch(NamedTuple):
    """The measurements of one part of the session."""

    memory: int
    """Bytes at its end."""
    spent: float
    """Seconds of processor time for a key."""
    usual: float
    """The median seconds from a step to the bell after it."""
    slow: float
    """The seconds within which 95 % of the steps are done."""
    written: int
    """Bytes of output."""

    def __str__(self) -> str:
        return (
            f"{self.memory / 2**20:.1f} MB, {1000 * self.spent:.2f} ms of processor time a key, "
            f"{1000 * self.usual:.0f} ms a step (95 %: {1000 * self.slow:.0f} ms), {self.written:,} bytes"
        )


class BlindTerminal(Metered):
    """A terminal that answers at once, and draws nothing during the steps."""

    written = 0
    """Bytes of output without the bells."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        super().__init__(command, cols=140, rows=40, env=env)
        self._bells = 0
        """The bells so far, less the steps so far."""
        self._end = b""
        """The last bytes of the output, because the wanted bytes may be split."""

    def take_step(self, step: str, *, is_painted: bool = False) -> float:
        """Type the keys of a step at once; return the seconds until the browser has handled and shown them."""
        self._bells -= 1
        started, before = time.perf_counter(), self.written
        self.send(step + (FOCUS if step.endswith("\x1b") else "") + BELL)
        while self._bells < 0 or (is_painted and self.written == before):
            self._take_blindly()
        assert self._bells == 0, step
        return time.perf_counter() - started

    def _take_blindly(self) -> None:
        """Read the next output, and answer it."""
        more = self.process.read_nonblocking(65536, TOO_LONG)
        bells = more.count(b"\a") - self._count(TEXT, more)
        self._bells += bells
        self.written += len(more) - bells
        self.send("\x1b[40;140R" * self._count(QUESTION, more))
        self._end = (self._end + more)[-len(QUESTION) :]

    def _count(self, wanted: bytes, more: bytes) -> int:
        """Return how often the wanted bytes occur and end within the newest output."""
        return (self._end[1 - len(wanted) :] + more).count(wanted)

    @property
    def memory(self) -> int:
        """Return the bytes of memory that the browser uses."""
        return int(Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().partition("Rss:")[2].split()[0]) * 1024


def keys_in(step: str) -> int:
    """Return the number of keys in a step."""
    parser = XTermParser()
    return len([*parser.feed(step), *parser.feed("")])


def stretch_of(terminal: BlindTerminal, random: Random, keys: int) -> Stretch:
    """Type this number of keys, as fast as they are handled."""
    spent, written = terminal.processor_seconds, terminal.written
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
        (terminal.processor_seconds - spent) / typed,
        median(delays),
        quantiles(delays, n=20)[-1],
        terminal.written - written,
    )


def test_memory_and_key_speed_stay_constant_in_long_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a step on another open screen may write a file
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
        # Return to all packages, on a screen that is painted again.
        for step in BACK:
            terminal.take_step(step)
        terminal.send("\x0c")
        terminal.settle()
        header, query, panes, titles, *rows, hints = terminal.lines
        assert re.search(r"(\d+) of \1 specs$", header)
        assert query.startswith(" / type to filter")
        assert hints.endswith("? help  q quit")
        (packages,) = map(int, re.findall(r" Packages (\d+) ", panes))
        assert len({row[titles.index("package") :].partition(" ")[0] for row in rows[:packages]}) == packages
        terminal.send("qq")
        assert terminal.exitstatus() == 0
    warm, early, late = stretches[WARM], stretches[WARM : WARM + 5], stretches[-5:]
    assert stretches[-1].memory - warm.memory < 6 * 2**20
    assert median(each.spent for each in late) < 1.25 * median(each.spent for each in early)
    assert median(each.usual for each in late) < 1.5 * median(each.usual for each in early)
    assert all(each.written > 100 * KEYS // STRETCHES for each in stretches)
