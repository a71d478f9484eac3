"""The interface `Source`, through which the program reads all kinds of content.

A source lists the binaries in one CONTENT, for example in a folder of pages. The source yields segments, which are
parts of an index. Later, it compares the content with the index. Paths are relative to the content, or absolute in an
installation. The path of a folder ends in `/`, and the empty path is the root. A new kind of content needs only a new
source and an entry in `kinds`.
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
from cachetui.store.arrays import encoded
from cachetui.store.columns import Columns, Segment
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes
from cachetui.workers.cancelling import Cancelled, never


class ContentError(UserError):
    """The content cannot be read. The message states the reason and the remedy."""


REMEDY = "give a build cache, its URL, an installation or a folder of pages"
"""The remedy in a message if the content has nothing to read."""


class Asking(Struct, frozen=True):
    """The user's options for reading servers and installations."""

    offline: bool = False
    """Read only the local copy."""
    insecure: bool = False
    """Allow `http:` to other machines, and allow invalid certificates."""
    all_tags: bool = False
    """Read every tag in the list of a server, not only the default tag."""
    tags: tuple[str, ...] = ()
    """Tags to read instead of the default tag."""
    previews: bool = False
    """Yield the beginning of an index while the rest is being downloaded."""
    until: float = math.inf
    """The time on the monotonic clock after which a local copy is used without waiting for the server."""
    credential_helpers: bool = False
    """Run the programs from docker's configuration that return the passwords of registries."""
    realms: tuple[str, ...] = ()
    """Hosts (HOST or HOST:PORT) whose token servers may receive the password of a registry on another host."""
    allow_env: bool = False
    """Use credentials from environment variables even if a `mirrors.yaml` outside Spack's configuration names them."""
    list_tags: bool = False
    """If a registry has no index, list its tags. A tag has the name, version and hash of a spec."""
    upstreams: tuple[str, ...] = ()
    """Upstreams of an installation (NAME=PATH), in addition to those in its configuration."""
    found: bool = False
    """Whether cachetui itself found the content, a `mirrors.yaml`, in Spack's configuration.

    Then its servers are contacted only after a call of `Source.ask_servers`.
    """


class Stale(Struct, frozen=True):
    """A local copy that may be out of date."""

    url: str
    confirmed: float
    """When the server last confirmed that the copy is up to date, in seconds since the epoch."""
    why: str
    """The reason why the server did not confirm the copy now."""
    offline: bool
    """Whether no request was made, because of `--offline`."""
    kind: ClassVar[str] = "stale"

    @property
    def sign(self) -> str:
        """The short text for the header of a screen: `offline`, or `copy of 21:50`."""
        return "offline" if self.offline else f"copy of {local_time(self.confirmed)}"

    @property
    def note(self) -> str:
        """A line for the user with the age of the copy, and the reason why the copy is used."""
        owner = "" if self.url in self.why else f" of {self.url}"
        return f"using the local copy{owner} from {ago(time.time() - self.confirmed)}, because {self.why}"

    @property
    def problem(self) -> Problem:
        """The line `note` as a `Problem`."""
        return Problem(path=self.url, level="note", kind=self.kind, message=self.note)


class ByTags(Stale, frozen=True):
    """A local copy of the tags of a registry that has no index."""

    kind = "by_tags"
    sign = "from tag names"

    @property
    def note(self) -> str:
        """A line for the user: the specs come from the image tags of a registry, and when the tags were listed."""
        return f"{self.url} has no index: its specs come from tag names, listed {ago(time.time() - self.confirmed)}"


class Progress(Struct, frozen=True):
    """The progress of reading the content."""

    done: int
    total: int
    """The total number of units of work. All units take about the same time."""
    transfer: str = ""
    """The progress of downloads as a string. Empty without downloads."""
    is_preview: bool = False
    """Whether the yielded segment is only a preview that a later segment replaces."""


class Difference(Struct, frozen=True):
    """The difference between the content and its index. The object is false if nothing differs."""

    dropped: frozenset[str] = frozenset()
    """Paths of files, folders and pages to remove from the index."""
    unread: tuple[str, ...] = ()
    """The paths to read again. The path of a folder includes everything inside the folder."""
    listed: tuple[Segment, ...] = ()
    """For the folders that were listed again: segments with the new mtimes and problems."""
    whole: bool = True
    """Whether the whole content was compared."""

    def __bool__(self) -> bool:
        return bool(self.dropped)


