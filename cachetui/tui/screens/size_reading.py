"""What binaries take, read from build caches here or on servers in a thread while a screen is already there.

What is read comes in messages to the widget that asks, so that much can be shown while more is on its way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import get_current_worker

from cachetui.report.detail import Field
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.workers.cancelling import Cancelled

if TYPE_CHECKING:
    from cachetui.sources.buildcache.sizes import Sizes

GROUP = "sizes"
"""Of the workers that read."""

REST = 0.15
"""Seconds for which the cursor stays on a spec before its size is read."""

EVERY = 0.2
"""Seconds between two messages on what was read so far."""


@dataclass
class SizesRead(Message):
    """What some binaries take."""

    asked: object
    """What the sizes were asked for, as its owner named it."""
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


class KnowsSizes(Protocol):
    """The app."""

    def sizes_of(self, index: Index, cancelled: Cancelled) -> Sizes:
        """What tells how large the binaries of an index are, until it is cancelled."""


def read_sizes(owner: Widget, index: Index, hashes: Callable[[], Iterable[str]], asked: object = None) -> None:
    """Reads what these binaries take; what was still being read for this owner is given up."""

    def read() -> None:
        worker, found = get_current_worker(), dict[str, int]()
        wanted = list(dict.fromkeys(hashes()))
        told = time.monotonic()
        for each, size in sizes_of(index, lambda: worker.is_cancelled).each(wanted):
            if size is not None:
                found[each] = size
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                owner.post_message(SizesRead(asked, dict(found), len(wanted), is_whole=False))
        if not worker.is_cancelled:
            owner.post_message(SizesRead(asked, found, len(wanted), is_whole=True))

    sizes_of = cast(KnowsSizes, owner.app).sizes_of
    owner.run_worker(read, thread=True, exclusive=True, group=GROUP)


class LookedAt:
    """The size of the spec that is looked at, and of all that it needs; read once the cursor rests on it."""

    def __init__(self, owner: Widget, show: Callable[[], None]) -> None:
        """`owner` gives the messages of type `SizesRead` to `take`; `show` is called when more is known."""
        self._owner = owner
        self._show = show
        self._known: dict[str, str] = {}
        """By hash what is said of it; of one index."""
        self._index: Index | None = None
        self._timer: Timer | None = None

    def leave(self) -> None:
        """Gives up what is being read: something else is looked at."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._owner.workers.cancel_group(self._owner, GROUP)

    def field(self, index: Index, spec_hash: str) -> Field:
        """What is known by now of the spec with this hash."""
        if index is not self._index:
            self._index, self._known = index, {}
        if spec_hash not in self._known:
            self._timer = self._owner.set_timer(REST, lambda: self._read(index, spec_hash))
        return Field("size", (self._known.get(spec_hash, "-"),))

    def _read(self, index: Index, spec_hash: str) -> None:
        def hashes() -> Iterable[str]:
            from cachetui.report.deps import needed_binaries  # late: few contents tell of sizes

            root = index.graph.number(spec_hash)
            return [spec_hash] if root is None else needed_binaries(index, root)

        read_sizes(self._owner, index, hashes, (index, spec_hash))

    def take(self, event: SizesRead) -> None:
        """Takes up what was read."""
        if event.is_whole and isinstance(event.asked, tuple) and event.asked[0] is self._index:
            index, spec_hash = event.asked
            others = None if index.graph.number(spec_hash) is None else event.wanted - 1
            self._known[spec_hash] = _size_in_words(event.sizes.get(spec_hash), event.total, others)
            self._show()


def _size_in_words(own: int | None, total: int | None, others: int | None) -> str:
    """The size of a binary, and of all that it needs; `others`: how many that are, None where it is not recorded."""
    from cachetui.safe_text import size_text

    said = "not known" if own is None else size_text(own)
    if others is None:
        return said
    if not others:
        return f"{said}, and it needs no other binary"
    needed = plural(others, "other") + " that it needs"
    return f"{said}; with {needed} {size_text(total)}" if total is not None else f"{said}; not known of {needed}"
