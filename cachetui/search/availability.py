"""Find the build caches that have a binary, and the installed specs.

A tag and a stack identify a build cache. A query selects some of the caches. Installed specs are always included. At
first, the index decides whether a cache has a binary. `Availability.look` replaces this answer by the state of the
files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple, Protocol

from pyroaring import BitMap

from cachetui.model.dependency import ALL_TYPES
from cachetui.model.installed import PRESENT
from cachetui.model.presence import Presence
from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.index import Index
from cachetui.store.graph import closure

MANY_SHARE = 4
"""If there are more hashes than 1/`MANY_SHARE` of the rows, it is faster to collect the hashes of all rows first."""


class CacheName(NamedTuple):
    """The name of a build cache."""

    tag: str
    stack: str
    """The stack; empty if the cache has no stacks."""


def mirror_name(mirror: CacheName) -> str:
    """Return the name of a cache as one text, `TAG/STACK` or `TAG`."""
    return f"{mirror.tag}/{mirror.stack}" if mirror.stack else mirror.tag


def caches_of(index: Index, query: Query) -> Iterator[tuple[CacheName, Query]]:
    """Yield each build cache that matches the query, and the query limited to this cache."""
    taken = index.rows(query) - index.tree_rows
    asked = query.selected("stack", index.stacks)
    for tag in index.tags:
        rows, own = taken & index.value_rows("tag", tag), query.with_term(ValueTerm.of("tag", [tag]))
        stacks = [stack for stack in index.values("stack") if rows.intersect(index.value_rows("stack", stack))]
        for stack in stacks:
            if not asked or stack in asked:
                yield CacheName(tag, stack), own.without_key("stack").with_term(ValueTerm.of("stack", [stack]))
        if rows and not stacks:
            yield CacheName(tag, ""), own


class Files(Protocol):
    """The files of build caches. The argument `cache` is the folder or URL of a build cache."""

    def looks_at(self, cache: str) -> bool:
        """Return whether this program can read the files of a cache."""

    def lists(self, mirror: CacheName, cache: str) -> bool:
        """Return whether a cache has an index. Spack needs the index to find specs by name or hash."""

    def look(self, mirror: CacheName, cache: str, specs: Sequence[Spec]) -> Iterable[Presence]:
        """Return, for each spec, whether the cache has its binary."""

    def confirmed(self, cache: str) -> float | None:
        """Return the time when a server last confirmed the index of a cache, in seconds since the epoch.

        For a folder, return the time when the index was written.
        """


class Availability:
    """The binaries that match a query, and all installed specs. Lookups are by hash."""

    def __init__(self, index: Index, query: Query, files: Files | None = None) -> None:
        """Without `files`, only the index decides whether a cache has a binary."""
        self.index = index
        self._files = files
        self._looked: dict[str, dict[CacheName, Presence]] = {}
        """The results of the examined caches, by hash."""
        self.specs: dict[str, Spec] = {}
        """The examined specs, by hash."""
        self.query = query
        self._of_trees = index.tree_rows
        self._installed = index.columns.rows_of_states(PRESENT).intersection(
            BitMap.union(BitMap(), *(index.value_rows("tag", tree) for tree in index.graph.trees))  # now
        )
        self.binaries: BitMap = index.rows(query) - self._of_trees
        """The rows in build caches that match the query."""
        self.rows: BitMap = self.binaries | self._installed
        self._asked = query.selected("stack", index.stacks)
        self._rows_of = cache(index.rows_of)
        self.row = cache(self._first_row)
        self._caches = cache(self._caches_of)

    def held(self, hashes: Sequence[str]) -> list[bool]:
        """Return, for each hash, whether a selected cache holds its binary."""
        if not self._looked and len(hashes) * MANY_SHARE > len(self.binaries):
            return list(map(frozenset(self.hashes).__contains__, hashes))
        return [bool(self.mirrors(spec_hash)) for spec_hash in hashes]

    # Files

    @cached_property
    def _selected(self) -> dict[CacheName, str]:
        """The folder or URL of each selected cache that has readable files."""
        graph, tags = self.index.graph, self.query.selected("tag", self.index.tags)
        return {
            CacheName(tag, stack): cache
            for tag, caches in zip(graph.tags, graph.mirrors, strict=True)
            for stack, cache in caches.items()
            if (not tags or tag in tags) and (not self._asked or stack in self._asked)
            if self._files and self._files.looks_at(cache)
        }

    def look(self, specs: Mapping[str, Spec]) -> bool:
        """Examine the files of binaries, given by hash. Return whether the files contradict the index.

        For each binary, examine first the caches that have the binary according to the index. If none of these caches
        has the binary, examine all other selected caches.
        """
        new = {spec_hash: spec for spec_hash, spec in specs.items() if spec_hash not in self._looked}
        if self._files is None or not new:
            return False
        before = self.held(list(new))
        listed = {spec_hash: set(self.mirrors(spec_hash)) for spec_hash in new}
        self._looked |= {spec_hash: {} for spec_hash in new}
        self.specs |= new
        for is_listed in (True, False):
            rest = [spec_hash for spec_hash in new if is_listed or not self.mirrors(spec_hash)]
            for mirror, folder in self._selected.items():
                asked = [spec_hash for spec_hash in rest if (mirror in listed[spec_hash]) is is_listed]
                answers = self._files.look(mirror, folder, [new[spec_hash] for spec_hash in asked]) if asked else ()
                for spec_hash, answer in zip(asked, answers, strict=True):
                    self._looked[spec_hash][mirror] = answer
        return self.held(list(new)) != before

    def presences(self, spec_hash: str) -> Mapping[CacheName, Presence]:
        """Return the state of a binary in each examined cache."""
        return self._looked.get(spec_hash, {})

    def is_unread(self, spec_hash: str) -> bool:
        """Return whether the binary may be in a cache that could not be read."""
        return any(each.there is None for each in self.presences(spec_hash).values())

    def by_index(self, hashes: Iterable[str]) -> float | None:
        """Return the time of the oldest server index that says where these binaries are.

        Return None if files confirm all binaries.
        """
        if self._files is None:
            return None
        asked = {mirror for each in hashes for mirror in self.mirrors(each) if mirror not in self._selected}
        caches = (self.index.graph.mirror(mirror.tag, (mirror.stack,)) for mirror in asked)
        times = (self._files.confirmed(cache) for cache in caches if cache is not None)
        return min((each for each in times if each is not None), default=None)

    def size(self, spec_hash: str) -> int | None:
        """Return the size of a binary, in bytes; None before its files are examined."""
        sizes = (each.bytes for each in self.presences(spec_hash).values())
        return next((size for size in sizes if size is not None), None)

    @cached_property
    def listed(self) -> BitMap:
        """The rows that Spack can find by name or hash: installed specs, and specs of caches that have an index."""
        graph, files, unlisted = self.index.graph, self._files, BitMap()
        for tag, caches in zip(graph.tags, graph.mirrors, strict=True) if files else ():
            assert files is not None
            lacking = {stack for stack, cache in caches.items() if not files.lists(CacheName(tag, stack), cache)}
            rows = self.index.value_rows("tag", tag) if lacking else BitMap()
            if lacking and lacking != {""}:
                rows -= BitMap.union(
                    BitMap(), *(self.index.value_rows("stack", stack) for stack in set(caches) - lacking)
                )
            unlisted |= rows
        return self.rows - unlisted

    @cached_property
    def hashes(self) -> list[str]:
        """The distinct hashes of the selected binaries, sorted."""
        return self._hashes_of(self.binaries)

    @cached_property
    def installed(self) -> frozenset[str]:
        """The hashes of all installed specs, including externals."""
        return frozenset(self._hashes_of(self._installed))

    def _hashes_of(self, rows: BitMap) -> list[str]:
        columns = self.index.columns
        return list(map(columns.hashes.__getitem__, sorted(columns.hash_numbers(rows))))

    def _first_row(self, spec_hash: str) -> int | None:
        """Return the first selected or installed row with this hash, else None."""
        return next((row for row in self._rows_of(spec_hash) if row in self.rows), None)

    def knows(self, spec_hash: str) -> bool:
        """Return whether a hash is installed, or is in a selected cache as a spec or as a dependency."""
        if self.row(spec_hash) is not None:
            return True
        graph = self.index.graph
        return bool(graph) and graph.number(spec_hash) is not None and (not self.query or spec_hash in self._needed)

    @cached_property
    def _needed(self) -> frozenset[str]:
        """The hashes of all dependencies (of any type) of selected binaries and of installed specs."""
        graph = self.index.graph
        return frozenset(map(graph.hash, closure(graph, graph.numbers(self._hashes_of(self.rows)), ALL_TYPES)))

    def mirrors(self, spec_hash: str, *, everywhere: bool = False) -> list[CacheName]:
        """Return the selected caches that hold a hash. With `everywhere`, return all caches that hold the hash."""
        columns = self.index.columns
        asked, found = self._asked, dict[CacheName, None]()
        looked = self._looked.get(spec_hash)
        if looked is not None:
            found.update((mirror, None) for mirror, each in looked.items() if each.there)
        for row in self._rows_of(spec_hash):
            if row in self.binaries or (everywhere and row not in self._of_trees):
                caches = self._caches(columns.page_tag[columns.page(row)], columns.rows["profile"][row])
                by_index = caches if looked is None else [each for each in caches if each not in self._selected]
                found.update((each, None) for each in by_index if everywhere or not asked or each.stack in asked)
        return list(found)

    def _caches_of(self, tag: int, profile: int) -> list[CacheName]:
        """Return the caches of a row, given the number of its tag and the number of its profile."""
        return [CacheName(self.index.tags[tag], stack) for stack in self.index.profiles[profile].stacks or ("",)]
