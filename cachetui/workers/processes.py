"""Work shared out to processes, one for each core; `driver` drives each of them.

A process that dies costs time, never a result: the pieces that it had not handed over are done here.
The processes end with this one, since their pipes close then, and at once when nobody wants the results any more.
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
    from cachetui.workers.driver import Driver, Pieces

# What drives processes is imported where they are needed: mostly a saved index has it all.

Piece = TypeVar("Piece", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Gatherer(Protocol[Piece, Result]):
    """Does pieces of work, and keeps their results until it is asked for them."""

    def add(self, piece: Piece, cancelled: Cancelled) -> None:
        """Does one piece; may raise Interrupted once `cancelled` says so."""

    def result(self) -> Result:
        """What the pieces since the last call gave."""


MOST = 16
"""Most processes: more of them would only wait for the disk and for this process, which merges what they give."""

KEPT = 3
"""The last pieces that are shared: this process does them while the others hand over what they have."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gathered(
    gatherer: Gatherer[Piece, Result], pieces: Iterable[Piece], cancelled: Cancelled
) -> Iterator[tuple[int, Result | None]]:
    """The same as `in_processes`, in this process: a result for each piece."""
    for piece in pieces:
        gatherer.add(piece, cancelled)
        yield 1, gatherer.result()


def in_processes(
    make: Callable[[], Gatherer[Piece, Result]], pieces: Iterable[Piece], cancelled: Cancelled
) -> Iterator[tuple[int, Result | None]]:
    """How many more pieces are done, or a result, or both; see `Processes.results`."""
    with Processes() as processes:
        processes.start()
        yield from processes.results(make, pieces, cancelled)


class Processes:
    """Processes, one for each core. They take a while to start, so start them before all work is known."""

    def __init__(self, module: str = __name__) -> None:
        """`module` is the one that the work is in: the processes import it as they start."""
        self._module = module
        self._drivers: list[Driver] = []
        self._left: Pieces | None = None
        """The pieces of work; None until it begins."""

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.end()

    def start(self, spared: int = 0) -> None:
        """Starts the processes that do not run yet; fewer where the machine refuses more, none once work has begun.

        `spared` are cores that get no process, as this one works too.
        """
        if self.have_begun:
            return
        from cachetui.workers.driver import Driver

        with suppress(OSError):
            while len(self._drivers) < min(cores() - spared, MOST):
                self._drivers.append(Driver(self._module))

    @property
    def have_begun(self) -> bool:
        """Whether they were given pieces of work."""
        return self._left is not None

    def begin(self, make: Callable[[], Gatherer[Piece, Result]], pieces: Iterable[Piece]) -> Pieces:
        """Gives the processes their first pieces while others are looked for, which `results` is given later.

        Returns the pieces that nobody has taken yet; `results` adds to them.
        """
        from queue import SimpleQueue

        from cachetui.workers.driver import Pieces

        self._left = Pieces(pieces, are_known=False)
        self._reports: SimpleQueue[Any] = SimpleQueue()
        for driver in self._drivers:
            driver.begin(make, self._left, self._reports)
        return self._left

    def results(
        self, make: Callable[[], Gatherer[Piece, Result]], pieces: Iterable[Piece], cancelled: Cancelled
    ) -> Iterator[tuple[int, Result | None]]:
        """How many more pieces are done, or a result, or both; the first piece gives the first result.

        Without processes, all is done here. Raises Interrupted soon after `cancelled` says so.
        """
        from queue import Empty

        from cachetui.workers.driver import ENDED

        left, reports = self.begin(make, ()) if self._left is None else self._left, self._reports
        more = deque(pieces)
        first = _taken(more)
        left.extend(more)
        left.are_known.set()
        here = make()
        yield from gathered(here, first, cancelled)
        running, started = len(self._drivers), False
        while running:
            try:
                report = reports.get(timeout=PATIENCE if started or not left else 0)
            except Empty:
                if not started:
                    yield from gathered(here, _taken(left), cancelled)
            else:
                started = True
                if report is ENDED:
                    running -= 1
                else:
                    yield report
            if cancelled():
                raise Interrupted
        while left:
            yield from gathered(here, _taken(left), cancelled)
            if cancelled():
                raise Interrupted

    def shared(
        self, make: Callable[[], Gatherer[Piece, Result]], pieces: Iterable[Piece], cancelled: Cancelled
    ) -> Iterator[Result]:
        """What the pieces gave, where this process works as the others do and nobody waits for the first result.

        Each process hands over all that it has when no pieces are left. Raises Interrupted soon after `cancelled`
        says so.
        """
        from queue import Empty, SimpleQueue

        from cachetui.workers.driver import ENDED, Pieces

        left, kept = Pieces(pieces), deque[Piece]()
        while self._drivers and left and len(kept) < KEPT:
            kept.append(left.pop())
        here = make()
        has_result = False
        reports: SimpleQueue[Any] = SimpleQueue()
        for driver in self._drivers:
            driver.begin(make, left, reports, at_the_end=True)
        running = len(self._drivers)
        while running or left or kept:
            for piece in _taken(left) or _taken(kept):
                here.add(piece, cancelled)
                has_result = True
            if cancelled():
                raise Interrupted
            if has_result and not (left or kept):
                yield here.result()
                has_result = False
            with suppress(Empty):
                report = reports.get(timeout=0 if left or kept or not running else PATIENCE)
                if report is ENDED:
                    running -= 1
                elif report[1] is not None:
                    yield report[1]


def _taken(left: deque[Piece]) -> list[Piece]:
    """The next piece, none where another thread has taken the last one."""
    try:
        return [left.popleft()]
    except IndexError:
        return []
