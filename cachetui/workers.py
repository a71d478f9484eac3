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
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from cachetui.driver import Driver

# What drives processes is imported where they are needed: mostly a saved index has it all.

Cancelled: TypeAlias = Callable[[], bool]
"""Whether nobody wants the result any more; long work asks it now and then."""


class Interrupted(Exception):  # noqa: N818 - it is no error
    """Work was given up because nobody wants the result any more."""


def never() -> bool:
    """For work that nobody interrupts."""
    return False


Piece = TypeVar("Piece", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Gatherer(Protocol[Piece, Result]):
    """Does pieces of work, and keeps their results until it is asked for them."""

    def add(self, piece: Piece, cancelled: Cancelled) -> None:
        """Does one piece; may raise Interrupted once `cancelled` says so."""

    def result(self) -> Result:
        """What the pieces since the last call gave."""


class Background:
    """Work that a thread does while its owner tells how far it is.

    Its end is handed over by a queue and the thread is not joined: what `concurrent.futures` and `Thread` wait with are
    locks that a Ctrl+C at the wrong moment leaves closed for good, and then nothing ends any more.
    """

    def __init__(self, work: Callable[[Cancelled], None], cancelled: Cancelled) -> None:
        """Begins with the work, which is told to end by `cancelled` and by `end`."""
        from _thread import start_new_thread  # late, as is the queue: only content on servers needs them
        from queue import SimpleQueue

        self._is_told_to_end = self._has_ended = False
        self._error: BaseException | None = None
        self._wakes: SimpleQueue[None] = SimpleQueue()

        def run() -> None:
            try:
                work(lambda: self._is_told_to_end or cancelled())
            except BaseException as error:  # the owner raises it
                self._error = error
            self._has_ended = True
            self._wakes.put(None)

        start_new_thread(run, ())

    def is_done(self, seconds: float) -> bool:
        """Waits so long for the work to be done, and raises what it raised."""
        from queue import Empty

        if not self._has_ended:
            with suppress(Empty):
                self._wakes.get(timeout=seconds)
        if self._has_ended and self._error is not None:
            raise self._error
        return self._has_ended

    def end(self) -> None:
        """Tells the work to end, and waits until it has."""
        self._is_told_to_end = True
        with suppress(Exception):
            while not self.is_done(PATIENCE):
                pass


MOST = 16
"""Most processes: more of them would only wait for the disk and for this process, which merges what they give."""

PATIENCE = 0.05
"""Seconds between two questions whether anybody still wants the results."""


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

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.end()

    def start(self) -> None:
        """Starts the processes that do not run yet; fewer where the machine refuses more."""
        from cachetui.driver import Driver

        with suppress(OSError):
            while len(self._drivers) < min(cores(), MOST):
                self._drivers.append(Driver(self._module))

    def results(
        self, make: Callable[[], Gatherer[Piece, Result]], pieces: Iterable[Piece], cancelled: Cancelled
    ) -> Iterator[tuple[int, Result | None]]:
        """How many more pieces are done, or a result, or both; the first piece gives the first result.

        Without processes, all is done here. Raises Interrupted soon after `cancelled` says so.
        """
        from queue import Empty, SimpleQueue

        from cachetui.driver import ENDED

        left = deque(pieces)
        here = make()
        first = _taken(left)
        reports: SimpleQueue[Any] = SimpleQueue()
        for driver in self._drivers:
            driver.begin(make, left, reports)
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


def _taken(left: deque[Piece]) -> list[Piece]:
    """The next piece, none where another thread has taken the last one."""
    try:
        return [left.popleft()]
    except IndexError:
        return []
