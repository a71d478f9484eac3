"""Find the build caches that have a binary, the installed specs, and the closures of specs.

A tag and a stack identify a build cache. A query selects some of the caches, but all installed specs are always
included. At first, the index decides whether a cache has a binary. Later, `Availability.look` examines the files of the
cache.

A closure is a spec with all its dependencies, divided into available and missing specs. An installation from binaries
needs only link and run dependencies, because build dependencies are only needed to build. An external has no binary,
because the host must provide it. An installed spec needs no binary, but its link and run dependencies may need one. The
graph comes from the content or from a `spack.lock`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import combinations, compress, count, takewhile
from operator import or_
from typing import NamedTuple, Protocol

from msgspec import Struct
from pyroaring import BitMap

from cachetui.mappings import Once
from cachetui.model.dependency import ALL_TYPES, LINK_RUN, State
from cachetui.model.host import Fit, Host
from cachetui.model.installed import PRESENT
from cachetui.model.presence import Presence
from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.index import Index
from cachetui.store.graph import Graph, closure

MANY_SHARE = 4
"""If there are more hashes than 1/`MANY_SHARE` of the rows, it is faster to collect the hashes of all rows first."""


class CacheName(NamedTuple):
    """The name of a build cache."""

    tag: str
    stack: str
    """The stack; empty if the cache has no stacks."""


def mirror_name(mirror: CacheName) -> str:
    """Return the name of a cache as one string, `TAG/STACK` or `TAG`."""
    return f"{mirror.tag}/{mirror.stack}" if mirror.stack else mirror.tag


def caches_of(index: Index, query: Query) -> Iterator[tuple[CacheName, Query]]:
    """Yield each build cache with rows that match the query, and the query limited to this cache."""
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
        """For each spec, return whether the cache has its binary."""

    def confirmed(self, cache: str) -> float | None:
        """Return the last time, in seconds since the epoch, when a cache's index was known to be current.

        For a URL, this is when the server last confirmed that the local copy is current. For a folder, this is when the
        index was written. Return None if the time is unknown.
        """


class Availability:
    """The binaries that match a query, and all installed specs. Lookups are by hash."""

    def __init__(self, index: Index, query: Query, files: Files | None = None) -> None:
        """Without `files`, only the index decides whether a cache has a binary."""
        self.index = index
        self._files = files
        self._looked: dict[str, dict[CacheName, Presence]] = {}
        """The state of each examined binary in each examined cache, by hash."""
        self.specs: dict[str, Spec] = {}
        """The examined specs, by hash."""
        self.query = query
        self._of_trees = index.tree_rows
        self._installed = index.columns.rows_of_states(PRESENT).intersection(
            BitMap.union(BitMap(), *(index.value_rows("tag", tree) for tree in index.graph.trees))  # without snapshots
        )
        self.binaries: BitMap = index.rows(query) - self._of_trees
        """The rows in build caches that match the query."""
        self.rows: BitMap = self.binaries | self._installed
        self._asked = query.selected("stack", index.stacks)
        self._rows_of = cache(index.rows_of)
        self.row = cache(self._first_row)
        self._caches = cache(self._caches_of)

    def have_binaries(self, hashes: Sequence[str]) -> list[bool]:
        """For each hash, return whether a selected cache has its binary."""
        if not self._looked and len(hashes) * MANY_SHARE > len(self.binaries):
            return list(map(frozenset(self.hashes).__contains__, hashes))
        return [bool(self.mirrors(spec_hash)) for spec_hash in hashes]

    # Files

    @cached_property
    def _selected(self) -> dict[CacheName, str]:
        """The folder or URL of each selected cache whose files can be read."""
        graph, tags = self.index.graph, self.query.selected("tag", self.index.tags)
        return {
            CacheName(tag, stack): cache
            for tag, caches in zip(graph.tags, graph.mirrors, strict=True)
            for stack, cache in caches.items()
            if (not tags or tag in tags) and (not self._asked or stack in self._asked)
            if self._files and self._files.looks_at(cache)
        }

    def look(self, specs: Mapping[str, Spec]) -> bool:
        """Examine the files of these binaries in the caches. Return whether the files contradict the index.

        `specs` contains the specs of the binaries, by hash. First examine each binary in the caches that have it
        according to the index. If no such cache has the binary, examine all other selected caches.
        """
        new = {spec_hash: spec for spec_hash, spec in specs.items() if spec_hash not in self._looked}
        if self._files is None or not new:
            return False
        before = self.have_binaries(list(new))
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
        return self.have_binaries(list(new)) != before

    def presences(self, spec_hash: str) -> Mapping[CacheName, Presence]:
        """Return the state of a binary in each examined cache."""
        return self._looked.get(spec_hash, {})

    def is_unread(self, spec_hash: str) -> bool:
        """Return whether the binary may be in a cache that could not be read."""
        return any(each.there is None for each in self.presences(spec_hash).values())

    def oldest_index_time(self, hashes: Iterable[str]) -> float | None:
        """Return the time of the oldest index that lists one of these binaries, in seconds since the epoch.

        Examine only caches whose files cannot be read. Return None if the cache is missing, or all times are unknown.
        """
        if self._files is None:
            return None
        asked = {mirror for each in hashes for mirror in self.mirrors(each) if mirror not in self._selected}
        caches = (self.index.graph.mirror(mirror.tag, (mirror.stack,)) for mirror in asked)
        times = (self._files.confirmed(cache) for cache in caches if cache is not None)
        return min((each for each in times if each is not None), default=None)

    def size(self, spec_hash: str) -> int | None:
        """Return the size of a binary in bytes, or None before its files are examined."""
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
        """Return the first selected or installed row with this hash, or None if this row is missing."""
        return next((row for row in self._rows_of(spec_hash) if row in self.rows), None)

    def knows(self, spec_hash: str) -> bool:
        """Return whether this hash belongs to an installed spec, a selected binary, or a dependency of such a spec."""
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
        """Return the selected caches that have a binary. With `everywhere`, return all caches that have the binary."""
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
        """Return the caches of the rows with this tag and these facet values.

        `tag` is an index in `Index.tags`, and `profile` an index in `Index.profiles`, the combinations of facet values.
        """
        return [CacheName(self.index.tags[tag], stack) for stack in self.index.profiles[profile].stacks or ("",)]


# Closures

MAX_COMBINATION = 3
"""Maximum number of caches that are tried together. If more caches are needed, they are chosen one after the other."""

MAX_COMBINED_CACHES = 60
"""Maximum number of caches that are tried in combinations."""


class Closure(Struct, frozen=True):
    """The closure of one root: sets of available, missing, installed and external specs.

    The numbers in each set are indexes in `Closures.hashes`.
    """

    root: str
    here: BitMap
    """Specs that are not installed but have a binary in a selected cache."""
    missing: BitMap
    """Missing specs: each lacks an installation, an external and a binary in a selected cache."""
    installed: BitMap
    """Specs that are installed."""
    externals: BitMap
    """External specs, which the host must provide."""
    recorded: bool = True
    """Whether all dependencies of the root are recorded. If not, the closure may be incomplete."""

    @property
    def complete(self) -> bool:
        """Whether every spec of the closure is installed, is external, or has a binary in a selected cache."""
        return self.recorded and not self.missing

    @property
    def needs(self) -> int:
        """The number of binaries to install, including the root's binary and missing binaries."""
        return len(self.here) + len(self.missing)


