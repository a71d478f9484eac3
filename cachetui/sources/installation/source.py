"""An installation as content: its records are rows of one tag, and its tree and each upstream are stacks of it.

Spack finds a spec in its own tree first, then in the upstreams in their order. A spec that is installed in one of them
is installed, whatever the others say, and has the stacks of those that have it. Nothing is locked, written or run.
Input: the files of an installation, which Spack may replace at any time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Literal

from cachetui.model.host import NOT_THERE
from cachetui.model.installed import LOCAL, PRESENT, Installed
from cachetui.model.problem import UNREAD_CACHE, Problem
from cachetui.sources.buildcache.columns import nodes_of
from cachetui.sources.buildcache.tag_builder import TagBuilder, graph_path
from cachetui.sources.cache_folders import PREFIX
from cachetui.sources.files import load
from cachetui.sources.folder import watched
from cachetui.sources.installation.database import Record, is_newer, prefixes, read_records
from cachetui.sources.installation.places import DATABASE, INDEX, find_place
from cachetui.sources.lock_document import LockDocument, read_lock
from cachetui.sources.pages.parallel_stat import parallel
from cachetui.sources.source import Asking, ContentComparison, Difference, Known, Progress, Source
from cachetui.store.builder import Segment, SegmentBuilder
from cachetui.store.mtimes import UNREAD_MTIMES, mtimes_at, mtimes_of, no_mtimes
from cachetui.workers.cancelling import Cancelled, Interrupted, never

REMEDY = "spack reindex writes it anew"

GRAPH_PATH = graph_path(PREFIX)

MAX_LOCK = 2**28
"""Most bytes of a `spack.lock`."""

LATEST = 2**32
"""Times beyond this many seconds since the epoch are damaged."""


class InstallationSource(Source):
    """An install tree with its upstreams and environments."""

    def __init__(self, content: str, environ: Mapping[str, str], asking: Asking) -> None:
        """Raises ContentError where it cannot be told which trees are meant."""
        self.content = content
        self._environ = environ
        self._upstreams = asking.upstreams
        self._place = find_place(content, environ, asking.upstreams)
        self.identity = "\t".join((f"{os.path.realpath(self._place.trees[LOCAL])}/", *asking.upstreams))

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read all trees; see `Source`."""
        yield self._read(cancelled), Progress(1, 1)

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> ContentComparison:
        """Compare the few files that were read, always all of them; see `Source`."""
        self._place = find_place(self.content, self._environ, self._upstreams)
        before = dict(known.files())
        paths = self._files()
        found = parallel(mtimes_at, paths, cancelled)
        now = [UNREAD_MTIMES if isinstance(each, OSError) else each for each in found]
        if before == dict(zip(paths, now, strict=True)):
            return ContentComparison(None, whole=True)
        dropped = frozenset({GRAPH_PATH, *known.pages(), *known.refused, *before})
        return ContentComparison(Difference(dropped, (GRAPH_PATH,)), whole=True)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read all trees again; see `Source`."""
        return [self._read(cancelled)] if paths else []

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield each time that a database or an environment has changed; see `Source`."""
        databases = (f"{tree}/{DATABASE}" for tree in self._place.trees.values())
        folders = [*databases, self._place.environments, self._place.environment]
        return watched(self.content, list(filter(os.path.isdir, folders)), cancelled)

    def _files(self) -> list[str]:
        """Return every file and folder that says something of the installation, there or not."""
        indexes = (f"{tree}/{INDEX}" for tree in self._place.trees.values())
        managed = [f"{self._place.environments}/"] if self._place.environments else []
        return [*indexes, *self._place.files, *managed, *self._locks().values()]

    def _locks(self) -> dict[str, str]:
        """Return the `spack.lock` of each environment by its name."""
        if self._place.environment:
            return {self._place.label: f"{self._place.environment}/spack.lock"}
        if not self._place.environments:
            return {}
        with suppress(OSError), os.scandir(self._place.environments) as entries:
            return {each.name: f"{each.path}/spack.lock" for each in sorted(entries, key=lambda each: each.name)}
        return {}

    def _read(self, cancelled: Cancelled) -> Segment:
        reader = _Reader()
        now = time.time_ns()
        for path in self._files():
            try:
                status = os.stat(path)
                mtimes = mtimes_of(path, 0 if path.endswith("/") else status.st_size, status)
            except OSError:
                mtimes = no_mtimes(path)
            reader.builder.files.append((mtimes, now))
        for stack, tree in self._place.trees.items():
            if cancelled():
                raise Interrupted
            reader.add(stack, tree, cancelled)
        for name, path in self._locks().items():
            reader.add_environment(name, path)
        return reader.segment(self._place.label, only_environment=bool(self._place.environment))


