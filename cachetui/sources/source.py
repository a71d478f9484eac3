"""The seam between content and everything above it: what a source of binaries can be asked.

A source is whatever lists binaries, such as a folder of pages. It gives what it holds as segments, and tells later
what is different from what an index knows. Paths are the source's own: those of folders end in `/`, the empty one
is its root. Adding a kind of content means adding a source, and an entry in `kinds`; nothing above changes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from msgspec import Struct

from cachetui.model.problem import UNREAD, UNREAD_CACHE, Problem, UserError
from cachetui.safe_text import ago
from cachetui.store.arrays import Once
from cachetui.store.builder import Segment
from cachetui.store.columns import Columns
from cachetui.store.mtimes import Mtimes
from cachetui.store.string_table import encoded
from cachetui.workers.cancelling import Cancelled, never


class ContentError(UserError):
    """Content that cannot be read; the message says what and what to do."""


REMEDY = "give a build cache, its URL, or a folder of pages"
"""What a user should do whose content has nothing in it that can be read."""


class Asking(Struct, frozen=True):
    """How servers are asked, where content is a URL."""

    offline: bool = False
    """Only the local copy is read."""
    insecure: bool = False
    """`http:` to other machines, and certificates that are not valid."""
    all_tags: bool = False
    """Every tag that a server lists, in place of the one that is looked at first."""
    tags: tuple[str, ...] = ()
    """The tags that are asked for by name."""
    previews: bool = False
    """Whether somebody wants to see what has come before all is there."""
    until: float = math.inf
    """Until when to wait for servers of which there is a local copy, on the monotonic clock."""


class Stale(Struct, frozen=True):
    """Content that is a local copy, not known to be what its server has now."""

    url: str
    asked: float
    """When the server last said that it is the newest, in seconds since the epoch."""
    why: str
    """Why the server did not say so now."""
    offline: bool
    """Whether nobody wanted it to be asked."""

    @property
    def sign(self) -> str:
        """For a header: `offline`, or `copy of 21:50`."""
        asked, now = time.localtime(self.asked), time.localtime()
        day = "" if asked[:3] == now[:3] else "%Y-%m-%d "
        return "offline" if self.offline else time.strftime(f"copy of {day}%H:%M", asked)

    @property
    def note(self) -> str:
        """What the user should be told."""
        had = "what it had" if self.url in self.why else f"what {self.url} had"
        return f"{self.why}: this is {had} {ago(time.time() - self.asked)}"

    @property
    def problem(self) -> Problem:
        """The same among the problems of a catalogue."""
        return Problem(path=self.url, level="note", kind="stale", message=self.note)


class Progress(Struct, frozen=True):
    """How far reading is."""

    done: int
    total: int
    """Pieces of work, all of about the same size."""
    transfer: str = ""
    """How far it is with what is still on its way from a server."""
    is_preview: bool = False
    """Whether the segment is only to be looked at until all has come, as what it holds will come again."""


class Difference(Struct, frozen=True):
    """What is not as the index has it; there is at least one such path."""

    dropped: frozenset[str]
    """Paths of files, folders and pages that the index must forget."""
    unread: tuple[str, ...]
    """Paths to read again; folders with all that is in them."""
    listed: tuple[Segment, ...] = ()
    """The new mtimes of the folders that were listed again while comparing."""


class ContentComparison(Struct, frozen=True):
    """What a comparison gave."""

    difference: Difference | None
    """None where nothing is different."""
    whole: bool
    """Whether everything was compared."""


class Known:
    """What an index knows of its source, or of one of several sources."""

    def __init__(self, columns: Columns, revision: str = "", prefix: str = "") -> None:
        """`revision` is the source's own when all was last compared; `prefix` begins the paths of this source alone."""
        self.columns = columns
        self._entries: Once[int, bytes] = Once(columns.file_path.raw)
        """Of the paths those that were looked at, since every look-up begins with the same ones."""
        self._prefix = prefix
        self.revision = revision

    def __len__(self) -> int:
        """Return how many files and folders there are."""
        return len(self._places(""))

    def files(self, folder: str = "") -> Iterator[tuple[str, Mtimes]]:
        """Yield every file and folder that was read (below a folder), sorted by path, with its mtimes."""
        columns, places, cut = self.columns, self._places(folder), len(self._prefix)
        at = slice(places.start, places.stop)
        is_all = len(places) == len(columns.file_path)
        paths = columns.file_path if is_all else columns.file_path.part(at.start, at.stop)
        mtimes = zip(columns.file_size[at], columns.file_time[at], strict=True)
        return zip((path[cut:] for path in paths) if cut else paths, mtimes, strict=True)

    def mtimes(self, path: str) -> Mtimes | None:
        """Return the mtimes of a file or folder; None for one that was not read."""
        return self.columns.file_mtimes(self._prefix + path, self._entries.__getitem__)

    def below(self, folder: str) -> Iterator[str]:
        """Yield every file and folder that was read below this folder."""
        return (path for path, _ in self.files(folder) if path != folder)

    def pages(self) -> Iterator[str]:
        """Yield the path of every page, those that were left out as duplicates too."""
        columns = self.columns
        return self._own(chain(columns.page_path, (page.path for page in columns.duplicates)))

    @property
    def upper_folders(self) -> Sequence[str]:
        """The folders that hold folders."""
        return list({"", *self._own(self.columns.upper_folders)})

    @property
    def graph_paths(self) -> Sequence[str]:
        """What the parts of the dependency graph are known by."""
        return list(self._own(self.columns.graph.paths))

    @property
    def problems(self) -> Sequence[Problem]:
        """What is wrong with it, with the paths of the index."""
        return [problem for problem in self.columns.problems if problem.path.startswith(self._prefix)]

    @property
    def refused(self) -> Sequence[str]:
        """The paths of what could not be read at all."""
        return list(self._own(problem.path for problem in self.problems if problem.kind in (UNREAD, UNREAD_CACHE)))

    def _own(self, paths: Iterable[str]) -> Iterator[str]:
        return (path[len(self._prefix) :] for path in paths if path.startswith(self._prefix))

    def _places(self, folder: str) -> range:
        """Return the places of the paths that begin like this folder."""
        start, paths = encoded(self._prefix + folder), self.columns.file_path
        # up to what begins with the letter that follows its `/`
        return range(paths.bisect(start), paths.bisect(start[:-1] + b"0")) if start else range(len(paths))


