"""The interface between content and everything above it.

A source lists binaries, such as a folder of pages does. It reads its content as segments, and later compares the
content with an index. Paths are relative to the source, or absolute in an installation; those of folders end in `/`,
the empty path is its root. A new kind of content is a new source and an entry in `kinds`; nothing above changes.
"""

import math
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Protocol

from msgspec import Struct

from cachetui.mappings import Once
from cachetui.model.problem import UNREAD, UNREAD_CACHES, Problem, UserError
from cachetui.safe_text import ago, local_time
from cachetui.store.builder import Segment
from cachetui.store.columns import Columns
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes
from cachetui.store.string_table import encoded
from cachetui.workers.cancelling import Cancelled, never


class ContentError(UserError):
    """Content that cannot be read; the message says why, and what to do."""


REMEDY = "give a build cache, its URL, an installation or a folder of pages"
"""What to do where a content holds nothing that can be read."""


class Asking(Struct, frozen=True):
    """Options for content on servers, and for installations."""

    offline: bool = False
    """Read only the local copy."""
    insecure: bool = False
    """Allow `http:` to other machines, and invalid certificates."""
    all_tags: bool = False
    """Read every tag that a server lists, not only the one that is shown first."""
    tags: tuple[str, ...] = ()
    """Tags to read in place of the one that is shown first."""
    previews: bool = False
    """Yield the beginning of an index while the rest is being downloaded."""
    until: float = math.inf
    """If there is a local copy, the time on the monotonic clock at which to stop waiting for the server."""
    credential_helpers: bool = False
    """Run the programs that docker's configuration names for the passwords of registries."""
    realms: tuple[str, ...] = ()
    """Hosts whose token servers get the password of a registry on another host, each HOST or HOST:PORT."""
    allow_env: bool = False
    """Use variables as credentials also if a `mirrors.yaml` names them that is not in Spack's own configuration."""
    list_tags: bool = False
    """For a registry without an index, list the tags, which have name, version and hash of each spec."""
    upstreams: tuple[str, ...] = ()
    """Upstreams of an installation next to those of its configuration, each as NAME=PATH."""
    found: bool = False
    """Whether the content is a `mirrors.yaml` that Spack's configuration names: its servers are optional."""


class Stale(Struct, frozen=True):
    """A local copy that may be out of date."""

    url: str
    confirmed: float
    """When the server last confirmed that it is up to date, in seconds since the epoch."""
    why: str
    """Why the server did not confirm it now."""
    offline: bool
    """Whether the server was not asked, because of `--offline`."""
    kind: ClassVar[str] = "stale"

    @property
    def sign(self) -> str:
        """For a header: `offline`, or `copy of 21:50`."""
        return "offline" if self.offline else f"copy of {local_time(self.confirmed)}"

    @property
    def note(self) -> str:
        """The line for the user."""
        owner = "" if self.url in self.why else f" of {self.url}"
        return f"{self.why}: using the local copy{owner} from {ago(time.time() - self.confirmed)}"

    @property
    def problem(self) -> Problem:
        """The note as a problem of the catalogue."""
        return Problem(path=self.url, level="note", kind=self.kind, message=self.note)


class ByTags(Stale, frozen=True):
    """A local copy of the tags of a registry that has no index."""

    kind = "by_tags"
    sign = "known only by tag"

    @property
    def note(self) -> str:
        """The line for the user."""
        return f"{self.url} has no index: its specs are known only by tag, listed {ago(time.time() - self.confirmed)}"


class Progress(Struct, frozen=True):
    """How far reading is."""

    done: int
    total: int
    """Units of about the same amount of work."""
    transfer: str = ""
    """The state of downloads, as text; empty if there is none."""
    is_preview: bool = False
    """Whether the segment is only to be shown for now, because all of it will be yielded again."""


class Difference(Struct, frozen=True):
    """How the content differs from the index; false if nothing differs."""

    dropped: frozenset[str] = frozenset()
    """Paths of files, folders and pages to remove from the index."""
    unread: tuple[str, ...] = ()
    """Paths to read again, folders with all that is in them."""
    listed: tuple[Segment, ...] = ()
    """The new mtimes and problems of the folders that were listed again while comparing."""
    whole: bool = True
    """Whether everything was compared."""

    def __bool__(self) -> bool:
        return bool(self.dropped)


