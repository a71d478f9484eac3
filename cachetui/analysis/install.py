"""Would it install from binaries? For each root what it needs, what of that is missing, and where else it is.

A hash and a root of a lock are looked for themselves; for a spec the best of its builds is taken: complete ones
first, then those that miss least, then what is nearest to the host, then the newest.
Input: an index, what a user wants, where to look, and the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from pyroaring import BitMap

from cachetui.environments.asked import Asked, Wanted
from cachetui.environments.expected import Expectation
from cachetui.model.dependency import LINK_RUN
from cachetui.model.host import Fit, Host
from cachetui.model.libc import Libc
from cachetui.model.spec import HASH
from cachetui.search.closures import Closure, Closures, fewest_mirrors, total_size, unfit
from cachetui.search.hashes import prefixed
from cachetui.search.holdings import Holdings, Mirror
from cachetui.search.index import Index
from cachetui.store.graph import Graph

Size = Callable[[str], int | None]
"""The bytes of the binary of a hash; None where they are not known."""

_LIBCS = ("glibc", "musl")


class Piece(Struct, frozen=True):
    """A node that something needs."""

    hash: str
    name: str | None
    """None, as the version, where nobody says what this is the hash of."""
    version: str | None


class Missing(Piece, frozen=True):
    """One that has no binary where one looks."""

    found_in: tuple[Mirror, ...]
    """The caches of the content that have it all the same."""


class External(Piece, frozen=True):
    """One that has to be on the host."""

    path: str
    fits: bool | None
    """Whether the host has it, as far as that can be compared (the C library alone)."""


class Root(Struct, frozen=True):
    """One thing that was asked for."""

    asked: str
    hash: str | None
    """The one that was looked for; None where no build is meant, or several are."""
    closure: Closure | None
    bytes: int | None
    """Of all binaries that it needs; None where the size of one is not known."""
    missing: tuple[Missing, ...]
    externals: tuple[External, ...]
    fault: str = ""
    """Why there is no closure."""
    candidates: int = 0
    """For a spec how many builds of it run on the host; 0 for what is concrete."""
    complete_candidates: int = 0

    @property
    def complete(self) -> bool:
        return self.closure is not None and self.closure.complete


class Install(Struct, frozen=True):
    """The answer for all roots together."""

    roots: tuple[Root, ...]
    needs: int
    """How many binaries all of them need, each counted once."""
    bytes: int | None
    missing: tuple[Missing, ...]
    """Each once, with the most needed first."""
    externals: tuple[External, ...]
    unfit: tuple[tuple[Piece, Fit], ...]
    """Binaries that are here and do not run on the host."""
    mirrors: tuple[Mirror, ...]
    """The fewest caches of the content that hold all that is needed and is anywhere."""

    @property
    def complete(self) -> bool:
        """Whether all of it would come from binaries."""
        return all(root.complete for root in self.roots)


def install(
    index: Index, wanted: Wanted, holdings: Holdings, host: Host, size: Size, types: frozenset[str] = LINK_RUN
) -> Install:
    """What would come from binaries of all that is wanted."""
    return _Installer(index, holdings, host, size, types).install(wanted)


class _Installer:
    def __init__(self, index: Index, holdings: Holdings, host: Host, size: Size, types: frozenset[str]) -> None:
        self._index = index
        self._holdings = holdings
        self._host = host
        self._size = size
        self._types = types
        self._closures: dict[int, Closures] = {}
        """By the identity of their graphs."""
        self._pieces: dict[str, Missing | External] = {}

    def install(self, wanted: Wanted) -> Install:
        roots = tuple(map(self._root, wanted.asked))
        closures = [root.closure for root in roots if root.closure]
        here = list(dict.fromkeys(each for closure in closures for each in closure.here))
        missing = {each.hash: each for root in roots for each in root.missing}
        needed_by = dict.fromkeys(missing, 0)
        for closure in closures:
            for each in closure.missing:
                needed_by[each] += 1
        externals = {each.hash: each for root in roots for each in root.externals}
        mirrors, _ = fewest_mirrors([*here, *missing], self._holdings, everywhere=True)
        return Install(
            roots,
            len(here) + len(missing),
            total_size([*here, *missing], self._size),
            tuple(sorted(missing.values(), key=lambda each: -needed_by[each.hash])),
            tuple(externals.values()),
            tuple((self._piece(each), fit) for each, fit in unfit(self._holdings, here, self._host)),
            tuple(mirrors),
        )

    def _root(self, asked: Asked) -> Root:
        graph = asked.lock.graph if asked.lock else self._index.graph
        if asked.expectation is not None:
            return self._spec(asked.text, asked.expectation)
        wanted = asked.hash or ""
        if asked.lock is None:
            hashes = self._whole_hashes(wanted)
            if len(hashes) != 1:
                fault = "several builds have such a hash" if hashes else "nothing has this hash"
                return Root(asked.text, None, None, None, (), (), fault)
            wanted = hashes[0]
        return self._found(asked.text, self._closures_in(graph).of(wanted), graph)

    def _whole_hashes(self, prefix: str) -> list[str]:
        table = self._index.columns.hashes
        return [prefix] if HASH.fullmatch(prefix) else [table[number] for number in prefixed(table, prefix)[:2]]

    def _closures_in(self, graph: Graph) -> Closures:
        return self._closures.setdefault(id(graph), Closures(graph, self._holdings, self._types))

    def _found(self, asked: str, closure: Closure, graph: Graph, candidates: int = 0, complete: int = 0) -> Root:
        missing = tuple(self._missing(each, graph) for each in closure.missing)
        externals = tuple(self._external(each, graph) for each in closure.externals)
        size = total_size([*closure.here, *closure.missing], self._size)
        fault = "" if closure.recorded else "its dependencies are not recorded" if closure.here else "nobody knows it"
        return Root(asked, closure.root, closure, size, missing, externals, fault, candidates, complete)

    # Specs

    def _spec(self, asked: str, wanted: Expectation) -> Root:
        rows = BitMap.union(BitMap(), *map(self._index.rows, wanted.alternatives)) & self._holdings.rows
        if not rows:
            return Root(asked, None, None, None, (), (), wanted.fault or "there is no build of it")
        closures = self._closures_in(self._index.graph)
        found = [(distance, closures.of(spec_hash)) for spec_hash, distance in self._running(rows)]
        if not found:
            return Root(asked, None, None, None, (), (), "no build of it runs on this host")
        _, best = min(found, key=lambda pair: (not pair[1].complete, len(pair[1].missing), pair[0]))
        complete = sum(closure.complete for _, closure in found)
        return self._found(asked, best, self._index.graph, len(found), complete)

    def _running(self, rows: BitMap) -> Iterator[tuple[str, int]]:
        """The hashes of those rows that run on the host, the newest first, and how far they are from its target."""
        seen = set()
        for row in self._index.newest_first(rows):
            spec = self._index.spec(row)
            if spec.hash and spec.hash not in seen:
                seen.add(spec.hash)
                if not any(unfit(self._holdings, [spec.hash], self._host)):
                    distance = self._host.fit(spec.platform, spec.os, spec.target).distance
                    yield spec.hash, 99 if distance is None else distance

    # Pieces

    def _missing(self, spec_hash: str, graph: Graph) -> Missing:
        found = self._pieces.get(spec_hash)
        if not isinstance(found, Missing):
            piece = self._piece(spec_hash, graph)
            mirrors = tuple(self._holdings.mirrors(spec_hash, everywhere=True))
            found = self._pieces[spec_hash] = Missing(spec_hash, piece.name, piece.version, mirrors)
        return found

    def _external(self, spec_hash: str, graph: Graph) -> External:
        found = self._pieces.get(spec_hash)
        if not isinstance(found, External):
            number = graph.number(spec_hash)
            assert number is not None
            node = graph.node(number)
            fits = None
            if node.name in _LIBCS and self._host.libc is not None:
                fits = Libc(node.name, node.version, node.version).runs_on(self._host.libc)
            found = self._pieces[spec_hash] = External(spec_hash, node.name, node.version, node.external or "", fits)
        return found

    def _piece(self, spec_hash: str, graph: Graph | None = None) -> Piece:
        row = self._holdings.row(spec_hash)
        if row is not None:
            spec = self._index.spec(row)
            return Piece(spec_hash, spec.package, spec.version)
        number = graph.number(spec_hash) if graph else None
        if graph is None or number is None:
            return Piece(spec_hash, None, None)
        node = graph.node(number)
        return Piece(spec_hash, node.name or None, node.version or None)
