"""Divide work among processes, one for each core.

If a worker process dies, another process does its work. When the main process ends, the worker processes also end,
because their pipes are closed. If the work is cancelled, they end immediately.

Each worker does several pieces of work before it sends the results to the main process. The first results that it
sends are small, and later results are larger. A caller may also request a single result of each process at the end.

Input: pieces of work, and a function that makes a `Gatherer`. Both must be picklable.
"""

import gc
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeVar

from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled, Interrupted

Work = TypeVar("Work", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Gatherer(Protocol[Work, Result]):
    """The interface of an object that does pieces of work and collects the results."""

    def add(self, piece: Work, cancelled: Cancelled) -> None:
        """Do one piece of work. May raise Interrupted after `cancelled` returns True."""

    def result(self) -> Result:
        """Return the results of all pieces since the last call."""


MAX_PROCESSES = 16
"""Maximum number of processes. More processes would only wait for the disk and for this process."""


PIECES_AHEAD = 2
"""Number of pieces that are sent to a worker in advance, so that the worker never waits."""

GROWTH_FACTOR = 3
"""The number of pieces per result grows by this factor after each result of a worker."""

MAX_PIECES = 8
"""Maximum number of pieces per result, because larger results take too long to sort."""

RESULT = None
"""A message to a worker that requests the results so far. It is sent instead of a piece."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes:
    """Worker processes, one for each core. Start them early, because the start takes long."""

    def __init__(self, module: str) -> None:
        """`module` is the name of the module with the `Gatherer`. Each process imports this module when it starts."""
        self._module = module
        self._drivers: list[Driver] = []

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.end()

    def start(self, spared: int = 0) -> None:
        """Start all processes that are not running yet, but leave `spared` cores free.

        Start fewer processes if the system refuses to start more.
        """
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
        """Do all pieces of work. Yield pairs: how many more pieces are done, and a result (None if missing yet).

        This process does the first piece, yields its result, and continues to work until another process has done a
        piece. With `at_the_end`, this process works all the time, and each process returns a single result at the end.
        Without other processes, this process does all the work. Raises Interrupted soon after `cancelled` returns true.
        """
        left = deque(pieces)
        here, own = make(), _next_piece(left)
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
                report = reports.get(timeout=0 if left and works_here else CHECK_SECONDS if running else 0)
                works_here = at_the_end
                if report is None:
                    running -= 1
                else:
                    yield report
            if works_here or not running:
                own = _next_piece(left)
        if has_result:
            yield 0, here.result()


def _next_piece(left: deque[Work]) -> list[Work]:
    """Remove the next piece and return it in a list. The list is empty if no piece is left."""
    with suppress(IndexError):
        return [left.popleft()]
    return []


class Driver:
    """A worker process, and the thread in this process that sends pieces to the worker and receives its results."""

    def __init__(self, module: str) -> None:
        """Start the process. It imports the module with this name. Raises OSError."""
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
        """Start a thread. It sends the pieces in `left` to the process, and puts reports into the queue.

        A report is a pair: the number of newly done pieces, and a result or None. With `at_the_end`, there is only one
        result. After the last report, None is put into the queue. If the process dies, its unfinished pieces are added
        to `left` again.
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
                    while len(given) < PIECES_AHEAD:
                        given.append(left.popleft())
                        self._send(given[-1])
                if not given:
                    break
                answer, what = pickle.load(self._results), given.popleft()
                if what is RESULT:
                    wanted = min(GROWTH_FACTOR * len(done), MAX_PIECES)
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
            pass  # the process has already ended, or the pipes are already closed
        finally:
            self._kill()  # immediately, while other processes continue to work
            left.extend(piece for piece in (*done, *given) if piece is not RESULT)
            reports.put(None)

    def _send(self, value: object) -> None:
        pickle.dump(value, self._pieces, pickle.HIGHEST_PROTOCOL)
        self._pieces.flush()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):  # the system may already have removed the ended process
            if self._process:
                os.kill(self._process, signal.SIGKILL)

    def end(self) -> None:
        """Kill the process, and wait until the process and the thread have ended."""
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
from cachetui.workers.processes import work
work(module, 0, 1)"""


def _started(module: str, pieces: int, results: int) -> int:
    """Start a worker process, and return its process id.

    `pieces` and `results`: the file descriptors of the worker's ends of two pipes. The worker gets its own process
    group, so that Ctrl+C reaches only this process.
    """
    # `multiprocessing` is not used, because it needs standard error, which a full-screen program replaces.
    # `-S` skips the module `site`. It is not needed, because the import path is passed to the worker.
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
    """Run a worker process: import the module, and do pieces of work until the input pipe is closed.

    `pieces` and `results`: the file descriptors of the input pipe and the output pipe.
    """
    parent = os.getppid()
    gc.disable()  # all objects are sent and freed soon
    __import__(module)
    with suppress(EOFError, OSError, Interrupted), os.fdopen(pieces, "rb") as given, os.fdopen(results, "wb") as found:
        gatherer = pickle.load(given)()
        while True:
            piece = pickle.load(given)
            answer = gatherer.result() if piece is RESULT else gatherer.add(piece, lambda: os.getppid() != parent)
            pickle.dump(answer, found, pickle.HIGHEST_PROTOCOL)
            found.flush()
