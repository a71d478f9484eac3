"""Why a `spack.lock` misses a build cache: what differs by itself, and what only follows from that.

What is missing is set beside the nearest build of its package that the content knows. It differs by itself where a
field of its own differs or there is no build of that package; else its hash follows from dependencies that differ.
A hash that the content knows as a dependency is no difference: only its binary was not pushed.
Input: the graph of the lock, the hashes that it misses, and what is held where.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from cachetui.model.dependency import ALL_TYPES, LINK_RUN, Node, State
from cachetui.model.signature import Signature, listed
from cachetui.model.spec import normal_compiler, normal_variant
from cachetui.search.holdings import Holdings
from cachetui.search.signatures import Signatures
from cachetui.store.graph import Graph

MOST_CANDIDATES = 20
"""So many builds that differ in as much are looked at for the one with the most dependencies in common."""

_PATCHES = "patches="

_REQUIRABLE = {"version", "variants", "compiler", "target", "os"}
"""The fields that a requirement in `packages.yaml` can ask for."""


class Facts(Struct, frozen=True):
    """What is compared of a build."""

    hash: str
    signature: Signature
    package_hash: str | None
    """Of its recipe; None where it is not recorded."""
    external: str | None
    """The path of an external; None for any other build."""
    needs: frozenset[str]
    """The hashes of its dependencies."""


Differences = dict[str, tuple[str | None, str | None]]
"""For each field that differs what is wanted and what is there; None for nothing."""


class Cause(Struct, frozen=True):
    """One build that differs by itself."""

    package: str
    hash: str
    """The one that is wanted."""
    nearest: str | None
    """The hash of the nearest build that the content knows; None where it knows none of that package."""
    differs: Differences
    """Empty where nothing that is recorded differs but the hash."""
    follows: tuple[str, ...]
    """What is missing and only follows from this one, perhaps from others too."""
    requirement: str | None
    """What to require in `packages.yaml` to meet the content, where that alone would do."""


def causes(lock: Graph, missing: Collection[str], holdings: Holdings, types: frozenset[str] = ALL_TYPES) -> list[Cause]:
    """What of the lock differs by itself, by how many misses it causes.

    `types` are the types of dependencies that a hash depends on: link and run alone up to Spack 0.17.
    """
    compared = _Compared(lock, holdings, types)
    compared.walk(missing)
    return sorted(compared.causes(missing), key=lambda cause: (-len(cause.follows), cause.package, cause.hash))


class _Compared:
    """What of a lock the content does not know, each beside its nearest build."""

    def __init__(self, lock: Graph, holdings: Holdings, types: frozenset[str]) -> None:
        self._lock = lock
        self._types = types if holdings.index.graph else types & LINK_RUN
        self._holdings = holdings
        self._index = holdings.index
        self._nearest = _Nearest(holdings)
        self._unknown: dict[str, tuple[str, ...]] = {}
        """What is unknown to the content, and those of its dependencies that are."""
        self._beside: dict[str, tuple[Facts | None, Differences]] = {}
        self._alike: dict[str, frozenset[str]] = {}
        """For each the hashes of all builds that are as near."""

    def walk(self, missing: Iterable[str]) -> None:
        """Compares what is missing, and what of its dependencies the content does not know."""
        waiting = [node_hash for node_hash in missing if not self._is_known(node_hash)]
        for node_hash in waiting:
            if node_hash not in self._unknown:
                number = self._lock.number(node_hash)
                edges = self._lock.edges(number, self._types) if number is not None else []
                needed = [self._lock.hash(edge.number) for edge in edges]
                self._unknown[node_hash] = tuple(each for each in needed if not self._is_known(each))
                waiting += self._unknown[node_hash]
        names = {self._lock.name(number) for number in map(self._lock.number, self._unknown) if number is not None}
        self._nearest.prepare(names)
        for node_hash in self._unknown:
            number = self._lock.number(node_hash)
            if number is not None:
                wanted = _facts(self._lock, self._lock.node(number))
                found = self._nearest.beside(self._lock.name(number), wanted)
                self._beside[node_hash] = found[0] if found else (None, {})
                self._alike[node_hash] = frozenset(build.hash for build, _ in found)

    def _is_known(self, node_hash: str) -> bool:
        """Whether the content knows this hash; content without a graph cannot know externals, and is not asked."""
        if self._index.graph or self._holdings.row(node_hash) is not None:
            return self._holdings.knows(node_hash)
        number = self._lock.number(node_hash)
        return number is not None and self._lock.state(number) == State.EXTERNAL

    def _differs_by_itself(self, node_hash: str) -> bool:
        nearest, differs = self._beside.get(node_hash, (None, {}))
        return nearest is None or bool(differs) or not self._unknown[node_hash]

    def causes(self, missing: Collection[str]) -> Iterator[Cause]:
        """What differs by itself and is missing, or makes something miss."""
        dependents: dict[str, list[str]] = {}
        for node_hash, needed in self._unknown.items():
            for each in needed:
                dependents.setdefault(each, []).append(node_hash)
        found: dict[str, tuple[str, ...]] = {}
        by_follower: dict[str, list[str]] = {}
        for node_hash in filter(self._differs_by_itself, self._unknown):
            above = _reached(node_hash, dependents)
            follows = [each for each in missing if each in above and not self._differs_by_itself(each)]
            if follows or node_hash in missing:
                found[node_hash] = tuple(follows)
                for each in follows:
                    by_follower.setdefault(each, []).append(node_hash)
        for node_hash, hashes in found.items():
            nearest, differs = self._beside.get(node_hash, (None, {}))
            number = self._lock.number(node_hash)
            package = "" if number is None else self._lock.name(number)
            alone = nearest is not None and all(by_follower[each] == [node_hash] for each in hashes)
            would_do = alone and nearest is not None and self._would_do(nearest, hashes)
            requirement = _requirement(package, nearest, differs) if would_do and nearest else None
            yield Cause(package, node_hash, nearest.hash if nearest else None, differs, hashes, requirement)

    def _would_do(self, nearest: Facts, follows: Iterable[str]) -> bool:
        """Whether each of what follows is there as a build that needs this nearest one."""
        graph = self._index.graph
        number = graph.number(nearest.hash) if graph else None
        if number is None:
            return not any(True for _ in follows)
        above = {graph.hash(each) for each in graph.all_dependents([number], ALL_TYPES)}
        return not any(above.isdisjoint(self._alike[each]) for each in follows)


class _Nearest:
    """The nearest build of a package that the content knows: a binary, else what it knows as a dependency."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._index = holdings.index
        self._signatures = Signatures(holdings.index)
        self._nodes: dict[str, list[Facts]] = {}
        """By package what has no binary."""

    def prepare(self, packages: Collection[str]) -> None:
        """Looks for what the graph knows of the packages that have no binary."""
        without = {name for name in packages if not self._rows(name)}
        graph = self._index.graph
        for number in graph.where("name", without.__contains__) if graph and without else ():
            if graph.state(number) != State.UNKNOWN and self._holdings.knows(graph.hash(number)):
                node = graph.node(number)
                self._nodes.setdefault(node.name, []).append(_facts(graph, node))

    def _rows(self, package: str) -> Iterable[int]:
        number = self._index.package_number(package)
        return () if number is None else self._index.package_rows(number) & self._holdings.rows

    def beside(self, package: str, wanted: Facts) -> list[tuple[Facts, Differences]]:
        """The builds that differ least, and how; first the one with the most dependencies in common."""
        builds = list(self._closest(package, wanted)) or self._nodes.get(package, [])
        compared = [(build, _differences(wanted, build)) for build in builds]
        least = min((_weight(differs) for _, differs in compared), default=None)
        nearest = [pair for pair in compared if _weight(pair[1]) == least]
        return sorted(nearest, key=lambda pair: (-len(wanted.needs & pair[0].needs), pair[0].hash))

    def _closest(self, package: str, wanted: Facts) -> Iterator[Facts]:
        """The binaries whose signature differs least."""
        groups: dict[Signature, list[int]] = {}
        for row in self._rows(package):
            groups.setdefault(self._signatures.of(row), []).append(row)
        weights = {signature: _weight(_compared(wanted.signature, signature)) for signature in groups}
        least = min(weights.values(), default=None)
        rows = [row for signature, rows in groups.items() if weights[signature] == least for row in rows]
        graph = self._index.graph
        for row in rows[:MOST_CANDIDATES]:
            node_hash = self._index.columns.hashes[self._index.columns.hash[row]]
            number = graph.number(node_hash) if graph else None
            if number is None:
                yield Facts(node_hash, self._signatures.of(row), None, None, frozenset())
            else:
                yield _facts(graph, graph.node(number))


