"""The closure of a spec: its dependencies, those with a binary here, and the missing ones.

An installation from binaries follows only link and run dependencies; the others were needed to build. An external
has no binary, but has to be on the host. An installed spec needs no binary, but its link and run dependencies do.
The graph may be that of the content or of a `spack.lock`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache, cached_property, reduce
from itertools import combinations, compress, count
from operator import or_

from msgspec import Struct
from pyroaring import BitMap

from cachetui.mappings import Once
from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.host import Fit, Host
from cachetui.search.availability import Availability, CacheName
from cachetui.store.graph import Graph, as_libc, closure, libc_of

WITH_BUILD = LINK_RUN | {"build"}
"""The types of dependencies that an installation from source follows."""

MOST_TOGETHER = 3
"""Maximum number of caches in a combination; if these are too few, caches are chosen one after the other."""

MOST_COMBINED = 60
"""Maximum number of caches that combinations are made of."""


class Closure(Struct, frozen=True):
    """What one root needs, itself included, as places in `Closures.hashes`."""

    root: str
    here: BitMap
    """Specs with a binary in the selected caches that are not installed."""
    missing: BitMap
    """Specs without a binary there, apart from externals and installed ones."""
    installed: BitMap
    """Specs that an open installation has."""
    externals: BitMap
    """Externals, which have to be on the host."""
    recorded: bool = True
    """Whether its dependencies are recorded; if not, only the root itself counts."""

    @property
    def complete(self) -> bool:
        """Whether everything that it needs has a binary here, or is installed."""
        return self.recorded and not self.missing

    @property
    def needs(self) -> int:
        """The number of binaries that it needs, with its own; installed specs do not count."""
        return len(self.here) + len(self.missing)


class Closures:
    """The needs of some roots in one graph."""

    def __init__(
        self,
        graph: Graph,
        availability: Availability,
        roots: Iterable[str],
        types: frozenset[str] = LINK_RUN,
        installed: Container[str] = (),
    ) -> None:
        """`installed` are the hashes of nodes that need no binary."""
        roots = list(dict.fromkeys(roots))
        nodes = closure(graph, graph.numbers(roots), types) if graph else []
        self._graph, self._nodes, self._types = graph, nodes, types
        self.hashes = [graph.hash(number) for number in nodes]
        """The hashes of all nodes of the closures, then of the roots that the graph does not have."""
        self._number = {node_hash: number for number, node_hash in enumerate(self.hashes)}
        for root in roots:
            if root not in self._number:
                self._number[root] = len(self.hashes)
                self.hashes.append(root)
        self.binaries = list(map(graph.binary, self.hashes))
        """The hashes of the binaries that they install from."""
        self._availability = availability
        self._here = BitMap(compress(count(), availability.held(self.binaries)))
        states = [graph.state(number) for number in nodes]
        self._externals = BitMap(k for k, state in enumerate(states) if state == State.EXTERNAL) - self._here
        there = (k for k, node_hash in enumerate(self.hashes) if node_hash in installed)
        self._installed = BitMap(there) - self._externals
        self._named = BitMap(k for k, state in enumerate(states) if state == State.NAMED)
        """The binaries whose dependencies are not recorded."""

    def update(self) -> None:
        """Take over the newer answers about the files of binaries."""
        self._here = BitMap(compress(count(), self._availability.held(self.binaries)))

    def of(self, root: str) -> Closure:
        """Return what one of the roots needs."""
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
        """Return for each node the places of its direct dependencies; an installed one is not built again."""
        graph = self._graph
        # several tags may have a node of one hash, with a number in each
        placed: Once[int, int] = Once(lambda number: self._number[graph.hash(number)])
        placed.update(zip(self._nodes, count()))
        types = (LINK_RUN if k in self._installed else self._types for k in range(len(self._nodes)))
        needed = map(graph.needs, self._nodes, types)
        return list(map(placed.of, needed))

    def needs(self, root: str, node_hash: str) -> bool:
        """Return whether one of the roots needs this node, directly or not."""
        number = self._number[root]
        return (
            number < len(self._nodes) and node_hash in self._number and self._number[node_hash] in self._reach[number]
        )

    def named(self, numbers: Iterable[int]) -> list[str]:
        """Return the hashes of the nodes at these places."""
        return [self.hashes[number] for number in numbers]

    def binaries_of(self, numbers: Iterable[int]) -> list[str]:
        """Return the hashes of the binaries that the nodes at these places install from."""
        return [self.binaries[number] for number in numbers]


def total_size(hashes: Iterable[str], size: Callable[[str], int | None]) -> int | None:
    """Return the bytes of all these binaries, each counted once; None if the size of one is unknown."""
    found = 0
    for spec_hash in dict.fromkeys(hashes):
        own = size(spec_hash)
        if own is None:
            return None
        found += own
    return found


def fits(availability: Availability, hashes: Iterable[str], host: Host) -> Iterator[tuple[str, Fit]]:
    """Yield each of these binaries that is here with the verdict whether it runs on the host."""
    index = availability.index
    profile_of = index.columns.rows["profile"]

    @cache
    def fit(number: int, libc: int | None) -> Fit:
        profile = index.profiles[number]
        needed = None if libc is None else as_libc(index.graph, libc)
        return host.fit(profile.platform, profile.os, profile.target, needed)

    for spec_hash in hashes:
        row = availability.row(spec_hash)
        if row is None and (spec := availability.specs.get(spec_hash)):  # pushed, but not indexed
            yield spec_hash, host.fit(spec.platform, spec.os, spec.target)
        if row is not None:
            number = index.graph.number(spec_hash) if index.graph else None
            yield spec_hash, fit(profile_of[row], None if number is None else libc_of(index.graph, number))


def fewest_mirrors(hashes: Iterable[str], availability: Availability) -> list[CacheName]:
    """Return as few caches as possible that together hold all of these hashes that any cache holds.

    Exact up to three caches; if more are needed, each next one is the cache that holds most of the rest.
    """
    masks: dict[CacheName, int] = {}
    for k, spec_hash in enumerate(dict.fromkeys(hashes)):
        for mirror in availability.mirrors(spec_hash, everywhere=True):
            masks[mirror] = masks.get(mirror, 0) | 1 << k
    left = reduce(or_, masks.values(), 0)
    ordered = sorted(masks, key=lambda mirror: -masks[mirror].bit_count())
    for number in range(MOST_TOGETHER + 1):
        for chosen in combinations(ordered[: MOST_COMBINED if number > 1 else None], number):
            if reduce(or_, map(masks.__getitem__, chosen), 0) == left:
                return list(chosen)
    found: list[CacheName] = []
    while left:
        found.append(max(ordered, key=lambda mirror: (masks[mirror] & left).bit_count()))
        left &= ~masks[found[-1]]
    return found


def reach(steps: Sequence[Sequence[int]]) -> list[BitMap]:
    """Return for each node all nodes that can be reached from it, itself included; `steps`: those one step away."""
    found = [BitMap((node,)) for node in range(len(steps))]
    order = _last_first(steps)
    is_done = bytearray(len(steps))
    has_cycles = False
    for node in order:
        if steps[node]:
            found[node] = BitMap.union(found[node], *map(found.__getitem__, steps[node]))
            has_cycles = has_cycles or not all(map(is_done.__getitem__, steps[node]))
        is_done[node] = True
    is_changed = has_cycles
    while is_changed:
        is_changed = False
        for node in order:
            joined = BitMap.union(found[node], *map(found.__getitem__, steps[node]))
            if len(joined) != len(found[node]):
                found[node] = joined
                is_changed = True
    return found


def _last_first(steps: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes in an order in which, but for cycles, each is after those that its steps lead to."""
    order: list[int] = []
    seen = [False] * len(steps)
    for start in range(len(steps)):
        if seen[start]:
            continue
        seen[start] = True
        waiting = [(start, iter(steps[start]))]
        while waiting:
            node, rest = waiting[-1]
            for below in rest:
                if not seen[below]:
                    seen[below] = True
                    waiting.append((below, iter(steps[below])))
                    break
            else:
                order.append(node)
                waiting.pop()
    return order
