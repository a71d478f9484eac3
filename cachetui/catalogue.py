"""The content and its index cache: load the index, compare it with the content, and read changed files again.

If the index cache is missing or damaged, everything is read, and a note informs the user. Snapshots are shown as
additional tags. They are read on request, and never saved in the index cache.

Input: a source (see `sources.source`), a file in the user's cache folder (see `store.index_cache`), and the snapshots
(see `store.snapshots`).
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cachetui.debug_log import log
from cachetui.model.problem import UNREAD, UNREAD_CACHE, UNREAD_CACHES, Problem, UserError
from cachetui.model.tags import first_of_tags, tag_meant, tag_order
from cachetui.safe_text import ago, plural, shell_word, visible
from cachetui.search.index import Index
from cachetui.settings.folders import file_name, index_cache_path
from cachetui.settings.settings import Settings
from cachetui.sources.kinds import open_source
from cachetui.sources.source import Asking, ContentError, Difference, Known, MirrorRules, Progress, Source, Stale
from cachetui.sources.transport.address import is_address
from cachetui.store.arrays import encoded
from cachetui.store.columns import SNAPSHOT_PAGES, Columns, Segment
from cachetui.store.index_cache import IndexCache
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.store.snapshots import History, PackedRow

JUST_NOW_SECONDS = 2.0
"""For this number of seconds after a full comparison, a command does not compare again."""

MAX_COMPARED_FILES = 30_000
"""Maximum number of files and folders to compare before a command reports that nothing was found.

