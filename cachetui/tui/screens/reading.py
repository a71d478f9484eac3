"""What binaries take, read from the files of build caches in a thread while a screen is already there."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.screen import Screen
from textual.worker import Worker, WorkerState, get_current_worker

from cachetui.search.closures import total_size
from cachetui.search.index import Index
from cachetui.sources.buildcache.sizes import Sizes
from cachetui.store.nodes import DamagedGraph


def read_size(screen: Screen[object], index: Index, hashes: Callable[[], Iterable[str]]) -> None:
    """Adds up what these binaries take; `size_read` finds the bytes in the message that the screen gets of it."""

    def read() -> int | None:
        worker, sizes = get_current_worker(), Sizes(index)
        try:
            return total_size(hashes(), lambda each: None if worker.is_cancelled else sizes(each))
        except DamagedGraph:
            return None

    screen.run_worker(read, thread=True, exclusive=True)


def size_read(event: Worker.StateChanged) -> int | None:
    """The bytes that were read; None where they are not known, or not yet."""
    result = event.worker.result if event.state is WorkerState.SUCCESS else None
    return result if isinstance(result, int) else None
