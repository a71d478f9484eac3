"""Cancel long work."""

import time
from collections.abc import Callable
from typing import TypeAlias

CHECK_SECONDS = 0.05
"""Seconds between two checks whether work is cancelled."""

Cancelled: TypeAlias = Callable[[], bool]
"""Returns whether the work is cancelled; long work calls it now and then."""


class Interrupted(Exception):  # noqa: N818  # not an error, so its name differs
    """The work was cancelled."""


def never() -> bool:
    """For work that is never cancelled."""
    return False


def pause(seconds: float, cancelled: Cancelled) -> None:
    """Wait so long; raises Interrupted soon after `cancelled` says so."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise Interrupted
        time.sleep(min(CHECK_SECONDS, left))
