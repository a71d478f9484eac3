"""Share out work to processes, one for each core.

If a process dies, the others or this one do its pieces of work. The processes end with this one, because
their pipes are closed then, and at once when the work is cancelled.
Input: pieces of work, and a function that makes a `Gatherer`; both must be picklable.
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

# The driver is imported late: with a saved index no processes are needed.

Work = TypeVar("Work", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Gatherer(Protocol[Work, Result]):
    """Does pieces of work, and collects their results."""

    def add(self, piece: Work, cancelled: Cancelled) -> None:
        """Do one piece of work; may raise Interrupted once `cancelled` says so."""

    def result(self) -> Result:
        """Return the result of all pieces since the last call."""


MAX_PROCESSES = 16
"""Maximum number of processes: more would only wait for the disk, and for this process, which merges the results."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes:
    """Worker processes, one for each core; start them early, before all work is known: that takes a while."""

    def __init__(self, module: str) -> None:
        """`module` is that of the work, which the processes import as they start."""
        self._module = module
        self._drivers: list[Driver] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.end()

    def start(self, spared: int = 0) -> None:
        """Start those that do not run yet, or fewer where the system refuses; `spared` cores get none."""
        from cachetui.workers.driver import Driver

        with suppress(OSError):
            while len(self._drivers) < min(cores() - spared, MAX_PROCESSES):
                self._drivers.append(Driver(self._module))

    def results(
        self,
        make: Callable[[], Gatherer[Work, Result]],
        pieces: Iterable[Work],
        cancelled: Cancelled,
        *,
        at_the_end: bool = False,
    ) -> Iterator[tuple[int, Result | None]]:
        """Do the pieces of work, and yield how many more are done, with a result or None.

        Results come from time to time, the first one after the first piece, which this process does itself; it works
        until another one has done a piece. With `at_the_end` it works all the time, and each process gives one result
        in the end. Without other processes it does everything. Raises Interrupted soon after `cancelled` says so.
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


def _taken(left: deque[Work]) -> list[Work]:
    """Take the next piece; none if another thread took the last one."""
    with suppress(IndexError):
        return [left.popleft()]
    return []
