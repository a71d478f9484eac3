"""The thread here that drives one process, in which `serving` works.

A process gathers the results of its pieces of work and hands them over from time to time: soon at first, then in ever
larger parts, or all at the end. Input: pieces of work, and what makes a gatherer, from `processes`.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from cachetui.workers.serving import RESULT

AHEAD = 2
"""Pieces that a process has at a time, so that it never waits for the next one."""

GROWTH = 3
"""A process hands over its results when it has done this many times as many pieces as the last time."""

MOST = 8
"""Pieces after which it hands over its results at the latest: what many gave is sorted slower than a few at a time."""

ENDED = object()
"""The last report of a driver."""


class Pieces(deque[Any]):
    """Pieces of work that are left: several threads take of them, and more may be added until they are known."""

    def __init__(self, pieces: Iterable[Any] = (), *, are_known: bool = True) -> None:
        super().__init__(pieces)
        self.are_known = Event()
        """Set once no more of them will be added."""
        if are_known:
            self.are_known.set()


class Driver:
    """One process, and the thread that gives it pieces and takes what it reports."""

    def __init__(self, module: str) -> None:
        self._left = Pieces()
        self._reports: SimpleQueue[Any] = SimpleQueue()
        self._given: deque[Any] = deque()
        self._done: list[Any] = []
        """Pieces whose results are still in the process."""
        self._process = _started(module)
        self._thread = Thread(target=self._drive, daemon=True)

    def begin(
        self, make: Callable[[], Any], left: Pieces, reports: SimpleQueue[Any], *, at_the_end: bool = False
    ) -> None:
        """Takes of the pieces that are left, and puts what they give among the reports: soon, or all `at_the_end`."""
        self._make, self._left, self._reports = make, left, reports
        self._first = inf if at_the_end else 1.0
        self._thread.start()

    def _drive(self) -> None:
        wanted = self._first
        try:
            self._write(self._make)
            while self._has_more():
                answer, what = self._receive(), self._given.popleft()
                if what is RESULT:
                    wanted = min(GROWTH * len(self._done), MOST)
                    self._done.clear()
                    self._reports.put((0, answer))
                else:
                    self._done.append(what)
                    self._reports.put((1, None))
                none_left = not (self._left or self._given)
                if self._done and (none_left or (len(self._done) >= wanted and RESULT not in self._given)):
                    self._send(RESULT)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            pass  # the process is gone, or its pipes are closed already
        finally:
            self._process.kill()  # it ends while others work on
            self._left.extend(piece for piece in (*self._done, *self._given) if piece is not RESULT)
            self._reports.put(ENDED)

    def _has_more(self) -> bool:
        """Sees to it that the process has something to do; False where there is nothing, and will be nothing."""
        self._give()
        if not self._given:
            self._left.are_known.wait()
            self._give()
        return bool(self._given)

    def _give(self) -> None:
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
        self._left.are_known.set()
        if self._thread.is_alive():
            self._thread.join()
        with suppress(BrokenPipeError):
            self._process.communicate()


_START = "import sys; _, module, *sys.path[:] = sys.argv; from cachetui.workers.serving import serve; serve(module)"


def _started(module: str) -> subprocess.Popen[bytes]:
    """A process that begins anew."""
    # Not a fork: there may be threads here, and a forked copy of their locks would stay locked. Not the spawn of
    # multiprocessing: it needs the standard error that a full-screen program has put aside.
    # A group of its own: Ctrl+C reaches every process of the terminal's, and is for this one alone.
    # Without `site`, which would find the paths again that are handed over.
    return subprocess.Popen(
        [sys.executable, "-S", "-c", _START, module, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
