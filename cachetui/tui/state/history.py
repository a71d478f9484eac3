"""The steps that filters took, to go back and forth; knows nothing of a screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from cachetui.model.host import Host
from cachetui.query.parts.facets import FitsPart
from cachetui.query.query import Query

STEPS = 1_000
"""Most steps that can be taken back."""


class FilterState(NamedTuple):
    """What a step changes: the query, and the host that stays without it."""

    query: Query
    staying: FitsPart | None = None
    """The one that specs are judged by where the query names none; None for the one that is assumed."""


class PlaceInHistory(NamedTuple):
    """Where one was before a look at something else."""

    steps: int
    """How many led there."""
    taken_back: tuple[FilterState, ...]
    """The states that could be gone forth to, the next one last."""


class History:
    """The states before this one, and those that were taken back."""

    def __init__(self) -> None:
        self._past: deque[FilterState] = deque(maxlen=STEPS)
        self._forgotten = 0
        self._future: list[FilterState] = []

    def step(self, before: FilterState, now: FilterState) -> None:
        """Notes one change; what was taken back before it cannot be done again."""
        if (str(before.query), before.staying) != (str(now.query), now.staying):
            self._forgotten += len(self._past) == STEPS
            self._past.append(before)
            self._future.clear()

    @property
    def steps(self) -> int:
        """How many steps led here, those included that are too long ago to be taken back."""
        return self._forgotten + len(self._past)

    @property
    def before(self) -> FilterState | None:
        """The state before the last step; None where there is no step to take back."""
        return self._past[-1] if self._past else None

    @property
    def can_go_back(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._past)

    @property
    def can_go_forth(self) -> bool:
        """Whether a step was taken back that can be done again."""
        return bool(self._future)

    @property
    def hosts(self) -> Sequence[Host]:
        """The hosts that queries before this one asked for, the last one first."""
        return tuple(dict.fromkeys(fits.host for state in reversed(self._past) if (fits := state.query.fits)))

    def back(self, now: FilterState) -> FilterState | None:
        """The state before the last step; None where there is no step to take back."""
        if not self._past:
            return None
        self._future.append(now)
        return self._past.pop()

    @property
    def place(self) -> PlaceInHistory:
        """Where this is among the steps."""
        return PlaceInHistory(self.steps, tuple(self._future))

    def go_forth_as_from(self, place: PlaceInHistory) -> None:
        """Makes what can be done again what could be at that place: for who took back all steps since then."""
        self._future = list(place.taken_back)

    def forth(self, now: FilterState) -> FilterState | None:
        """The state that was taken back last; None where nothing was."""
        if not self._future:
            return None
        self._past.append(now)
        return self._future.pop()
