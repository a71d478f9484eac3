"""Figures that come late: the thread that works them out waits until a test lets it go on."""

from __future__ import annotations

from threading import Event
from types import ModuleType
from typing import Any

import pytest

PATIENCE = 60
"""Seconds after which a test has forgotten to."""


def held_back(monkeypatch: pytest.MonkeyPatch, screen: ModuleType, function: str) -> Event:
    """Holds back what a screen calls for its figures, until the event is set."""
    may_begin, work_out = Event(), getattr(screen, function)

    def late(*asked: Any, **how: Any) -> object:
        assert may_begin.wait(PATIENCE)
        return work_out(*asked, **how)

    monkeypatch.setattr(screen, function, late)
    return may_begin