class Closures:
    """The closures of some specs, called roots, in one graph."""

    def __init__(
        self,
        graph: Graph,
        availability: Availability,
        roots: Iterable[str],
        types: frozenset[str] = LINK_RUN,
        installed: Container[str] = (),
    ) -> None:
        """`installed`: the hashes of installed specs, which need no binary."""
        roots = list(dict.fromkeys(roots))
        nodes = closure(graph, graph.numbers(roots), types) if graph else []
        self._graph, self._nodes, self._types = graph, nodes, types
        self.hashes = [graph.hash(number) for number in nodes]
        """The hashes of all nodes in the closures, followed by the hashes of the roots without a node."""
        self._number = {node_hash: number for number, node_hash in enumerate(self.hashes)}
        for root in roots:
            if root not in self._number:
                self._number[root] = len(self.hashes)
                self.hashes.append(root)
        self.binaries = list(map(graph.binary, self.hashes))
        """The hash of each node's binary, in the order of `hashes`. Only spliced nodes have another hash."""
        self._availability = availability
        self._here = BitMap(compress(count(), availability.have_binaries(self.binaries)))
        states = [graph.state(number) for number in nodes]
        self._externals = BitMap(k for k, state in enumerate(states) if state == State.EXTERNAL) - self._here
        self._installed = (
            BitMap(k for k, node_hash in enumerate(self.hashes) if node_hash in installed) - self._externals
        )
        self._named = BitMap(k for k, state in enumerate(states) if state == State.NAMED)
        """The nodes without recorded dependencies."""

    def update(self) -> None:
        """Update the set of available binaries after more files were examined."""
        self._here = BitMap(compress(count(), self._availability.have_binaries(self.binaries)))

    def of(self, root: str) -> Closure:
        """Return the closure of one of the roots."""
        number = self._number[root]
        is_node = number < len(self._nodes)
        needed = self._reach[number] if is_node else BitMap((number,))
        recorded = is_node and needed.isdisjoint(self._named)
        installed, externals = needed & self._installed, needed & self._externals
        here = (needed & self._here) - installed
        return Closure(root, here, needed - here - installed - externals, installed, externals, recorded)

    @cached_property
    def _reach(self) -> list[BitMap]:
        return reach(self._steps())

    def _steps(self) -> list[list[int]]:
        """Return the direct dependencies of each node. They are indexes in `hashes`.

        Skip the build dependencies of installed nodes.
        """
        graph = self._graph
        # several tags may have a node with the same hash, and each of these nodes has its own number
        placed: Once[int, int] = Once(lambda number: self._number[graph.hash(number)])
        placed.update(zip(self._nodes, count()))
        types = (LINK_RUN if k in self._installed else self._types for k in range(len(self._nodes)))
        return list(map(placed.of, map(graph.direct_dependencies, self._nodes, types)))

    def needs(self, root: str, node_hash: str) -> bool:
        """Return whether a root depends on a node, directly or indirectly."""
        number = self._number[root]
        return (
            number < len(self._nodes) and node_hash in self._number and self._number[node_hash] in self._reach[number]
        )

    def named(self, numbers: Iterable[int]) -> list[str]:
        """Return the hash of each of these nodes. The nodes are indexes in `hashes`."""
        return [self.hashes[number] for number in numbers]

    def binaries_of(self, numbers: Iterable[int]) -> list[str]:
        """Return the hash of the binary of each of these nodes. The nodes are indexes in `hashes`."""
        return [self.binaries[number] for number in numbers]


