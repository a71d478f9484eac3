"""How long work is told that nobody wants its result any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

PATIENCE = 0.05
"""Seconds between two questions whether anybody still wants the results."""

Cancelled: TypeAlias = Callable[[], bool]
"""Whether nobody wants the result any more; long work asks it now and then."""


class Interrupted(Exception):  # noqa: N818  # it is no error, so it is not called one
    """Work was given up because nobody wants the result any more."""


def never() -> bool:
    """For work that nobody interrupts."""
    return False


def pause(seconds: float, cancelled: Cancelled) -> None:
    """Wait so long; raises Interrupted soon after `cancelled` says so."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise Interrupted
        time.sleep(min(PATIENCE, left))
