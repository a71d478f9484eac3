"""The consequences of removed and restored builds: which roots no longer install, and which roots install again.

A root of a stack is a spec that no other spec of the stack depends on. A lock lists its own roots. A root installs if
its tag has binaries of the root and of all its link and run dependencies.
Input: an index with both tags, the replaced builds, and locks.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from pyroaring import BitMap

from cachetui.environments.wanted import Asked
from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.model.spec import ROOT, at_version
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.availability import Availability, Closures
from cachetui.search.index import Index
from cachetui.store.graph import Graph


class AffectedRoot(Struct, frozen=True):
    """A root of a stack or of a lock."""

    stack: str
    """The stack; empty for a root of a lock, or if the content has no stacks."""
    lock: str
    """The file of the lock; empty for a root of a stack."""
    asked: str
    """The root as the lock spells it, or its name and version."""
    hash: str

    @property
    def owner(self) -> str:
        """The stack or lock of the root, as `stack hep` or `lock FILE`; empty if the content has no stacks."""
        return f"lock {self.lock}" if self.lock else f"stack {self.stack}" * bool(self.stack)


class Breakage(Struct, frozen=True):
    """A removed or restored build, and the roots that need this build."""

    package: str
    version: str
    hash: str
    replaced_by: str
    """The name and the hash of the replacement; may be empty."""
    needed_by: int
    """The number of specs in the new tag with a direct link or run dependency on the build."""
    follows: Sequence[str]
    """The hashes of other missing builds that these roots need. They are missing because they need this build."""
    roots: Sequence[AffectedRoot]
    """The roots that the build breaks or repairs; empty if all dependents were already broken."""
    cache: str | None
    """The folder or URL of the build cache of the build; None if unknown."""


def consequences(
    index: Index, tags: tuple[str, str], replaced_rows: Mapping[int, int], locks: Iterable[tuple[str, Asked]] = ()
) -> tuple[list[Breakage], list[Breakage]]:
    """Return the removed builds that other specs need, and the restored builds that repair roots.

    The builds with the most roots come first. `tags`: the old and the new tag. `replaced_rows`: new rows by old row.
    `locks`: the roots of locks, each with the path of its lock.
    """
    graph, columns = index.graph, index.columns
    held = [Availability(index, Query((ValueTerm.of("tag", [tag]),))) for tag in tags]
    old, new = (frozenset(each.hashes) for each in held)
    replaced = {columns.hashes[columns.hash[row]]: index.spec(by) for row, by in replaced_rows.items()}
    before, now = (_roots(index, tag) if not graph.trees else () for tag in tags)
    roots = dict.fromkeys(chain((each for each in before if each.hash in new or each.hash not in replaced), now))
    asked = [(graph, [each for each in roots if each.hash in old])]
    asked += (
        (each.lock.graph, [AffectedRoot("", path, each.text, each.hash)])
        for path, each in locks
        if each.lock and each.hash
    )
    lost, back = ([effect for own in asked for effect in _effects(*own, *sides)] for sides in (held, held[::-1]))
    known = {spec_hash for own, _ in lost for spec_hash in own}
    numbers = {each: graph.number(each) for each in sorted(old - new - known)} if graph else {}
    lost += (((each,), None) for each, number in numbers.items() if number is not None and _users(graph, number, new))

    def breakage(spec_hash: str, own: Sequence[tuple[Sequence[str], AffectedRoot | None]]) -> Breakage:
        spec, by, number = index.spec(index.rows_of(spec_hash)[0]), replaced.get(spec_hash), graph.number(spec_hash)
        return Breakage(
            spec.package,
            spec.version or "",
            spec_hash,
            f"{at_version(by.package, by.version)}/{(by.hash or '')[:7]}" if by else "",
            0 if number is None else _users(graph, number, new),
            list(dict.fromkeys(chain.from_iterable(follows for follows, _ in own))),
            [root for _, root in own if root],
            graph.mirror(tags[1], spec.stacks) if graph else None,
        )

    sides = (grouped((first, (follows, root)) for (first, *follows), root in effects) for effects in (lost, back))
    made = ([breakage(*each) for each in side.items()] for side in sides)
    first, second = (
        sorted(each, key=lambda one: (-len(one.roots), -one.needed_by, one.package, one.hash)) for each in made
    )
    return first, second


def _users(graph: Graph, number: int, held: Container[str]) -> int:
    """Return the number of specs with a binary that have a direct link or run dependency on a node."""
    return sum(graph.hash(edge.number) in held for edge in graph.dependents(number, LINK_RUN))


def _roots(index: Index, tag: str) -> Iterator[AffectedRoot]:
    """Yield the roots of each stack of a tag, if the tag records dependencies."""
    graph, inside = index.graph, index.value_rows("tag", tag) & index.shown_rows
    users = graph.backwards(graph.followed(ALL_TYPES))
    spans = zip(graph.tags, graph.bases, graph.bases[1:], strict=False) if tag in graph.tags else ()
    nodes = BitMap(chain.from_iterable(range(*span) for own, *span in spans if own == tag))
    stacks = {name: index.value_rows("stack", name) & inside for name in index.values("stack")}
    for stack, rows in (stacks if any(stacks.values()) else {"": inside}).items():
        own = index.columns.nodes_of_hashes(index.columns.hash_numbers(rows)) & nodes if stack != ROOT else ()
        for node in own:
            if not any(user != node and user in own for user in users(node)):
                name = at_version(graph.name(node), graph.node(node).version)
                yield AffectedRoot(stack, "", name, graph.hash(node))


def _effects(
    graph: Graph, roots: Sequence[AffectedRoot], then: Availability, now: Availability
) -> Iterator[tuple[Sequence[str], AffectedRoot | None]]:
    """Yield the roots that are complete in `then` but not in `now`, each with the hashes of missing builds.

    The dependencies of the first missing build are complete. The other missing builds need the first one.
    """
    before, after = (Closures(graph, each, [root.hash for root in roots]) for each in (then, now))
    for root in roots:
        if before.of(root.hash).complete:
            lacking = after.named(after.of(root.hash).missing)
            for first in (each for each in lacking if len(after.of(each).missing) == 1):
                follows = (each for each in lacking if each != first and after.needs(each, first))
                yield [graph.binary(each) for each in (first, *follows)], root
