"""Processes that are copies of this one: what they keep of it, and when they end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cachetui.workers.driver import Driver
from cachetui.workers.forked import is_single
from tests.support.places import ROOT

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells how many threads run")

COPIED = """
import os
from cachetui.workers import processes
from cachetui.workers.forked import Forked
from tests.support.open_files import OpenFiles
processes.cores = lambda: 2
print("said once", end=" ")
found = processes.Processes("cachetui.workers")
found.start()
results = [result for _, result in found.results(OpenFiles, range(40), lambda: False) if result]
for driver in found._drivers:
    assert isinstance(driver._process, Forked)
    driver.end()
print(sorted({pid != os.getpid() for result in results for pid, _ in result}), end=" ")
print(max(count for result in results for pid, count in result if pid != os.getpid()))
"""

LEFT_ALONE = """
import os
from cachetui.workers.forked import Forked
started = [Forked("cachetui.workers") for _ in range(2)]
print(*(each._process for each in started), flush=True)
os._exit(0)
"""

NOBODY_WAITS = """
import signal
from cachetui.workers.forked import Forked
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
one = Forked("cachetui.workers")
one.stdin.close()
one.stdout.read()
for _ in range(2):
    one.kill()
one.communicate()
print("ended")
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_a_copy_has_nothing_open_but_its_pipes_and_says_nothing_that_was_not_said_yet() -> None:
    assert run(COPIED) == "said once [False, True] 2\n"


def test_copies_end_with_the_process_that_made_them() -> None:
    processes = run(LEFT_ALONE).split()
    assert len(processes) == 2
    until = time.monotonic() + 10
    while any(is_running(process) for process in processes) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(map(is_running, processes))


def test_a_copy_may_be_gone_already_where_ended_processes_are_waited_for_by_nobody() -> None:
    assert run(NOBODY_WAITS) == "ended\n"


def is_running(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_process_with_threads_is_not_copied() -> None:
    wanted = threading.Event()
    thread = threading.Thread(target=wanted.wait)
    thread.start()
    try:
        assert not is_single()
        driver = Driver("cachetui.workers")
        assert isinstance(driver._process, subprocess.Popen)
        driver.end()
    finally:
        wanted.set()
        thread.join()
