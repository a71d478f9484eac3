"""The bytes that the browser writes to a terminal.

The command runs in a pseudo-terminal with an emulator that answers queries. The bytes of the start and of each key are
counted until no byte has arrived for `QUIET` seconds.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import pexpect

from tests.support.screens import Terminal

QUIET = 0.4
"""Seconds without a byte after which the output counts as complete."""

SIZES = ((80, 24), (140, 40))

STEPS = 25
"""Number of cursor steps: the bytes of a step depend on the similarity of the next row."""

KEYS = {
    "a cursor step in the packages": "j",
    "a page of packages": "\x1b[6~",
    "the query line opened": "/",
    "a filter key": "h",
    "another filter key": "d",
    "the query line left": "\r",
    "the filter undone": "u",
    "the help opened": "?",
    "the help closed": "q",
    "the tags opened": "t",
    "the tags closed": "\x1b",
    "the largest package found": "/hdf5\r",
    "the package opened": "\r",
    "a cursor step in its specs": "j",
    "a page of specs": "\x1b[6~",
    "the copy dialog opened": "y",
    "the copy dialog closed": "q",
}
"""The measured steps in order, with their keys."""


class Metered(Terminal):
    """A terminal that counts bytes."""

    def take(self, patience: float) -> None:
        """Read the next output; raise pexpect's TIMEOUT or EOF if there is none."""
        more = self.process.read_nonblocking(65536, patience)
        self.take_in(more)

    @property
    def processor_seconds(self) -> float:
        """Return the processor time of the program so far, which Linux counts in hundredths of a second."""
        user, system = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / 100

    def answer(self, key: str) -> int:
        """Press a key; return the number of bytes that the program writes."""
        before = len(self.output)
        self.send(key)
        self.settle()
        return len(self.output) - before

    def settle(self, quiet: float = QUIET) -> bytes:
        """Read until no byte has arrived for `quiet` seconds; return the output."""
        before = len(self.output)
        try:
            while True:
                self.take(quiet)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return self.output[before:]


def bytes_written(
    command: Sequence[str],
    size: tuple[int, int],
    env: Mapping[str, str],
) -> dict[str, float]:
    """Return the number of bytes of the first frame and of each step, by name. For cursor steps, it is the median."""
    cols, rows = size
    with Metered(command, cols=cols, rows=rows, env=env) as terminal:
        terminal.wait_for("q quit", timeout=60)
        terminal.settle()
        written: dict[str, float] = {"the first frame": len(terminal.output)}
        for what, key in KEYS.items():
            written[what] = median(terminal.answer(key) for _ in range(STEPS if key == "j" else 1))
        return written
