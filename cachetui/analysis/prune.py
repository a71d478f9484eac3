"""What build caches could lose: the binaries that nothing needs of what is to be kept.

Kept is what is wanted, all of the tags that are named, and what was pushed lately, each with all that it needs. Of a
spec without a match every binary of its package is kept. Where nobody knows what is needed, or a hash has no match,
this raises UserError.
Input: an index with build caches of which all could be read, what is wanted, and what is pushed to each cache.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from msgspec import Struct
from pyroaring import BitMap

from cachetui.environments.wanted import Asked, Wanted
from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.problem import UserError
from cachetui.model.spec import Spec
from cachetui.safe_text import plural
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index
from cachetui.store.graph import Graph, closure


class Plan(Struct, frozen=True):
    """What stays and what could go."""

    keep: tuple[str, ...]
    """The hashes of the binaries that stay, sorted."""
    going: Mapping[str, Spec]
    """The binaries that nothing needs, by hash, in the order of packages."""
    absent: tuple[str, ...]
    """What was wanted and is not there, the hash or the spec of each."""
    widened: tuple[str, ...]
    """The packages of these specs of which every binary stays."""


def plan(
    index: Index,
    wanted: Mapping[str, Wanted],
    pushed: Mapping[str, Collection[str]],
    tags: Collection[str] = (),
    lately: Collection[str] = (),
    types: frozenset[str] = LINK_RUN,
) -> Plan:
    """Return what of all build caches stays and could go.

    `wanted` is by the word that names it; `pushed` has the hashes of which there are files, by folder. All of `tags`
    and the hashes `lately` are kept as well. `types`: the dependencies that count.
    """
    graph, held = index.graph, _held(index, pushed)
    roots = {index.hash_of(row) or "" for row in index.tag_rows(tags)}
    kept, absent, widened = _needed(graph, roots.union(lately), types), list[str](), dict[str, None]()
    of_locks = set[str]()
    for word, each in wanted.items():
        found = set[str]()
        for asked in each.asked:
            builds = set(_builds(index, asked))
            if held.isdisjoint(builds):
                absent.append(asked.text)
                if asked.lock is None and not _is_recorded(graph, builds):
                    name, of_package = _of_package(index, asked)
                    builds |= of_package
                    widened |= {name: None} if held & of_package else {}
            found |= builds
        for lock in each.locks:
            of_locks.update(map(lock.graph.binary, _needed(lock.graph, {root for root, _ in lock.roots}, types)))
        found = _needed(graph, found | of_locks, types)
        if held.isdisjoint(found):
            raise UserError(f"{word} names nothing that is here: name what is to be kept")
        kept |= found
    if held.isdisjoint(kept):
        raise UserError("nothing would be left: name what is to be kept, as in --keep spack.lock")
    _check_recorded(graph, kept & held - of_locks)
    gone = ((each, index.spec(index.rows_of(each)[0])) for each in held - kept)
    in_order = sorted(gone, key=lambda each: (each[1].package, each[1].version or "", each[0]))
    return Plan(tuple(sorted(kept & held)), dict(in_order), tuple(absent), tuple(widened))


def _held(index: Index, pushed: Mapping[str, Collection[str]]) -> Set[str]:
    """Return the hashes in all build caches; raises UserError where it is not known what all of them need."""
    graph = index.graph
    caches = [tag for tag, mirrors in zip(graph.tags, graph.mirrors, strict=True) if mirrors]
    if not caches:
        raise UserError("prune needs a build cache: give its folder or its URL")
    held = {index.hash_of(row) or "" for row in index.tag_rows(caches)} - {""}
    for folder, hashes in pushed.items():
        if unlisted := sorted(set(hashes) - held):
            what = f"{plural(len(unlisted), 'spec')} pushed, but not in its index, the first is /{unlisted[0]}"
            raise UserError(f"{folder}: {what}: `spack buildcache update-index` brings it up to date")
    return held


def _needed(graph: Graph, roots: Collection[str], types: frozenset[str]) -> set[str]:
    """Return these hashes and all that they need."""
    return {*roots, *map(graph.hash, closure(graph, graph.numbers(list(roots)), types))}


def _check_recorded(graph: Graph, hashes: Iterable[str]) -> None:
    """Raise UserError if nothing records the dependencies of one of these binaries."""
    for number in graph.numbers(sorted(hashes)):
        if graph.state(number) == State.NAMED:
            name = f"{graph.name(number)}/{graph.hash(number)}"
            raise UserError(f"nothing records the dependencies of {name}: a spack.lock with it, as --keep, does")


def _is_recorded(graph: Graph, hashes: Collection[str]) -> bool:
    """Return whether the dependencies of one of these hashes are recorded, though it has no binary."""
    return any(graph.state(number) != State.UNKNOWN for number in graph.numbers(list(hashes)))


def _of_package(index: Index, asked: Asked) -> tuple[str, set[str]]:
    """Return the package of a spec and the hashes of all its builds; raises UserError for a hash, and without one."""
    name = asked.expectation and asked.expectation.package
    if not name:
        raise UserError(f"--keep {asked.text} matches nothing here, and names no package: name what is to be kept")
    number = index.package_number(name)
    return name, set(map(index.hash_of, () if number is None else index.package_rows(number)))


def _builds(index: Index, asked: Asked) -> Iterator[str]:
    """Yield the hashes that one thing may mean: all builds of a spec, all that begin as a short hash."""
    if asked.hash is not None:
        table = index.columns.hashes
        yield from (asked.hash, *map(table.__getitem__, () if asked.lock else prefixed(table, asked.hash)))
    elif asked.expectation is not None:
        if asked.expectation.fault:
            raise UserError(f"{asked.text}: {asked.expectation.fault}")
        rows = index.rows(asked.expectation.query) if asked.expectation.query else BitMap()
        yield from filter(None, map(index.hash_of, rows))
