"""Work shared out to processes, one for each core.

A process that dies costs time, never a result: the pieces that it had not handed over are done here. The processes end
with this one, since their pipes close then, and at once when nobody wants the results any more.
Input: pieces of work, and what makes a gatherer; both must be picklable, and the gatherer's class one of a module.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from cachetui.workers.cancelling import PATIENCE, Cancelled, Interrupted

if TYPE_CHECKING:
    from cachetui.workers.driver import Driver

# What drives processes is imported where they are needed: mostly a saved index has it all.

Piece = TypeVar("Piece", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Gatherer(Protocol[Piece, Result]):
    """Do pieces of work, and keep their results until somebody asks for them."""

    def add(self, piece: Piece, cancelled: Cancelled) -> None:
        """Do one piece; may raise Interrupted once `cancelled` says so."""

    def result(self) -> Result:
        """Return what the pieces since the last call gave."""


MOST = 16
"""Most processes: more of them would only wait for the disk and for this process, which merges what they give."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes:
    """Processes, one for each core. They take a while to start, so start them before all work is known."""

    def __init__(self, module: str) -> None:
        """`module` is the one that the work is in: the processes import it as they start."""
        self._module = module
        self._drivers: list[Driver] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.end()

    def start(self, spared: int = 0) -> None:
        """Start the processes that do not run yet; fewer where the machine refuses more.

        `spared` cores get no process, as this one works too.
        """
        from cachetui.workers.driver import Driver

        with suppress(OSError):
            while len(self._drivers) < min(cores() - spared, MOST):
                self._drivers.append(Driver(self._module))

    def results(
        self,
        make: Callable[[], Gatherer[Piece, Result]],
        pieces: Iterable[Piece],
        cancelled: Cancelled,
        *,
        at_the_end: bool = False,
    ) -> Iterator[tuple[int, Result | None]]:
        """Yield how many more pieces are done, or a result, or both; the first piece gives the first result.

        This process works until another one has done a piece. `at_the_end` it works as long as the others do, and each
        hands over all that it has when no pieces are left. Without processes, all is done here. Raises Interrupted soon
        after `cancelled` says so.
        """
        from queue import Empty, SimpleQueue

        left = deque(pieces)
        here, own = make(), _taken(left)
        reports: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        for driver in self._drivers:
            driver.begin(make, left, reports, at_the_end=at_the_end)
        running, works_here, has_result = len(self._drivers), True, False
        while running or left or own:
            for piece in own:
                here.add(piece, cancelled)
                has_result = at_the_end
                if not at_the_end:
                    yield 1, here.result()
            if cancelled():
                raise Interrupted
            own = []
            with suppress(Empty):
                report = reports.get(timeout=0 if left and works_here else PATIENCE if running else 0)
                works_here = at_the_end
                if report is None:
                    running -= 1
                else:
                    yield report
            if works_here or not running:
                own = _taken(left)
        if has_result:
            yield 0, here.result()


def _taken(left: deque[Piece]) -> list[Piece]:
    """Take the next piece, none where another thread has taken the last one."""
    with suppress(IndexError):
        return [left.popleft()]
    return []
