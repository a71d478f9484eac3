"""Work that a copy of this process does beside it, where another core would have nothing to do meanwhile.

Only speed depends on it: where there is no copy, or it dies, the work is done here.
Input: work whose result can be pickled, and which needs nothing that is not known yet when the copy is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from cachetui.workers.processes import cores

# What copies and hands over is imported where work is long: mostly it is not.

Result = TypeVar("Result")

JOINED_END = 20
"""Milliseconds within which the threads end that were joined."""


class Beside(Generic[Result]):
    """One piece of work, which a copy begins at once; a context, at whose end the copy is gone."""

    def __init__(self, work: Callable[[], Result], *, is_long: bool) -> None:
        """Work that is not long is done here: to make a copy takes some 10 ms, and to hand over what it gives."""
        self._work = work
        self._reader: int | None = None
        self._process = 0
        if is_long and cores() > 1 and _is_single_soon():
            with suppress(OSError):  # the machine refuses
                self._begin()

    def _begin(self) -> None:
        from cachetui.workers.forked import start_copy

        reader, writer = os.pipe()
        try:
            self._process = start_copy(partial(_hand_over, self._work, reader, writer))
        except OSError:
            os.close(reader)
            raise
        else:
            self._reader = reader
        finally:
            os.close(writer)

    def __enter__(self) -> Beside[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            import signal

            os.close(self._reader)
            with suppress(ProcessLookupError, ChildProcessError):  # where ended processes are waited for by nobody
                os.kill(self._process, signal.SIGKILL)
                os.waitpid(self._process, 0)

    def result(self) -> Result:
        """What the work gives, or raises."""
        if self._reader is not None:
            import pickle

            with suppress(EOFError, OSError, pickle.UnpicklingError):
                return self._given()
        return self._work()

    def result_within(self, seconds: float) -> Result | None:
        """What the copy gives within that time; None where it is not done then, has failed, or there is no copy."""
        if self._reader is None:
            return None
        import pickle
        import select

        with suppress(EOFError, OSError, pickle.UnpicklingError):
            if select.select([self._reader], [], [], seconds)[0]:
                return self._given()
        return None

    def _given(self) -> Result:
        """What the copy hands over, or has begun to; raises EOFError where it ends without."""
        import pickle

        assert self._reader is not None
        with open(self._reader, "rb", closefd=False) as results:
            given: Result = pickle.load(results)
            return given


def _is_single_soon() -> bool:
    """Whether this process has one thread only, or will have at once: one that was joined is there for a moment yet."""
    import threading
    from time import sleep

    from cachetui.workers.forked import THREADS, is_single

    for _ in range(JOINED_END):
        if is_single():
            return True
        if threading.active_count() > 1 or not os.path.exists(THREADS):
            return False
        sleep(0.001)
    return False


def _hand_over(work: Callable[[], object], reader: int, writer: int) -> None:
    """In the copy: works, and writes what that gives for the other process, which reads at `reader`."""
    import pickle

    os.close(reader)  # or it would wait for itself, where the other process is killed
    with os.fdopen(writer, "wb") as results:
        pickle.dump(work(), results, pickle.HIGHEST_PROTOCOL)
