"""Work shared out to processes: each piece is done once, whatever becomes of those that work."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest

from cachetui.workers import driver, processes
from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.processes import Processes, in_processes


class Answers:
    """Gathers the pieces and who did them; some pieces are hard on whoever does them elsewhere."""

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
    """Takes longer than telling of it, in the process `parent` so long that the others do nearly all."""

    def __init__(self, parent: int) -> None:
        super().__init__()
        self._seconds = 0.05 if os.getpid() == parent else 0.002

    def add(self, piece: int, cancelled: Cancelled) -> None:
        time.sleep(self._seconds)
        super().add(piece, cancelled)


class SlowAnswers(Answers):
    """Takes too long, but for the first piece."""

    def add(self, piece: int, cancelled: Cancelled) -> None:
        while piece and not cancelled():
            time.sleep(0.01)
        super().add(piece, cancelled)


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 2)


@pytest.mark.usefixtures("two_cores")
def test_every_piece_is_done_once_also_where_a_process_dies() -> None:
    deadly = -os.getpid()
    pieces = [1, 2, 3, deadly, *range(4, 40)]
    reports = list(in_processes(Answers, pieces, never))
    results = [result for _, result in reports if result is not None]
    answers = [answer for result in results for answer in result]
    assert sorted(piece for piece, _ in answers) == sorted(pieces)
    assert (deadly, os.getpid()) in answers
    assert results[0] == [(1, os.getpid())]


@pytest.mark.usefixtures("two_cores")
def test_every_piece_is_told_of_and_results_grow_up_to_some_size() -> None:
    reports = list(in_processes(partial(PatientAnswers, os.getpid()), range(400), never))
    assert sum(done for done, _ in reports) == 400
    results = [result for _, result in reports if result is not None]
    assert sorted(piece for result in results for piece, _ in result) == list(range(400))
    lengths = [len(result) for result in results if result[0][1] != os.getpid()]
    assert min(lengths[:2]) <= driver.GROWTH
    assert driver.MOST <= max(lengths) <= driver.MOST + driver.AHEAD
    assert len(lengths) <= 400 // driver.MOST + 12


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("begun", [[], [1, 2, 3], [1, -os.getpid(), 3]])
def test_processes_begin_before_all_pieces_are_known(begun: list[int]) -> None:
    others = list(range(4, 40))
    with Processes(__name__) as some:
        some.start()
        some.begin(Answers, begun)
        reports = list(some.results(Answers, others, never))
    answers = [answer for _, result in reports for answer in result or ()]
    assert sorted(piece for piece, _ in answers) == sorted([*begun, *others])


@pytest.mark.usefixtures("two_cores")
def test_a_process_that_was_refused_at_first_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = [False, True]

    class Refused(driver.Driver):
        def __init__(self, module: str) -> None:
            if refusals and refusals.pop(0):
                raise BlockingIOError
            super().__init__(module)

    monkeypatch.setattr(driver, "Driver", Refused)
    with Processes(__name__) as some:
        some.start()
        some.begin(Answers, [1, 2, 3])
        some.start()
        assert all(one._thread.ident for one in some._drivers), "one that has not begun is waited for without end"
        reports = list(some.results(Answers, [4, 5], never))
    assert sorted(piece for _, result in reports for piece, _ in result or ()) == [1, 2, 3, 4, 5]


@pytest.mark.usefixtures("two_cores")
def test_processes_wait_for_more_pieces_until_nobody_wants_these() -> None:
    with Processes(__name__) as some:
        some.start()
        some.begin(Answers, [1, 2, 3])
        handed_over: list[int] = []
        while len(handed_over) < 3:
            _, answers = some._reports.get(timeout=10)
            handed_over += [piece for piece, _ in answers or ()]
        for one in some._drivers:
            one._thread.join(0.01)
            assert one._thread.is_alive()
    assert sorted(handed_over) == [1, 2, 3]


def test_a_process_that_was_ended_before_it_began_gives_its_work_back() -> None:
    """As where Ctrl+C comes while the threads start."""
    one = driver.Driver("cachetui.workers")
    one.end()
    left, reports = driver.Pieces([1, 2]), SimpleQueue[object]()
    one.begin(Answers, left, reports)
    assert reports.get(timeout=10) is driver.ENDED
    one.end()
    assert list(left) == [1, 2]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux to see the processes")
@pytest.mark.usefixtures("two_cores")
def test_whoever_gives_up_leaves_no_process_behind() -> None:
    started = time.monotonic()
    before = children()
    with pytest.raises(Interrupted):
        list(in_processes(SlowAnswers, range(4), lambda: time.monotonic() - started > 0.1))
    assert children() == before
    assert time.monotonic() - started < 5


def test_without_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> object:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(driver, "Driver", refuse)
    assert list(in_processes(Answers, [1, 2], never)) == [(1, [(1, os.getpid())]), (1, [(2, os.getpid())])]
    with pytest.raises(Interrupted):
        list(in_processes(Answers, [1, 2], lambda: True))


def children() -> list[str]:
    """The processes that this one has started and that have not ended."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
