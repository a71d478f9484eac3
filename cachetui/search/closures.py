"""Find the closure of a spec: the spec with all its dependencies, divided into available and missing specs.

An installation from binaries needs only link and run dependencies, because build dependencies are only needed to build.
An external has no binary, because the host must provide it. An installed spec needs no binary, but its link and run
dependencies may need one. The graph comes from the content or from a `spack.lock`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import combinations, compress, count, takewhile
from operator import or_

from msgspec import Struct
from pyroaring import BitMap

from cachetui.mappings import Once
from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.host import Fit, Host
from cachetui.search.availability import Availability, CacheName
from cachetui.store.graph import Graph, closure

WITH_BUILD = LINK_RUN | {"build"}
"""The types of dependencies that an installation from source needs."""

MAX_COMBINATION = 3
"""Maximum number of caches that are tried together. If more caches are needed, they are chosen one after the other."""

MAX_COMBINED_CACHES = 60
"""Maximum number of caches that are tried in combinations."""


class Closure(Struct, frozen=True):
    """The closure of one root, divided into four sets. The numbers in each set are indexes of `Closures.hashes`."""

    root: str
    here: BitMap
    """Specs that are not installed but have a binary in a selected cache."""
    missing: BitMap
    """Specs that are not installed, not external, and without a binary in a selected cache."""
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
    """The closures of some roots in one graph."""

    def __init__(
        self,
        graph: Graph,
        availability: Availability,
        roots: Iterable[str],
        types: frozenset[str] = LINK_RUN,
        installed: Container[str] = (),
    ) -> None:
        """`installed`: the hashes of nodes that need no binary."""
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
        self._here = BitMap(compress(count(), availability.held(self.binaries)))
        states = [graph.state(number) for number in nodes]
        self._externals = BitMap(k for k, state in enumerate(states) if state == State.EXTERNAL) - self._here
        self._installed = (
            BitMap(k for k, node_hash in enumerate(self.hashes) if node_hash in installed) - self._externals
        )
        self._named = BitMap(k for k, state in enumerate(states) if state == State.NAMED)
        """The nodes without recorded dependencies."""

    def update(self) -> None:
        """Update the set of available binaries after more files were examined."""
        self._here = BitMap(compress(count(), self._availability.held(self.binaries)))

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
        """Return the indexes of each node's direct dependencies. Skip build dependencies of installed nodes."""
        graph = self._graph
        # a hash may have a node, with a number, in each of several tags
        placed: Once[int, int] = Once(lambda number: self._number[graph.hash(number)])
        placed.update(zip(self._nodes, count()))
        types = (LINK_RUN if k in self._installed else self._types for k in range(len(self._nodes)))
        return list(map(placed.of, map(graph.needs, self._nodes, types)))

    def needs(self, root: str, node_hash: str) -> bool:
        """Return whether a root depends on a node, directly or indirectly."""
        number = self._number[root]
        return (
            number < len(self._nodes) and node_hash in self._number and self._number[node_hash] in self._reach[number]
        )

    def named(self, numbers: Iterable[int]) -> list[str]:
        """Return the hashes of the nodes with these indexes."""
        return [self.hashes[number] for number in numbers]

    def binaries_of(self, numbers: Iterable[int]) -> list[str]:
        """Return the hashes of the binaries of the nodes with these indexes."""
        return [self.binaries[number] for number in numbers]


def total_size(hashes: Iterable[str], size: Callable[[str], int | None]) -> int | None:
    """Return the total size of the distinct binaries, in bytes; None if any size is unknown."""
    distinct = dict.fromkeys(hashes)
    known = [*takewhile(lambda each: each is not None, map(size, distinct))]
    return sum(filter(None, known)) if len(known) == len(distinct) else None


def fits(availability: Availability, hashes: Iterable[str], host: Host) -> Iterator[tuple[str, Fit]]:
    """Yield each available or installed hash among `hashes`, and whether its spec runs on the host."""
    for spec_hash in hashes:
        row = availability.row(spec_hash)
        if row is not None:
            yield spec_hash, availability.index.fit(row, host)
        elif spec := availability.specs.get(spec_hash):  # pushed, but not in the index
            yield spec_hash, host.fit(spec.platform, spec.os, spec.target)


def fewest_mirrors(hashes: Iterable[str], availability: Availability) -> list[CacheName]:
    """Return the smallest set of caches that together hold all of these hashes. Ignore hashes that no cache holds.

    The set is certainly the smallest if it has up to `MAX_COMBINATION` caches. If more caches are needed, repeatedly
    choose the cache that holds most of the remaining hashes.
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
    """Return the set of nodes that each node reaches, including itself. `steps` lists each node's direct successors."""
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
