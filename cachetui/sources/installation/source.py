"""The source for a Spack installation, which has one tag. The local tree and each upstream become stacks.

Spack searches for a spec first in the local tree, then in the upstreams in their order. A spec counts as installed if
it is installed in at least one tree. The stacks of a spec are the trees whose database contains the spec. This program
neither locks nor writes any file of the installation, and does not run Spack.
Input: the files of an installation, which Spack may replace at any time.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TypeGuard

from msgspec.structs import replace

from cachetui.model.installed import LOCAL, PRESENT, Installed
from cachetui.model.problem import NEW_KEY, NEWER, UNREAD_CACHE, Level, Problem
from cachetui.safe_text import listed, plural
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.index_document import IndexContent, newer_key, read_index
from cachetui.sources.buildcache.manifests import INDEX_TYPE, NEWEST
from cachetui.sources.buildcache.node import Record
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.sources.files import load
from cachetui.sources.folder import watched
from cachetui.sources.installation.places import DATABASE, INDEX, find_trees, managed
from cachetui.sources.lock_document import LockDocument, read_lock
from cachetui.sources.paths import ContentPath
from cachetui.sources.scopes.scopes import is_spack
from cachetui.sources.source import Asking, Difference, Known, Progress, Source, compared_as_whole
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.store.mtimes import exists, stored_mtimes
from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.threads import parallel

REMEDY = "to write it again, run spack reindex"

GRAPH = ContentPath.of_cache().graph


MAX_NAME_CHARACTERS = 80
"""Maximum number of characters of a name in a problem message."""

TRIES, PAUSE = 3, 0.05
"""Number of attempts to open a file, and the seconds between two attempts.

On a network file system, a file may be missing for a moment while another program replaces the file.
"""

MAX_PROBED_PREFIXES = 40
"""Maximum number of prefixes that are checked to find the old path of a moved tree."""

MAX_PATH_CHARACTERS = 4096
"""Maximum number of characters of a path; operating systems do not allow longer paths."""

MAX_LOCK_BYTES = 2**28
"""Maximum number of bytes of a `spack.lock`."""


class InstallationSource(Source):
    """Reads an installation (see `Source`): its local install tree, its upstreams and its environments."""

    def __init__(self, content: str, settings: Settings, asking: Asking) -> None:
        """Find the trees of the installation. Raises ContentError."""
        self.content = content
        self._settings = settings
        self._upstreams = asking.upstreams
        self._place = find_trees(content, settings, asking.upstreams)
        folder, tree = self._place.folder, next(iter(self._place.trees.values()))
        homes = [home for home in (f"{folder}/opt/spack/gpg", f"{tree}/gpg") if is_spack(folder) or os.path.isdir(home)]
        self.keyrings = [named] if (named := settings.environ.get("SPACK_GNUPGHOME")) else homes[:1]
        self.identity = "\t".join((f"{os.path.realpath(self._place.folder)}/", *asking.upstreams))

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read all trees. See `Source`."""
        yield self._read(cancelled), Progress(1, 1)

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> Difference:
        """Compare all files that were read, and all folders that contain installed specs. See `Source`."""
        self._place = find_trees(self.content, self._settings, self._upstreams)
        paths = dict.fromkeys(chain((path for path, _ in known.files()), self._files()))
        return compared_as_whole(
            known, dict(zip(paths, parallel(_mtimes_of, list(paths), cancelled), strict=True)), GRAPH
        )

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read all trees again. See `Source`."""
        return [self._read(cancelled)] if paths else []

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield each time a database or an environment has changed. See `Source`."""
        databases = (f"{tree}/{DATABASE}" for tree in self._place.trees.values())
        folders = [*databases, self._place.environments, *map(os.path.dirname, self._locks().values())]
        return watched(self.content, list(filter(os.path.isdir, folders)), cancelled, recursive=False)

    def _files(self) -> list[str]:
        """Return the paths of all files and folders that describe the installation. Some of them may not exist."""
        trees = self._place.trees.values()
        indexes = (f"{tree}/{path}" for tree in trees for path in (INDEX, f"{DATABASE}/", f"{DATABASE}/failures/"))
        environments = [f"{self._place.environments}/"] if self._place.environments else []
        return [*indexes, *self._place.files, *environments, *self._locks().values()]

    def _locks(self) -> dict[str, str]:
        """Map the name of each environment to the path of its `spack.lock`."""
        if self._place.environment:
            return {self._place.label: f"{self._place.environment}/spack.lock"}
        return {name: f"{self._place.environments}/{name}/spack.lock" for name in managed(self._place.environments)}

    def _read(self, cancelled: Cancelled) -> Segment:
        reader = _Reader()
        reader.note_files(self._files())
        for stack, tree in self._place.trees.items():
            if cancelled():
                raise Interrupted
            reader.add(stack, tree, cancelled)
        for name, path in self._locks().items():
            reader.add_environment(name, path)
        return reader.segment(self._place.label, only_environment=bool(self._place.environment))


