"""Would it install? What a spec needs, what of that has a binary here, what is missing and where else that is.

An installation from binaries follows link and run dependencies alone: the others were needed to build. An external
has no binary and has to be on the host. What nobody lists is missing.
Input: a dependency graph (of the content, or of a `spack.lock`), the hashes of roots, and what is held where.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.host import Fit, Host
from cachetui.model.libc import Libc
from cachetui.search.holdings import Holdings, Mirror
from cachetui.store.graph import Graph

WITH_BUILD = LINK_RUN | {"build"}
"""The types of dependencies that are needed where one wants to build, too."""

MOST_TOGETHER = 3
"""So many caches together are tried in every combination; more are chosen one after the other."""

MOST_COMBINED = 60
"""Of so many caches combinations are tried."""


class Closure(Struct, frozen=True):
    """What one root needs; hashes, the root itself first where it belongs."""

    root: str
    here: tuple[str, ...]
    """What has a binary in the caches that are looked at."""
    missing: tuple[str, ...]
    """What has none there."""
    externals: tuple[str, ...]
    """What has to be on the host."""
    recorded: bool = True
    """Whether its dependencies are known; if not, it alone was looked for."""

    @property
    def complete(self) -> bool:
        """Whether everything that it needs has a binary here."""
        return self.recorded and not self.missing

    @property
    def needs(self) -> int:
        """How many binaries it needs, its own included."""
        return len(self.here) + len(self.missing)


class Closures:
    """The closures of many roots in one graph; each node is looked for once."""

    def __init__(self, graph: Graph, holdings: Holdings, types: frozenset[str] = LINK_RUN) -> None:
        self._graph = graph
        self._holdings = holdings
        self._types = types
        self._known: dict[int, tuple[int, str]] = {}
        """For each node that was looked for 0 for here, 1 for missing or 2 for external, and its hash."""

    def of(self, root: str) -> Closure:
        """What this hash needs."""
        graph = self._graph
        number = graph.number(root) if graph else None
        if number is None:
            is_here = self._holdings.row(root) is not None
            return Closure(root, (root,) * is_here, (root,) * (not is_here), (), recorded=False)
        found: tuple[list[str], list[str], list[str]] = [], [], []
        for needed in graph.closure([number], self._types):
            kind, node_hash = self._known.get(needed) or self._look_for(needed)
            found[kind].append(node_hash)
        here, missing, externals = found
        return Closure(root, tuple(here), tuple(missing), tuple(externals))

    def _look_for(self, number: int) -> tuple[int, str]:
        node_hash = self._graph.hash(number)
        if self._holdings.row(node_hash) is not None:
            kind = 0
        else:
            kind = 2 if self._graph.state(number) == State.EXTERNAL else 1
        self._known[number] = kind, node_hash
        return kind, node_hash


def total_size(hashes: Iterable[str], size: Callable[[str], int | None]) -> int | None:
    """The bytes of all these binaries, each once; None where the size of one is not known."""
    sizes = [size(spec_hash) for spec_hash in dict.fromkeys(hashes)]
    known = [each for each in sizes if each is not None]
    return sum(known) if len(known) == len(sizes) else None


def unfit(holdings: Holdings, hashes: Iterable[str], host: Host) -> Iterator[tuple[str, Fit]]:
    """The binaries that are known not to run on the host, each with the reason."""
    graph = holdings.index.graph
    for spec_hash in hashes:
        row = holdings.row(spec_hash)
        if row is not None:
            spec = holdings.index.spec(row)
            fit = host.fit(spec.platform, spec.os, spec.target, _libc(graph, spec_hash) if graph else None)
            if fit.kind not in ("native", "runs", "unknown"):
                yield spec_hash, fit


def _libc(graph: Graph, spec_hash: str) -> Libc | None:
    """The C library that a binary was built with, where the graph records it."""
    number = graph.number(spec_hash)
    libc = None if number is None else graph.libc(number)
    if libc is None:
        return None
    node = graph.node(libc)
    return Libc.exactly(node.name, node.version)


def fewest_mirrors(
    hashes: Collection[str], holdings: Holdings, *, everywhere: bool = False
) -> tuple[list[Mirror], list[str]]:
    """As few caches as hold these hashes together, and the hashes that no cache holds.

    Exact up to three caches; where more are needed, each next one holds the most of what is left.
    """
    masks: dict[Mirror, int] = {}
    nowhere = []
    wanted = 0
    for k, spec_hash in enumerate(dict.fromkeys(hashes)):
        mirrors = holdings.mirrors(spec_hash, everywhere=everywhere)
        for mirror in mirrors:
            masks[mirror] = masks.get(mirror, 0) | 1 << k
        if mirrors:
            wanted |= 1 << k
        else:
            nowhere.append(spec_hash)
    return _cover(masks, wanted), nowhere


def _cover(masks: dict[Mirror, int], wanted: int) -> list[Mirror]:
    ordered: Sequence[Mirror] = sorted(masks, key=lambda mirror: -masks[mirror].bit_count())
    for number in range(1 if wanted else 0, MOST_TOGETHER + 1):
        for chosen in combinations(ordered[: MOST_COMBINED if number > 1 else None], number):
            together = 0
            for mirror in chosen:
                together |= masks[mirror]
            if together == wanted:
                return list(chosen)
    found: list[Mirror] = []
    left = wanted
    while left:
        best = max(ordered, key=lambda mirror: (masks[mirror] & left).bit_count())
        found.append(best)
        left &= ~masks[best]
    return found
