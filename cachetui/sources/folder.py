"""The source for a folder of pages and build caches, or for a single page.

Each command compares all files of a small folder with the index. For a large folder, it compares only the build caches,
and those folders that have subfolders. After a `git pull`, the next command compares all files of a large folder, too.
Input: a path from the user.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cachetui.safe_text import visible
from cachetui.sources.files import opened
from cachetui.sources.pages.listing import Listing, add_listing, caches_below, listed
from cachetui.sources.paths import ContentPath, tag_path
from cachetui.sources.source import REMEDY, ContentError, Difference, Known, Progress, Source, compared_as_whole
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes, mtimes_at
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.threads import parallel

if TYPE_CHECKING:
    from cachetui.sources.buildcache.index_document import IndexStream

# The readers of pages and caches are imported late, because most commands with an index cache do not need them.

ROOT = ContentPath()
"""The path of the content folder itself."""

BLOCK_FILES = 8192
"""Maximum number of files to compare at a time, to save memory."""

CACHES = ContentPath.of_cache()
"""The folder above all build caches."""

MAX_CHEAP_FILES = 15_000
"""Maximum number of files and folders that every command compares, in under 50 ms."""

WATCH_MILLISECONDS = 300
"""Milliseconds between two checks of `cancelled` while watching."""


class FolderSource(Source):
    """A folder of pages and build caches, or one page."""

    def __init__(self, content: str, name: str = "", url: str = "", stream: "IndexStream | None" = None) -> None:
        """Raise ContentError if the path does not exist.

        If the folder itself is a build cache, `name` is its tag; the default is the name of the folder. `url` is set if
        the folder is a local copy from a server, which contains only the indexes of build caches. In this case
        `stream` may already have read the beginning of an index.
        """
        self.content = content
        try:
            is_page = stat.S_ISREG(os.stat(content).st_mode)
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        path = os.path.realpath(content)
        # a folder has a `/` at the end, so that a file with the same path has another index cache
        self.identity = path if is_page else os.path.join(path, "")
        self._root = os.path.dirname(content) or "." if is_page else content
        self._page = os.path.basename(content) if is_page else None
        self._name = name or os.path.basename(self.identity.rstrip("/")) or "cache"
        self._url = url
        self._stream = stream

    def revision(self) -> str:
        """Return the size and time of the git index, as a string. Empty if the content is not in a git checkout."""
        folders = self.identity.rstrip("/").split("/")
        for depth in range(len(folders), 0, -1):
            with suppress(OSError):
                status = os.stat(f"{_git_folder('/'.join(folders[:depth]))}/index")
                return f"{status.st_size} {status.st_mtime_ns}"
        return ""

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read all pages, then the build caches tag by tag. See `Source`."""
        from cachetui.sources.pages.reader import segments

        caches: set[str] = set()
        progress = Progress(0, 1)
        self._check()
        try:
            for segment, progress in segments(self._root, self._page, cancelled):
                if segment is not None:
                    caches.update(segment.caches)
                yield segment, progress
        except OSError as error:
            raise self._unreadable(error) from None
        self._check()
        if self._page is None and not caches and self._is_cache:
            caches.add("")
        for done, segment in enumerate(self._read_caches(caches, cancelled), progress.total + 1):
            yield segment, Progress(done, done)

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> Difference:
        """Compare the content with an index. See `Source`.

        If any of the `pages` belongs to a build cache, compare all files of all build caches. With `cheap`, compare
        only these parts of a large folder: all build caches, all folders that have subfolders, and everything that was
        unreadable.
        """
        if pages is None and cheap and len(known) > MAX_CHEAP_FILES and known.revision == self.revision():
            pages = [CACHES, *known.upper_folders, *known.refused]
        if pages is None:
            return self._compared(known, None, cancelled)
        paths = [path for path in map(ContentPath, pages) if not path.is_of_cache]
        of_caches = (path for path, _ in known.files(CACHES) if len(paths) < len(pages))
        return replace(self._compared(known, chain(paths, of_caches), cancelled), whole=False)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these pages and folders, and the build caches of these tags, again. See `Source`.

        In `paths`, the path of a tag's dependency graph means all build caches of the tag.
        """
        from cachetui.sources.pages.reader import read_all

        wanted = sorted(map(ContentPath, paths))
        read = read_all(self._root, [str(path) for path in wanted if not path.is_of_cache], cancelled)
        self._check()
        tags = (path.in_content for path in wanted if path.is_graph)
        return [*read, *self._read_caches({cache for tag in tags for cache in self._caches_below(tag)}, cancelled)]

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield after each change in the folder. See `Source`."""
        return watched(self.content, [self._root], cancelled)

    def _compared(self, known: Known, paths: Iterable[str] | None, cancelled: Cancelled) -> Difference:
        self._check()
        try:
            if self._page is not None:
                files = [path for path, _ in known.files()] or [self._page]
                return compared_as_whole(known, {path: mtimes_at(f"{self._root}/{path}") for path in files}, self._page)
            found = compare(self._root, known, paths, cancelled)
            unread = list(map(ContentPath, found.unread))
            tags = {path for path in unread if path.is_graph}
            if (tags or ROOT in found.dropped) and len(known) > 1 and not os.listdir(self._root):
                message = "is empty now, but was not before: mount it, or give --no-index-cache if it is really empty"
                raise ContentError(f"{visible(self.content)} {message}")
        except OSError as error:
            raise self._unreadable(error) from None
        caches = {
            *chain.from_iterable(segment.caches for segment in found.listed),
            *chain.from_iterable(self._caches_below(path) for path in unread if path.is_folder),
        }
        if ROOT in found.dropped and not known.graph_paths and self._is_cache:
            caches.add(ROOT)
        new = [cache for cache in caches if known.mtimes(ContentPath.of_cache(cache)) is None]
        within_cache = bool(new) and self._is_cache
        tags |= {tag_path(cache, within_cache=within_cache).graph for cache in new}
        if tags:
            of_caches = chain((path for path, _ in known.files(CACHES)), known.pages(), known.refused)
            gone = {path for path in of_caches if path.startswith(tuple(graph.tag for graph in tags))}
            found = replace(found, dropped=found.dropped | gone | tags, unread=tuple(sorted({*found.unread, *tags})))
        return found

    @property
    def _is_cache(self) -> bool:
        """Whether the folder itself is a build cache."""
        from cachetui.sources.buildcache.layouts import layout_of

        return bool(layout_of(self._root))

    def _read_caches(self, paths: Iterable[str], cancelled: Cancelled) -> Iterator[Segment]:
        """Yield one segment (a part of the index) for each tag of the build caches in these folders."""
        if not (paths := list(paths)):
            return
        from cachetui.sources.buildcache.reader import Cache, by_tag, read_caches

        for tag in by_tag(self._name, paths):
            caches = [
                Cache(
                    f"{self._root}/{path}",
                    ContentPath.of_cache(path),
                    stack,
                    url=self._url and f"{self._url}/{path}".rstrip("/"),
                )
                for path, stack in tag.stacks.items()
            ]
            yield read_caches(tag.path, tag.tag, caches, cancelled, stream=self._stream)

    def _caches_below(self, folder: str) -> Iterator[str]:
        """Yield the build caches that `read` would find in a folder. The folder itself may be one of them."""
        found = list(caches_below(self._root, folder))
        return iter([""] if not folder and not found and self._is_cache else found)

    def _check(self) -> None:
        """Raise ContentError if the content is missing, unreadable, or no longer the same kind (folder or page)."""
        try:
            with os.scandir(f"{self._root}/.") if self._page is None else opened(self.content):
                pass
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> ContentError:
        reason = getattr(error, "strerror", None) or error
        return ContentError(f"{visible(self.content)} cannot be read ({reason}): {REMEDY}")