class _Reader:
    """Reads the trees of one installation. The local tree must be added first."""

    def __init__(self) -> None:
        self.builder = SegmentBuilder()
        self._trees: dict[str, tuple[IndexContent, dict[str, Record]]] = {}
        """The nodes and the installation records of each tree, by stack. The records are keyed by hash."""
        self._records: dict[str, Installed] = {}
        self.environments: dict[str, LockDocument] = {}

    def note_files(self, paths: Iterable[str]) -> None:
        """Record the size and times of files and folders before they are read."""
        now = time.time_ns()
        self.builder.files |= {path: _mtimes_of(path, now) for path in paths}

    def add(self, stack: str, tree: str, cancelled: Cancelled) -> None:
        """Read the database of a tree, and add its specs and problems."""
        try:
            content = read_tree(f"{tree}/{INDEX}", cancelled)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            # a missing database is only a note, because a tree may also lack it after all specs were uninstalled
            level: Level = "note" if isinstance(error, FileNotFoundError) else "fault"
            self._add_problem(
                f"{tree}/{INDEX}", UNREAD_CACHE, f"the database of {tree} cannot be read: {reason} ({REMEDY})", level
            )
            return
        if content.faults:
            self._add_problem(f"{tree}/{INDEX}", "unreadable", listed(content.faults))
        if content.version.isdecimal() and int(content.version[:9]) > NEWEST[INDEX_TYPE]:
            message = f"the database has the new version {content.version}: some of its values may be missing"
            self._add_problem(f"{tree}/{INDEX}", NEWER, message, "note")
        if key := newer_key(f"{tree}/{INDEX}", content.version):
            self._add_problem(f"{tree}/{INDEX}", NEWER, NEW_KEY.format(key), "note")
        written = (zip(nodes.hashes, nodes.records, strict=True) for nodes in content.nodes)
        records = dict(sorted(chain.from_iterable(written), key=lambda each: each[0]))
        self._trees[stack] = content, records
        now = prefixes(tree, records.values())
        places = {key: record.prefix if record.is_external else now(record.prefix) for key, record in records.items()}
        there = list(filter(is_path, dict.fromkeys(places.values())))
        externals = {places[key] for key, record in records.items() if record.is_external}
        self.note_files({f"{os.path.dirname(place)}/" for place in there if place not in externals})
        exist = zip(there, parallel(exists, there, cancelled), strict=True)
        gone = {place for place, is_there in exist if is_there is False}
        for spec_hash, record in records.items():
            found = _installed(stack, record, places[spec_hash], gone)
            known = self._records.setdefault(spec_hash, found)
            if known.state not in PRESENT and found.state in PRESENT:
                self._records[spec_hash] = replace(found, own=known.own)
        self.builder.problems += examine(tree, records, places, gone)

    def add_environment(self, name: str, path: str) -> None:
        """Read the `spack.lock` of an environment, if the file exists."""
        try:
            self.environments[name] = read_lock(load(path, MAX_LOCK_BYTES))
        except (FileNotFoundError, NotADirectoryError):  # the environment was not concretized, or is a link to a file
            return
        except (OSError, ValueError) as error:
            self._add_problem(path, "unreadable", f"the spack.lock cannot be read: {error}")

    def segment(self, label: str, *, only_environment: bool) -> Segment:
        """Return all trees as one segment, which is a part of the index. `label` is the tag of the installation.

        With `only_environment`, include only the specs of the environments that were added.
        """
        builder = TagBuilder(ContentPath.of_cache(), label, self._records)
        wanted = {each for lock in self.environments.values() for each in lock.nodes}
        for stack, (content, records) in self._trees.items():
            there = {
                key
                for key, record in records.items()
                if (record.state in PRESENT) == (self._records[key].state in PRESENT)
                and (key in wanted or not only_environment)
            }
            builder.add(content.nodes, stack, there)
        roots = {name: tuple(root.hash for root in lock.roots) for name, lock in self.environments.items()}
        pages, graph = builder.finished({}, roots)
        return self.builder.segment(graph, pages)

    def _add_problem(self, path: str, kind: str, message: str, level: Level = "fault") -> None:
        self.builder.problems += [Problem.of(path, kind, message, level)]


# The database of a tree. Spack replaces the file by renaming, so that an open file is always complete.


