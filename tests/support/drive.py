"""What a test of the screen gets: a way to drive an app whose screen is drawn nowhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

Scenario = Callable[[Pilot[Any]], Awaitable[None]]
Drive = Callable[..., None]
