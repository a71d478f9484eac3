"""Start the program. A signal ends the program at any time, with the exit status 128 + signal number.

The signal handlers are set before the modules of the program are imported.
"""

import gc
import os
import signal
import sys
from types import FrameType

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Number of new objects before a garbage collection. Imports and reading create many objects but little garbage."""

IMPORTING = "<frozen importlib._bootstrap>"
"""The file name in frames of Python's import functions."""


def start() -> None:
    """Run the command line, and end the process with its exit status."""
    try:
        status = main()
    except KeyboardInterrupt:  # raised while the program printed an error
        status = 128 + signal.SIGINT
    gc.freeze()  # saves the garbage collection at the end, a tenth of the time of a short command
    sys.exit(status)


def main() -> int:
    """Run the command line and return its exit status."""
    for number, handler in ((signal.SIGINT, _interrupt), (signal.SIGTERM, _end), (signal.SIGHUP, _end)):
        # A signal that is already ignored (nohup, a background job) stays ignored.
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, handler)
    sys.unraisablehook = _end_if_interrupted
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from cachetui.workers.starting import import_msgspec

    import_msgspec()
    from cachetui.cli.main import main as run

    return run()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt. During an import, end the process, because Python may lose or change the exception."""
    above = frame
    while above is not None:
        if above.f_code.co_filename == IMPORTING:
            _end(number, frame)
        above = above.f_back
    raise KeyboardInterrupt


def _end_if_interrupted(error: "sys.UnraisableHookArgs") -> None:
    """End the process after a KeyboardInterrupt that Python cannot pass on, for example from a callback.

    Report any other error in Python's usual way.
    """
    if isinstance(error.exc_value, KeyboardInterrupt):
        _end(signal.SIGINT, None)
    sys.__unraisablehook__(error)


def _end(number: int, _: FrameType | None) -> None:
    """End the process without cleanup. Files stay complete, because a save replaces the whole file."""
    os._exit(128 + number)


if __name__ == "__main__":
    start()
