"""Background work: its end, its error, and its cancellation, with Ctrl+C at any time."""

import os
import signal
import subprocess
import sys
import time
from threading import Event

import pytest

from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.threads import Background
from tests.support.places import ROOT


def wait_for_end(ended: Cancelled) -> None:
    while not ended():
        time.sleep(0.001)


def test_background_work_is_complete_when_its_function_returns() -> None:
    go_on = Event()

    def wait(_: Cancelled) -> None:
        go_on.wait()

    work = Background(wait, never)
    assert not work.is_done(0)
    go_on.set()
    assert work.is_done(10)
    work.end()


def test_error_in_background_work_is_raised_in_owning_thread() -> None:
    def work(_: Cancelled) -> None:
        raise ValueError("no")

    background = Background(work, never)
    with pytest.raises(ValueError, match="no"):
        background.is_done(10)
    background.end()


def test_owning_thread_can_end_background_work() -> None:
    work = Background(wait_for_end, never)
    work.end()
    assert work.is_done(0)


PROGRAM = """
import time
import cachetui.__main__ as program, cachetui.cli.main as command
from cachetui.workers.threads import Background
from cachetui.workers.cancelling import never
def work(ended):
    while not ended():
        time.sleep(0.001)
def run():
    print("up", flush=True)
    while True:
        background = Background(work, never)
        try:
            for _ in range(3):
                background.is_done(0.0005)
        finally:
            background.end()
command.main = run
program.start()
"""


@pytest.mark.soak
def test_ctrl_c_at_any_time_ends_background_work() -> None:
    for number in range(200):
        command = [sys.executable, "-c", PROGRAM]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, stderr=subprocess.DEVNULL) as running:
            assert running.stdout is not None
            running.stdout.readline()
            time.sleep(number % 20 / 1000)
            os.kill(running.pid, signal.SIGINT)
            assert running.wait(10) == 130
