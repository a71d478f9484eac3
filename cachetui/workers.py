"""Work shared out to processes, one for each core; a thread here drives each of them.

A process gathers the results of its pieces of work and hands them over from time to time: soon at first, then in ever
larger parts. A process that dies costs time, never a result: the pieces that it had not handed over are done here.
The processes end with this one, since their pipes close then, and at once when nobody wants the results any more.
Input: pieces of work, and what makes a gatherer; both must be picklable, and the gatherer's class one of a module.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeAlias, TypeVar

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


MOST = 16
"""Most processes: more of them would only wait for the disk and for this process, which merges what they give."""

AHEAD = 2
"""Pieces that a process has at a time, so that it never waits for the next one."""

GROWTH = 3
"""A process hands over its results when it has done this many times as many pieces as the last time."""

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
        self._drivers: list[_Driver] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.end()

    def start(self) -> None:
        """Starts the processes that do not run yet; fewer where the machine refuses more."""
        with suppress(OSError):
            while len(self._drivers) < min(cores(), MOST):
                self._drivers.append(_Driver(self._module))

    def results(
        self, make: Callable[[], Gatherer[Piece, Result]], pieces: Iterable[Piece], cancelled: Cancelled
    ) -> Iterator[tuple[int, Result | None]]:
        """How many more pieces are done, or a result, or both; the first piece gives the first result.

        Without processes, all is done here. Raises Interrupted soon after `cancelled` says so.
        """
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
                if report is _ENDED:
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


_ENDED = object()


class _Driver:
    """One process, and the thread that gives it pieces and takes what it reports."""

    def __init__(self, module: str) -> None:
        self._left: deque[Any] = deque()
        self._reports: SimpleQueue[Any] = SimpleQueue()
        self._given: deque[Any] = deque()
        self._done: list[Any] = []
        """Pieces whose results are still in the process."""
        # Not a fork: there may be threads here, and a forked copy of their locks would stay locked. Not the spawn of
        # multiprocessing: it needs the standard error that a full-screen program has put aside.
        # A group of its own: Ctrl+C reaches every process of the terminal's, and is for this one alone.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, module, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        self._thread = Thread(target=self._drive, daemon=True)

    def begin(self, make: Callable[[], Any], left: deque[Any], reports: SimpleQueue[Any]) -> None:
        """Takes of the pieces that are left, and puts what they give among the reports."""
        self._make, self._left, self._reports = make, left, reports
        self._thread.start()

    def _drive(self) -> None:
        wanted = 1
        try:
            self._write(self._make)
            self._give()
            while self._given:
                answer, what = self._receive(), self._given.popleft()
                if what is _RESULT:
                    wanted = GROWTH * len(self._done)
                    self._done.clear()
                    self._reports.put((0, answer))
                else:
                    self._done.append(what)
                    self._reports.put((1, None))
                none_left = not (self._left or self._given)
                if self._done and (none_left or (len(self._done) >= wanted and _RESULT not in self._given)):
                    self._send(_RESULT)
                self._give()
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            pass  # the process is gone, or its pipes are closed already
        finally:
            self._left.extend(piece for piece in (*self._done, *self._given) if piece is not _RESULT)
            self._reports.put(_ENDED)

    def _give(self) -> None:
        """Sees to it that the process has something to do."""
        with suppress(IndexError):
            while len(self._given) < AHEAD:
                self._send(self._left.popleft())

    def _send(self, what: object) -> None:
        self._given.append(what)
        self._write(what)

    def _write(self, value: object) -> None:
        assert self._process.stdin is not None  # it is a pipe
        pickle.dump(value, self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout is not None  # it is a pipe
        return pickle.load(self._process.stdout)

    def end(self) -> None:
        """Ends the process, whatever it is doing, and then the thread."""
        self._process.kill()
        if self._thread.is_alive():
            self._thread.join()
        with suppress(BrokenPipeError):
            self._process.communicate()


_RESULT = None
"""Sent instead of a piece: it asks for the results of all pieces so far."""

_START = "import sys; _, module, *sys.path[:] = sys.argv; __import__(module); import cachetui.workers as w; w.serve()"


def serve() -> None:
    """The process: gathers from pieces until there are no more, or nobody is there to take anything."""
    gc.disable()  # what is made here is handed on and gone
    with suppress(EOFError, OSError):
        gatherer = pickle.load(sys.stdin.buffer)()
        while True:
            piece = pickle.load(sys.stdin.buffer)
            answer = gatherer.result() if piece is _RESULT else gatherer.add(piece, never)
            pickle.dump(answer, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()
