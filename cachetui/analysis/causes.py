"""Find out why a build cache lacks specs of a `spack.lock`: the root causes, and specs that depend on a root cause.

Each missing spec is compared with the nearest build of its package in the content. The spec is a root cause if one of
its own fields differs, if it was spliced, or if the content has no build of the package. Otherwise, only the
dependencies make its hash differ. If another spec in the content depends on exactly this hash, the spec was built, and
only its binary was not pushed.
Input: the graph of the lock, its missing hashes, and the availability of each spec.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property

from msgspec import Struct, field
from pyroaring import BitMap

from cachetui.environments.wanted import Lock
from cachetui.mappings import Once
from cachetui.model.dependency import ALL_TYPES, LINK_RUN, State
from cachetui.model.signature import listed
from cachetui.search.availability import Availability, Closures, reach
from cachetui.store.graph import Graph
from cachetui.suggest.nearest_build import ComparedBuild, KnownBuilds, TextDifferences, compared_node

_REQUIRABLE = {"version", "variants", "compiler", "target", "os"}
"""The fields that `require` in `packages.yaml` can set."""


class Cause(Struct, frozen=True):
    """A root cause: a build of a lock that was spliced, or whose own fields differ from the nearest build."""

    package: str
    hash: str
    """The hash of the build in the lock."""
    nearest: str | None
    """The hash of the nearest build in the content; None if the content lacks the package."""
    differs: TextDifferences
    """The fields that differ from the nearest build."""
    follows: tuple[str, ...]
    """The hashes of specs that are missing because they need this build. A spec may have several causes."""
    requirement: str | None = field(name="require")
    """The requirement in `packages.yaml` that makes Spack choose the nearest build; None if this is impossible."""
    nearest_installed: bool = False
    """Whether the nearest build is installed. An installed build may lack a binary."""


def causes(
    lock: Graph, missing: Collection[str], availability: Availability, types: frozenset[str] = ALL_TYPES
) -> list[Cause]:
    """Return the causes of the missing specs of a lock. The cause of the most missing specs is first.

    `types`: the types of dependencies that Spack included in the hashes of the lock (up to Spack 0.17: link and run).
    """
    compared = _Compared(lock, availability, types)
    compared.walk(missing)
    return sorted(compared.causes(missing), key=lambda cause: (-len(cause.follows), cause.package, cause.hash))


def causes_of_locks(locks: Iterable[Lock], missing: Collection[str], availability: Availability) -> list[Cause]:
    """Return the causes of the missing specs of each lock."""
    found: list[Cause] = []
    for lock in locks if missing else ():
        spliced = {binary: each for each, binary in lock.graph.binaries.items()}
        hashes = (spliced.get(binary, binary) for binary in missing)
        own = [each for each in hashes if lock.graph.number(each) is not None]
        found += causes(lock.graph, own, availability, lock.hashed_types)
    return found


class _Compared:
    """Finds the builds of a lock that are unknown in the content, and compares them with the builds in the content.

    A build is known if the content has its binary or installation, or lists the build as a dependency.
    """

    def __init__(self, lock: Graph, availability: Availability, types: frozenset[str]) -> None:
        self._lock = lock
        self._types = types if availability.index.graph else types & LINK_RUN
        self._availability = availability
        self._index = availability.index
        self._alike = KnownBuilds(availability)
        self._is_known = cache(self._look_up)
        self._hash_of = Once(lock.hash)
        self._unknown: dict[str, tuple[str, ...]] = {}
        """The unknown dependencies of each unknown build, by hash."""
        self._facts: dict[str, ComparedBuild] = {}
        """The fields of each unknown build that are compared, by hash."""

    def walk(self, missing: Iterable[str]) -> None:
        """Find all unknown builds. Search the missing specs and all their dependencies."""
        waiting = [node_hash for node_hash in missing if not self._is_known(node_hash)]
        for node_hash in waiting:
            if node_hash not in self._unknown:
                number = self._lock.number(node_hash)
                needed = (
                    self._hash_of.of(self._lock.direct_dependencies(number, self._types)) if number is not None else []
                )
                unknown = tuple([each for each in needed if not self._is_known(each)])
                self._unknown[node_hash] = unknown
                waiting += unknown
        numbers = {node_hash: self._lock.number(node_hash) for node_hash in self._unknown}
        self._facts = {
            each: compared_node(self._lock, number) for each, number in numbers.items() if number is not None
        }
        self._alike.prepare({build.name for build in self._facts.values()})

    def _look_up(self, node_hash: str) -> bool:
        """Return whether the content knows a hash.

        If the content has no dependency graph, all externals of the lock are known.
        """
        if self._index.graph or self._availability.row(node_hash) is not None:
            return self._availability.knows(node_hash)
        number = self._lock.number(node_hash)
        return number is not None and self._lock.state(number) == State.EXTERNAL

    def _differs_by_itself(self, node_hash: str) -> bool:
        build = self._facts.get(node_hash)
        return (
            build is None
            or build.spliced_from is not None
            or not self._unknown[node_hash]
            or not self._alike.same(build)
        )

    def causes(self, missing: Collection[str]) -> Iterator[Cause]:
        """Find the builds that differ in their own fields. Yield a cause for each of them that makes a spec missing.

        A build can be missing itself, or a missing spec can depend on the build.
        """
        hashes = list(self._unknown)
        place = {node_hash: k for k, node_hash in enumerate(hashes)}
        below = reach([[place[each] for each in self._unknown[node_hash]] for node_hash in hashes])
        differing = BitMap(k for k, node_hash in enumerate(hashes) if self._differs_by_itself(node_hash))
        missed = BitMap(place[each] for each in missing if each in place)
        follows: dict[int, list[int]] = {k: [] for k in differing & missed}
        not_alone: set[int] = set()
        for follower in missed - differing:
            of_follower = (below[follower] & differing).to_array()
            for cause in of_follower:
                follows.setdefault(cause, []).append(follower)
            if len(of_follower) > 1:
                not_alone.update(of_follower)
        for cause, followers in follows.items():
            yield self._cause(hashes[cause], tuple(map(hashes.__getitem__, followers)), alone=cause not in not_alone)

    def _cause(self, node_hash: str, follows: tuple[str, ...], *, alone: bool) -> Cause:
        """Return the cause for a build. `follows`: the specs that are missing because of this build."""
        missing = self._facts.get(node_hash)
        number = self._lock.number(node_hash)
        if missing is None or number is None:  # only an edge has this hash
            return Cause("" if number is None else self._lock.name(number), node_hash, None, {}, follows, None)
        nearest, differs = self._alike.nearest(missing, self._hash_of.of(self._lock.direct_dependencies(number)))
        if nearest is None:
            return Cause(missing.name, node_hash, None, differs, follows, None)
        if missing.spliced_from is not None and nearest.number is not None:
            own, there = _linked(self._lock, number), _linked(self._index.graph, nearest.number)
            if own != there:
                differs["dependencies"] = listed(own - there, " "), listed(there - own, " ")
        requirement = _requirement(missing.name, nearest, differs)
        would_do = requirement is not None and alone and self._would_do(nearest, follows)
        is_installed = nearest.hash in self._availability.installed
        requirement = requirement if would_do else None
        return Cause(missing.name, node_hash, nearest.hash, differs, follows, requirement, is_installed)

    def _would_do(self, nearest: ComparedBuild, follows: Iterable[str]) -> bool:
        """Return whether the nearest build can replace the missing build.

        `follows`: the dependents of the missing build. For each dependent, the content must have a build with the same
        fields that depends on the nearest build.
        """
        if not self._index.graph or nearest.number is None:
            return not any(True for _ in follows)
        builds = (self._hashes_like(self._facts[each]) for each in follows)
        return all(any(self._closures.needs(build, nearest.hash) for build in hashes) for hashes in builds)

    def _hashes_like(self, build: ComparedBuild) -> Iterator[str]:
        """Yield the hashes of the binaries that have the same fields as this build. The hash need not be the same."""
        columns = self._index.columns
        return (columns.hashes[columns.hash[row]] for row in self._alike.same_rows(build))

    @cached_property
    def _closures(self) -> Closures:
        """The dependencies of each binary that has the same fields as an unknown build."""
        builds = (each for build in self._facts.values() for each in self._hashes_like(build))
        return Closures(self._index.graph, self._availability, builds, ALL_TYPES)


def _linked(graph: Graph, number: int) -> set[str]:
    """Return the direct link and run dependencies of a node as text."""
    return {f"{graph.name(each)}/{graph.hash(each)[:7]}" for each in graph.direct_dependencies(number, LINK_RUN)}


def _requirement(package: str, nearest: ComparedBuild, differs: TextDifferences) -> str | None:
    """Return a spec that matches the nearest build, but not the build of the lock.

    Return None if such a spec is missing.
    """
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
