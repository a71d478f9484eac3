"""Work beside this process: the same result, whoever does it, and nothing left of a copy."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cachetui.workers import beside
from cachetui.workers.beside import Beside
from tests.support.places import ROOT

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells how many threads run")

BEGINNING = """
import os, time
from cachetui.workers import beside
from cachetui.workers.beside import Beside
beside.cores = lambda: 2
here = os.getpid()
print("said once", end=" ")
def is_over(process):
    try:
        os.waitpid(process, os.WNOHANG)
    except ChildProcessError:
        return True
"""

DONE_THERE = """
with Beside(os.getpid, is_long=True) as one:
    print(one.result() != here, end=" ")
print(is_over(one._process))
"""

DIES = """
with Beside(lambda: os.getpid() if os.getpid() == here else os._exit(1), is_long=True) as one:
    print(one.result() == here, end=" ")
print(is_over(one._process))
"""

AFTER_THREADS = """
beside.JOINED_END = 10_000
import threading
found = set()
for _ in range(50):
    threads = [threading.Thread(target=sum, args=(range(100),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Beside(os.getpid, is_long=True) as one:
        found.add(one.result() != here)
print(*found, is_over(one._process))
"""

NOT_TOLD = """
from cachetui.workers import forked
forked.THREADS = "/nothing/there"
time.sleep = None  # whoever waits, fails
with Beside(os.getpid, is_long=True) as one:
    print(one.result() == here)
"""

NOT_WANTED = """
try:
    with Beside(lambda: time.sleep(3600) if os.getpid() != here else 0, is_long=True) as one:
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print("ended", is_over(one._process))
"""

NOBODY_WAITS = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
with Beside(os.getpid, is_long=True) as one:
    print(one.result() != here, end=" ")
    while not is_over(one._process):
        time.sleep(0.001)
print("ended")
"""

IN_TIME = """
with Beside(os.getpid, is_long=True) as one:
    print(one.result_within(60) not in (here, None), end=" ")
print(is_over(one._process))
"""

TOO_LATE = """
with Beside(lambda: time.sleep(3600), is_long=True) as one:
    print(one.result_within(0), end=" ")
print(is_over(one._process))
"""

FAILS = """
with Beside(lambda: 1 // 0, is_long=True) as one:
    print(one.result_within(60), end=" ")
print(is_over(one._process))
"""

KILLED = """
with Beside(lambda: bytes(10_000_000), is_long=True):
    print(flush=True)
    os.kill(here, 9)
"""


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", BEGINNING + code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=60
    ).stdout


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (DONE_THERE, "True True"),
        (DIES, "True True"),
        (AFTER_THREADS, "True True"),
        (NOT_TOLD, "True"),
        (NOT_WANTED, "ended True"),
        (NOBODY_WAITS, "True ended"),
        (IN_TIME, "True True"),
        (TOO_LATE, "None True"),
        (FAILS, "None True"),
    ],
)
def test_a_copy_does_the_work_and_is_gone_then(code: str, said: str) -> None:
    assert run(code) == f"said once {said}\n"


def test_a_copy_ends_where_the_process_that_made_it_is_killed() -> None:
    command = [sys.executable, "-c", BEGINNING + KILLED]
    # The copy has the same output, which ends once both have ended.
    subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False, timeout=20)


def test_short_work_and_that_of_a_process_with_threads_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "cores", lambda: 2)
    with Beside(os.getpid, is_long=False) as one:
        assert one.result() == os.getpid()
        assert one.result_within(60) is None
    wait = threading.Event()
    other = threading.Thread(target=wait.wait)
    other.start()
    try:
        with Beside(os.getpid, is_long=True) as one:
            assert one.result() == os.getpid()
    finally:
        wait.set()
        other.join()


def test_what_the_work_raises_is_raised_here() -> None:
    with Beside(lambda: 1 // 0, is_long=True) as one, pytest.raises(ZeroDivisionError):
        one.result()
