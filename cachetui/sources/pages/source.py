"""A folder of pages, or one page, as a source.

Pages are files below one root. What a comparison costs decides how much of it a command does: all where there are few
files, else the folders that hold folders, and all again after a `git pull`.
Input: a path that a user names.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from cachetui.sources.pages.changes import compare
from cachetui.sources.source import Comparison, ContentError, Difference, Known, Progress
from cachetui.store.segment import Segment
from cachetui.text import visible
from cachetui.workers import Cancelled, never

# What reads pages is imported where it is needed: mostly a saved index has it all, and a command is over in the time
# that takes.

CHEAP = 15_000
"""Up to this many files and folders are compared for every command: it takes under 50 ms."""

WATCH_PATIENCE = 300
"""Milliseconds between two questions whether anybody still watches."""


class PagesSource:
    """A folder of pages, or one page."""

    remedy = "give a folder of pages, or one page"

    def __init__(self, content: str) -> None:
        """Raises ContentError if there is nothing at that path."""
        self.content = content
        try:
            self.is_one_page = stat.S_ISREG(os.stat(content).st_mode)
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        self.identity = os.path.realpath(content)
        self._root = os.path.dirname(content) or "." if self.is_one_page else content
        self._only = os.path.basename(content) if self.is_one_page else None

    def revision(self) -> str:
        """Size and time of the index of the git checkout that holds the content; empty where there is none."""
        for folder in (self.identity, *map(str, Path(self.identity).parents)):
            try:
                status = os.stat(f"{folder}/.git/index")
            except OSError:
                continue
            return f"{status.st_size} {status.st_mtime_ns}"
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Reads every page, `develop` before all other tags; see `Source`."""
        from cachetui.sources.pages.reader import segments

        try:
            yield from segments(self._root, self._only, cancelled)
        except OSError as error:
            raise self._unreadable(error) from None

    def changes(self, known: Known, cancelled: Cancelled = never) -> Difference | None:
        """Compares every file and folder; see `Source`."""
        return compare(self._root, known, None, cancelled)

    def cheap_changes(self, known: Known) -> Comparison:
        """Compares the folders that hold folders, and what could not be read before; see `Source`."""
        if len(known) <= CHEAP or known.revision != self.revision():
            return Comparison(self.changes(known), whole=True)
        return Comparison(compare(self._root, known, [*known.upper_folders, *known.refused]), whole=False)

    def changes_of(self, known: Known, pages: Collection[str]) -> Difference | None:
        """Compares the files of these pages."""
        return compare(self._root, known, pages)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Reads these files, and all that lies in these folders."""
        from cachetui.sources.pages.reader import read_all

        return read_all(self._root, sorted(paths), cancelled)

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yields each time that something in the folder has changed; see `Source`."""
        from watchfiles import watch

        try:
            for changes in watch(self._root, rust_timeout=WATCH_PATIENCE, yield_on_timeout=True, raise_interrupt=False):
                if cancelled():
                    return
                if changes:
                    yield
        except (OSError, RuntimeError) as error:
            raise ContentError(f"{visible(self.content)} cannot be watched ({error}): r reads again") from None

    def _unreadable(self, error: Exception) -> ContentError:
        reason = getattr(error, "strerror", None) or error
        return ContentError(f"{visible(self.content)} cannot be read ({reason}): {self.remedy}")