class Known:
    """The part of an index that comes from one source: its files, pages, problems and graphs."""

    def __init__(self, columns: Columns, revision: str = "", prefix: str = "") -> None:
        """Select the part of one source in the `columns` of the whole index.

        `revision` is the revision of the source when everything was last compared. All paths of the source begin with
        `prefix`.
        """
        self.columns = columns
        self._entries: Once[int, bytes] = Once(columns.file_path.raw)
        """A cache of paths, because all binary searches begin with the same paths."""
        self._prefix = prefix
        self.revision = revision

    def __len__(self) -> int:
        """Return the number of files and folders."""
        return len(self._places(""))

    def files(self, folder: str = "") -> Iterator[tuple[str, Mtimes]]:
        """Yield the path of each file and folder in the index with its mtimes, sorted by path.

        With `folder`, yield only this folder and everything inside it.
        """
        columns, places, cut = self.columns, self._places(folder), len(self._prefix)
        at = slice(places.start, places.stop)
        is_all = len(places) == len(columns.file_path)
        paths = columns.file_path if is_all else columns.file_path.part(at.start, at.stop)
        mtimes = zip(columns.file_size[at], columns.file_time[at], strict=True)
        return zip((path[cut:] for path in paths) if cut else paths, mtimes, strict=True)

    def mtimes(self, path: str) -> Mtimes | None:
        """Return the mtimes of a file or folder in the index, or None if the path is unknown."""
        return self.columns.file_mtimes(self._prefix + path, self._entries.__getitem__)

    def below(self, folder: str) -> Iterator[str]:
        """Yield the path of every file and folder in the index below this folder."""
        return (path for path, _ in self.files(folder) if path != folder)

    def pages(self) -> Iterator[str]:
        """Yield the path of every page, including duplicates."""
        columns = self.columns
        # Decode pages one by one, because iterating over a table decodes all of it and the first page is often enough.
        paths = map(columns.page_path.__getitem__, range(len(columns.page_path)))
        return self._own(chain(paths, (page.path for page in columns.duplicates)))

    @property
    def upper_folders(self) -> Sequence[str]:
        """The folders that have subfolders."""
        return list({"", *self._own(self.columns.upper_folders)})

    @property
    def graph_paths(self) -> Sequence[str]:
        """The paths of the dependency graphs of the tags."""
        return list(self._own(self.columns.graph.paths))

    @property
    def problems(self) -> Sequence[Problem]:
        """The problems of this source. The paths in these problems begin with the prefix."""
        return [problem for problem in self.columns.problems if problem.path.startswith(self._prefix)]

    @property
    def refused(self) -> Sequence[str]:
        """The paths of files, folders and build caches that could not be read at all."""
        return list(self._own(problem.path for problem in self.problems if problem.kind in (UNREAD, *UNREAD_CACHES)))

    def _own(self, paths: Iterable[str]) -> Iterator[str]:
        return (path[len(self._prefix) :] for path in paths if path.startswith(self._prefix))

    def _places(self, folder: str) -> range:
        """Return the range of positions in the column `file_path` with a folder and everything inside the folder."""
        start, paths = encoded(self._prefix + folder), self.columns.file_path
        # `0` is the next character after `/`
        return range(paths.bisect(start), paths.bisect(start[:-1] + b"0")) if start else range(len(paths))


def compared_as_whole(known: Known, now: Mapping[str, Mtimes | OSError], unread: str) -> Difference:
    """Compare content that can only be read as a whole.

    `now` contains the present mtimes of each file. If any file differs, the result contains the path `unread`, so that
    the caller reads this path again.
    """
    before = dict(known.files())
    if before == {path: UNREAD_MTIMES if isinstance(each, OSError) else each for path, each in now.items()}:
        return Difference()
    return Difference(frozenset({unread, *known.pages(), *known.refused, *before}), (unread,))


class MirrorRules(Struct, frozen=True):
    """Spack's rules for the binaries of one mirror, from a `mirrors.yaml`."""

    signed: bool = True
    """Whether Spack accepts only signed binaries from this mirror."""
    view: str = ""
    """The only view to read, or empty to read the whole build cache. With a view, Spack uses layout v3 only."""


class Source(Protocol):
    """The interface to one CONTENT. Methods with a body are defaults that suit any content on this machine."""

    content: str
    """The content as the user typed it."""
    identity: str
    """The key of the index cache: an absolute path or a URL, independent of the user's spelling.

    For an installation, the upstreams given by the user are appended to the path, each after a tab.
    """

    notes: tuple[str, ...] = ()
    """Lines for the user about the last reading or comparison."""
    stale: tuple[Stale, ...] = ()
    """The local copies that may be out of date according to the last reading or comparison."""
    may_be_empty: bool = False
    """If true, missing or unreadable content is not an error."""
    keyrings: Sequence[str] = ()
    """The folders that may contain the keyring of the installation."""
    rules: Mapping[tuple[str, str], MirrorRules] = {}
    """Spack's rules for the binaries of each mirror in a `mirrors.yaml`, by tag and stack."""
    credentials: Mapping[str, Any] = {}
    """The credentials for servers from a `mirrors.yaml`, by URL prefix. They are never shown or saved."""

    @property
    def parts(self) -> Sequence[tuple[str, "Source"]]:
        """The sources that this source combines, each with the prefix of its paths.

        A source that does not combine others returns only itself, with an empty prefix.
        """
        return [("", self)]

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags that the server lists, without the tags in `read` (the tags already read).

        Keep the order of the server's list.
        """
        return []

    def ask_for(self, tag: str) -> None:
        """Include this tag in all later calls of `read` and `compare`."""
        return

    def ask_servers(self) -> None:
        """In all later calls of `read` and `compare`, contact the servers of a `mirrors.yaml`.

        Without this call, the servers of a `mirrors.yaml` from Spack's configuration are not contacted.
        """
        return

    def revision(self) -> str:
        """Return a string that changes with each update of the content, such as `git pull`. The default is `""`."""
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read the whole content. Yield pairs of a segment (a part of the index) and the progress.

        If there is progress but no new segment, the segment is None.
        The default tag comes first. The first segment is small, so that it comes early. Raises ContentError if the
        whole content is unreadable, and Interrupted soon after `cancelled` returns True.
        """

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> Difference:
        """Compare the content with an index, and return the difference. Raises the errors of `read`.

        With `pages`, compare only these pages. With `cheap`, if the revision is unchanged, compare only the parts that
        can be compared quickly.
        """

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these paths again. They come from `Difference.unread`. Raises the errors of `read`."""

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield after each change of the content, until cancelled.

        Raises ContentError if the system cannot watch the content, for example because of too many folders.
        """
