"""Standard output and standard error, in whatever state the caller has left them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO


def prepare_streams() -> None:
    """Makes streams that can be written to, even where they are closed or cannot hold every letter."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # open as long as the program runs
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_lines(lines: Iterable[str]) -> None:
    """Write results. Who has read enough of them (`| head`) changes nothing of what the command goes on to find."""
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)


def settle_streams() -> None:
    """Writes what is still buffered, or gives it up where nobody takes it.

    Python does so at its end, and makes of a failure a status of its own: 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            drop(stream)


def drop(stream: TextIO) -> None:
    """Sends what is still buffered, and all that follows, nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