class _Reader:
    """Reads the trees of one installation, the local one first."""

    def __init__(self) -> None:
        self.builder = SegmentBuilder()
        self._trees: dict[str, dict[str, Record]] = {}
        """The records of each stack by hash."""
        self._records: dict[str, Installed] = {}
        self.environments: dict[str, LockDocument] = {}

    def add(self, stack: str, tree: str, cancelled: Cancelled) -> None:
        """Read the database of a tree."""
        try:
            _, database = read_records(tree, INDEX)
        except (OSError, ValueError) as error:
            if stack == LOCAL or not isinstance(error, FileNotFoundError):
                reason = error.strerror if isinstance(error, OSError) else error
                self._add_problem(f"{tree}/{INDEX}", UNREAD_CACHE, f"{tree}: its database: {reason} ({REMEDY})")
            return
        for fault in database.faults:
            self._add_problem(f"{tree}/{INDEX}", "unreadable", fault)
        if is_newer(database.version):
            message = f"version {database.version} of the database is newer than what is known: it may say more"
            self._add_problem(f"{tree}/{INDEX}", "newer", message, "note")
        records = self._trees[stack] = database.entries
        found = _installed(stack, tree, records, cancelled)
        for spec_hash, record in zip(records, found, strict=True):
            known = self._records.get(spec_hash)
            if known is None or (known.state not in PRESENT and record.state in PRESENT):
                self._records[spec_hash] = record

    def add_environment(self, name: str, path: str) -> None:
        """Read the `spack.lock` of an environment, if there is one."""
        try:
            self.environments[name] = read_lock(load(*os.path.split(path), MAX_LOCK)[1])
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self._add_problem(path, "unreadable", f"no readable spack.lock: {error}")

    def segment(self, label: str, *, only_environment: bool) -> Segment:
        """Return all trees as one segment; with `only_environment` just what the one environment has."""
        builder = TagBuilder(PREFIX, label, self._records)
        wanted = {each for lock in self.environments.values() for each in lock.nodes}
        for stack, records in self._trees.items():
            there = {
                key
                for key, record in records.items()
                if record.installed == (self._records[key].state in PRESENT) and (key in wanted or not only_environment)
            }
            builder.add([nodes_of(records)], stack, there)
        roots = {name: tuple(key for key, _ in lock.roots) for name, lock in self.environments.items()}
        pages, graph = builder.finished({}, roots)
        return self.builder.segment(graph, pages)

    def _add_problem(self, path: str, kind: str, message: str, level: Literal["fault", "note"] = "fault") -> None:
        text = message.encode(errors="backslashreplace").decode()
        self.builder.problems += [Problem(path=path, kind=kind, message=text, level=level)]


def _installed(stack: str, tree: str, records: Mapping[str, Record], cancelled: Cancelled) -> Iterator[Installed]:
    """Yield what a tree says of each of its records."""
    now = prefixes(tree, records.values())
    places = [record.path if record.is_external else now(record.path) for record in records.values()]
    own = [place for place, record in zip(places, records.values(), strict=True) if place and not record.is_external]
    found = parallel(mtimes_at, [f"{place}/" for place in own], cancelled)
    gone = {
        place for place, each in zip(own, found, strict=True) if isinstance(each, OSError) and each.errno in NOT_THERE
    }
    for place, record in zip(places, records.values(), strict=True):
        if not record.installed:
            state = "deprecated" if record.deprecated_for else "missing"
        elif record.is_external:
            state = "external"
        elif place in gone:
            state = "gone"
        else:
            state = "installed" if stack == LOCAL else "upstream"
        when = record.installation_time
        yield Installed(
            state,
            record.explicit,
            when if when is not None and 0 <= when < LATEST else None,
            place,
            record.deprecated_for,
        )