class Source(Protocol):
    """One content, of one kind. What is said here is so of content that is all on this machine."""

    content: str
    """The content as the user named it."""
    identity: str
    """What its saved index is known by, the same however the user spells it: an absolute path."""

    notes: tuple[str, ...] = ()
    """What the user should be told beside what is read, such as how old it is."""
    stale: tuple[Stale, ...] = ()
    """What of it is a local copy, not known to be the newest, since it was last read or compared."""

    @property
    def parts(self) -> Sequence[tuple[str, Source]]:
        """The single contents, each with what its paths begin with."""
        return [("", self)]

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags that there are beside those that were read, in their order."""
        return []

    def ask_for(self, tag: str) -> None:
        """From the next comparison on this tag is read too."""
        return

    def revision(self) -> str:
        """Return what changes whenever somebody brings the content up to date as a whole; empty where nothing tells."""
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read everything, piece by piece, first what is looked at first; a segment comes soon.

        Raises ContentError where the content as a whole cannot be read, Interrupted soon after `cancelled` says so.
        """

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> ContentComparison:
        """Compare these pages, or everything, with what an index knows; raises as `read` does.

        What is `cheap` takes no time worth mentioning; everything is compared where the revision is another one.
        """

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these files, pages and folders; raises as `read` does."""

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield each time that something has changed, until `cancelled` says so.

        Raises ContentError where the system cannot tell of changes, as with too many folders.
        """
