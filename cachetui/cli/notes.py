"""Lines for the user beside the results, and the statuses that a command ends with."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import suppress

from cachetui.cli.streams import print_lines
from cachetui.safe_text import visible
from cachetui.sources.source import Progress

FOUND, NOTHING, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses."""

LONGEST = 1000
"""Characters of a line beside the results, which may quote what somebody typed or wrote into a page."""

_LONG_WORD = re.compile(r"(\S{60})\S{240,}")
"""A word that nobody reads: longer than the paths that people have."""


def note(message: str) -> None:
    """Prints one line for the user on standard error."""
    _print([message])


def print_notes(lines: Iterable[str]) -> None:
    """Prints lines for the user on standard error, after the results; raises OSError where these cannot be written."""
    print_lines([])
    _print(lines)


def _print(lines: Iterable[str]) -> None:
    """Prints lines, of which the first says whose they are. Nobody has to read them."""
    for number, line in enumerate(lines):
        line = _LONG_WORD.sub(r"\1…", line)
        text = visible(line) if number and line.startswith(" ") else f"cachetui: {visible(line)}"
        with suppress(OSError):
            print(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…", file=sys.stderr, flush=True)


def terminal_width() -> int | None:
    """The width of the terminal that results go to; None where they go anywhere else."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # late: results for a script do without it

    return get_terminal_size().columns


class TransferLine:
    """Shows how far a transfer is in the last line of a terminal, while the block runs; nowhere else."""

    def __init__(self) -> None:
        self._shown = ""

    def __enter__(self) -> TransferLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def progressed(self, progress: Progress) -> None:
        """Takes up how far reading is."""
        if progress.transfer and sys.stderr.isatty():
            self._show(f"cachetui: {progress.transfer}")

    def _show(self, text: str) -> None:
        if text != self._shown:
            with suppress(OSError):
                sys.stderr.write(f"\r{text}{' ' * (len(self._shown) - len(text))}")
                sys.stderr.flush()
            self._shown = text