# Comparison with an index. No file is read, and only changed folders are listed again. In case of doubt, a file counts
# as changed. A file counts as removed only if its folder was listed again and does not contain the file.


def compare(root: str, known: Known, paths: Iterable[str] | None, cancelled: Cancelled) -> Difference:
    """Compare these files and folders on the disk with the index. If `paths` is None, compare all paths of the index.

    A file is unchanged if its size and times are unchanged. A folder is unchanged if its times are unchanged.
    `Difference.unread` contains the new and changed pages and folders. If a file of a build cache has changed, `unread`
    contains the path of the dependency graph of the tag instead. Raises OSError if the content folder cannot be listed,
    and Interrupted if cancelled.
    """
    work = _FileComparison(root, known, cancelled)
    if paths is not None:
        files: Iterator[tuple[str, Mtimes | None]] = ((path, known.mtimes(path)) for path in paths)
    else:
        files = iter(known.files())
        if known.mtimes(ROOT) is None:
            work.take(ROOT, None, mtimes_at(f"{root}/"))
    while some := list(islice(files, BLOCK_FILES)):
        work.compare(some)
    return work.outcome()


class _FileComparison:
    """A comparison of files with an index. See the function `compare`."""

    def __init__(self, root: str, known: Known, cancelled: Cancelled) -> None:
        self._root, self._known, self._cancelled = root, known, cancelled
        self._dropped, self._gone, self._unread = set[str](), set[str](), set[str]()
        self._unsure: set[str] = set()
        """Folders to list again."""
        self._tags = {graph: graph.tag for graph in map(ContentPath, known.graph_paths)}

    def compare(self, files: Sequence[tuple[str, Mtimes | None]]) -> None:
        """Compare these files and folders with the disk; each path is paired with its mtimes in the index."""
        found = list(parallel(mtimes_at, [f"{self._root}/{path}" for path, _ in files], self._cancelled))
        if found != [known for _, known in files]:
            for (path, known), now in zip(files, found, strict=True):
                if now != known:
                    self.take(ContentPath(path), known, now)

    def take(self, path: ContentPath, known: Mtimes | None, now: Mtimes | OSError) -> None:
        """Record a file or folder that differs from the index."""
        place, access = f"{self._root}/{path}", os.R_OK | os.X_OK if path.is_folder else os.R_OK
        is_gone = isinstance(now, OSError) and _is_gone(place, now)
        if known == UNREAD_MTIMES and not is_gone and (isinstance(now, OSError) or not os.access(place, access)):
            return  # unreadable before and still unreadable
        if path.is_of_cache:
            self._unread.update([graph for graph, tag in self._tags.items() if path.startswith(tag)][:1])
            return
        self._dropped.add(path)
        if is_gone or path.endswith(".json"):  # a sidecar is read again with the pages next to it
            self._take_gone(path)
        else:
            (self._unsure if path.is_folder else self._unread).add(path)

    def _take_gone(self, path: ContentPath) -> None:
        """Record a file or folder that seems to be removed. Its parent folder is listed later to confirm this."""
        self._gone.add(path)
        self._dropped.add(path)
        self._unsure.add(path.folder)

    def outcome(self) -> Difference:
        """List the changed folders again; return the difference."""
        listings = self._listings()
        beside = {ContentPath(path).folder for path in self._gone if path.endswith(".json")}
        builder = SegmentBuilder()
        for folder, found in listings.items():
            is_new = isinstance(found, OSError) or self._take_new(found, all_pages=folder in beside)
            if is_new or folder in self._dropped:
                self._dropped.add(folder)
                add_listing(builder, folder, found)
        # some files in these folders may not have been compared
        folders = filter(lambda path: path and ContentPath(path).is_folder, self._gone | self._unread)
        dropped = frozenset(chain(self._dropped, self._unread, *map(self._known.below, folders)))
        return Difference(dropped, tuple(sorted(self._unread)), (builder.segment(),))

    def _listings(self) -> dict[str, Listing | OSError]:
        """List the folders that may have changed. Instead of a removed folder, list the nearest existing parent."""
        found: dict[str, Listing | OSError] = {}
        while folders := sorted(map(str, self._unsure.difference(found, self._gone - {ROOT}))):
            listings = parallel(lambda folder: listed(self._root, folder), folders, self._cancelled)
            for folder, listing in zip(folders, listings, strict=True):
                if isinstance(listing, OSError) and folder == ROOT:
                    raise listing
                if isinstance(listing, OSError) and _is_gone(f"{self._root}/{folder}", listing):
                    self._take_gone(ContentPath(folder))
                else:
                    found[folder] = listing
        return found

    def _take_new(self, listing: Listing, *, all_pages: bool) -> bool:
        """Mark all new pages and subfolders of a folder as unread, and return whether there are any.

        A page that seemed to be removed but exists counts as new. If the folder has a new sidecar file (a JSON file
        that belongs to a page), all its pages count as new. With `all_pages`, all pages always count as new.
        """
        new = [path for path in (*listing.pages, *listing.folders) if path in self._gone or self._is_new(path)]
        if all_pages or any(map(self._is_new, listing.sidecars)):
            new += listing.pages
        self._unread.update(new)
        return bool(new)

    def _is_new(self, path: str) -> bool:
        return self._known.mtimes(path) is None