def read_tree(index: str, cancelled: Cancelled) -> IndexContent:
    """Return the content of a database (`index.json`). Raises OSError, ValueError and Interrupted."""
    for _ in range(TRIES - 1):
        try:
            return read_index(index, cancelled=cancelled, keeps_records=True)
        except OSError:
            if not os.path.isdir(os.path.dirname(index)):
                raise
            time.sleep(PAUSE)
    return read_index(index, cancelled=cancelled, keeps_records=True)


def is_path(path: str | None) -> TypeGuard[str]:
    """Return whether a path from a database is valid: absolute, without zero bytes, and not too long."""
    return path is not None and path.startswith("/") and len(path) < MAX_PATH_CHARACTERS and "\0" not in path


def prefixes(tree: str, records: Iterable[Record]) -> Callable[[str | None], str | None]:
    """Return a function that converts a path in the database to the present path, or to None if it is unknown.

    A tree may have been moved or mounted elsewhere, and the database does not contain the old path of the tree.
    Therefore the old path is guessed from `records`: as many converted prefixes as possible must exist.
    """
    inside = [record.prefix for record in records if is_path(record.prefix) and not record.is_external]
    some = inside[:: len(inside) // MAX_PROBED_PREFIXES + 1]
    here = f"{tree}/"

    def there(old: str) -> int:
        return sum(os.path.lexists(here + path.removeprefix(old)) for path in some if path.startswith(old))

    folders = {here, *(path[: at + 1] for path in some for at, letter in enumerate(path) if letter == "/")}
    found = {old: there(old) for old in sorted(folders, key=len, reverse=True)}
    fits = any(found.values()) or any(path.startswith(here) for path in some)
    old = max(found, key=lambda each: (found[each], each == here)) if fits else ""

    def now(path: str | None) -> str | None:
        if not is_path(path) or not old:
            return None
        return here + path.removeprefix(old) if path.startswith(old) else path

    return now


_mtimes_of = partial(stored_mtimes, with_inode=True)
"""Return the size and times of a file. The times include the inode, because file times are too coarse to show that
Spack has replaced the file twice within a moment.
"""


def _installed(stack: str, record: Record, prefix: str | None, gone: Collection[str]) -> Installed:
    """Return the installed spec for a record in the database of a tree. `gone` has the prefixes that do not exist."""
    state = record.state
    if state == "installed":
        state = "gone" if prefix in gone else "installed" if stack == LOCAL else "upstream"
    own = record.explicit if stack == LOCAL else None
    return Installed(state, record.explicit, record.time, prefix, record.deprecated_for, own)


def examine(
    tree: str, records: Mapping[str, Record], places: Mapping[str, str | None], gone: Collection[str]
) -> Iterator[Problem]:
    """Yield the problems of a tree.

    `records` and `places` map each hash to its installation record and its prefix. `gone` contains the prefixes that do
    not exist.
    """
    folder = f"{tree}/{DATABASE}"
    broken = {key: record for key, record in records.items() if record.state in PRESENT and places[key] in gone}
    externals = {key: record for key, record in broken.items() if record.is_external}
    prefixes = {key: record for key, record in broken.items() if key not in externals}
    itself = {key: record for key, record in records.items() if record.deprecated_for == key}
    temporary = [name for name in _entries(folder) if name.startswith("index.json.") and name.endswith(".temp")]
    failures = dict.fromkeys(_entries(f"{folder}/failures"))
    found: tuple[tuple[str, Level, str, str, Mapping[str, Record | None]], ...] = (
        (
            "prefix",
            "fault",
            "installed spec",
            "without a folder (to update the database, run spack reindex)",
            prefixes,
        ),
        ("deprecation", "fault", "spec", "deprecated in favor of the same spec, as in Spack up to 0.22", itself),
        ("external", "note", "external", "whose path is not on this machine", externals),
        ("leftover", "note", "failed build", "(to remove them, run spack clean --failures)", failures),
        ("leftover", "note", "file", "that another process left, or is writing now", dict.fromkeys(temporary)),
    )
    for kind, level, noun, what, named in found:
        if named:
            names = [
                f"{record.name[:MAX_NAME_CHARACTERS]}/{key[:7]}" if record else key[:MAX_NAME_CHARACTERS]
                for key, record in named.items()
            ]
            message = f"{plural(len(names), noun)} {what}: {listed(names)}"
            yield Problem.of(f"{tree}/{INDEX}", kind, message, level, hashes=filter(named.get, named))


def _entries(folder: str) -> list[str]:
    """Return the sorted names in a folder, or an empty list if the folder is unreadable."""
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []
