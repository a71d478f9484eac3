"""One content folder and its saved index: load, check, refresh.

An index that it gives was true of the files when they were last compared. Only what changed is read again. Whatever
is wrong with the saved index costs time, never an answer; the user is told in a note.
Input: a content folder (see `reading`) and a file in the user's cache folder (see `snapshot`).
"""

from __future__ import annotations

import gc
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from cachetui.search.index import Index
from cachetui.sources.pages.changes import Difference, compare
from cachetui.sources.pages.folders import UNREAD
from cachetui.store.merge import merge
from cachetui.store.segment import Segment
from cachetui.store.snapshot import (
    GitStamp,
    Saved,
    SnapshotError,
    load,
    save,
    snapshot_folder,
    snapshot_path,
    touch,
)
from cachetui.text import visible
from cachetui.workers import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.pages.reader import Progress

# What reads pages is imported where it is needed: mostly a saved index has it all, and a command is over in the time
# that takes.

CHEAP = 15_000
"""So many files and folders are compared for every command: it takes under 50 ms."""

JUST_NOW = 2.0
"""Seconds for which a comparison of all files that a command has made is not repeated for its answer."""

WATCH_PATIENCE = 300
"""Milliseconds between two questions whether anybody still watches."""

OLD = 3600.0
"""Seconds after which an answer says how long ago all files were compared."""

GROWTH = 3
"""An index of what is read so far is made again when there is so many times as much."""

Grown: TypeAlias = "Callable[[Index, Progress], None]"
Progressed: TypeAlias = "Callable[[Progress], None]"
Refreshed: TypeAlias = "Callable[[Refresh], None]"


class ContentError(Exception):
    """Content that cannot be read; the message says what and what to do."""


class Refresh(Struct, frozen=True):
    """What a comparison with the files gave."""

    index: Index
    changed: int
    """Pages that are new, gone or different."""


def sample_content() -> str:
    """The folder of the built-in sample catalogue."""
    from importlib.resources import files

    return str(files("cachetui") / "sample")


