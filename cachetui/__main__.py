"""Where the program starts: a signal that comes while it is still being imported ends it with the right status too."""

from __future__ import annotations

import gc
import os
import sys
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from cachetui.workers.starting import import_msgspec

if TYPE_CHECKING:
    import signal
else:
    try:
        import _signal as signal  # without the names of signals as enumerations, which take as long as ten modules
    except ImportError:
        import signal

SELDOM = 200_000
"""Objects that a command makes between two collections of garbage: what it makes at the start stays, and most commands
are over before there is any. The browser has a number of its own."""


def start() -> NoReturn:
    """The program: runs the command line and ends with its status.

    It ends at once: to take apart what was imported and made takes Python as long as a short command. Only where
    somebody looks at how it runs (a profiler, a debugger), or a thread is at work still, it ends as others do.
    """
    try:
        status = main()
    except KeyboardInterrupt:  # it came while an error was being said
        status = 128 + signal.SIGINT
    threading = sys.modules.get("threading")
    is_alone = threading is None or threading.active_count() == 1
    if is_alone and sys.getprofile() is None and sys.gettrace() is None:
        os._exit(status)
    sys.exit(status)


def main() -> int:
    """Runs the command line and returns its exit status."""
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
    """Ends without a word: what is read is saved by replacing a file, so nothing is left half done."""
    os._exit(128 + number)


if __name__ == "__main__":
    start()
