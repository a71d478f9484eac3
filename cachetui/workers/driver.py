"""One process that works, and the thread here that drives it.

The process gathers the results of its pieces of work and hands them over from time to time: soon at first, then in ever
larger parts, or all at the end. Input: pieces of work, and what makes a gatherer, from `processes`.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from threading import Thread
from typing import Any

from cachetui.workers.cancelling import never

AHEAD = 2
"""Pieces that a process has at a time, so that it never waits for the next one."""

GROWTH = 3
"""A process hands over its results when it has done this many times as many pieces as the last time."""

MOST = 8
"""Pieces after which it hands over its results at the latest: what many gave is sorted slower than a few at a time."""

RESULT = None
"""Sent instead of a piece: it asks for the results of all pieces so far."""

THREADS = "/proc/self/task"
"""Where Linux lists the threads of this process; other systems do not tell."""


class Driver:
    """One process, and the thread that gives it pieces and takes what it reports."""

    def __init__(self, module: str) -> None:
        """Start a process that imports a module; raises OSError where the machine refuses."""
        read, pieces = os.pipe()
        results, write = os.pipe()
        try:
            self._process = _started(module, read, write)
        except OSError:
            os.close(pieces)
            os.close(results)
            raise
        finally:
            os.close(read)
            os.close(write)
        self._pieces, self._results = os.fdopen(pieces, "wb"), os.fdopen(results, "rb")
        self._thread: Thread | None = None

    def begin(
        self,
        make: Callable[[], Any],
        left: deque[Any],
        reports: SimpleQueue[tuple[int, Any] | None],
        *,
        at_the_end: bool,
    ) -> None:
        """Take of the pieces that are left, and put what they give among the reports: soon, or all `at_the_end`.

        The last report is None.
        """
        self._thread = Thread(target=self._drive, args=(make, left, reports, inf if at_the_end else 1.0), daemon=True)
        self._thread.start()

    def _drive(
        self,
        make: Callable[[], Any],
        left: deque[Any],
        reports: SimpleQueue[tuple[int, Any] | None],
        wanted: float,
    ) -> None:
        given, done = deque[Any](), list[Any]()
        try:
            self._send(make)
            while True:
                with suppress(IndexError):
                    while len(given) < AHEAD:
                        given.append(left.popleft())
                        self._send(given[-1])
                if not given:
                    break
                answer, what = pickle.load(self._results), given.popleft()
                if what is RESULT:
                    wanted = min(GROWTH * len(done), MOST)
                    done.clear()
                    reports.put((0, answer))
                else:
                    done.append(what)
                    reports.put((1, None))
                none_left = not (left or given)
                if done and (none_left or (len(done) >= wanted and RESULT not in given)):
                    given.append(RESULT)
                    self._send(RESULT)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            pass  # the process is gone, or its pipes are closed already
        finally:
            self._kill()  # it ends while others work on
            left.extend(piece for piece in (*done, *given) if piece is not RESULT)
            reports.put(None)

    def _send(self, value: object) -> None:
        pickle.dump(value, self._pieces, pickle.HIGHEST_PROTOCOL)
        self._pieces.flush()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):  # it is gone already, where ended processes are waited for by nobody
            if self._process:
                os.kill(self._process, signal.SIGKILL)

    def end(self) -> None:
        """End the process, whatever it is doing, and then the thread."""
        self._kill()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()
        with suppress(ChildProcessError):
            os.waitpid(self._process, 0)
        self._process = 0
        self._results.close()
        with suppress(BrokenPipeError):
            self._pieces.close()


_START = """import sys
_, module, *sys.path[:] = sys.argv
from cachetui.workers.starting import import_msgspec
import_msgspec()
from cachetui.workers.driver import work
work(module, 0, 1)"""


def _started(module: str, pieces: int, results: int) -> int:
    """Return the number of a process that works: a copy of this one if that has one thread, else one begun anew.

    A copy has all imported, which is 50 ms less work; but what another thread has locked would stay locked in it.
    """
    # A group of its own: Ctrl+C reaches every process of the terminal's, and is for this one alone.
    if os.path.exists(THREADS) and len(os.listdir(THREADS)) == 1:
        process = os.fork()
        if not process:
            try:
                os.setpgid(0, 0)
                for number in os.listdir("/proc/self/fd"):  # the pipes of others too, which these wait to be closed
                    if int(number) not in (pieces, results):
                        with suppress(OSError):
                            os.close(int(number))
                work(module, pieces, results)
            finally:
                os._exit(0)
        return process
    # Not the spawn of multiprocessing: it needs the standard error that a full-screen program has put aside.
    # Without `site`, which would find the paths again that are handed over.
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-S", "-c", _START, module, *sys.path],
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, pieces, 0),
            (os.POSIX_SPAWN_DUP2, results, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setpgroup=0,
    )


def work(module: str, pieces: int, results: int) -> None:
    """Import the module that the work is in, and work until the pieces end; a driver kills the process before that."""
    gc.disable()  # what is made here is handed on and gone
    __import__(module)
    with suppress(EOFError, OSError), os.fdopen(pieces, "rb") as given, os.fdopen(results, "wb") as found:
        gatherer = pickle.load(given)()
        while True:
            piece = pickle.load(given)
            answer = gatherer.result() if piece is RESULT else gatherer.add(piece, never)
            pickle.dump(answer, found, pickle.HIGHEST_PROTOCOL)
            found.flush()
