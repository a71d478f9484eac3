"""The binaries that may be removed from build caches, because no kept spec needs them.

A user gives specs to keep. All specs in the given tags and all recently pushed specs are also kept. The binaries of the
kept specs and of their dependencies are not removed. If a given spec has no match, every binary of its package is kept.
`plan` raises UserError if a given hash has no match or the dependencies of a kept spec are not recorded.
Input: an index with fully read build caches, the specs to keep, and the push times of each cache.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise

from msgspec import Struct
from pyroaring import BitMap

from cachetui.environments.wanted import Asked, Wanted
from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.problem import UserError
from cachetui.safe_text import plural
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index
from cachetui.store.graph import closure, reached


class Plan(Struct, frozen=True):
    """The kept and the removable binaries."""

    keep: tuple[str, ...]
    """The hashes of the kept binaries, sorted."""
    going: Mapping[str, tuple[str, str | None]]
    """The removable binaries: package and version by hash, sorted by package and version."""
    absent: tuple[str, ...]
    """The given specs and hashes without a matching binary."""
    widened: tuple[str, ...]
    """The packages whose binaries are all kept, because a given spec of the package has no match."""


def plan(
    index: Index,
    to_keep: Mapping[str, Wanted],
    pushed: Mapping[str, Collection[str]],
    tags: Collection[str] = (),
    lately: Collection[str] = (),
    types: frozenset[str] = LINK_RUN,
) -> Plan:
    """Return the kept and the removable binaries of all build caches.

    `to_keep`: the specs to keep, by the argument that names them. `tags`: tags whose specs are also kept. `lately`:
    hashes of recent pushes, which are also kept. `pushed`: for each cache folder, the hashes that have files there.
    `types`: the types of dependencies to keep.
    """
    graph, columns, held = index.graph, index.columns, _held(index, pushed)

    def needed(hashes: Collection[str], numbers: Iterable[int] = ()) -> BitMap:
        """Return these specs and all their dependencies, as numbers of hashes in the index."""
        own = BitMap(numbers) | _numbers(index, hashes)
        nodes = reached(
            graph.to_dependencies(types), columns.nodes_of_hashes(own) | BitMap(graph.numbers(list(hashes)))
        )
        return own | BitMap(columns.hashes_of_nodes(nodes))

    kept, absent, widened = (
        needed(lately, columns.hash_numbers(columns.rows_of_tags(tags))),
        list[str](),
        dict[str, None](),
    )
    of_locks = set[str]()
    for word, each in to_keep.items():
        found = set[str]()
        for asked in each.asked:
            builds = set(_builds(index, asked))
            if held.isdisjoint(_numbers(index, builds)):
                absent.append(asked.text)
                nodes = graph.numbers(list(builds))  # a node in another state is recorded, but has no binary
                if asked.lock is None and all(graph.state(number) == State.UNKNOWN for number in nodes):
                    name, of_package = _of_package(index, asked)
                    builds |= of_package
                    widened |= {name: None} if held.intersect(_numbers(index, of_package)) else {}
            found |= builds
        for lock in each.locks:
            roots = [root.hash for root in lock.roots]
            needed_nodes = closure(lock.graph, lock.graph.numbers(roots), types)
            of_locks |= set(map(lock.graph.binary, (*roots, *map(lock.graph.hash, needed_nodes))))
        own = needed(found | of_locks)
        if held.isdisjoint(own):
            raise UserError(f"{word} matches no binary: give specs that are in the cache")
        kept |= own
    if held.isdisjoint(kept):
        raise UserError("prune would keep nothing: give the specs to keep, such as --keep spack.lock")
    _check_recorded(index, (kept & held) - _numbers(index, of_locks))
    return Plan(
        tuple(map(columns.hashes.__getitem__, kept & held)),
        _in_order(index, held - kept),
        tuple(absent),
        tuple(widened),
    )


def _in_order(index: Index, numbers: BitMap) -> dict[str, tuple[str, str | None]]:
    """Return the package and version of each hash, sorted by package and version.

    `numbers`: the numbers of the hashes.
    """
    columns, hashes, found = index.columns, list(index.columns.hashes), dict[str, tuple[str, str | None]]()
    versions, is_left = list(columns.tables["version"]), bytearray(len(hashes))
    for number in numbers:
        is_left[number] = True
    for package, (start, end) in zip(index.packages, pairwise(index.package_starts), strict=True):
        own = []
        for version, number in zip(columns.rows["version"][start:end], columns.hash[start:end], strict=True):
            if is_left[number]:
                is_left[number] = False
                own.append((versions[version], number))
        found |= {hashes[number]: (package, version or None) for version, number in sorted(own)}
    return found


def _held(index: Index, pushed: Mapping[str, Collection[str]]) -> BitMap:
    """Return the hashes of all binaries in build caches, as numbers of hashes in the index.

    Raise UserError if an index of a build cache does not list a pushed hash.
    """
    graph = index.graph
    caches = [tag for tag, mirrors in zip(graph.tags, graph.mirrors, strict=True) if mirrors]
    if not caches:
        raise UserError("prune needs a build cache: give its folder or its URL")
    held = BitMap(index.columns.hash_numbers(index.columns.rows_of_tags(caches)))
    for folder, hashes in pushed.items():
        if unlisted := sorted(each for each in hashes if held.isdisjoint(_numbers(index, [each]))):
            what = f"{plural(len(unlisted), 'pushed spec')}, such as /{unlisted[0]}"
            raise UserError(f"the index of {folder} does not list {what}: run spack buildcache update-index")
    return held


def _numbers(index: Index, hashes: Iterable[str]) -> BitMap:
    """Return the numbers of these hashes in the index. Skip hashes that the index lacks."""
    return BitMap(number for number in map(index.columns.hash_number, hashes) if number is not None)


def _check_recorded(index: Index, numbers: BitMap) -> None:
    """Raise UserError if the dependencies of one of these hashes are not recorded."""
    graph = index.graph
    named = index.columns.nodes_of_hashes(numbers) & graph.of_state(State.NAMED)
    for node_hash in sorted(map(graph.hash, named)):
        (number,) = graph.numbers([node_hash])
        if number in named:
            name = f"{graph.name(number)}/{node_hash}"
            raise UserError(f"the dependencies of {name} are unknown: give --keep a spack.lock that contains this spec")


def _of_package(index: Index, asked: Asked) -> tuple[str, set[str]]:
    """Return the package of a spec and the hashes of all its builds. Raises UserError if the spec has no package."""
    name = asked.expectation and asked.expectation.package
    if not name:
        raise UserError(f"--keep {asked.text} matches no spec: give a package name or another hash")
    number = index.package_number(name)
    return name, set(map(index.hash_of, () if number is None else index.package_rows(number)))


def _builds(index: Index, asked: Asked) -> Iterator[str]:
    """Yield the hashes of all builds that match a spec, or all hashes that begin with a given hash."""
    if asked.hash is not None:
        table = index.columns.hashes
        yield from (asked.hash, *map(table.__getitem__, () if asked.lock else prefixed(table, asked.hash)))
    elif asked.expectation is not None:
        if asked.expectation.fault:
            raise UserError(f"{asked.text} is not a valid spec: {asked.expectation.fault}")
        rows = index.rows(asked.expectation.query) if asked.expectation.query else BitMap()
        yield from filter(None, map(index.hash_of, rows))
