"""Work divided among processes: each piece is done once, whatever happens to the processes."""

import os
import signal
import threading
import time
from collections import deque
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from cachetui.workers import processes
from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.processes import Processes

Report = tuple[int, list[tuple[int, int]] | None]


class Answers:
    """Collect the pieces and their processes. A negative piece, `-id`, kills every process with another id."""

    def __init__(self) -> None:
        self.given: list[tuple[int, int]] = []

    def add(self, piece: int, cancelled: Cancelled) -> None:
        if piece < 0 and os.getpid() != -piece:
            os.kill(os.getpid(), signal.SIGKILL)
        self.given.append((piece, os.getpid()))

    def result(self) -> list[tuple[int, int]]:
        given, self.given = self.given, []
        return given


class PatientAnswers(Answers):
    """Work for a while; in the process `parent`, work so long that the other processes do almost everything."""

    def __init__(self, parent: int) -> None:
        super().__init__()
        self._seconds = 0.05 if os.getpid() == parent else 0.002

    def add(self, piece: int, cancelled: Cancelled) -> None:
        time.sleep(self._seconds)
        super().add(piece, cancelled)


class SlowAnswers(Answers):
    """Take too long, except for the first piece."""

    def add(self, piece: int, cancelled: Cancelled) -> None:
        while piece and not cancelled():
            time.sleep(0.01)
        super().add(piece, cancelled)


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 2)


def reports_of(make: Any, pieces: Any, cancelled: Cancelled = never, *, at_the_end: bool = False) -> list[Report]:
    with Processes(__name__) as some:
        some.start()
        return list(some.results(make, pieces, cancelled, at_the_end=at_the_end))


def answers_in(reports: list[Report]) -> list[tuple[int, int]]:
    return [answer for _, result in reports for answer in result or ()]


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("place", [0, 3, 39])
@pytest.mark.usefixtures("two_cores")
def test_every_task_is_done_once_even_if_process_dies(at_the_end: bool, place: int) -> None:
    deadly = -os.getpid()
    pieces = [*range(1, place + 1), deadly, *range(place + 1, 40)]
    reports = reports_of(Answers, pieces, at_the_end=at_the_end)
    assert sorted(piece for piece, _ in answers_in(reports)) == sorted(pieces)
    assert (deadly, os.getpid()) in answers_in(reports)
    assert at_the_end or reports[0] == (1, [(pieces[0], os.getpid())])


@pytest.mark.usefixtures("two_cores")
def test_processes_send_their_results_in_small_chunks() -> None:
    reports = reports_of(partial(PatientAnswers, os.getpid()), range(400))
    assert sum(done for done, _ in reports) == 400
    assert sorted(piece for piece, _ in answers_in(reports)) == list(range(400))
    lengths = [len(result) for _, result in reports if result and result[0][1] != os.getpid()]
    assert min(lengths[:2]) <= processes.GROWTH_FACTOR
    assert processes.MAX_PIECES <= max(lengths) <= processes.MAX_PIECES + processes.PIECES_AHEAD
    assert len(lengths) <= 400 // processes.MAX_PIECES + 12


@pytest.mark.usefixtures("two_cores")
def test_each_worker_process_returns_one_result_at_the_end() -> None:
    reports = reports_of(partial(PatientAnswers, os.getpid()), range(100), at_the_end=True)
    who = [result[0][1] for _, result in reports if result]
    assert len(who) == len(set(who)) == 3


@pytest.mark.usefixtures("two_cores")
def test_work_for_process_that_failed_to_start_is_kept() -> None:
    """Fail like after Ctrl+C during the start of threads."""
    one = processes.Driver("cachetui.workers")
    one.end()
    left, reports = deque([1, 2]), SimpleQueue[Any]()
    one.begin(Answers, left, reports, at_the_end=False)
    assert reports.get(timeout=10) is None
    one.end()
    assert list(left) == [1, 2]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux to see the processes")
@pytest.mark.usefixtures("two_cores")
def test_cancelled_work_ends_its_processes() -> None:
    begun = time.monotonic()
    before, files = children(), os.listdir("/proc/self/fd")
    with pytest.raises(Interrupted):
        reports_of(SlowAnswers, range(4), lambda: time.monotonic() - begun > 0.1)
    assert (children(), os.listdir("/proc/self/fd")) == (before, files)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("at_the_end", [False, True])
def test_work_runs_in_main_process_if_others_cannot_start(monkeypatch: pytest.MonkeyPatch, at_the_end: bool) -> None:
    def refuse(*_: object) -> object:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(processes, "_started", refuse)
    reports = reports_of(Answers, [1, 2], at_the_end=at_the_end)
    assert answers_in(reports) == [(1, os.getpid()), (2, os.getpid())]
    assert len(reports) == (1 if at_the_end else 2)
    with pytest.raises(Interrupted):
        reports_of(Answers, [1, 2], lambda: True, at_the_end=at_the_end)


def children() -> list[str]:
    """Return the unfinished processes that this one has started."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
