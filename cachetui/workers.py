"""Work shared out to processes, one for each core; a thread here drives each of them.

Whatever happens to a process costs time, never a result: what one that died was given is done here. Processes never
outlive what they work for: their pipes close with this one, and whoever gives up the results ends them at once.
Input: pieces of work, and what makes a result of one; both must be picklable, and the work a function of a module.
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
from typing import Any, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MOST = 16
"""More processes than this wait for the disk and for the one that gathers their results."""

AHEAD = 2
"""A process always has the next piece when it is done with one."""

PATIENCE = 0.05
"""Seconds between two questions whether anybody still wants the results."""


class Interrupted(Exception):  # noqa: N818 - it is no error
    """Work was given up because nobody wants the result any more."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(
    work: Callable[[Piece], Result],
    pieces: Iterable[Piece],
    cancelled: Callable[[], bool],
    here: Callable[[Piece], Result] | None = None,
) -> Iterator[Result]:
    """The result of each piece, the first one first; raises Interrupted soon after `cancelled` says so.

    `here` does the same work in this process, and may itself raise Interrupted.
    """
    here = here or work
    left = deque(pieces)
    first = _taken(left)
    results: SimpleQueue[Any] = SimpleQueue()
    drivers: list[_Driver] = []
    try:
        # A machine that allows no process more has its own.
        with suppress(OSError):
            while len(drivers) < min(cores(), MOST, len(left)):
                drivers.append(_Driver(work, left, results))
        # Processes take a while to start.
        yield from map(here, first)
        running, started = len(drivers), False
        while running:
            try:
                result = results.get(timeout=PATIENCE if started or not left else 0)
            except Empty:
                if not started and (piece := _taken(left)):
                    yield here(piece[0])
            else:
                started = True
                if result is _ENDED:
                    running -= 1
                else:
                    yield result
            if cancelled():
                raise Interrupted
    finally:
        for driver in drivers:
            driver.end()
    while left:
        yield here(left.popleft())
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
    """One process, and the thread that gives it pieces and takes its results."""

    def __init__(self, work: Callable[[Any], Any], left: deque[Any], results: SimpleQueue[Any]) -> None:
        self._left = left
        self._results = results
        self._given: deque[Any] = deque()
        # Not a fork: there may be threads here, and a forked copy of their locks would stay locked. Not the spawn of
        # multiprocessing: it needs the standard error that a full-screen program has put aside.
        # A group of its own: Ctrl+C reaches every process of the terminal's, and is for this one alone.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        self._send(work)
        self._thread = Thread(target=self._drive, daemon=True)
        self._thread.start()

    def _drive(self) -> None:
        assert self._process.stdout is not None  # it is a pipe
        try:
            for _ in range(AHEAD):
                self._give()
            while self._given:
                self._results.put(pickle.load(self._process.stdout))
                self._given.popleft()
                self._give()
        except (EOFError, OSError, pickle.UnpicklingError):
            pass  # the process is gone
        finally:
            self._left.extend(self._given)
            self._results.put(_ENDED)

    def _give(self) -> None:
        with suppress(IndexError):
            self._given.append(self._left.popleft())
            self._send(self._given[-1])

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None  # it is a pipe
        pickle.dump(value, self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()

    def end(self) -> None:
        """Ends the process, whatever it is doing, and then the thread."""
        self._process.kill()
        self._thread.join()
        with suppress(BrokenPipeError):
            self._process.communicate()


_START = "import sys; sys.path[:] = sys.argv[1:]; from cachetui.workers import serve; serve()"


def serve() -> None:
    """The process: results for pieces until there are no more, or nobody is there to take them."""
    gc.disable()  # what is made here is handed on and gone
    with suppress(EOFError, OSError):
        work = pickle.load(sys.stdin.buffer)
        while True:
            pickle.dump(work(pickle.load(sys.stdin.buffer)), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()
