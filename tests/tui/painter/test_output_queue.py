"""Writes to the terminal: only the newest frames are sent, and only as fast as the connection takes them."""

import io
from threading import Timer

import pytest

from cachetui.tui.painter import output_queue
from cachetui.tui.painter.output_queue import ASK, ASK_BYTES, IN_FLIGHT_BYTES, PAINT, Output
from tests.support.frames import frame_of


class Line:
    """An output with a visible queue, and the bytes that it wrote."""

    def __init__(self) -> None:
        self.file = io.StringIO()
        self.queue: list[str] = []
        self.output = Output(self.file, self.queue.append)

    def take(self) -> str:
        """Let the terminal take one text of the queue, and return the written text."""
        before = self.file.tell()
        self.output.write(self.queue.pop(0))
        return self.file.getvalue()[before:]


@pytest.fixture
def line() -> Line:
    return Line()


def test_outdated_frame_is_never_written(line: Line) -> None:
    for text in "abc":
        line.output.show(frame_of(text * 3))
    assert line.queue == [PAINT]
    assert "ccc" in line.take()
    assert "a" not in line.file.getvalue()
    assert line.queue == []


def test_slow_terminal_must_answer_before_the_next_frame(line: Line) -> None:
    line.output.show(frame_of("a" * 3000))
    assert line.take().endswith(ASK)
    line.output.show(frame_of("b" * 3000))
    assert not line.take().endswith(ASK)  # a silent terminal is queried once
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


def test_small_frames_do_not_wait_for_answers_of_terminal(line: Line) -> None:
    line.output.show(frame_of("start"))
    line.take()
    line.output.answered()
    written = ""
    for k in range(200):
        line.output.show(frame_of(f"{k:05}"))
        written += line.take()
    assert IN_FLIGHT_BYTES < len(written) < IN_FLIGHT_BYTES + ASK_BYTES


def test_terminal_that_never_answers_still_gets_output(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.output.show(frame_of("a" * 3000))
    line.take()
    line.output.answered()
    line.output.show(frame_of("b" * 3000))
    line.take()
    line.output.show(frame_of("c" * 3000))
    assert line.take() == ""
    monkeypatch.setattr(output_queue, "ANSWER_SECONDS", 0)
    line.output.show(frame_of("d" * 3000))
    assert line.take().startswith("\x1b[1Hddd")


def test_output_queue_writes_whole_frame_after_restart(line: Line) -> None:
    line.output.show(frame_of("abc"))
    line.take()
    line.output.show(frame_of("abd"))
    line.output.restart()  # the queue ends with its thread
    line.queue.clear()
    line.output.show(frame_of("abd"))
    assert "\x1b[2Jabd" in line.take()


def test_early_exit_waits_briefly_for_first_terminal_answer(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this wait the shell would read the answer as typed text."""
    line.output.show(frame_of("abc"))
    line.take()
    monkeypatch.setattr(output_queue, "LAST_ANSWER_SECONDS", 60)
    answer = Timer(0.01, line.output.answered)
    answer.start()
    line.output.wait_for_answers()
    answer.join()
    assert not line.output._open
    line.output.show(frame_of("b" * ASK_BYTES))
    line.take()
    monkeypatch.setattr(output_queue, "LAST_ANSWER_SECONDS", 0)
    line.output.wait_for_answers()
    assert line.output._open
