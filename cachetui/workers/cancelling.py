"""Cancel work that takes long."""

import time
from collections.abc import Callable

CHECK_SECONDS = 0.05
"""Seconds between two checks for cancellation."""

Cancelled = Callable[[], bool]
"""A function that returns whether the work is cancelled. Work that takes long calls the function regularly."""


class Interrupted(Exception):  # noqa: N818  # a cancellation is not an error
    """Raised when work is cancelled."""


def never() -> bool:
    """Return false. Use this function as `cancelled` for work that cannot be cancelled."""
    return False


def pause(seconds: float, cancelled: Cancelled) -> None:
    """Wait this number of seconds. Raises Interrupted soon after `cancelled` returns true."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise Interrupted
        time.sleep(min(CHECK_SECONDS, left))
