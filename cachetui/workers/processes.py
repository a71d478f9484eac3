"""Divide work among processes, one for each core.

If a process dies, the other processes or this one do its pieces of work. The processes end with this one, because
their pipes are closed then, and at once when the work is cancelled. Each collects the results of its pieces, and sends
them from time to time: the first ones soon, later ones in larger parts, or all at the end.
Input: pieces of work, and a function that makes a `Gatherer`; both must be picklable.
"""

from __future__ import annotations

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
    """Does pieces of work, and collects their results."""

    def add(self, piece: Work, cancelled: Cancelled) -> None:
        """Do one piece of work. May raise Interrupted after `cancelled` returns True."""

    def result(self) -> Result:
        """Return the result of all pieces since the last call."""


MAX_PROCESSES = 16
"""Maximum number of processes: more would only wait for the disk, and for this process, which merges the results."""


PIECES_AHEAD = 2
"""Pieces that a worker has at a time, so that it never waits for the next one."""

GROWTH_FACTOR = 3
"""The number of pieces between two results of a worker grows by this factor."""

MAX_PIECES = 8
"""Maximum number of pieces before a worker sends its results, as larger results are slower to sort."""

RESULT = None
"""What is sent instead of a piece, to ask for the results so far."""

THREADS = "/proc/self/task"
"""The folder in which Linux lists the threads of this process."""


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
                report = reports.get(timeout=0 if left and works_here else CHECK_SECONDS if running else 0)
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


class Driver:
    """A worker process, and the thread that sends it pieces and receives its results."""

    def __init__(self, module: str) -> None:
        """Start the process, which imports the module of the work; raises OSError."""
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
        """Work on the pieces that are `left`, in a thread, and put reports into the queue.

        A report is how many more pieces are done, and a result or None. The results come from time to time, or one
        result `at_the_end`. The last report is None. The pieces of a process that died go back to those that are left.
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
            pass  # the process is gone, or its pipes are closed already
        finally:
            self._kill()  # now, while other processes work on
            left.extend(piece for piece in (*done, *given) if piece is not RESULT)
            reports.put(None)

    def _send(self, value: object) -> None:
        pickle.dump(value, self._pieces, pickle.HIGHEST_PROTOCOL)
        self._pieces.flush()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):  # already removed, if the system drops ended processes
            if self._process:
                os.kill(self._process, signal.SIGKILL)

    def end(self) -> None:
        """Kill the process, and wait for it and for the thread."""
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
    """Start a worker and return its process id: by fork if this process has one thread, else as a new process.

    Forking saves 50 ms of imports; but with several threads, a lock that another one holds would stay locked.
    """
    # The worker gets a process group of its own, so that Ctrl+C reaches only this process.
    if os.path.exists(THREADS) and len(os.listdir(THREADS)) == 1:
        process = os.fork()
        if not process:
            try:
                os.setpgid(0, 0)
                # also the pipes of other workers, which end when all copies of these are closed
                for number in os.listdir("/proc/self/fd"):
                    if int(number) not in (pieces, results):
                        with suppress(OSError):
                            os.close(int(number))
                work(module, pieces, results)
            finally:
                os._exit(0)
        return process
    # Not `multiprocessing`, which needs the standard error that a full-screen program has replaced. Without `site`, as
    # the import path is passed on.
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
    """Import the module of the work, and work until the pipe of pieces is closed or the parent process is gone."""
    parent = os.getppid()
    gc.disable()  # all objects are sent on and freed soon
    __import__(module)
    with suppress(EOFError, OSError, Interrupted), os.fdopen(pieces, "rb") as given, os.fdopen(results, "wb") as found:
        gatherer = pickle.load(given)()
        while True:
            piece = pickle.load(given)
            answer = gatherer.result() if piece is RESULT else gatherer.add(piece, lambda: os.getppid() != parent)
            pickle.dump(answer, found, pickle.HIGHEST_PROTOCOL)
            found.flush()