def total_size(hashes: Iterable[str], size: Callable[[str], int | None]) -> int | None:
    """Return the total size of the distinct binaries in bytes, or None if any size is unknown."""
    distinct = dict.fromkeys(hashes)
    known = [*takewhile(lambda each: each is not None, map(size, distinct))]
    return sum(filter(None, known)) if len(known) == len(distinct) else None


def fits(availability: Availability, hashes: Iterable[str], host: Host) -> Iterator[tuple[str, Fit]]:
    """For each hash of an available or installed spec, yield the hash and whether the spec runs on the host."""
    for spec_hash in hashes:
        row = availability.row(spec_hash)
        if row is not None:
            yield spec_hash, availability.index.fit(row, host)
        elif spec := availability.specs.get(spec_hash):  # pushed, but not in the index
            yield spec_hash, host.fit(spec.platform, spec.os, spec.target)


def fewest_mirrors(hashes: Iterable[str], availability: Availability) -> list[CacheName]:
    """Return a small set of caches that together have all of these hashes. Ignore hashes that no cache has.

    If `MAX_COMBINATION` caches or fewer suffice, return the smallest set. Otherwise, repeatedly choose the cache that
    has most of the remaining hashes.
    """
    masks: dict[CacheName, int] = {}
    for k, spec_hash in enumerate(dict.fromkeys(hashes)):
        for mirror in availability.mirrors(spec_hash, everywhere=True):
            masks[mirror] = masks.get(mirror, 0) | 1 << k
    left = reduce(or_, masks.values(), 0)
    ordered = sorted(masks, key=lambda mirror: -masks[mirror].bit_count())
    for number in range(MAX_COMBINATION + 1):
        for chosen in combinations(ordered[: MAX_COMBINED_CACHES if number > 1 else None], number):
            if reduce(or_, map(masks.__getitem__, chosen), 0) == left:
                return list(chosen)
    found: list[CacheName] = []
    while left:
        found.append(max(ordered, key=lambda mirror: (masks[mirror] & left).bit_count()))
        left &= ~masks[found[-1]]
    return found


def reach(steps: Sequence[Sequence[int]]) -> list[BitMap]:
    """For each node, return the set of nodes that it reaches, including itself.

    `steps` contains the direct successors of each node.
    """
    found = [BitMap((node,)) for node in range(len(steps))]
    waiting, is_seen, is_done = [*range(len(steps))], bytearray(len(steps)), bytearray(len(steps))
    order: list[int] = []
    """The nodes, each after its direct successors, except in cycles."""
    has_cycles = False
    while waiting:
        node = waiting.pop()
        if node < 0:  # the second visit of a node, after its successors
            node = ~node
            order.append(node)
            found[node] = BitMap.union(found[node], *map(found.__getitem__, steps[node]))
            has_cycles = has_cycles or not all(map(is_done.__getitem__, steps[node]))
            is_done[node] = True
        elif not is_seen[node]:
            is_seen[node] = True
            waiting += [~node, *(each for each in steps[node] if not is_seen[each])]
    while has_cycles:
        before = list(map(len, found))
        for node in order:
            found[node] = BitMap.union(found[node], *map(found.__getitem__, steps[node]))
        has_cycles = before != list(map(len, found))
    return found
