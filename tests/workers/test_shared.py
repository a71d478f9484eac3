"""Pieces that this process shares with others are each done once, whatever becomes of the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.processes import KEPT, Processes

PIECES = list(range(40))


class Gathers:
    """Keeps its pieces, and says in which process; ends that process at a piece if it is none of `parent`."""

    def __init__(self, parent: int, fatal: int | None = None) -> None:
        self._parent, self._fatal = parent, fatal
        self._pieces: list[int] = []

    def add(self, piece: int, cancelled: Cancelled) -> None:
        if piece == self._fatal and os.getpid() != self._parent:
            os._exit(1)
        self._pieces.append(piece)

    def result(self) -> tuple[int, list[int]]:
        pieces, self._pieces = self._pieces, []
        return os.getpid(), pieces


class Waits(Gathers):
    """In the process `parent` it waits with its first piece until another one has five."""

    def __init__(self, parent: int, gate: str) -> None:
        super().__init__(parent)
        self._gate = os.open(gate, os.O_RDWR)
        self._waits = os.getpid() == parent

    def add(self, piece: int, cancelled: Cancelled) -> None:
        super().add(piece, cancelled)
        if self._waits:
            os.read(self._gate, 1)
            self._waits = False
        elif len(self._pieces) == 5:
            os.write(self._gate, b"x")

    def result(self) -> tuple[int, list[int]]:
        if os.getpid() == self._parent:
            os.close(self._gate)
        return super().result()


def handed_over(make: Callable[[], Gathers], spared: int, cancelled: Cancelled = never) -> list[tuple[int, list[int]]]:
    """What the processes handed over, each time: which one it was, and the pieces that it had done."""
    with Processes(__name__) as processes:
        processes.start(spared)
        return list(processes.shared(make, PIECES, cancelled))


def shared(make: Callable[[], Gathers], spared: int, cancelled: Cancelled = never) -> tuple[list[int], set[int]]:
    """The pieces that were done, and the processes that did them."""
    found = handed_over(make, spared, cancelled)
    return sorted(piece for _, pieces in found for piece in pieces), {process for process, _ in found}


def test_without_processes_all_is_done_here() -> None:
    assert shared(partial(Gathers, os.getpid()), spared=1000) == (PIECES, {os.getpid()})


def test_every_piece_is_done_once() -> None:
    done, _ = shared(partial(Gathers, os.getpid()), spared=0)
    assert done == PIECES


def test_each_process_hands_over_once_and_this_one_does_the_last_pieces(tmp_path: Path) -> None:
    gate = str(tmp_path / "gate")
    os.mkfifo(gate)
    found = handed_over(partial(Waits, os.getpid(), gate), spared=0)
    assert len(found) > 1
    assert len(dict(found)) == len(found)
    assert set(dict(found)[os.getpid()]) >= set(PIECES[-KEPT:])


@pytest.mark.parametrize("fatal", PIECES[::8])
def test_what_a_process_had_that_died_is_done_here(fatal: int) -> None:
    done, _ = shared(partial(Gathers, os.getpid(), fatal), spared=0)
    assert done == PIECES


def test_it_ends_when_nobody_wants_it_any_more() -> None:
    with pytest.raises(Interrupted):
        shared(partial(Gathers, os.getpid()), spared=0, cancelled=lambda: True)
    with pytest.raises(Interrupted):
        shared(partial(Gathers, os.getpid()), spared=1000, cancelled=lambda: True)
