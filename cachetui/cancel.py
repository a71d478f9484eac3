"""Giving up long work: whoever wants it says so, and the work asks now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Cancelled: TypeAlias = Callable[[], bool]
"""Whether nobody wants the result any more."""


class Interrupted(Exception):  # noqa: N818 - it is no error
    """Work was given up because nobody wants the result any more."""


def never() -> bool:
    """For work that nobody interrupts."""
    return False
