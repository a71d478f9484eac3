"""A piece of a content folder: some files and folders become a segment.

Input: paths, from `all_pages`; each file goes through `page_forms`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from cachetui.sources.pages.fast_rows import Memory
from cachetui.sources.pages.folders import Listing, add_closed_folder, add_listing
from cachetui.sources.pages.looks import looks
from cachetui.sources.pages.lost import Neighbours
from cachetui.sources.pages.page_forms import (
    Loaded,
    Reading,
    careful_reading,
    load,
    load_lone_page,
    sound_reading,
)
from cachetui.sources.pages.plan import listed
from cachetui.store.segment import Encoder, Segment
from cachetui.workers.cancelling import Cancelled, never


def read_piece(root: str, paths: Sequence[str], threads: int = 1, cancelled: Cancelled = never) -> Segment:
    """Reads these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
    reader = PagesReader(root, threads)
    reader.add(paths, cancelled)
    return reader.result()


class PagesReader:
    """Reads files and folders, and gathers what they hold into a segment."""

    def __init__(self, root: str, threads: int) -> None:
        self._root = root
        self._threads = threads
        self._memory = Memory()
        self._neighbours = Neighbours(root)
        self._encoder = Encoder()

    def result(self) -> Segment:
        segment, self._encoder = self._encoder.segment(), Encoder()
        return segment

    def add(self, piece: Sequence[str], cancelled: Cancelled) -> None:
        """Reads these files, and all that lies in these folders; raises Interrupted once `cancelled` says so."""
        encoder = self._encoder
        pending = list(piece)
        while pending:
            now = time.time_ns()
            below: list[str] = []
            found = looks(self._look, pending, cancelled, self._threads)
            for path, what in zip(pending, found, strict=True):
                if isinstance(what, Loaded):
                    what = self._read(path, what)
                if isinstance(what, Reading):
                    _add_reading(encoder, what, now)
                elif isinstance(what, Listing):
                    add_listing(encoder, what, now)
                    below += [*what.pages, *what.folders]
                else:
                    add_closed_folder(encoder, path, what)
            pending = below

    def _look(self, path: str) -> Loaded | Reading | Listing | OSError:
        """Reads a file; lists a folder, and reads it where it holds one page and nothing else.

        Where there are several threads, each gives the bytes of what can wait, so that they wait for the disk alone.
        """
        is_folder = path.endswith("/")
        loaded = load_lone_page(self._root, path) if is_folder else load(self._root, path)
        if loaded is None:
            return listed(self._root, path)
        if isinstance(loaded, Loaded) and not (self._threads > 1 and loaded.can_wait):
            return self._read(path, loaded)
        return loaded

    def _read(self, path: str, loaded: Loaded) -> Reading | Listing | OSError:
        """What was loaded, worked out."""
        reading = sound_reading(loaded, self._memory)
        if reading is None and path.endswith("/"):
            return listed(self._root, path)
        return reading or careful_reading(self._root, loaded, self._neighbours)


def _add_reading(encoder: Encoder, reading: Reading, now: int) -> None:
    """Takes up a reading that was begun at this time, in nanoseconds."""
    encoder.add_files(reading.files, now)
    if reading.problems:
        encoder.add_problems(reading.problems)
    if reading.page is not None:
        encoder.add_page(reading.page)