The comparison of so many takes about 0.1 s.
"""

OLD_SECONDS = 3600.0
"""If the last full comparison is older than this number of seconds, a command prints a note."""

GROWTH_FACTOR = 3
"""A new preliminary index is made each time that the completed part of the work has grown by this factor."""

LARGE_SHARE = 5
"""Preliminary indexes are made only during the first 1/`LARGE_SHARE` of the work, because larger ones take long."""

Grown: TypeAlias = Callable[[Index, Progress], None]
Progressed: TypeAlias = Callable[[Progress], None]
Refreshed: TypeAlias = Callable[[Index], None]


class _WithSnapshots(Index):
    """An index with the specs of the content and of some snapshots."""

    def __init__(self, own: Index, snapshots: frozenset[str], columns: Columns) -> None:
        super().__init__(columns)
        self.own = own
        self.snapshots = snapshots


class Catalogue:
    """The content with its index cache."""

    def __init__(
        self,
        content: str | Sequence[str],
        settings: Settings,
        *,
        index_cache: bool = True,
        asking: Asking | None = None,
        shows_snapshots: bool = False,
        records: bool = False,
    ) -> None:
        """Open the content. Raises ContentError if one CONTENT is unreadable.

        With `shows_snapshots`, snapshots appear as additional tags. With `records`, each new index from a server is
        also saved as a snapshot.
        """
        self._contents = [content] if isinstance(content, str) else content
        asking = asking or Asking()
        self.source = open_source(self._contents, settings, asking)
        file = index_cache_path(settings.cache_folder, self.source.identity) if index_cache else None
        self._saved = IndexCache(file, self.source.identity, writes=not asking.offline)
        self._compared_here = -JUST_NOW_SECONDS
        """The time of the last full comparison by this object, on the monotonic clock."""
        self._read_here: set[str] = set()
        """The files that this object has read. `confirmed` does not compare these files again."""
        self._settings = settings
        self.shows_snapshots, self._records = shows_snapshots, records
        self._requested: set[str] = set()
        """The tags of the snapshots that were requested with `ask_for`."""
        self._newest: Sequence[str] = ()
        """The tags of the latest snapshots. Empty before a call of `ask_newest`."""
        self._layer: _WithSnapshots | None = None
        """The cached index with the snapshots that were requested last."""

    @property
    def content_words(self) -> str:
        """The content as command-line arguments, quoted for a shell."""
        words = list(map(shell_word, self._contents))
        named = words[0] if len(words) == 1 else " ".join(f"-C {word}" for word in words)
        return f"{named} --history" if self.shows_snapshots else named

    @property
    def contents(self) -> list[tuple[str, str]]:
        """For each CONTENT: the prefix of its tags, and the CONTENT as the user wrote it.

        The prefix is empty if only one CONTENT is open.
        """
        return [(prefix, source.content) for prefix, source in self.source.parts]

    @property
    def notes(self) -> list[str]:
        """Notes for the user, for example about an unusable index cache."""
        told = (note for _, source in self.source.parts for note in source.notes)
        return [*(stale.note for stale in self.stale), *told, *self._saved.notes]

    @property
    def stale(self) -> list[Stale]:
        """The local copies of servers that may be out of date."""
        return [stale for _, source in self.source.parts for stale in source.stale]

    @property
    def keyrings(self) -> list[str]:
        """The folders that may contain the keyrings of installations."""
        return [folder for _, source in self.source.parts for folder in source.keyrings]

    @property
    def rules(self) -> dict[tuple[str, str], MirrorRules]:
        """Spack's rules for the binaries of each mirror in a `mirrors.yaml`, by tag and stack."""
        parts = self.source.parts
        return {(prefix + tag, name): each for prefix, one in parts for (tag, name), each in one.rules.items()}

    @property
    def credentials(self) -> dict[str, Any]:
        """The credentials from a `mirrors.yaml`, by URL of the server."""
        return {url: each for _, source in self.source.parts for url, each in source.credentials.items()}

    # An index

    def saved(self) -> Index | None:
        """Return the index from the index cache; None if this cache is missing or unusable.

        The index is not compared with the content.
        """
        columns = self._saved.load()
        return None if columns is None else Index(columns)

    def load(
        self, grown: Grown | None = None, cancelled: Cancelled = never, progressed: Progressed = lambda _: None
    ) -> Index:
        """Read the whole content, save the new index, and return this index.

        `grown` is called with each preliminary index, and finally with the complete index. Then the index is saved.
        `progressed` is called after each piece of work. Raises ContentError. Raises Interrupted if `cancelled` returns
        true.
        """
        self._saved.revision = self.source.revision()
        started = time.time()
        index = _read_all(self.source, grown, cancelled, progressed)
        self._saved.compared, self._compared_here = started, time.monotonic()
        self._save(index)
        return self._with_requested(index)

    # Comparison of an index with the content

    def refresh(
        self,
        index: Index,
        refreshed: Refreshed = lambda _: None,
        cancelled: Cancelled = never,
    ) -> Index:
        """Compare the index with all of the content, read the changed files again, and return the new index.

        Without changes, return the same index. `refreshed` is called with the index before it is saved. Raises
        ContentError. If `cancelled` returns true, save nothing and raise Interrupted.
        """
        started, revision, own = time.time(), self.source.revision(), self.own(index)
        found = self.source.compare(Known(own.columns, self._saved.revision), cancelled)
        return self._with_requested(self._settled(own, found, started, revision, refreshed, cancelled))

    def _settled(
        self,
        index: Index,
        difference: Difference,
        started: float,
        revision: str,
        refreshed: Refreshed = lambda _: None,
        cancelled: Cancelled = never,
    ) -> Index:
        """Finish a full comparison: read the changed files, save the new index, and return the index.

        `difference`: the result of the comparison. `started`: the time at which the comparison began. `revision`: the
        revision of the content at this time. `refreshed` is called with the new index before this index is saved.
        """
        same_revision = revision == self._saved.revision
        self._saved.compared, self._saved.revision, self._compared_here = started, revision, time.monotonic()
        if difference:
            return self._read_again(index, difference, refreshed, cancelled)
        refreshed(self._with_requested(index))
        if same_revision:
            self._saved.touch()
        else:
            self._saved.save(index.columns)
        return index

    def current(self, *, fresh: bool = False, progressed: Progressed = lambda _: None) -> Index:
        """Return the index for a command. Compare the index cache with the content, as far as this is quick.

        With `fresh`, compare everything. Without an index cache, read the whole content, and call `progressed` during
        this time.
        """
        index = self.saved()
        if index is None:
            return self.load(progressed=progressed)
        if fresh:
            return self.refresh(index)
        started, revision = time.time(), self.source.revision()
        found = self.source.compare(Known(index.columns, self._saved.revision), cheap=True)
        if found.whole:
            index = self._settled(index, found, started, revision)
        elif found:
            index = self._read_again(index, found)
        return self._with_requested(index)

    def confirmed(self, index: Index, rows: Iterable[int], *, misses: bool = False) -> Index:
        """Check whether the files with these rows have changed, and return the updated index.

        `rows`: the rows that a command will print. `misses`: whether the command did not find something. With `misses`
        or without rows, check all files. If that would be slow, or if all files were last checked long ago, add a note
        with the time of the last check.
        """
        if time.monotonic() - self._compared_here < JUST_NOW_SECONDS:
            return index
        own, pages = self.own(index), dict.fromkeys(map(index.columns.page, rows))
        paths = map(index.columns.page_path.__getitem__, pages)
        named = [path for path in paths if own is index or SNAPSHOT_PAGES not in path]
        misses = misses or not named
        if misses and len(index.columns.file_path) <= MAX_COMPARED_FILES:
            return self.refresh(index)
        now, compared = time.time(), self._saved.compared
        # A recently changed file counts as changed for a while, even if it was read after the change.
        unsure = [path for path in named if path not in self._read_here]
        if found := self.source.compare(Known(own.columns), pages=unsure):
            return self._with_requested(self._read_again(own, found))
        if misses or not 0 <= now - compared < OLD_SECONDS:
            self._saved.note_once(
                f"the files were last checked for changes {ago(now - compared)}: to check them now, give --fresh"
            )
        return index

    def _read_again(
        self,
        index: Index,
        difference: Difference,
        refreshed: Refreshed = lambda _: None,
        cancelled: Cancelled = never,
    ) -> Index:
        from cachetui.store.merge import updated

        known, source = index.columns, self.source
        # A duplicate may have to replace a removed page.
        left_out = {page.path for page in known.duplicates} - difference.dropped
        log(f"read {plural(len(difference.unread), 'path')} of {source.content} again")
        again = source.read_again({*difference.unread, *left_out}, cancelled)
        found = Index(updated(known, [*difference.listed, *again], difference.dropped | left_out))
        _refuse_unread(source, found)
        refreshed(self._with_requested(found))
        self._save(found)
        self._read_here.update(chain.from_iterable(segment.file_path for segment in again))
        return found

    def _save(self, index: Index) -> None:
        """Save a changed index. With `records`, also save a snapshot if the content is on a server."""
        self._saved.save(index.columns)
        if self._records and any(is_address(content) for _, content in self.contents):
            try:
                self.record(index)
            except UserError as error:
                self._saved.note_once(f"no snapshot was saved: {error}")

    # Snapshots

    @cached_property
    def histories(self) -> "Sequence[History]":
        """The history (all snapshots) of each CONTENT."""
        from cachetui.store.snapshots import History  # late: rarely needed

        folder = Path(self._settings.history_folder)
        return [History(folder / file_name(source.identity), prefix) for prefix, source in self.source.parts]

    @property
    def snapshots(self) -> list[str]:
        """The tags of the readable snapshots, grouped by content, newest first. Empty if snapshots are hidden."""
        return [
            tag
            for history in (self.histories if self.shows_snapshots else ())
            for tag in history.tags
            if tag not in history.damage
        ]

    def ask_for(self, tag: str) -> None:
        """Include a tag in all indexes from now on. The tag may be a word for a snapshot, such as `yesterday`."""
        snapshots = self.snapshots
        if (found := tag_meant(tag, snapshots)) in snapshots:
            self._requested.add(found)
        else:
            self.source.ask_for(tag)

    def ask_newest(self) -> None:
        """Include the latest readable snapshot of each CONTENT in all indexes from now on."""
        self._newest = [tag for history in self.histories for tag in history.tags[:1]] if self.shows_snapshots else ()

    def over_snapshots(
        self, index: Index, *, package: str | None = None, hashes: Sequence[str] = (), has_graph: bool = False
    ) -> Index:
        """Add specs from all snapshots to the index, and return the new index.

        Add the specs of `package`, and the specs whose hash begins with one of `hashes`. If snapshots are hidden,
        return the same index. Skip unreadable snapshots, and add a note. With `has_graph`, also add the dependency
        graphs of the snapshots.
        """
        if not (snapshots := self.snapshots):
            return index
        from cachetui.store.snapshots import HASH, PACKAGE

        name, beginnings = package and encoded(package), tuple(map(encoded, hashes))

        def wanted(row: "PackedRow") -> bool:
            return row[PACKAGE] == name or row[HASH].startswith(beginnings)

        return Index(self._joint(self.own(index), snapshots, wanted, has_graph=has_graph))

    def snapshots_holding(self, hashes: Iterable[str]) -> list[str]:
        """Return the tags of the snapshots that contain binaries for all of these hashes, newest first."""
        own = list(map(encoded, hashes))
        return tag_order(chain.from_iterable(history.tags_with_binaries(own) for history in self.histories))

    def past_sizes(self) -> Mapping[str, Mapping[str, int]]:
        """Return the number of specs in each stack of each readable snapshot. Empty if snapshots are hidden."""
        histories = self.histories if self.shows_snapshots else ()
        return {tag: sizes for history in histories for tag, sizes in history.sizes().items()}

    def with_snapshots(self, index: Index, tags: Iterable[str]) -> Index:
        """Add the specs of some snapshots to the index, and return the new index. Do not add their dependency graphs.

        A snapshot is added if its tag is in `tags`.
        """
        lacking = set(self.snapshots).intersection(tags).difference(index.tags)
        return Index(self._joint(index, lacking, lambda _: True)) if lacking else index

    def record(self, index: Index) -> list[str | None]:
        """Save a snapshot of each CONTENT, with today's date.

        The snapshot contains the specs of the tag with which the content opens. If the content opens with all its tags,
        the snapshot contains the specs of all tags.

        For each CONTENT, return the tag of the new snapshot, or None if the latest snapshot has the same specs. Raises
        UserError, for example if any of the content is unreadable.
        """
        faults = (each.message for each in index.problems if each.kind in (UNREAD, *UNREAD_CACHES))
        if why := next(chain((each.note for each in self.stale), faults), None):
            raise ContentError(f"not all of the content could be read: {why}")
        recorded, columns = [], self.own(index).columns
        for history in self.histories:
            tags = tag_order(
                tag for tag in (*columns.tags, *self.source.unread_tags(columns.tags)) if tag.startswith(history.prefix)
            )
            opened = tags if (first := first_of_tags(tags)) is None else [first]
            if not set(opened) <= set(columns.tags):
                raise ContentError("not all tags were read: to record them, give --all-tags")
            recorded.append(history.record(time.strftime("%Y-%m-%d"), columns, opened))
        return recorded

    def own(self, index: Index) -> Index:
        """Return the index of the content without snapshots."""
        return index.own if isinstance(index, _WithSnapshots) else index

    def _with_requested(self, index: Index) -> Index:
        """Add the requested snapshots to the index, and return the new index. Raises ContentError for a damaged one."""
        newest = self._newest if first_of_tags([*index.tags, *self._newest]) else ()
        snapshots = frozenset((*self._requested, *newest) if self.shows_snapshots else ())
        if not snapshots:
            self._layer = None
            return index
        if self._layer is None or (self._layer.own, self._layer.snapshots) != (index, snapshots):
            self._layer = _WithSnapshots(index, snapshots, self._joint(index, snapshots))
        return self._layer

    def _joint(
        self,
        index: Index,
        snapshots: Collection[str],
        wanted: "Callable[[PackedRow], bool] | None" = None,
        *,
        has_graph: bool = False,
    ) -> Columns:
        """Add rows of these snapshots to the columns of an index, and return the new columns.

        `wanted`: a function that selects the rows; None for all rows. With `has_graph`, also add the dependency graphs
        of the snapshots. Skip a damaged snapshot, and add a note. If the user requested the damaged snapshot and
        `wanted` is None, raise ContentError.
        """
        from cachetui.store.merge import updated

        segments = [
            segment
            for history in self.histories
            for segment in history.segments(snapshots, wanted, has_graph=has_graph)
        ]
        for name, why in chain.from_iterable(list(history.damage.items()) for history in self.histories):
            if wanted is None and name in self._requested:
                self._requested.discard(name)
                raise ContentError(
                    f"snapshot {name} cannot be read: {why}; to remove it, run cachetui history --remove"
                )
            self._saved.note_once(f"snapshot {name} was skipped: {why}")
        return updated(index.columns, segments)


