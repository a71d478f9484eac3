"""Start the program, so that a signal ends it with the right status at any time.

Its own modules are imported after the signal handlers are set.
"""

import gc
import os
import signal
import sys
from types import FrameType

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Objects between two garbage collections: imports and reading make next to no garbage."""

IMPORTING = "<frozen importlib._bootstrap>"
"""What Python calls the file of the functions that import a module."""


def start() -> None:
    """Run the command line and end with its status."""
    try:
        status = main()
    except KeyboardInterrupt:  # it came while an error was being said
        status = 128 + signal.SIGINT
    gc.freeze()  # nothing is searched for garbage at the end, which takes as long as a tenth of a short command
    sys.exit(status)


def main() -> int:
    """Run the command line and return its exit status."""
    for number, handler in ((signal.SIGINT, _interrupt), (signal.SIGTERM, _end), (signal.SIGHUP, _end)):
        # A signal that is ignored already (nohup, a job in the background) stays so.
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, handler)
    sys.unraisablehook = _end_if_interrupted
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from cachetui.workers.starting import import_msgspec

    import_msgspec()
    from cachetui.cli.main import main as run

    return run()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; end at once within an import, because Python may lose it or make another error of it."""
    above = frame
    while above is not None:
        if above.f_code.co_filename == IMPORTING:
            _end(number, frame)
        above = above.f_back
    raise KeyboardInterrupt


def _end_if_interrupted(error: "sys.UnraisableHookArgs") -> None:
    """End where Python cannot pass KeyboardInterrupt on, as from a callback; report other errors as Python does."""
    if isinstance(error.exc_value, KeyboardInterrupt):
        _end(signal.SIGINT, None)
    sys.__unraisablehook__(error)


def _end(number: int, _: FrameType | None) -> None:
    """End without a word: files are saved by replacing them, so that each is whole."""
    os._exit(128 + number)


if __name__ == "__main__":
    start()
