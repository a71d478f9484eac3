"""Work for a process that tells what is open in it; see `Gatherer` of `workers.processes`."""

from __future__ import annotations

import os
import time

from cachetui.workers.cancelling import Cancelled


class OpenFiles:
    """Answers with the process, and how many files are open in it."""

    def add(self, piece: int, cancelled: Cancelled) -> None:
        time.sleep(0.01)

    def result(self) -> list[tuple[int, int]]:
        with os.scandir("/proc/self/fd") as found:
            return [(os.getpid(), len(list(found)) - 1)]