def _facts(graph: Graph, node: Node) -> Facts:
    variants = tuple(sorted(map(normal_variant, node.variants)))
    compiler = normal_compiler(node.compiler)
    signature = Signature(node.version, compiler, node.os or "", node.platform or "", node.target or "", variants)
    needs = frozenset(graph.hash(edge.number) for edge in graph.edges(node.number))
    return Facts(node.hash, signature, node.package_hash, node.external, needs)


def _differences(wanted: Facts, there: Facts) -> Differences:
    found = _compared(wanted.signature, there.signature)
    if wanted.package_hash and there.package_hash and wanted.package_hash != there.package_hash:
        found["package_hash"] = wanted.package_hash, there.package_hash
    if wanted.external != there.external:
        found["external"] = wanted.external, there.external
    return found


def _compared(wanted: Signature, there: Signature) -> Differences:
    """The fields that differ; patches apart from the other variants, of which those stand that not both have."""
    found: Differences = {}
    for name in ("version", "compiler", "os", "platform", "target"):
        values = getattr(wanted, name) or None, getattr(there, name) or None
        if values[0] != values[1]:
            found[name] = values
    ours, theirs = set(wanted.variants), set(there.variants)
    for name, is_patch in (("variants", False), ("patches", True)):
        mine, yours = (
            listed((each for each in some if each.startswith(_PATCHES) is is_patch), " ")
            for some in (ours - theirs, theirs - ours)
        )
        if mine or yours:
            found[name] = mine, yours
    return found


def _weight(differs: Mapping[str, tuple[str | None, str | None]]) -> tuple[int, int]:
    """How much differs: the fields, then the variants among them."""
    variants = differs.get("variants", ("", ""))
    return len(differs), sum(len((each or "").split()) for each in variants)


def _requirement(package: str, nearest: Facts, differs: Differences) -> str | None:
    """A spec to require that takes the nearest build and not the wanted one; None where no requirement can."""
    if not differs or not _REQUIRABLE.issuperset(differs):
        return None
    spec = package
    if "version" in differs:
        spec += f"@={nearest.signature.version}"
    if "variants" in differs:
        if not differs["variants"][1]:
            return None
        spec += f" {differs['variants'][1]}"
    if "compiler" in differs:
        spec += f" %{nearest.signature.compiler}"
    return spec + "".join(f" {name}={differs[name][1]}" for name in ("os", "target") if name in differs)


def _reached(start: str, steps: Mapping[str, Iterable[str]]) -> set[str]:
    """All that one comes to from here, the start itself only by a cycle."""
    found: set[str] = set()
    waiting = [start]
    for each in waiting:
        for other in steps.get(each, ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found