def _is_gone(path: str, error: OSError) -> bool:
    """Return whether a path does not exist. A broken link counts as existing."""
    return isinstance(error, FileNotFoundError | NotADirectoryError) and not os.path.lexists(path)


def _git_folder(folder: str) -> str:
    """Return the folder with the git index of a checkout.

    In a worktree or a submodule, `.git` is a file that contains the path of this folder.
    """
    path = f"{folder}/.git"
    if os.path.isfile(path):
        with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
            return os.path.join(folder, file.readline(4096).removeprefix("gitdir: ").rstrip("\n"))
    return path


def watched(content: str, paths: Sequence[str], cancelled: Cancelled, *, recursive: bool = True) -> Iterator[None]:
    """Yield after each change at these paths, until cancelled.

    Without `recursive`, watch only the direct entries of each folder. `content` is the content as the user typed it,
    for error messages. Raises ContentError if the system cannot watch the paths.
    """
    from watchfiles import watch

    try:
        for changes in watch(
            *paths, rust_timeout=WATCH_MILLISECONDS, yield_on_timeout=True, raise_interrupt=False, recursive=recursive
        ):
            if cancelled():
                return
            if changes:
                yield
    except (OSError, RuntimeError) as error:
        raise ContentError(f"{visible(content)} cannot be watched ({error}): press r to read it again") from None
