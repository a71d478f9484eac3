"""What is written when: no stale frames, no more than the line takes, what answers a key first."""

from __future__ import annotations

import io
from threading import Thread, Timer
from time import monotonic

import pytest

from cachetui.tui.painter import flow_control, output_queue
from cachetui.tui.painter.cells import (
    Area,
)
from cachetui.tui.painter.flow_control import ASK, IN_FLIGHT
from cachetui.tui.painter.output_queue import PAINT, Output
from tests.support.frames import frame_of


class Line:
    """An output whose queue is seen, and the bytes that went through it."""

    def __init__(self) -> None:
        self.file = io.StringIO()
        self.queue: list[str] = []
        self.output = Output(self.file, self.queue.append)

    def take(self) -> str:
        """Lets the terminal take one text of the queue; what it was."""
        before = self.file.tell()
        self.output.write(self.queue.pop(0))
        return self.file.getvalue()[before:]


def test_a_frame_that_was_overtaken_is_never_written() -> None:
    line = Line()
    for text in "abc":
        line.output.show(frame_of(text * 3))
    assert line.queue == [PAINT]
    assert "ccc" in line.take()
    assert "a" not in line.file.getvalue()
    assert line.queue == []


def test_the_app_goes_on_when_its_first_frame_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_queue, "FIRST", 30)
    line = Line()
    line.output.show(frame_of("abc"))

    def write() -> None:
        line.output.write("\x1b[?25l")
        line.output.flush()
        line.take()
        line.output.flush()

    thread = Thread(target=write)
    thread.start()
    line.output.wait_for_first()
    assert "abc" in line.file.getvalue()
    thread.join()


def test_the_app_waits_for_a_terminal_that_takes_nothing_once_and_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_queue, "FIRST", 0.001)
    line = Line()
    line.output.show(frame_of("abc"))
    line.output.wait_for_first()
    assert line.queue == [PAINT]
    monkeypatch.setattr(output_queue, "FIRST", 30)
    started = monotonic()
    line.output.wait_for_first()
    assert monotonic() - started < 10


def test_a_terminal_that_answers_gets_no_more_than_it_takes() -> None:
    line = Line()
    line.output.show(frame_of("a" * 3000))
    assert line.take().endswith(ASK)
    line.output.show(frame_of("b" * 3000))
    assert not line.take().endswith(ASK)  # who does not answer is asked once
    line.output.answered()
    for text in "cd":
        line.output.show(frame_of(text * 3000))
        assert line.take().endswith(ASK) is (text == "c")
    line.output.show(frame_of("e" * 3000))
    assert line.queue == [PAINT]
    assert line.take() == ""
    line.output.answered()
    assert "e" * 3000 in line.take()
    assert "d" not in line.file.getvalue()


class Split(Line):
    """A line to a terminal that answers, its screen ten rows, of which the first comes before all else."""

    def __init__(self) -> None:
        super().__init__()
        self.show("start", "start")
        self.take()
        self.output.answered()

    def show(self, first: str, rest: str) -> None:
        frame = frame_of(*[f"{text:300}" for text in (first, *[rest] * 9)])
        self.output.show(frame._replace(first=[Area(0, 0, 300, 1)]))


def test_what_is_short_is_written_in_one_go() -> None:
    line = Split()
    line.show("one", "two")
    text = line.take()
    assert "one" in text
    assert "two" in text
    assert line.queue == []


def test_what_answers_comes_first_and_the_rest_when_the_terminal_has_taken_it() -> None:
    line = Split()
    line.show("a" * 300, "b" * 300)
    assert "b" not in (text := line.take())
    assert "a" * 300 in text
    assert line.queue == []
    line.output.answered()
    assert "b" * 300 in line.take()
    assert line.queue == []


def test_the_rest_is_overtaken_by_another_key() -> None:
    line = Split()
    for first, rest in ("ab", "cd", "ef"):
        line.show(first * 300, rest * 300)
        line.take()
    for _ in range(3):
        line.output.answered()
    line.take()
    assert {letter: letter in line.file.getvalue() for letter in "abcdef"} == dict.fromkeys("acef", True) | {
        "b": False,
        "d": False,
    }


def test_the_rest_comes_without_an_answer_when_nothing_has_changed_for_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Split()
    line.show("a" * 300, "b" * 300)
    line.take()
    monkeypatch.setattr(output_queue, "REST", 0)
    line.output.show_rest()
    assert "b" * 300 in line.take()
    line.output.show_rest()
    assert line.queue == []


def test_many_small_frames_are_under_way_together() -> None:
    line = Line()
    line.output.show(frame_of("start"))
    line.take()
    line.output.answered()
    written = ""
    for k in range(200):
        line.output.show(frame_of(f"{k:05}"))
        written += line.take()
    assert IN_FLIGHT < len(written) < IN_FLIGHT + 30


def test_a_terminal_that_answers_no_more_is_written_to_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    line.output.show(frame_of("a" * 3000))
    line.take()
    line.output.answered()
    line.output.show(frame_of("b" * 3000))
    line.take()
    line.output.show(frame_of("c" * 3000))
    assert line.take() == ""
    line.output.give_up_waiting()
    assert line.queue == []
    monkeypatch.setattr(flow_control, "PATIENCE", 0)
    line.output.give_up_waiting()
    assert line.take().startswith("\x1b[Hccc")
    assert not line.output.in_flight


def test_a_restart_writes_all_of_it_again() -> None:
    line = Line()
    line.output.show(frame_of("abc"))
    line.take()
    line.output.show(frame_of("abd"))
    line.output.restart()  # what was in the queue is gone with its thread
    line.queue.clear()
    line.output.show(frame_of("abd"))
    assert "\x1b[2Jabd" in line.take()


def test_what_belongs_together_is_said_to() -> None:
    line = Line()
    line.output.synchronized = True
    line.output.show(frame_of("a" * 1000))
    assert line.take().startswith("\x1b[?2026h")
    line.output.show(frame_of("a" * 999 + "b"))
    assert "2026" not in line.take()


def test_who_leaves_at_once_waits_for_the_first_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else the shell would take it for something typed; but not for long where none came for a while."""
    line = Line()
    line.output.show(frame_of("abc"))
    line.take()
    monkeypatch.setattr(flow_control, "LAST_ANSWERS", 60)
    answer = Timer(0.01, line.output.answered)
    answer.start()
    line.output.wait_for_answers()
    answer.join()
    assert not line.output.in_flight
    line.output.show(frame_of("abd"))
    line.take()
    monkeypatch.setattr(flow_control, "LAST_ANSWERS", 0)
    line.output.wait_for_answers()
    assert line.output.in_flight