class Known:
    """The part of an index that comes from one source: its files, pages, problems and graphs."""

    def __init__(self, columns: Columns, revision: str = "", prefix: str = "") -> None:
        """`revision` is the source's when everything was last compared; `prefix` is that of this source's paths."""
        self.columns = columns
        self._entries: Once[int, bytes] = Once(columns.file_path.raw)
        """A cache of paths: each binary search begins with the same ones."""
        self._prefix = prefix
        self.revision = revision

    def __len__(self) -> int:
        """Return how many files and folders there are."""
        return len(self._places(""))

    def files(self, folder: str = "") -> Iterator[tuple[str, Mtimes]]:
        """Yield every known file and folder (in a folder, itself included), sorted by path, with its mtimes."""
        columns, places, cut = self.columns, self._places(folder), len(self._prefix)
        at = slice(places.start, places.stop)
        is_all = len(places) == len(columns.file_path)
        paths = columns.file_path if is_all else columns.file_path.part(at.start, at.stop)
        mtimes = zip(columns.file_size[at], columns.file_time[at], strict=True)
        return zip((path[cut:] for path in paths) if cut else paths, mtimes, strict=True)

    def mtimes(self, path: str) -> Mtimes | None:
        """Return the mtimes of a file or folder; None for an unknown one."""
        return self.columns.file_mtimes(self._prefix + path, self._entries.__getitem__)

    def below(self, folder: str) -> Iterator[str]:
        """Yield every known file and folder below this folder."""
        return (path for path, _ in self.files(folder) if path != folder)

    def pages(self) -> Iterator[str]:
        """Yield the path of every page, duplicates included."""
        columns = self.columns
        # One by one: iterating over a table decodes all of it, and mostly the first page is enough.
        paths = map(columns.page_path.__getitem__, range(len(columns.page_path)))
        return self._own(chain(paths, (page.path for page in columns.duplicates)))

    @property
    def upper_folders(self) -> Sequence[str]:
        """The folders that hold folders."""
        return list({"", *self._own(self.columns.upper_folders)})

    @property
    def graph_paths(self) -> Sequence[str]:
        """The paths of the parts of the dependency graph."""
        return list(self._own(self.columns.graph.paths))

    @property
    def problems(self) -> Sequence[Problem]:
        """Its problems; their paths have the prefix."""
        return [problem for problem in self.columns.problems if problem.path.startswith(self._prefix)]

    @property
    def refused(self) -> Sequence[str]:
        """The paths of files, folders and build caches that could not be read at all."""
        return list(self._own(problem.path for problem in self.problems if problem.kind in (UNREAD, *UNREAD_CACHES)))

    def _own(self, paths: Iterable[str]) -> Iterator[str]:
        return (path[len(self._prefix) :] for path in paths if path.startswith(self._prefix))

    def _places(self, folder: str) -> range:
        """Return which entries of `file_path` are this folder and its contents."""
        start, paths = encoded(self._prefix + folder), self.columns.file_path
        # `0` is the character after `/`
        return range(paths.bisect(start), paths.bisect(start[:-1] + b"0")) if start else range(len(paths))


def compared_as_whole(known: Known, now: Mapping[str, Mtimes | OSError], unread: str) -> Difference:
    """Compare all files of a content that is read again as a whole, by this path, if any of them differs."""
    before = dict(known.files())
    if before == {path: UNREAD_MTIMES if isinstance(each, OSError) else each for path, each in now.items()}:
        return Difference()
    return Difference(frozenset({unread, *known.pages(), *known.refused, *before}), (unread,))


class MirrorRules(Struct, frozen=True):
    """The binaries of a mirror that count, by the rules of a `mirrors.yaml`."""

    signed: bool = True
    """Whether only signed binaries count."""
    view: str = ""
    """The view of the index that is read, so that Spack tries layout v3 only; empty for the whole cache."""


class Source(Protocol):
    """One content. The methods with a body are right for content that is all on this machine."""

    content: str
    """The content as the user named it."""
    identity: str
    """The key of its saved index, the same however the user spells the content: an absolute path or a URL.

    After the path of an installation stand, each with a tab in front, the upstreams that the user has added.
    """

    notes: tuple[str, ...] = ()
    """Lines for the user about the last time that it was read or compared."""
    stale: tuple[Stale, ...] = ()
    """Its local copies that may be out of date, since it was last read or compared."""
    may_be_empty: bool = False
    """Whether it may be unreadable without an error."""
    keyrings: Sequence[str] = ()
    """The folders where the keyring of an installation may be."""
    rules: Mapping[tuple[str, str], MirrorRules] = {}
    """The rules for the mirrors of a `mirrors.yaml`, by tag and stack."""
    credentials: Mapping[str, Any] = {}
    """The credentials that it names for servers, by the URL above the files that they open; never shown or kept."""

    @property
    def parts(self) -> Sequence[tuple[str, "Source"]]:
        """The single contents, each with the prefix of its paths."""
        return [("", self)]

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags that a server lists next to those that were read, in their order."""
        return []

    def ask_for(self, tag: str) -> None:
        """Read this tag too, from the next comparison on."""
        return

    def ask_servers(self) -> None:
        """From the next comparison on, also ask the servers of a `mirrors.yaml` that the user did not name."""
        return

    def revision(self) -> str:
        """Return a text that changes with each `git pull` or the like; empty if nothing tells of such."""
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read everything, piece by piece; the tag that is shown first comes first, and the first segment soon.

        Raises ContentError where the content as a whole cannot be read, Interrupted soon after `cancelled` says so.
        """

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> Difference:
        """Compare these `pages`, or everything, with the state of an index; raises as `read` does.

        `cheap` compares only what takes next to no time, or everything where the revision has changed.
        """

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these paths of a `Difference` again; raises as `read` does."""

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield each time that something has changed, until `cancelled` says so.

        Raises ContentError if the system cannot watch it, for example because of too many folders.
        """
