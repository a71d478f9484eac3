"""What binaries take, read from the files of build caches in a thread while a screen is already there.

What is read comes in messages to the screen, so that much can be shown while more is on its way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from cachetui.search.index import Index
from cachetui.sources.buildcache.sizes import Sizes
from cachetui.store.nodes import DamagedGraph

EVERY = 0.2
"""Seconds between two messages on what was read so far."""


@dataclass
class SizesRead(Message):
    """What some binaries take."""

    asked: object
    """What the sizes were asked for, as the screen named it."""
    sizes: Mapping[str, int]
    """The bytes of each by its hash, as far as they are known."""
    wanted: int
    """How many were asked for."""
    is_whole: bool
    """Whether all were looked at."""

    @property
    def total(self) -> int | None:
        """The bytes of all of them; None where that of one is not known, or not yet."""
        return sum(self.sizes.values()) if self.is_whole and len(self.sizes) == self.wanted else None


def read_sizes(screen: Screen[object], index: Index, hashes: Callable[[], Iterable[str]], asked: object = None) -> None:
    """Reads what these binaries take; what was still being read for this screen is given up."""

    def read() -> None:
        worker, size_of, found = get_current_worker(), Sizes(index), dict[str, int]()
        try:
            wanted = list(dict.fromkeys(hashes()))
        except DamagedGraph:
            return
        told = time.monotonic()
        for each in wanted:
            if worker.is_cancelled:
                return
            size = size_of(each)
            if size is not None:
                found[each] = size
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                screen.post_message(SizesRead(asked, dict(found), len(wanted), is_whole=False))
        screen.post_message(SizesRead(asked, found, len(wanted), is_whole=True))

    screen.run_worker(read, thread=True, exclusive=True, group="sizes")