# Functions for all of the content


def _read_all(source: Source, grown: Grown | None, cancelled: Cancelled, progressed: Progressed) -> Index:
    """Read the whole content into an index. See `Catalogue.load`."""
    from cachetui.store.merge import built  # late: most commands use the index cache

    for _, part in source.parts:
        log(f"read {part.content}: {type(part).__name__} {part.identity}")
    read: list[Segment] = []
    wanted = 0
    for segment, progress in source.read(cancelled):
        progressed(progress)
        if segment is not None and not progress.is_preview:
            read.append(segment)
        if segment is None or not grown:
            continue
        if progress.is_preview:
            grown(Index(built([*read, segment])), progress)
        elif segment.paths and wanted <= progress.done <= progress.total // LARGE_SHARE:
            grown(Index(built(list(read))), progress)
            wanted = GROWTH_FACTOR * max(1, progress.done)
    segment = None
    index = Index(built(read))
    _refuse_unread(source, index)
    if grown:
        grown(index, Progress(progress.total, progress.total))
    return index


def lacking(source: Source, index: Index) -> Iterator[tuple[str, Sequence[Problem]]]:
    """Yield each CONTENT that has no rows in the index. Also yield the problems of its unreadable files.

    Skip a CONTENT if it is an empty but readable build cache.
    """
    for prefix, each in source.parts:
        known = Known(index.columns, prefix=prefix)
        problems = [problem for problem in known.problems if problem.level == "fault" or problem.kind in UNREAD_CACHES]
        if not (each.may_be_empty or any(known.pages())) and (problems or not known.graph_paths):
            yield each.content, problems


def _refuse_unread(source: Source, index: Index) -> None:
    """Raise ContentError if one CONTENT has no rows in the index and has an unreadable build cache."""
    for problem in chain.from_iterable(problems for _, problems in lacking(source, index)):
        if problem.kind == UNREAD_CACHE:
            raise ContentError(visible(problem.message))
