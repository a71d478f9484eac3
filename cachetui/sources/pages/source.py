"""A folder of pages, or one page, as a source.

Pages are files below one root. What a comparison costs decides how much of it a command does: all where there are few
files, else the folders that hold folders, and all again after a `git pull`.
Input: a path that a user names.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator, Sequence

from cachetui.safe_text import visible
from cachetui.sources.pages.changes import ROOT, ComparedPages, compare, compare_page
from cachetui.sources.source import ContentComparison, ContentError, Difference, Known, Progress
from cachetui.store.segment import Segment
from cachetui.store.stamps import FileStamp, stamp_of
from cachetui.workers.cancelling import Cancelled, never

# What reads pages is imported where it is needed: mostly a saved index has it all, and a command is over in the time
# that takes.

CHEAP = 15_000
"""Up to this many files and folders are compared for every command: it takes under 50 ms."""

ATTEMPTS = 3
"""How often it is compared while it is moved to and fro; what is wrong then is put right the next time."""


class PagesSource:
    """A folder of pages, or one page."""

    remedy = "give a build cache, its URL, or a folder of pages"

    def __init__(self, content: str) -> None:
        """Raises ContentError if there is nothing at that path."""
        self.content = content
        try:
            self.is_one_page = stat.S_ISREG(os.stat(content).st_mode)
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        path = os.path.realpath(content)
        # Another identity where a file takes the place of a folder: their paths mean other things.
        self.identity = path if self.is_one_page else os.path.join(path, "")
        self._root = os.path.dirname(content) or "." if self.is_one_page else content
        self._page = os.path.basename(content) if self.is_one_page else None

    def revision(self) -> str:
        """Size and time of the index of the git checkout that holds the content; empty where there is none."""
        folder = os.path.join(self.identity, "")
        while folder:
            try:
                status = os.stat(f"{folder}.git/index")
            except OSError:
                folder = folder[: folder.rfind("/", 0, -1) + 1]
                continue
            return f"{status.st_size} {status.st_mtime_ns}"
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Reads every page, `develop` before all other tags; see `Source`."""
        from cachetui.sources.pages.all_pages import segments

        self._check()
        try:
            yield from segments(self._root, self._page, cancelled)
        except OSError as error:
            raise self._unreadable(error) from None
        self._check()

    def changes(self, known: Known, cancelled: Cancelled = never, *, thorough: bool = False) -> ComparedPages:
        """Compares every file and folder; where `thorough` asks for it, lists every folder too. See `Source`."""
        return self._compared(known, None, thorough, cancelled)

    def cheap_changes(self, known: Known) -> ContentComparison:
        """Compares the folders that hold folders, and what could not be read before; see `Source`."""
        if len(known) <= CHEAP or known.revision != self.revision():
            return ContentComparison(self.changes(known).difference, whole=True)
        compared = self._compared(known, [*known.upper_folders, *known.refused])
        return ContentComparison(compared.difference, whole=False)

    def changes_of(self, known: Known, pages: Collection[str]) -> Difference | None:
        """Compares the files of these pages."""
        return self._compared(known, list(pages)).difference

    def _compared(
        self, known: Known, paths: Sequence[str] | None, thorough: bool = False, cancelled: Cancelled = never
    ) -> ComparedPages:
        """What is different; compared again if the content was moved away and back meanwhile."""
        found = ComparedPages(None)
        for _ in range(ATTEMPTS):
            before = self._check()
            try:
                if self._page is not None:
                    found = compare_page(self._root, self._page, known, thorough=thorough)
                else:
                    found = compare(self._root, known, paths, thorough=thorough, cancelled=cancelled)
            except OSError as error:
                raise self._unreadable(error) from None
            if found.difference is None or self._check() == before:
                break
        if found.difference is not None and ROOT in found.difference.dropped:
            self.check_emptied(known)
        return found

    def check_emptied(self, known: Known) -> None:
        """Raises ContentError where the folder holds nothing at all, but did, as if a file system is not mounted."""
        if any(path != ROOT for path, _ in known.stamps()) and not os.listdir(self._root):
            message = "is empty now: is it mounted? --no-snapshot takes it as it is"
            raise ContentError(f"{visible(self.content)} {message}")

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Reads these files, and all that lies in these folders."""
        from cachetui.sources.pages.all_pages import read_all

        again = read_all(self._root, sorted(paths), cancelled)
        self._check()
        return again

    def _check(self) -> FileStamp:
        """The stamp of the folder or page; raises ContentError where it is gone, closed, or something else now."""
        path, kind = (self.content, os.O_NONBLOCK) if self.is_one_page else (f"{self._root}/.", os.O_DIRECTORY)
        try:
            descriptor = os.open(path, os.O_RDONLY | kind)
            try:
                status = os.fstat(descriptor)
            finally:
                os.close(descriptor)
            if self.is_one_page and not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
        except OSError as error:
            raise self._unreadable(error) from None
        return stamp_of("", status.st_ino, status)

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yields each time that something in the folder has changed; see `Source`."""
        from cachetui.sources.watching import watched

        return watched(self.content, [self._root], cancelled)

    def _unreadable(self, error: Exception) -> ContentError:
        reason = getattr(error, "strerror", None) or error
        return ContentError(f"{visible(self.content)} cannot be read ({reason}): {self.remedy}")
