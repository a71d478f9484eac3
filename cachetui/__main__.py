"""Where the program starts: a signal that comes while it is still being imported ends it with the right status too."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from cachetui.workers.starting import import_msgspec

SELDOM = 200_000
"""Objects that are made between two collections of garbage: of what is imported and read nothing is any."""


def start() -> NoReturn:
    """Run the command line and end with its status."""
    try:
        status = main()
    except KeyboardInterrupt:  # it came while an error was being said
        status = 128 + signal.SIGINT
    gc.freeze()  # nothing is searched for garbage at the end, which takes as long as a tenth of a short command
    sys.exit(status)


def main() -> int:
    """Run the command line and return its exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What is ignored already (nohup, a job in the background) stays so.
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)
    gc.set_threshold(SELDOM)
    import_msgspec()
    from cachetui.cli.main import main as run

    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


def _end(number: int, _: FrameType | None) -> None:
    """End without a word: what is read is saved by replacing a file, so nothing is left half done."""
    os._exit(128 + number)


if __name__ == "__main__":
    start()