class Catalogue:
    """A content folder (or one page), and the file that its index is saved in."""

    def __init__(self, content: str, environ: Mapping[str, str], *, snapshot: bool = True) -> None:
        """Raises ContentError if there is nothing at that path."""
        try:
            is_file = stat.S_ISREG(os.stat(content).st_mode)
        except (OSError, ValueError) as error:
            raise _unreadable(content, error) from None
        self.content = content
        self.root = os.path.dirname(content) or "." if is_file else content
        self.only = os.path.basename(content) if is_file else None
        self.notes: list[str] = []
        """What the user should be told, such as a saved index that was not used."""
        self._path = os.path.realpath(content)
        self._file = snapshot_path(snapshot_folder(environ), self._path) if snapshot else None
        self._compared: float | None = None
        """When all files were last compared, in seconds since the epoch."""
        self._compared_here = -JUST_NOW
        """When that was done by this object, on the monotonic clock."""
        self._read_here: set[str] = set()
        """Files that this object has read, so that a command looks at none of them twice."""
        self._git_stamp: GitStamp = None
        self._unused = ""
        """The note on a saved index that was not used."""

    # An index

    def saved(self) -> Index | None:
        """The index as it was saved, not compared with any file yet; None where there is none to use."""
        if self._file is None:
            return None
        try:
            saved = load(self._file, self._path)
        except SnapshotError as error:
            self._unused = str(error)
            self._note_once(self._unused)
            return None
        if saved is None:
            return None
        self._compared, self._git_stamp = saved.compared, saved.git_stamp
        return Index(saved.columns)

    def load(
        self, grown: Grown | None = None, cancelled: Cancelled = never, progressed: Progressed | None = None
    ) -> Index:
        """Reads every page, and saves the index.

        `grown` is called with what there is so far: soon, then each time there is several times as much, and with
        everything before that is saved; `progressed` after every piece of work. Raises ContentError, and Interrupted
        once `cancelled` says so.
        """
        self._git_stamp = _git_stamp(self._path)
        started = time.time()
        collecting = gc.isenabled()
        gc.disable()  # millions of objects are made here, and none is part of a cycle
        try:
            index = self._read_all(grown, cancelled, progressed)
        except OSError as error:
            raise _unreadable(self.content, error) from None
        finally:
            if collecting:
                gc.enable()
        self._compared, self._compared_here = started, time.monotonic()
        self._save(index)
        return index

    def _read_all(self, grown: Grown | None, cancelled: Cancelled, progressed: Progressed | None) -> Index:
        from cachetui.sources.pages.reader import Progress, segments

        read: list[Segment] = []
        wanted = 0
        for segment, progress in segments(self.root, self.only, cancelled):
            if progressed:
                progressed(progress)
            if segment is None:
                continue
            read.append(segment)
            if grown and segment.paths and wanted <= progress.done <= progress.total // 4:
                grown(Index(merge(None, read)), progress)
                wanted = GROWTH * progress.done
        index = Index(merge(None, read))
        if grown:
            grown(index, Progress(progress.total, progress.total))
        return index

    # Comparing it with the files

    def refresh(self, index: Index, refreshed: Refreshed | None = None, cancelled: Cancelled = never) -> Refresh:
        """Compares every file and folder with the index, and reads again what is not the same.

        `refreshed` is called with the outcome before that is saved. Raises Interrupted once `cancelled` says so.
        """
        started, git_stamp = time.time(), _git_stamp(self._path)
        difference = compare(self.root, index.columns, None, cancelled)
        same_git_stamp = git_stamp == self._git_stamp
        self._compared, self._git_stamp, self._compared_here = started, git_stamp, time.monotonic()
        if difference is not None:
            return self._read_again(index, difference, refreshed, cancelled)
        unchanged = Refresh(index, 0)
        if refreshed:
            refreshed(unchanged)
        if not same_git_stamp:
            self._save(index)
        elif self._file is not None:
            touch(self._file, started)
        return unchanged

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yields each time that something in the content folder has changed, until `cancelled` says so.

        Raises ContentError where the system cannot tell of changes, as with too many folders.
        """
        from watchfiles import watch

        try:
            for changes in watch(self.root, rust_timeout=WATCH_PATIENCE, yield_on_timeout=True, raise_interrupt=False):
                if cancelled():
                    return
                if changes:
                    yield
        except (OSError, RuntimeError) as error:
            raise ContentError(f"{visible(self.content)} cannot be watched ({error}): r reads again") from None

    def current(self, *, fresh: bool = False) -> Index:
        """The index for a command: the saved one compared with the files as far as that is cheap, or all read.

        Compared are the folders that hold folders and the git index of a checkout; every page where there are few,
        where the git index has changed, and where `fresh` asks for it.
        """
        index = self.saved()
        if index is None:
            return self.load()
        columns = index.columns
        if fresh or len(columns.file_path) <= CHEAP or _git_stamp(self._path) != self._git_stamp:
            return self.refresh(index).index
        unread = [problem.path for problem in columns.problems if problem.message.startswith(UNREAD)]
        difference = compare(self.root, columns, [*columns.upper_folders, *unread])
        return index if difference is None else self._read_again(index, difference).index

    def confirmed(self, index: Index, rows: Iterable[int]) -> Index:
        """The same index if the pages of these rows have not changed, else one with these pages read again.

        Adds a note where pages beyond these have not been compared for long.
        """
        if time.monotonic() - self._compared_here < JUST_NOW:
            return index
        now = time.time()
        named = map(index.columns.page_path.__getitem__, index.pages(rows))
        # A file that has just changed counts as changed for a while, however often it is read.
        difference = compare(self.root, index.columns, [path for path in named if path not in self._read_here])
        if difference is not None:
            return self._read_again(index, difference).index
        if self._compared is None or not 0 <= now - self._compared < OLD:
            self.notes.append(
                f"the pages were last compared {_ago(now - (self._compared or 0))}; --fresh compares them all"
            )
        return index

    def _read_again(
        self,
        index: Index,
        difference: Difference,
        refreshed: Refreshed | None = None,
        cancelled: Cancelled = never,
    ) -> Refresh:
        from cachetui.sources.pages.reader import read_all

        again = read_all(self.root, difference.unread, cancelled)
        known = index.columns
        fresh = Index(merge(known, [difference.folders, *again], difference.dropped))
        pages = set(chain.from_iterable(segment.paths for segment in again))
        changed = {page for page in pages if page in difference.changed or known.file_stamp(page) is None}
        if gone := difference.changed - pages:
            changed |= gone & {*known.page_path, *(page.path for page in known.duplicates)}
        found = Refresh(fresh, len(changed))
        if refreshed:
            refreshed(found)
        self._save(fresh)
        self._read_here.update(chain.from_iterable(segment.file_paths for segment in again))
        return found

    def _save(self, index: Index) -> None:
        """Saves the index; where that fails a note says so, and nothing else is lost."""
        if self._file is None:
            return
        try:
            save(self._file, self._path, Saved(index.columns, self._compared or 0.0, self._git_stamp))
        except OSError as error:
            reason = error.strerror or str(error)
            if self._unused:
                self._note_once(f"{self._unused}, and not saved again: {reason}", instead=self._unused)
            else:
                self._note_once(f"the index was not saved: {reason} ({self._file})")

    def _note_once(self, text: str, instead: str = "") -> None:
        """Adds a note that is not there yet, in the place of another one."""
        if instead in self.notes:
            self.notes.remove(instead)
        if text not in self.notes:
            self.notes.append(text)


def _git_stamp(path: str) -> GitStamp:
    """Size and time of the index of the git checkout that holds the path; None where there is none."""
    for folder in (path, *map(str, Path(path).parents)):
        try:
            status = os.stat(f"{folder}/.git/index")
        except OSError:
            continue
        return status.st_size, status.st_mtime_ns
    return None


def _unreadable(content: str, error: Exception) -> ContentError:
    reason = getattr(error, "strerror", None) or error
    return ContentError(f"{visible(content)} cannot be read ({reason}): give a folder of pages, or one page")


def _ago(seconds: float) -> str:
    if seconds < 0:
        return "at a time that this machine's clock has not reached"
    hours = int(seconds // 3600)
    return f"{hours} hours ago" if hours < 48 else f"{hours // 24} days ago"
