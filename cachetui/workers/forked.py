"""A process that works, as a copy of this one: it has all imported that is imported here.

That is 50 ms less work than to start one anew. Only a process with a single thread can be copied, since what another
thread has locked would stay locked in the copy. Input: the same as of `serving`, through pipes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from cachetui.workers.serving import work

THREADS = "/proc/self/task"
"""Where Linux lists the threads of this process; other systems do not tell."""


def is_single() -> bool:
    """Whether this process has one thread only; on systems that do not tell, it counts as having more."""
    try:
        return len(os.listdir(THREADS)) == 1
    except OSError:
        return False


def start_copy(work: Callable[[], object]) -> int:
    """The process id of a copy that works and then ends, with nothing of what this process would do at its own end.

    Raises OSError where the machine refuses.
    """
    process = os.fork()
    if process:
        return process
    try:
        work()
    finally:
        os._exit(0)


class Forked:
    """The copy, with its pipes; it is ended like a `subprocess.Popen`."""

    def __init__(self, module: str) -> None:
        """`module` is the one that the work is in; raises OSError where the machine refuses."""
        read_there, write = os.pipe()
        read, write_there = os.pipe()
        try:
            self._process = start_copy(partial(_serve, module, read_there, write_there))
        except OSError:
            for descriptor in (read_there, write, read, write_there):
                os.close(descriptor)
            raise
        os.close(read_there)
        os.close(write_there)
        self.stdin, self.stdout = os.fdopen(write, "wb"), os.fdopen(read, "rb")
        self._is_ended = False

    def kill(self) -> None:
        """Ends it, whatever it is doing."""
        if not self._is_ended:
            with suppress(ProcessLookupError):  # it is gone already, where ended processes are waited for by nobody
                os.kill(self._process, signal.SIGKILL)

    def communicate(self) -> None:
        """Waits until it has ended, and closes the pipes; raises BrokenPipeError where something was left unsent."""
        if not self._is_ended:
            self._is_ended = True
            with suppress(ChildProcessError):
                os.waitpid(self._process, 0)
        self.stdout.close()
        self.stdin.close()


def _serve(module: str, reader: int, writer: int) -> None:
    """In the copy: does the pieces that come in, and hands over what they give."""
    os.setpgid(0, 0)
    for name in os.listdir("/proc/self/fd"):  # the pipes of others too, which these wait to be closed
        if int(name) not in (reader, writer):
            with suppress(OSError):
                os.close(int(name))
    with os.fdopen(reader, "rb") as pieces, os.fdopen(writer, "wb") as results:
        work(module, pieces, results)
